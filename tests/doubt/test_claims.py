"""Claims: what a process leaves that dies or is only slow, and who may have it when."""

import asyncio
import signal

import pytest
from dudas import (
    CARTA,
    COBRO,
    DUE,
    RESERVA,
    SETTLED,
    VUELO,
    Banco,
    Process,
    at_once,
    beside,
    crear,
    dies_at,
    does,
    firmar,
    is_true,
    no_power_cut,
    opened,
    told,
)
from pedidos import ANA, OUTSIDE

from semel.testing import crash_at
from semel.testing.crash import fork

DONE = [("done", None), ("done", None)]
IN_DOUBT = [("in_doubt", None), ("not_done", "not_reached")]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    at_once(monkeypatch)


@pytest.mark.parametrize("point", ["commit:mark:after", "send:before", "send:after"])
@pytest.mark.parametrize(
    ("action", "before", "after"),
    [
        # Whether it had left when its process was killed, a class can find out or cannot.
        (CARTA, IN_DOUBT, IN_DOUBT),
        (COBRO, DONE, DONE),
        (RESERVA, IN_DOUBT, DONE),
        (VUELO, DONE, DONE),
    ],
)
def test_b22_a_process_killed_over_a_started_step_leaves_it_to_what_its_class_can_prove(
    tmp_path, point, action, before, after
):
    async def first():
        banco = Banco(tmp_path)
        engine = banco.engine()
        await engine.start(sweeps=False)
        ask = await banco.asked(engine, does(action, await banco.note(engine)), crear())
        (tmp_path / "token").write_text(ask.token)
        with crash_at(point):
            await engine.person(ANA).confirm(ask.token)

    async def recovers():
        banco = Banco(tmp_path)
        engine = banco.engine()
        await engine.start(sweeps=False)
        try:
            # It is known to be dead, so it is taken over at once and nobody has to wait.
            assert len((await engine.sweep()).resumed) == 1
            sent = point == "send:after"
            assert banco.steps() == (after if sent else before)
            is_true(banco, action, point)
            report = await engine.person(ANA).confirm((tmp_path / "token").read_text())
            assert report.replayed
            status = report.for_model("en").status
            assert status == ("in_doubt" if banco.steps() == IN_DOUBT else "already_done")
            banco.clock.move(seconds=SETTLED)
            await engine.sweep()
            is_true(banco, action, point)
            late = {CARTA: ("in_doubt", None), RESERVA: ("not_done", "failed")}
            if banco.steps() != DONE:
                assert banco.steps()[0] == late[action]
        finally:
            await engine.stop()

    assert fork(lambda: asyncio.run(first())) == -signal.SIGKILL
    asyncio.run(recovers())


def test_b22_an_effect_in_the_own_database_is_run_anew_or_found_done(tmp_path):
    for number, point in enumerate(
        ("app:notas.sign:after", "commit:local:before", "commit:local:after")
    ):
        folder = tmp_path / str(number)
        folder.mkdir()

        async def first(folder=folder, point=point):
            banco = Banco(folder)
            engine = banco.engine()
            await engine.start(sweeps=False)
            ask = await banco.asked(engine, firmar(await banco.note(engine)))
            with crash_at(point, 2 if point.startswith("app") else 1):
                await engine.person(ANA).confirm(ask.token)

        async def recovers(folder=folder):
            banco = Banco(folder)
            async with banco.engine() as engine:
                await engine.sweep()
            return banco

        assert fork(lambda: asyncio.run(first())) == -signal.SIGKILL
        banco = asyncio.run(recovers())
        assert banco.sql("SELECT signed FROM notas") == [(1,)], point
        assert banco.plan() == ("ended", "finished"), point


def test_b21_nothing_is_in_progress_for_ever_and_one_of_ten_takes_it_over(tmp_path):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            ask = await banco.asked(engine, crear(), does(CARTA, "$1"))
            await dies_at(engine, "commit:confirm:after", engine.person(ANA).confirm(ask.token))
            others = [banco.engine(Process(f"other-{number}")) for number in range(10)]
            for other in others:
                no_power_cut(other)
                await other.start(sweeps=False)
            try:
                # Nobody knows whether it lives, so its time is its own: "running", ask later.
                banco.clock.move(seconds=30)
                for other in others:
                    assert (await other.sweep()).resumed == ()
                running = await others[0].person(ANA).status(ask.view.plan)
                assert told(running) == ("Running", None)
                assert running.for_model("en").next == "poll"
                banco.clock.move(seconds=6)
                swept = await asyncio.gather(*(other.sweep() for other in others))
                assert [one.resumed for one in swept if one.resumed] == [(ask.view.plan,)]
                answers = [await other.person(ANA).confirm(ask.token) for other in others]
                assert {(told(one), one.replayed) for one in answers} == {
                    (("Report", "finished"), True)
                }
            finally:
                for other in others:
                    await other.stop()
            assert banco.arrived(CARTA) == 1
            assert banco.sql("SELECT count(*) FROM notas") == [(1,)]
            assert banco.events().count("taken_over") == 1

    asyncio.run(main())


def test_b23_a_second_worker_in_the_firsts_time_is_told_running_and_takes_nothing(tmp_path):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            banco.afuera.goes[CARTA] = "hang"
            ask = await banco.asked(engine, does(CARTA, await banco.note(engine)), crear())
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await banco.afuera.hanging.wait()
            async with beside(banco, Process("two")) as two:
                # Deadline, and what preparing and a busy machine may take: 60 s from its mark.
                for seconds in (1, 30, 28):
                    banco.clock.move(seconds=seconds)
                    assert (await two.sweep()).resumed == ()
                    assert told(await two.agent.status(ANA, ask.view.plan)) == ("Running", None)
                banco.clock.move(seconds=DUE - 59)
                assert (await two.sweep()).resumed == (ask.view.plan,)
            banco.afuera.released.set()
            assert told(await yes)[0] == "Report"
            is_true(banco, CARTA, "late")

    asyncio.run(main())


@pytest.mark.parametrize("action", OUTSIDE)
@pytest.mark.parametrize("seconds", [90, -90, 3600, -3600])
def test_b23_a_clock_that_is_off_takes_over_early_or_late_and_repeats_nothing(
    tmp_path, action, seconds
):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            banco.afuera.goes[action] = "hang"
            ask = await banco.asked(engine, does(action, await banco.note(engine)), crear())
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await banco.afuera.hanging.wait()
            banco.afuera.goes[action] = "ok"
            async with beside(banco, Process("two"), seconds=seconds) as two:
                assert bool((await two.sweep()).resumed) == (seconds > 0)
            banco.afuera.released.set()
            await yes
            await banco.release(engine)
            is_true(banco, action, seconds)
            assert banco.steps()[0] == ("done", None)

    asyncio.run(main())
