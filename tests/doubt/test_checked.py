"""Checked: what is found counts at any time, what is not there only once everything is settled."""

import asyncio
from datetime import timedelta

import pytest
from dudas import NOW, RESERVA, SOON, crear, does, opened, run
from pedidos import ANA

from semel import LookAgain, Made
from semel.testing import interrupt_at

IN_DOUBT = [("in_doubt", None), ("not_done", "not_reached")]
DONE = [("done", None), ("not_done", "not_reached")]
NOT_DONE = [("not_done", "failed"), ("not_done", "not_reached")]
BOUNDS = 90
"""Deadline and delivery bound of the action."""


async def in_doubt(banco, engine, goes, look="dark"):
    """A reservation of which nothing is known, and a step after it; its number."""
    banco.afuera.goes[RESERVA], banco.afuera.goes[f"{RESERVA}?"] = goes, look
    ask = await banco.asked(engine, does(RESERVA, await banco.note(engine)), crear())
    await engine.person(ANA).confirm(ask.token)
    assert banco.steps() == IN_DOUBT
    banco.afuera.goes[f"{RESERVA}?"] = ""
    return ask.view.plan


async def looks(banco, engine, plan, who):
    """Somebody looks at the doubt: its person, or the sweeper at its time."""
    if who == "person":
        await engine.person(ANA).resolve(plan, 1, LookAgain())
    else:
        banco.sql("UPDATE semel_plans SET look_after = created_at WHERE reason = 'in_doubt'")
        await engine.sweep()


LOOKERS = pytest.mark.parametrize("who", ["person", "sweep"])


@LOOKERS
@pytest.mark.parametrize("at", [0, 1, BOUNDS - 1e-6, BOUNDS, 10 * BOUNDS])
def test_what_is_found_is_done_at_any_time(tmp_path, at, who):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await in_doubt(banco, engine, "lost")
            banco.clock.move(seconds=at)
            await looks(banco, engine, plan, who)
            assert banco.steps() == DONE
            assert banco.plan() == ("ended", "failed")
            assert banco.calls()["send"] == banco.arrived(RESERVA) == 1
            report = await engine.person(ANA).status(plan)
            assert report.view.steps[0].id == f"{RESERVA}:{banco.keys()[0]}"
            # It is known now, so what is left may be done.
            assert report.retry_token

    run(main())


@LOOKERS
@pytest.mark.parametrize(
    ("at", "steps"),
    [(0, IN_DOUBT), (1, IN_DOUBT), (BOUNDS - 1e-6, IN_DOUBT), (BOUNDS, NOT_DONE), (9e9, NOT_DONE)],
)
def test_what_is_not_there_counts_from_the_instant_that_it_is_settled(tmp_path, at, steps, who):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await in_doubt(banco, engine, "gone")
            banco.clock.move(seconds=min(at, 1e9))
            await looks(banco, engine, plan, who)
            assert banco.steps() == steps
            assert banco.attempts() == ["unknown" if steps == IN_DOUBT else "absent"]
            report = await engine.person(ANA).status(plan)
            assert bool(report.retry_token) == (steps == NOT_DONE)

    run(main())


@LOOKERS
def test_a_look_that_began_before_it_settled_does_not_count_when_it_ends_after(tmp_path, who):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await in_doubt(banco, engine, "gone")
            banco.clock.move(seconds=BOUNDS - 1)

            def settles_and_arrives():
                # The other side has answered "not there", and then it lands.
                banco.afuera.arrive(RESERVA, banco.keys()[0])
                banco.clock.move(seconds=2)

            with interrupt_at("check:after", settles_and_arrives):
                await looks(banco, engine, plan, who)
            assert banco.steps() == IN_DOUBT
            assert banco.attempts() == ["unknown"]
            await looks(banco, engine, plan, who)
            assert banco.steps() == DONE

    run(main())


@LOOKERS
def test_without_a_delivery_bound_not_there_never_counts_and_found_does(tmp_path, who):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.effect(RESERVA, delivery_bound=None)
            plan = await in_doubt(banco, engine, "gone")
            for _ in range(3):
                banco.clock.move(days=3650)
                await looks(banco, engine, plan, who)
                assert banco.steps() == IN_DOUBT
            banco.afuera.arrive(RESERVA, banco.keys()[0])
            await looks(banco, engine, plan, who)
            assert banco.steps() == DONE

    run(main())


