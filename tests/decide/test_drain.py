"""B55: a process that is being stopped begins nothing new, ends its step, and hands the plan on."""

import asyncio

import pytest
from agreement import agrees
from decide_bench import (
    DONE,
    act,
    carta,
    cobro,
    crear,
    firmar,
    fuera,
    opened,
    running,
    states,
    told,
)
from pedidos import ANA
from test_cancel_running import FOUR, MOMENTS

from semel import Running, Who
from semel.runtime import engine as engine_module
from semel.testing import interrupt_at

CLOSING = ("Refused", "closing")
EFFECTS = ["carta.enviar", "cobro.hacer", "reserva.hacer", "vuelo.reservar"]


async def hanging(bench, engine, *steps, action="carta.enviar"):
    """A plan whose step is on its way, and the task that waits for it."""
    bench.afuera.goes = {action: "hang"}
    ask = await bench.asked(engine, *steps)
    yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
    await bench.afuera.hanging.wait()
    return ask, yes


async def draining(engine):
    """A drain that has begun and waits for the step in flight."""
    task = asyncio.create_task(engine.drain())
    await asyncio.sleep(0)
    assert not task.done()
    return task


def test_b55_no_new_plan_is_begun_and_nothing_of_it_is_kept(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            _, yes = await hanging(bench, engine, *FOUR)
            drain = await draining(engine)
            before, elsewhere = bench.dump(), Who("o-1", "ana", "c-2", "es")
            for steps in ((crear("x"),), (crear("y"), firmar())):
                refused = await act(engine, *steps, message="m-2", who=elsewhere)
                assert told(refused) == CLOSING
                assert "no" in refused.for_model("es").says.lower()
            assert bench.dump() == before
            bench.afuera.released.set()
            await drain
            await yes
            async with running(bench) as other:
                done = await act(other, crear("x"), message="m-2", who=elsewhere)
                assert told(done) == DONE

    asyncio.run(main())


@pytest.mark.parametrize("action", EFFECTS)
def test_b55_the_step_in_flight_is_stored_and_the_rest_is_resumed_elsewhere_at_once(
    tmp_path, action
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            steps = crear(), fuera(action), firmar(), fuera(action)
            ask, yes = await hanging(bench, engine, *steps, action=action)
            number = ask.view.plan
            drain = await draining(engine)
            bench.afuera.released.set()
            await drain
            answer = await yes
            assert isinstance(answer, Running)
            assert states(answer) == ["done", "done", "waiting", "waiting"]
            assert bench.events(number)[-2:] == ["step_done", "handed_on"]
            assert bench.signed() == 0
            bench.afuera.goes = {}
            async with running(bench) as other:
                assert (await other.sweep()).resumed == (number,)
                report = await other.agent.status(ANA, number)
                assert told(report) == DONE
                assert bench.afuera.arrived(action).total() == 2
                assert bench.signed() == len(bench.notes()) == 1
                await agrees(other, number)

    asyncio.run(main())


@pytest.mark.parametrize(("point", "occurrence", "done", "on_its_way"), MOMENTS)
def test_b55_stopped_at_any_moment_it_begins_no_further_step_and_another_ends_the_plan(
    tmp_path, point, occurrence, done, on_its_way
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, *FOUR)

            def stop() -> None:
                # The first thing that drain() does; the moment itself cannot await it.
                engine._core.draining = True

            with interrupt_at(point, stop, occurrence):
                answer = await engine.person(ANA).confirm(ask.token)
            await engine.drain()
            # What was being prepared when it came is in flight too.
            here = done + int(on_its_way or point.startswith("prepare"))
            left = ["waiting"] * (4 - here)
            assert states(answer) == ["done"] * here + left
            assert isinstance(answer, Running) is bool(left)
            bench.afuera.calls.clear()
            async with running(bench) as other:
                assert (await other.sweep()).resumed == ((ask.view.plan,) if left else ())
                assert told(await other.agent.status(ANA, ask.view.plan)) == DONE
                assert bench.afuera.sent() == (here < 2) + (here < 4)
                assert bench.afuera.arrived().total() == 2
                assert bench.signed() == len(bench.notes()) == 1
                await agrees(other, ask.view.plan)

    asyncio.run(main())


def test_b55_a_yes_that_comes_while_it_stops_is_kept_and_run_elsewhere(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, *FOUR)
            await engine.drain()
            answer = await engine.person(ANA).confirm(ask.token)
            assert isinstance(answer, Running)
            assert states(answer) == ["waiting"] * 4
            assert bench.afuera.lines() == bench.notes() == []
            async with running(bench) as other:
                assert (await other.sweep()).resumed == (ask.view.plan,)
                assert told(await other.person(ANA).confirm(ask.token)) == DONE
                assert bench.afuera.arrived().total() == 2

    asyncio.run(main())


def test_b55_a_plan_that_needs_no_yes_is_handed_on_too(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", 0)
            steps = crear(), carta(), crear("otra"), carta("$3")

            def stop() -> None:
                engine._core.draining = True

            with interrupt_at("send:after", stop):
                answer = await act(engine, *steps)
            assert isinstance(answer, Running)
            async with running(bench) as other:
                assert (await other.sweep()).resumed == (answer.view.plan,)
                assert told(await act(other, *steps)) == DONE
                assert bench.afuera.arrived().total() == 2

    asyncio.run(main())


def test_b55_while_it_stops_it_sweeps_up_nothing_of_others(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask, yes = await hanging(bench, engine, *FOUR)
            async with running(bench) as other:
                await other.drain()
                bench.move(minutes=5)
                assert (await other.sweep()).resumed == ()
            bench.afuera.released.set()
            assert told(await yes) == DONE
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


# A step that takes longer than the limit: what the next owner finds, by the step's effect.
LONGER = [
    ("carta.enviar", False, ("Report", "in_doubt"), 0),
    ("carta.enviar", True, ("Report", "in_doubt"), 1),
    ("cobro.hacer", False, DONE, 1),
    ("cobro.hacer", True, DONE, 1),
    ("reserva.hacer", False, ("Report", "in_doubt"), 0),
    ("reserva.hacer", True, DONE, 1),
    ("vuelo.reservar", False, DONE, 1),
    ("vuelo.reservar", True, DONE, 1),
]


@pytest.mark.parametrize(("action", "arrives", "end", "count"), LONGER)
def test_b55_a_step_longer_than_the_limit_is_resolved_by_its_effect_and_never_free(
    tmp_path, monkeypatch, action, arrives, end, count
):
    monkeypatch.setattr(engine_module, "DRAIN_SECONDS", 0)

    async def main():
        async with opened(tmp_path) as (bench, engine):
            outside = next(a for a in bench.actions if a.name == action)
            usual = outside.run

            async def cut_off(i, ctx, prepared):
                """It may have arrived when the process gives it up; nobody here knows."""
                if arrives:
                    bench.afuera.arrive(action, ctx.key)
                bench.afuera.hanging.set()
                await asyncio.Event().wait()

            outside.run = cut_off
            ask = await bench.asked(engine, crear(), fuera(action), firmar())
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await bench.afuera.hanging.wait()
            await engine.drain()
            assert isinstance(await yes, Running) is (action != "carta.enviar")
            outside.run = usual
            async with running(bench) as other:
                swept = await other.sweep()
                # Nobody can be asked about a letter: it was a doubt at once, and is nobody's to run.
                assert swept.resumed == ((ask.view.plan,) if action != "carta.enviar" else ())
                report = await other.agent.status(ANA, ask.view.plan)
                assert told(report) == end
                assert bench.afuera.arrived(action).total() == count
                assert bench.signed() == int(end == DONE)
                await agrees(other, ask.view.plan)

    asyncio.run(main())


def test_b55_a_local_step_that_is_cut_off_stands_once_and_the_plan_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(engine_module, "DRAIN_SECONDS", 0)

    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear(), firmar(), carta(), cobro())
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            while not engine._core.running:  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(0)
            await engine.drain()
            assert isinstance(await yes, Running)
            async with running(bench) as other:
                bench.move(minutes=1)  # nobody handed it on, so its time has to come
                await other.sweep()
                assert told(await other.agent.status(ANA, ask.view.plan)) == DONE
                assert bench.signed() == len(bench.notes()) == 1
                assert bench.afuera.arrived().total() == 2
                await agrees(other, ask.view.plan)

    asyncio.run(main())
