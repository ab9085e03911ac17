"""R22: told to go and killed a moment later, at any two moments of a life: same as killed at once."""

import asyncio
import os
import signal
from contextlib import suppress

from app import ANA
from contenders import start
from notas_bench import Bench, crear, enviar, firmar, opened, told, until

import counts
import stores
from semel import Engine
from semel.runtime import points

STEPS = crear("Logo", urgente=True), firmar("$1"), enviar("$1")


async def serves(bench: Bench, token: str) -> list[str]:
    """Say yes as the terminal does: on SIGTERM begin nothing new, end what runs, hand on."""
    engine: Engine = bench.engine()
    await engine.start(sweeps=False)
    verb = asyncio.ensure_future(engine.person(ANA).confirm(token))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, verb.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await verb
    finally:
        await engine.stop()
    return []


def process(bench: Bench, token: str, term: int, kill: int):
    """A process that is told to go at one point and is killed at a later one."""

    def work() -> None:
        passed = 0

        def reached(name: str) -> None:
            nonlocal passed
            passed += 1
            if passed == term:
                os.kill(os.getpid(), signal.SIGTERM)
            if passed == kill:
                os.kill(os.getpid(), signal.SIGKILL)

        points.arm(reached)
        asyncio.run(serves(bench, token))

    return work


async def passed(bench: Bench) -> int:
    """How many points an undisturbed yes passes."""
    names: list[str] = []
    async with bench.engine() as engine:
        ask = await bench.asked(engine, *STEPS)
        points.arm(names.append)
        try:
            await engine.person(ANA).confirm(ask.token)
            await engine.settle()
        finally:
            points.arm(None)
    return len(names)


async def judged(bench: Bench, token: str) -> str:
    """Another process does what there is to do; what the plan came to."""
    async with bench.engine() as engine:
        bench.move(minutes=2)
        await engine.sweep()
        await until(lambda: bench.plans()[0][0] != "running")
        if bench.plans()[0][0] == "asking":
            assert told(await engine.person(ANA).confirm(token)) == ("Report", "finished")
        await engine.settle()
        state, reason = bench.plans()[0]
        steps = [step for step, _ in bench.steps()]
        letters, notes = len(bench.mundo.letters), bench.notes()
        # Nothing twice, nothing lost, nothing false.
        assert state == "ended"
        assert letters <= 1
        assert len(notes) == 1 == steps.count("done") - (steps[2] == "done") - 1
        assert {"done": letters == 1, "not_done": letters == 0}.get(steps[2], True), steps
        assert reason == ("in_doubt" if "in_doubt" in steps else "finished")
        assert (await engine.operator.audit()).edited == ()
    return str(reason)


def test_r22_told_to_go_and_then_killed_nothing_happens_twice_and_nothing_is_lost(tmp_path):
    number = counts.of("R22") // 2
    first = tmp_path / "first"
    first.mkdir()
    whole = asyncio.run(passed(Bench(first)))
    assert whole > 40
    ends: list[str] = []
    for turn in range(number):
        folder = tmp_path / str(turn)
        folder.mkdir()
        # Spread over the life; from at once to long after.
        term = 1 + turn * 7 % whole
        kill = term + (0, 1, 2, 5, 12, whole)[turn % 6]

        async def ask(folder=folder) -> str:
            async with opened(folder) as (bench, engine):
                return str((await bench.asked(engine, *STEPS)).token)

        token = asyncio.run(ask())
        bench = Bench(folder)
        child = start(process(bench, token, term, kill))
        _, status = os.waitpid(child.pid, 0)
        os.close(child.pipe)
        assert os.waitstatus_to_exitcode(status) in {0, -signal.SIGKILL}
        ends.append(asyncio.run(judged(Bench(folder), token)))
        stores.forget(bench.path)
    counts.ran("R22", len(ends))
    assert len(ends) >= number
    assert "finished" in ends