@LOOKERS
def test_while_its_own_call_is_still_on_its_way_not_there_does_not_count(tmp_path, who):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.impatient()
            plan = await in_doubt(banco, engine, "hang gone")
            for _ in range(3):
                banco.clock.move(hours=5)
                await looks(banco, engine, plan, who)
                assert banco.steps() == IN_DOUBT
                assert banco.attempts() == [None]
            await banco.release(engine)
            assert banco.attempts() == ["unknown"]
            await looks(banco, engine, plan, who)
            assert banco.steps() == NOT_DONE

    run(main())


def test_it_is_sent_once_whatever_the_looks_say(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await in_doubt(banco, engine, "gone")
            for _ in range(10):
                banco.clock.move(seconds=BOUNDS / 9)
                await looks(banco, engine, plan, "person")
                await looks(banco, engine, plan, "sweep")
            assert banco.steps() == NOT_DONE
            assert banco.calls()["send"] == 1
            assert banco.arrived(RESERVA) == 0

    run(main())


def test_the_sweep_comes_back_when_it_settles_and_each_minute_while_nobody_answers(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await in_doubt(banco, engine, "lost")
            banco.afuera.goes[f"{RESERVA}?"] = "dark"
            before = banco.calls()["look"]
            seen = []
            for second in range(1, 301):
                banco.clock.move(seconds=1)
                if (await engine.sweep()).looked_at == (plan,):
                    seen.append(second)
            assert seen == [BOUNDS, BOUNDS + 60, BOUNDS + 120, BOUNDS + 180]
            assert banco.calls()["look"] == before + 4
            banco.afuera.goes[f"{RESERVA}?"] = ""
            banco.clock.move(seconds=60)
            await engine.sweep()
            assert banco.steps() == DONE
            # Once it is known nobody comes back.
            banco.clock.move(days=1)
            assert (await engine.sweep()).looked_at == ()

    run(main())


@pytest.mark.parametrize("answer", [True, "yes", {"id": "r-1"}, Made, 0, b""])
@LOOKERS
def test_an_answer_that_is_neither_made_nor_none_is_no_answer(tmp_path, answer, who):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await in_doubt(banco, engine, "lost")

            async def says(keys, ctx):
                return answer

            action = banco.actions[RESERVA]
            check, action.check = action.check, says
            banco.clock.move(seconds=BOUNDS)
            await looks(banco, engine, plan, who)
            assert banco.steps() == IN_DOUBT
            action.check = check
            await looks(banco, engine, plan, who)
            assert banco.steps() == DONE

    run(main())


def test_the_look_is_asked_for_every_open_key_with_the_deadline_of_the_action(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            seen = []

            async def looked(keys, ctx):
                seen.append((list(keys), ctx.deadline, ctx.tx, ctx.org, ctx.now - NOW))

            banco.actions[RESERVA].check = looked
            plan = await in_doubt(banco, engine, "gone")
            banco.clock.move(seconds=5)
            await looks(banco, engine, plan, "person")
            keys = banco.keys()
            assert seen == [
                (keys, 30.0, None, "o-1", timedelta(0)),
                (keys, 30.0, None, "o-1", timedelta(seconds=5)),
            ]

    run(main())


def test_a_look_that_never_comes_back_is_no_answer(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await in_doubt(banco, engine, "gone")

            async def silent(keys, ctx):
                await asyncio.Event().wait()

            banco.actions[RESERVA].check = silent
            banco.effect(RESERVA, deadline=SOON)
            banco.clock.move(seconds=BOUNDS)
            await looks(banco, engine, plan, "person")
            assert banco.steps() == IN_DOUBT

    run(main())


def test_two_looks_at_once_write_their_finding_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await in_doubt(banco, engine, "gone")
            banco.clock.move(seconds=BOUNDS)
            together = asyncio.Barrier(6)

            async def all_have_looked(keys, ctx):
                await together.wait()

            banco.actions[RESERVA].check = all_have_looked
            await asyncio.gather(
                *(engine.person(ANA).resolve(plan, 1, LookAgain()) for _ in range(5)),
                engine.sweep(),
            )
            assert banco.steps() == NOT_DONE
            assert banco.events().count("step_not_done") == 1
            assert banco.events().count("proved_late") == 1

    run(main())
