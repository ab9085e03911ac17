"""A proof that comes late: it counts whatever was decided meanwhile, or it is said beside it."""

import asyncio

import pytest
from dudas import (
    CARTA,
    COBRO,
    SETTLED,
    VUELO,
    Process,
    at_once,
    beside,
    crear,
    does,
    elsewhere,
    opened,
    run,
    told,
)
from pedidos import ANA, OUTSIDE

import stores
from semel import DidNot, Happened, SendAnyway
from semel.testing import interrupt_at

FAILED = ("ended", "failed")
DONE = ("Report", "finished")
LEFT = ("not_done", "not_reached")


def states(banco):
    """The plans and the steps as they are, whatever events there are of them."""
    rows = stores.dump(banco.folder / "pedidos.db", "semel_events")
    return [line for line in rows if "semel_plans" in line or "semel_steps" in line]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    at_once(monkeypatch)


async def hung(banco, engine, goes="hang", action=CARTA):
    """A step whose send has outlived its deadline and is still on its way; its plan's number."""
    banco.impatient()
    banco.afuera.goes |= {action: goes, f"{action}?": "dark"}
    ask = await banco.asked(engine, does(action, await banco.note(engine)), crear())
    assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "in_doubt")
    return ask.view.plan


async def gave_up_on(banco, plan):
    """Another process takes the sender for dead, and a person there says that it did not happen.

    The sender lives: it is the one lie that the rest is built on, so that nothing else protects.
    """
    banco.clock.move(seconds=SETTLED)
    async with beside(banco, Process("two", "one")) as other:
        ((epoch,),) = banco.sql("SELECT epoch FROM semel_plans")
        answer = await other.person(ANA).resolve(plan, 1, DidNot(epoch, settled=True))
        assert told(answer) == ("Report", "failed")
    assert banco.steps() == [("not_done", "failed"), LEFT]


@pytest.mark.parametrize("late", ["hang", "hang refuse", "hang gone"])
def test_after_did_not_a_proof_is_said_and_changes_no_state(tmp_path, late):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            plan = await hung(banco, engine, late)
            await gave_up_on(banco, plan)
            rows = states(banco)
            events = banco.events()
            await banco.release(engine)
            # Only that it happened contradicts what was said; the other two agree with it.
            contradicted = ["contradicted"] if late == "hang" else []
            assert banco.events() == events + contradicted
            assert rows == states(banco)
            assert banco.arrived(CARTA) == len(contradicted)
            assert banco.attempts() == ["absent"]
            detail = await engine.person(ANA).show(plan)
            assert [row["kind"] for row in detail.events][-1:] == (contradicted or events[-1:])

    run(main())


@pytest.mark.parametrize("action", OUTSIDE)
@pytest.mark.parametrize("late", ["hang", "hang refuse", "hang gone"])
def test_after_happened_nothing_that_comes_changes_it(tmp_path, action, late):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await hung(banco, engine, late, action)
            await engine.person(ANA).resolve(plan, 1, Happened("r-9"))
            rows = states(banco)
            events = banco.events()
            await banco.release(engine)
            assert banco.events() == events
            assert rows == states(banco)
            assert (await engine.person(ANA).status(plan)).view.steps[0].id == "r-9"

    run(main())


@pytest.mark.parametrize(
    ("late", "step", "reason"),
    [
        ("hang", ("done", None), "cancelled"),
        ("hang refuse", ("not_done", "refused"), "cancelled"),
        ("hang gone", ("in_doubt", None), "in_doubt"),
    ],
)
def test_of_a_cancelled_plan_the_step_in_flight_is_still_told_truly(tmp_path, late, step, reason):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[CARTA] = late
            ask = await banco.asked(engine, does(CARTA, await banco.note(engine)), crear())
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await banco.afuera.hanging.wait()
            await engine.person(ANA).cancel(ask.view.plan)
            banco.afuera.released.set()
            assert told(await yes) == ("Report", reason)
            assert banco.steps()[0] == step
            assert banco.arrived(CARTA) == (late == "hang")

    run(main())


@pytest.mark.parametrize(
    ("late", "step", "reason"),
    [
        ("hang", ("done", None), "cancelled"),
        ("hang refuse", ("not_done", "refused"), "cancelled"),
        ("hang gone", ("in_doubt", None), "in_doubt"),
    ],
)
def test_a_proof_after_the_doubt_of_a_cancelled_plan_ends_it_as_cancelled(
    tmp_path, late, step, reason
):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            banco.afuera.goes[CARTA] = late
            ask = await banco.asked(engine, does(CARTA, await banco.note(engine)), crear())
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await banco.afuera.hanging.wait()
            await engine.person(ANA).cancel(ask.view.plan)
            async with beside(banco, Process("two", "one")) as other:
                await other.sweep()
                assert banco.plan() == ("ended", "in_doubt")
            banco.afuera.released.set()
            await yes
            assert banco.steps() == [step, LEFT]
            assert banco.plan() == ("ended", reason)

    run(main())


