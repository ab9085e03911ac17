"""Confirm: the life of a token, whose it is, and what a yes covers."""

import asyncio

import pytest
from app import ANA, EVA, LUIS
from notas_bench import act, crear, opened, told

from semel import Ask, Report, Who
from semel.domain.report import Refusal

RISKY = crear("Logo", urgente=True)
DONE = ("Report", "finished")


def test_a_used_token_shows_what_it_led_to_and_runs_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            first = await engine.person(ANA).confirm(ask.token)
            assert told(first) == DONE
            assert not first.replayed
            for later in (0, 11, 60 * 24 * 400):
                bench.move(minutes=later)
                again = await engine.person(ANA).confirm(ask.token)
                assert again.view == first.view
                assert again.replayed
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("late", "outcome"),
    [(-0.001, DONE), (0, ("Refused", "expired")), (0.001, ("Refused", "expired"))],
)
def test_a_token_lives_ten_minutes_to_the_millisecond(tmp_path, late, outcome):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            bench.move(seconds=600 + late)
            assert told(await engine.person(ANA).confirm(ask.token)) == outcome
            if late >= 0:
                assert bench.plans() == [("ended", "expired")]
                assert bench.steps() == [("not_done", "not_reached")]
                # The clock going back brings nothing back.
                bench.move(seconds=-300)
                assert told(await engine.person(ANA).confirm(ask.token)) == ("Refused", "revoked")
                assert bench.notes() == []

    asyncio.run(main())


def test_a_token_revoked_by_a_newer_plan_says_so_to_its_person(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            old = await bench.asked(engine, RISKY)
            await bench.asked(engine, crear("Web", urgente=True))
            for _ in range(2):
                gone = await engine.person(ANA).confirm(old.token)
                assert (gone.why, gone.plan) == (Refusal.REVOKED, old.view.plan)
            assert bench.notes() == []

    asyncio.run(main())


def test_b08_three_strangers_get_one_answer_and_the_fourth_press_works_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            before = bench.dump("semel_events")
            strangers = [
                LUIS,
                Who("o-1", "ana", "c-2", "es"),
                Who("o-2", "ana", "c-1", "es"),
                EVA,
            ]
            answers = [await engine.person(who).confirm(ask.token) for who in strangers]
            nobody = await engine.person(ANA).confirm("smlc_" + "A" * 32)
            assert all(answer == nobody for answer in answers)
            assert (nobody.why, nobody.plan, nobody.detail) == (Refusal.NOT_FOUND, None, "")
            for locale in ("es", "en"):
                said = {answer.for_model(locale).says for answer in (*answers, nobody)}
                drawn = {answer.card(locale).text() for answer in (*answers, nobody)}
                assert len(said) == len(drawn) == 1
            # Nothing was consumed and the card is as it was; the two of this organization are noted.
            assert bench.dump("semel_events") == before
            assert bench.events(ask.view.plan) == ["proposed", "asked", "rejected", "rejected"]
            noted = bench.sql("SELECT body FROM semel_events WHERE kind = 'rejected'")
            assert noted == [('{"reason":"mismatch"}',)] * 2
            assert (await act(engine, RISKY)).token == ask.token
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            assert (await engine.person(ANA).confirm(ask.token)).replayed
            # Nor does a used one exist for them.
            again = [await engine.person(who).confirm(ask.token) for who in strangers]
            assert all(answer == nobody for answer in again)
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


@pytest.mark.parametrize("state", ["asking", "expired", "superseded", "cancelled"])
def test_b08_a_stranger_cannot_tell_what_has_become_of_a_question(tmp_path, state):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            if state == "expired":
                bench.move(minutes=11)
            elif state == "superseded":
                await bench.asked(engine, crear("Web", urgente=True))
            elif state == "cancelled":
                await engine.person(ANA).says("no")
            answer = await engine.person(LUIS).confirm(ask.token)
            assert answer == await engine.person(LUIS).confirm("smlc_nothing")
            if state == "expired":
                # It was theirs to let expire, not a stranger's press.
                assert bench.plans() == [("asking", None)]

    asyncio.run(main())


def test_the_yes_is_on_disk_before_the_first_handler_runs(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, ("nota.guion", {}))
            seen = []

            def look(call, i, ctx):
                if call == 3:
                    seen.append(bench.plans())
                    seen.append(bench.sql("SELECT count(used_at) FROM semel_confirmations"))
                return bench.guion.__class__().run_is(call, i, ctx)

            bench.guion.run_is = look
            await engine.person(ANA).confirm(ask.token)
            assert seen == [[("running", None)], [(1,)]]

    asyncio.run(main())


def test_an_other_instance_confirms_what_this_one_asked(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine), bench.engine() as other:
            ask = await bench.asked(engine, RISKY)
            done = await other.person(ANA).confirm(ask.token)
            assert isinstance(done, Report)
            assert (await engine.person(ANA).confirm(ask.token)).replayed

    asyncio.run(main())


def test_a_reload_shows_the_live_button_to_its_person_in_its_conversation_only(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            status = engine.person(ANA).status
            assert (await status(ask.view.plan)).token == ask.token
            elsewhere = await engine.person(Who("o-1", "ana", "c-2")).status(ask.view.plan)
            assert isinstance(elsewhere, Ask)
            assert elsewhere.token is None
            # luis may decide for others: he sees the plan and never its button.
            assert (await engine.person(LUIS).status(ask.view.plan)).token is None
            stranger = await engine.person(EVA).status(ask.view.plan)
            assert stranger == await engine.person(EVA).status("p_nothing")
            for odd in ("", "p_", "\ud83d", "p_\0", "x" * 10_000):
                assert told(await status(odd)) == ("Refused", "not_found")
                assert await engine.person(ANA).show(odd) is None

    asyncio.run(main())
