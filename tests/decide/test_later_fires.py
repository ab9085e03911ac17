"""What was planned comes at its time and once, with the rights, the condition and the facts of then."""

import asyncio
from datetime import timedelta

import pytest
from agreement import agrees
from another import called, killed
from decide_bench import (
    DONE,
    NOW,
    act,
    apuntar,
    avisar,
    opened,
    recordar,
    running,
    states,
    told,
)
from pedidos import ANA

from semel import SAFE
from semel.facts import Text
from semel.testing import interrupt_at

STALE = ("Report", "stale")
DUE = timedelta(days=5)


async def waiting(bench, engine, step=recordar, text="Logo"):
    """A letter that waits for its day, five days from now; its note and its plan."""
    note = await bench.note(engine, text)
    if step is avisar:
        ask = await bench.asked(engine, avisar(note))
        assert told(await engine.person(ANA).confirm(ask.token)) == DONE
    else:
        bench.asks("carta.enviar", SAFE)
        assert told(await act(engine, recordar(note))) == DONE
    await engine.settle()
    [(child,)] = bench.sql("SELECT plan FROM semel_plans WHERE kind = 'later'")
    return note, child


def test_it_comes_at_its_time_and_not_a_second_before_and_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            _, child = await waiting(bench, engine)
            bench.move(days=5, seconds=-1)
            assert (await engine.sweep()).resumed == ()
            assert bench.afuera.calls == []
            bench.move(seconds=1)
            assert (await engine.sweep()).resumed == (child,)
            assert told(await engine.person(ANA).status(child)) == DONE
            for _ in range(3):
                bench.move(days=1)
                assert (await engine.sweep()).resumed == ()
            assert bench.afuera.arrived("carta.enviar").total() == 1
            await agrees(engine, child)

    asyncio.run(main())


@pytest.mark.parametrize(("seconds", "leaves"), [(0, True), (43200, True), (43201, False)])
def test_too_late_it_is_not_sent_and_that_is_said(tmp_path, seconds, leaves):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            _, child = await waiting(bench, engine, avisar)
            bench.move(days=5, seconds=seconds)
            await engine.sweep()
            report = await engine.person(ANA).status(child)
            assert bench.afuera.sent() == int(leaves)
            assert told(report) == (DONE if leaves else ("Report", "expired"))
            if not leaves:
                assert report.view.steps[0].detail == "later.too_late"
                assert report.retry_token is None
                assert report.card("es").title.startswith(
                    "Ya había pasado el día, y no se ha hecho"
                )
                assert report.for_model("es").status == "expired"
            await agrees(engine, child)

    asyncio.run(main())