@pytest.mark.parametrize("second", ["ok", "lost", "refuse", "hang"])
@pytest.mark.parametrize("late", ["hang", "hang refuse", "hang gone"])
def test_after_it_was_sent_anyway_the_first_ones_proof_still_counts(tmp_path, late, second):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await hung(banco, engine, late if second != "hang" else [late, "hang gone"])
            if second != "hang":
                banco.afuera.goes[CARTA] = second
            await engine.person(ANA).resolve(plan, 1, SendAnyway("SEND AGAIN"))
            await banco.release(engine)
            made = second == "ok" or late == "hang"
            # A refused second send says nothing of the first, nor the first's of the second.
            refused = second == "refuse" and late == "hang refuse"
            state = "done" if made else "not_done" if refused else "in_doubt"
            assert banco.steps()[0][0] == state
            assert banco.arrived(CARTA) == (late == "hang") + (second in {"ok", "lost"})
            assert banco.events().count("possible_duplicate") == 1
            assert banco.plan()[1] == ("in_doubt" if state == "in_doubt" else "failed")
            # What is left is a person's to order, with the figures of now.
            report = await engine.person(ANA).status(plan)
            assert bool(report.retry_token) == (state != "in_doubt")

    run(main())


@pytest.mark.parametrize("point", ["prepare:before", "prepare:after", "send:before"])
@pytest.mark.parametrize("late", ["hang", "hang refuse", "hang gone"])
def test_a_proof_of_an_earlier_round_while_a_retry_begins_is_not_lost_and_not_mistaken(
    tmp_path, late, point
):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            plan = await hung(banco, engine, late)
            await gave_up_on(banco, plan)
            banco.afuera.goes[CARTA] = "ok"

            async def retried():
                async with beside(banco, Process("two", "one")) as other:
                    report = await other.person(ANA).status(plan)
                    assert told(await other.person(ANA).retry(report.retry_token)) == DONE

            async def comes_late():
                await banco.release(engine)

            loop = asyncio.get_running_loop()

            def first_round_ends():
                asyncio.run_coroutine_threadsafe(comes_late(), loop).result(30)

            with interrupt_at(point, first_round_ends):
                await asyncio.to_thread(elsewhere, retried())
            assert banco.steps() == [("done", None), ("done", None)]
            assert banco.plan() == ("ended", "finished")
            # Before its mark the second is not sent any more; after it, nobody can know in time.
            sent_twice = point == "send:before" or late != "hang"
            assert banco.calls()["send"] == 1 + sent_twice
            assert ("contradicted" in banco.events()) == (late == "hang")
            assert banco.arrived(CARTA) == (late == "hang") + sent_twice

    run(main())


def test_a_proof_of_an_earlier_round_after_a_retry_is_done_is_said(tmp_path):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            plan = await hung(banco, engine, ["hang", "ok"])
            await gave_up_on(banco, plan)
            async with beside(banco, Process("two", "one")) as other:
                report = await other.person(ANA).status(plan)
                assert told(await other.person(ANA).retry(report.retry_token)) == DONE
            events = banco.events()
            await banco.release(engine)
            assert banco.events() == [*events, "contradicted"]
            assert banco.steps() == [("done", None)] * 2
            assert banco.arrived(CARTA) == 2

    run(main())


@pytest.mark.parametrize("point", ["prepare:before", "prepare:after", "send:before"])
def test_a_late_refusal_of_a_closed_send_says_nothing_of_the_retry_that_begins(tmp_path, point):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.impatient()
            banco.afuera.goes[VUELO] = ["hang", "gone"]
            ask = await banco.asked(engine, does(VUELO, await banco.note(engine)), crear())
            report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "failed")
            assert banco.attempts() == ["void"] * 3
            banco.afuera.goes[VUELO] = "ok"
            loop = asyncio.get_running_loop()

            async def retried():
                async with beside(banco, Process("two")) as other:
                    again = await other.person(ANA).retry(report.retry_token)
                    assert told(again) == DONE

            def the_first_is_refused():
                asyncio.run_coroutine_threadsafe(banco.release(engine), loop).result(30)

            with interrupt_at(point, the_first_is_refused):
                await asyncio.to_thread(elsewhere, retried())
            assert banco.steps() == [("done", None)] * 2
            assert banco.arrived(VUELO) == 1
            assert banco.attempts() == ["void", "void", "void", "made"]

    run(main())


def test_three_proofs_of_one_step_are_one_record(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            await hung(banco, engine, "hang", COBRO)
            assert banco.attempts() == [None] * 3
            await banco.release(engine)
            assert banco.attempts() == ["made"] * 3
            assert banco.events()[-2:] == ["step_done", "proved_late"]
            assert banco.events().count("step_done") == banco.arrived(COBRO) == 1
            assert banco.plan() == FAILED

    run(main())
