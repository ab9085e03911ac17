"""B55 with real signals: a process is told to go, or is killed, in the middle of step 2 of 4."""

import asyncio
import json
import signal

import pytest
from agreement import agrees
from another import called, started
from decide_bench import DONE, carta, cobro, crear, firmar, opened, running, states, told
from pedidos import ANA

FOUR = crear(), carta(), firmar(), cobro()


async def asked(bench):
    async with running(bench) as engine:
        return await bench.asked(engine, *FOUR)


def begun(tmp_path, token, *more):
    """A process that has confirmed and whose letter hangs."""
    process = started(tmp_path, "drain", token, *more)
    assert process.stdout is not None
    assert process.stdout.readline() == "hangs\n"
    return process


def test_b55_told_to_go_it_ends_its_step_and_the_next_process_ends_the_plan(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await asked(bench)
            process = begun(tmp_path, ask.token)
            process.send_signal(signal.SIGTERM)
            said, _ = process.communicate(timeout=60)
            assert process.returncode == 0
            assert json.loads(said) == {"told": ["Running", None], "new": ["Refused", "closing"]}
            number = ask.view.plan
            assert states(await engine.agent.status(ANA, number)) == ["done"] * 2 + ["waiting"] * 2
            assert bench.events(number)[-1] == "handed_on"
            assert bench.signed() == 0
            assert called(tmp_path, "sweep") == {"resumed": [number]}
            report = await engine.person(ANA).confirm(ask.token)
            assert (told(report), report.replayed) == (DONE, True)
            assert bench.afuera.arrived().total() == 2
            assert bench.signed() == len(bench.notes()) == 1
            await agrees(engine, number)

    asyncio.run(main())


@pytest.mark.parametrize("first", [(), (signal.SIGTERM,)])
def test_b55_killed_in_the_middle_or_while_it_drains_nothing_is_free(tmp_path, first):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await asked(bench)
            process = begun(tmp_path, ask.token, "hangs on")
            for end in (*first, signal.SIGKILL):
                process.send_signal(end)
            process.communicate(timeout=60)
            assert process.returncode == -signal.SIGKILL
            number = ask.view.plan
            # Its sender is known dead on this machine, so nobody has to wait for its time.
            assert (await engine.sweep()).resumed == (number,)
            report = await engine.agent.status(ANA, number)
            assert told(report) == ("Report", "in_doubt")
            assert states(report) == ["done", "in_doubt", *["not_done not_reached"] * 2]
            assert bench.afuera.lines() == []
            assert bench.signed() == 0
            assert len(bench.notes()) == 1
            await agrees(engine, number)

    asyncio.run(main())


def test_b55_a_caller_that_goes_away_during_step_two_of_four_stops_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {"carta.enviar": "hang"}
            ask = await bench.asked(engine, *FOUR)
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await bench.afuera.hanging.wait()
            yes.cancel()
            with pytest.raises(asyncio.CancelledError):
                await yes
            bench.afuera.released.set()
            await engine.settle()
            report = await engine.person(ANA).confirm(ask.token)
            assert (told(report), report.replayed) == (DONE, True)
            assert bench.afuera.arrived().total() == 2
            assert bench.signed() == len(bench.notes()) == 1
            await agrees(engine, ask.view.plan)

    asyncio.run(main())
