"""The step machine: every change there is, on what proof, and that there is no other."""

import pytest

from semel.domain.action import Local, Opaque
from semel.domain.plan import PlanReason, StepReason, StepState
from semel.domain.step import (
    Change,
    InTransaction,
    NotStarted,
    Started,
    is_local,
    name_of,
)

DONE, NOT_DONE, IN_DOUBT = StepState.DONE, StepState.NOT_DONE, StepState.IN_DOUBT


@pytest.mark.parametrize("last", [False, True])
def test_what_was_made_is_done_and_the_last_one_finishes_the_plan(last):
    ends = PlanReason.FINISHED if last else None
    assert InTransaction(last).made() == Change(DONE, ends=ends)
    assert Started(last).made() == Change(DONE, ends=ends)
    # A proof that it happened counts whatever else is open.
    assert Started(last, others_open=3).made() == Change(DONE, ends=ends)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("reason", list(StepReason))
def test_what_was_rolled_back_or_never_began_is_not_done_and_ends_the_plan(last, reason):
    ends = PlanReason.STALE if reason is StepReason.STALE else PlanReason.FAILED
    expected = Change(NOT_DONE, reason, ends)
    assert InTransaction(last).not_made(reason) == expected
    assert NotStarted().not_made(reason) == expected


@pytest.mark.parametrize("last", [False, True])
def test_a_refusal_counts_only_when_it_was_the_only_send(last):
    refused = Change(NOT_DONE, StepReason.REFUSED, PlanReason.FAILED)
    assert Started(last).refused() == refused
    for others in (1, 2, 9):
        assert Started(last, others).refused() == Change(IN_DOUBT, ends=PlanReason.IN_DOUBT)


@pytest.mark.parametrize("last", [False, True])
def test_a_doubt_ends_the_plan_with_it(last):
    assert Started(last).in_doubt() == Change(IN_DOUBT, None, PlanReason.IN_DOUBT)


def test_a_started_step_has_no_way_back():
    ways = {name for name in dir(Started(last=True)) if not name.startswith("_")}
    assert ways == {"last", "others_open", "made", "refused", "in_doubt"}
    for others in (0, 1):
        started = Started(last=True, others_open=others)
        for change in (started.made(), started.refused(), started.in_doubt()):
            assert change.state not in {StepState.WAITING, StepState.STARTED}


def test_nothing_but_a_done_step_lets_a_plan_go_on():
    changes = [
        change
        for last in (False, True)
        for change in (
            InTransaction(last).made(),
            *(InTransaction(last).not_made(reason) for reason in StepReason),
            *(NotStarted().not_made(reason) for reason in StepReason),
            *(getattr(Started(last, n), way)() for n in (0, 1) for way in ("refused", "in_doubt")),
        )
    ]
    for change in changes:
        if change.ends is None:
            assert change.state is DONE
        # A step that is not done says why, and no other does.
        assert (change.state is NOT_DONE) == (change.reason is not None)


def test_an_effect_is_stored_by_its_name():
    assert (name_of(Local()), name_of(Opaque(deadline=3))) == ("local", "opaque")
    assert is_local("local")
    assert not is_local("opaque")


def test_a_change_is_a_value():
    with pytest.raises((AttributeError, TypeError)):
        Change(DONE).state = NOT_DONE