def test_when_its_condition_holds_it_is_not_needed_and_that_is_said(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            _, child = await waiting(bench, engine, avisar)
            bench.sql("UPDATE notas SET signed = 1")
            bench.move(days=5)
            await engine.sweep()
            report = await engine.person(ANA).status(child)
            assert told(report) == ("Report", "cancelled")
            assert report.view.steps[0].detail == "later.unless"
            assert report.card("es").title.startswith("Ya no hacía falta, y no se ha hecho")
            assert report.retry_token is None
            assert bench.afuera.calls == []

    asyncio.run(main())


@pytest.mark.parametrize("moment", ["before", "prepare:after"])
def test_what_is_no_longer_as_it_was_shown_asks_and_sends_nothing(tmp_path, moment):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note, child = await waiting(bench, engine)
            bench.move(days=5)
            if moment == "before":
                bench.edit(note, "Otra")
                await engine.sweep()
            else:
                with interrupt_at(moment, lambda: bench.edit(note, "Otra")):
                    await engine.sweep()
            assert bench.afuera.calls == []
            report = await engine.person(ANA).status(child)
            assert told(report) == STALE
            [change] = report.view.steps[0].changed
            assert (change.shown, change.now) == (Text("Logo"), Text("Otra"))
            assert told(await engine.person(ANA).retry(report.retry_token)) == DONE
            assert bench.afuera.arrived("carta.enviar").total() == 1
            await agrees(engine, child)

    asyncio.run(main())


def test_two_instances_that_sweep_at_once_send_it_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            _, child = await waiting(bench, engine)
            bench.move(days=5)
            async with running(bench) as other:
                swept = await asyncio.gather(engine.sweep(), other.sweep(), engine.sweep())
                assert sorted(one.resumed for one in swept) == [(), (), (child,)]
            assert bench.afuera.sent() == 1
            await agrees(engine, child)

    asyncio.run(main())


def test_an_instance_that_sweeps_at_the_moment_of_another_ones_take_over_gets_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await waiting(bench, engine)
            bench.move(days=5)
            found = []
            with interrupt_at(
                "commit:take_over:after",
                lambda: found.append(called(tmp_path, "sweep", now=NOW + DUE)),
            ):
                await engine.sweep()
            assert found == [{"resumed": []}]
            assert bench.afuera.arrived().total() == 1

    asyncio.run(main())


# Where a process that begins it dies; whether the letter has left by then, and what is known of it.
DEATHS = [
    ("commit:take_over:before", False, DONE),
    ("commit:take_over:after", False, DONE),
    ("prepare:after", False, DONE),
    ("commit:mark:before", False, DONE),
    ("commit:mark:after", False, ("Report", "in_doubt")),
    ("send:after", True, ("Report", "in_doubt")),
    ("commit:made:before", True, ("Report", "in_doubt")),
    ("commit:made:after", True, DONE),
]


@pytest.mark.parametrize(("point", "left", "end"), DEATHS)
def test_a_process_that_dies_while_it_begins_it_loses_nothing_and_repeats_nothing(
    tmp_path, point, left, end
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            _, child = await waiting(bench, engine, avisar)
            bench.move(days=5)
            killed(tmp_path, "sweep", point, now=NOW + DUE)
            assert bench.afuera.arrived().total() == int(left)
            await engine.sweep()
            report = await engine.person(ANA).status(child)
            assert told(report) == end
            assert bench.afuera.arrived().total() == int(left or end == DONE)
            bench.move(days=1)
            await engine.sweep()
            assert bench.afuera.arrived().total() == int(left or end == DONE)
            await agrees(engine, child)

    asyncio.run(main())


@pytest.mark.parametrize("verb", ["the person", "the undo", "a plan that takes it back"])
def test_what_is_taken_back_before_its_day_never_leaves_and_what_has_begun_cannot_be(
    tmp_path, verb
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", SAFE)
            done = await act(engine, apuntar("Logo"))
            [(child, note)] = bench.sql(
                "SELECT plan, subject_id FROM semel_plans WHERE kind = 'later'"
            )
            if verb == "the person":
                await engine.person(ANA).cancel(child)
            elif verb == "the undo":
                await engine.person(ANA).undo(done.undo_token)
            else:
                await act(engine, ("nota.no_avisar", {"nota": note}), message="m-2")
            assert states(await engine.person(ANA).status(child)) == ["not_done cancelled"]
            bench.move(days=5)
            assert (await engine.sweep()).resumed == ()
            assert bench.afuera.calls == []
            await agrees(engine, child)

    asyncio.run(main())


def test_taken_back_between_the_look_and_the_take_over_it_does_not_leave(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            _, child = await waiting(bench, engine)
            bench.move(days=5)
            # The sweep has read what is due; what it read is not what is there.
            store, seen = engine._core.store, []
            usual = store.submit_read

            def read(work, **more):
                found = usual(work, **more)
                if not seen and not more:
                    seen.append(called(tmp_path, "cancel", child, now=NOW + DUE))
                return found

            store.submit_read = read
            assert (await engine.sweep()).resumed == ()
            assert seen[0]["told"] == ["Report", "cancelled"]
            assert bench.afuera.calls == []
            await agrees(engine, child)

    asyncio.run(main())


def test_what_is_for_this_very_moment_need_not_wait_for_a_sweep_unless_the_process_goes(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", SAFE)
            note = await bench.note(engine)
            await act(engine, recordar(note, 0))
            await engine.settle()
            assert bench.afuera.arrived().total() == 1
            with interrupt_at(
                "commit:propose:after", lambda: setattr(engine._core, "draining", True)
            ):
                await act(engine, apuntar("Web", 0), message="m-2")
            await engine.settle()
            assert bench.afuera.arrived().total() == 1
            async with running(bench) as other:
                await other.sweep()
            assert bench.afuera.arrived().total() == 2

    asyncio.run(main())
