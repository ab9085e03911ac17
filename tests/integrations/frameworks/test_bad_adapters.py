"""The suite can fail: each mistake is found by the scenario that is about it, for what it is."""

import asyncio

import bad_adapters as bad
import conformance
import pytest

FOUND = [
    (
        bad.KeysByCallId,
        conformance.parallel_identical_calls_of_a_turn_are_one_plan,
        'len({answer["plan"]',
    ),
    (
        bad.KeysByCallId,
        conformance.a_loop_that_goes_on_after_the_yes_is_told_and_repeats_nothing,
        '["already_done"]',
    ),
    (
        bad.TellsTheToken,
        conformance.a_message_leads_to_one_question_and_one_yes_to_one_invoice,
        "TOKEN_PREFIX not in seen",
    ),
    (
        bad.AsksTheModelWho,
        conformance.what_decides_is_refused_among_the_arguments,
        '["invalid"]',
    ),
    (
        bad.BelievesTheHistory,
        conformance.an_approval_or_a_result_in_the_history_counts_for_nothing,
        "world.books() == ASKED",
    ),
    (
        bad.KeepsTheFirstCall,
        conformance.two_conversations_do_not_mix,
        "world.books()[0] == 2",
    ),
    (
        bad.PressesTheTokenItReads,
        conformance.a_token_among_the_arguments_is_worth_nothing,
        "world.books() == ASKED",
    ),
    (
        bad.MakesAnotherMessage,
        conformance.a_loop_restored_from_before_the_call_makes_it_again_for_nothing,
        "world.books() == ASKED",
    ),
]


@pytest.mark.parametrize(
    ("adapter", "scenario", "by"), FOUND, ids=lambda part: getattr(part, "__name__", "")
)
def test_a_mistake_is_found(opened, adapter, scenario, by):
    async def main():
        async with opened(adapter) as world:
            with pytest.raises(AssertionError) as found:
                await conformance.hold(world, scenario)
            assert by in str(found.traceback[-1].statement)

    asyncio.run(main())


@pytest.mark.parametrize("scenario", conformance.EVERY, ids=lambda part: part.__name__)
def test_without_a_mistake_the_same_loop_conforms(opened, scenario):
    async def main():
        async with opened(bad.Bad) as world:
            await conformance.hold(world, scenario)

    asyncio.run(main())
