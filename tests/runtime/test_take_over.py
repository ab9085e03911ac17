"""A plan is taken over while its first owner only pauses: the first one's writes find nothing.

The neighbour believes the first owner dead although it lives, which is the worst lie there is. It
sweeps at every point that the first owner's run passes, and then the first one goes on.
"""

import asyncio
import threading

import pytest
from app import ANA
from notas_bench import Bench, armed, crear, enviar, firmar, opened, told, until

from semel.ports import Host
from semel.testing import interrupt_at, recorded
from store_held import Hold

DONE = ("Report", "finished")


class Liar(Host):
    """A process that holds every other one for dead."""

    identity = "liar"

    def is_dead(self, identity):
        return identity != self.identity


def neighbour(folder, clock):
    """Another instance, in a thread and a loop of its own, takes over what it finds."""

    async def main():
        bench = Bench(folder, clock)
        bench.mundo.path = folder / "cartas.txt"
        engine = bench.engine(host=Liar())
        await engine.start(sweeps=False)
        await engine.sweep()
        await engine.stop()

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    return thread


async def once_through(folder):
    """The points that the run of a plan passes, each with which time it is passed."""
    async with opened(folder) as (bench, engine):
        ask = await asked(bench, engine)
        with recorded() as passed:
            await engine.person(ANA).confirm(ask.token)
    started = passed.index("commit:confirm:after")
    seen, points = {}, []
    for number, name in enumerate(passed):
        seen[name] = seen.get(name, 0) + 1
        if number > started:
            points.append((name, seen[name]))
    return points


async def asked(bench, engine):
    note = await bench.note(engine, "Vieja")
    return await bench.asked(engine, crear("Nueva", urgente=True), enviar(note), firmar("$1"))


@pytest.mark.parametrize("half", [0, 1])
def test_r6_a_take_over_at_every_point_of_a_run_makes_no_second_effect(tmp_path, half):
    points = asyncio.run(once_through(tmp_path / "undisturbed"))
    assert len(points) > 60
    ends = {}
    for number, point in enumerate(points[half::2]):
        outcome = asyncio.run(disturbed(tmp_path / str(number), *point))
        ends[outcome] = ends.get(outcome, 0) + 1
    # Wherever it was: either everything happened, or the letter is in doubt or proven afterwards.
    assert set(ends) <= {"finished", "in_doubt", "failed"}
    assert ends["finished"] > 20


async def disturbed(folder, name, occurrence):
    async with opened(folder) as (bench, engine):
        ask = await asked(bench, engine)
        threads = []

        def take_over():
            thread = neighbour(folder, bench.clock)
            # Inside a transaction the database itself keeps the neighbour waiting.
            inside = name.startswith(("statement:", "app:")) or name.endswith(":before")
            if not inside or name.startswith(("send:", "prepare:")):
                thread.join()
            threads.append(thread)

        with interrupt_at(name, take_over, occurrence):
            await engine.person(ANA).confirm(ask.token)
            for thread in threads:
                await asyncio.to_thread(thread.join)
            await until(lambda: not engine._core.running and not engine._core.background)
        where = f"{name} #{occurrence}"
        notes = bench.sql("SELECT texto, folio FROM notas ORDER BY texto")
        assert [texto for texto, _ in notes] == ["Nueva", "Vieja"], where
        assert len(bench.mundo.letters) <= 1, where
        ((state, reason),) = bench.plans()
        assert state == "ended", where
        steps = [state for state, _ in bench.steps()]
        # What is said is what is: a step is done exactly when its effect is there.
        assert (steps[2] == "done") == (notes[0] == ("Nueva", 1)), where
        assert notes[1] == ("Vieja", None), where
        assert steps[0] == "done", where
        if steps[1] != "in_doubt":
            assert len(bench.mundo.letters) == (steps[1] == "done"), where
        assert bench.sql("SELECT count(*) FROM semel_effects") == [
            (sum(state == "done" for state in steps),)
        ], where
        assert (reason == "in_doubt") == ("in_doubt" in steps), where
        assert (reason == "finished") == (steps == ["done"] * 3), where
        return reason


async def hung(bench, engine, *more, then="ok"):
    """A letter on its way, which its first owner still waits for."""
    bench.mundo.goes, bench.mundo.then = "hang", then
    note = await bench.note(engine)
    ask = await bench.asked(engine, enviar(note), *more)
    yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
    await bench.mundo.hanging.wait()
    return ask, yes


@pytest.mark.parametrize(
    ("then", "more", "step", "reason"),
    [
        ("ok", 0, "done", "finished"),
        ("ok", 1, "done", "failed"),
        ("refuse", 0, "not_done", "failed"),
        ("refuse", 1, "not_done", "failed"),
        ("break", 0, "in_doubt", "in_doubt"),
    ],
)
def test_a_proof_counts_under_any_epoch_after_a_take_over(tmp_path, then, more, step, reason):
    async def main():
        async with opened(tmp_path) as (bench, engine), bench.engine(host=Liar()) as other:
            ask, yes = await hung(bench, engine, *[crear("b")] * more, then=then)
            assert (await other.sweep()).resumed == (ask.view.plan,)
            assert bench.plans() == [("ended", "in_doubt")]
            bench.mundo.released.set()
            await yes
            assert bench.steps()[0][0] == step
            assert bench.plans() == [("ended", reason)]
            assert bench.mundo.sends == 1
            if more:
                assert bench.steps()[1] == ("not_done", "not_reached")
                assert bench.notes() == ["Logo"]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("then", "steps", "reason"),
    [
        ("ok", ["done", "done"], "finished"),
        ("refuse", ["not_done", "not_done"], "failed"),
    ],
)
def test_a_proof_between_the_take_over_and_its_doubt_leaves_no_doubt(tmp_path, then, steps, reason):
    async def main():
        async with opened(tmp_path) as (bench, engine), bench.engine(host=Liar()) as other:
            _, yes = await hung(bench, engine, crear("b"), then=then)
            hold = Hold(other)
            # The neighbour has looked and seen a started step; its doubt waits for the writer.
            with interrupt_at("commit:take_over:after", hold.begin):
                sweeping = asyncio.create_task(other.sweep())
                await until(lambda: hold.waiting == 1)
                bench.mundo.released.set()
                await until(lambda: bench.steps()[0][0] != "started")
                hold.release()
                await sweeping
            await yes
            assert [state for state, _ in bench.steps()] == steps
            assert bench.plans() == [("ended", reason)]
            assert bench.mundo.sends == 1
            assert bench.notes() == (["Logo", "b"] if then == "ok" else ["Logo"])

    asyncio.run(main())


def test_a_stale_owner_cannot_end_or_fail_what_it_no_longer_owns(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("a", urgente=True), enviar("$1"))

            def taken_over_then_fails():
                neighbour(tmp_path, bench.clock).join()
                raise ValueError("too late to matter")

            bench.carta.prepares = taken_over_then_fails
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            assert len(bench.mundo.letters) == 1
            assert bench.steps() == [("done", None)] * 2

    asyncio.run(main())


def test_a_step_begun_by_a_stale_owner_writes_not_even_an_attempt(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("a", urgente=True))
            with armed(
                lambda name: (
                    bench.sql("UPDATE semel_plans SET epoch = epoch + 1")
                    if name == "commit:confirm:after"
                    else None
                )
            ):
                assert told(await engine.person(ANA).confirm(ask.token)) == ("Running", None)
            assert bench.counts()["semel_attempts"] == 0
            assert bench.notes() == []

    asyncio.run(main())
