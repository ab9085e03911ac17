"""The blocking face, callers that go away, and an engine that closes."""

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from app import ANA, LUIS
from notas_bench import Bench, act, armed, crear, deny, enviar, firmar, opened, plan, told, until

from semel import Ask, Who
from semel.errors import SchemaNewer, StorageError
from semel.runtime import engine as engine_module
from semel.testing import interrupt_at
from store_held import held

DONE = ("Report", "finished")
RISKY = crear("Logo", urgente=True)


def test_twenty_threads_share_one_blocking_face(tmp_path):
    bench = Bench(tmp_path)
    together = threading.Barrier(20)
    with bench.engine().sync as face, ThreadPoolExecutor(20) as threads:

        def one(number):
            who = Who("o-1", f"p-{number}", "c-1")
            together.wait()
            texto = f"Nota {number:02}"
            ask = face.agent.act(who, plan(crear(texto, urgente=True)), message="m")
            assert isinstance(ask, Ask)
            person = face.person(who)
            outcome = person.confirm(ask.token) if number % 2 else person.says("sí")
            assert person.status(ask.view.plan).view == outcome.view
            assert [view.plan for view in person.plans()] == [ask.view.plan]
            assert person.show(ask.view.plan).view == outcome.view
            assert face.read(lambda tx: tx.one("notas.count", org="o-1"))["n"] > 0
            return told(outcome)

        assert list(threads.map(one, range(20))) == [DONE] * 20
        assert face.sweep().resumed == ()
    assert bench.notes() == [f"Nota {number:02}" for number in range(20)]


def test_twenty_threads_open_one_face_together(tmp_path):
    engine = Bench(tmp_path).engine()
    face, together = engine.sync, threading.Barrier(20)
    with ThreadPoolExecutor(20) as threads:

        def one(_):
            together.wait()
            return told(face.agent.act(ANA, plan(crear()), message="m"))

        assert set(threads.map(one, range(20))) == {DONE}
    assert engine.sync is face
    face.close()
    face.close()


def test_a_face_that_was_never_opened_leaves_nothing_to_close(tmp_path):
    engine = Bench(tmp_path).engine()
    person = engine.sync.person(ANA)
    assert person
    engine.sync.close()
    engine.close()
    del engine, person
    gc.collect()


def test_a_face_that_could_not_open_says_why_each_time_and_opens_later(tmp_path):
    bench = Bench(tmp_path)
    with bench.engine().sync:
        pass
    bench.sql("INSERT INTO semel_schema VALUES ('semel', 9999, 'from_the_future')")
    engine = bench.engine()
    for _ in range(3):
        with pytest.raises(SchemaNewer):
            engine.sync.agent.act(ANA, plan(crear()), message="m")
    bench.sql("DELETE FROM semel_schema WHERE number = 9999")
    with engine.sync as face:
        assert told(face.agent.act(ANA, plan(crear()), message="m")) == DONE


def test_a_closed_face_says_that_it_is_closed(tmp_path):
    engine = Bench(tmp_path).engine()
    with engine.sync as face:
        assert told(face.agent.act(ANA, plan(crear()), message="m")) == DONE
    with pytest.raises(StorageError):
        face.agent.act(ANA, plan(crear()), message="m-2")
    face.close()


@pytest.mark.parametrize("goes", ["ok", "refuse", "break"])
def test_b55_a_caller_that_goes_away_stops_nothing(tmp_path, goes):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.mundo.goes, bench.mundo.then = "hang", goes
            steps = enviar(await bench.note(engine)), crear("b")
            ask = await bench.asked(engine, *steps)
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await bench.mundo.hanging.wait()
            yes.cancel()
            with pytest.raises(asyncio.CancelledError):
                await yes
            assert bench.plans() == [("running", None)]
            bench.mundo.released.set()
            await until(lambda: not engine._core.running)
            reason = {"ok": "finished", "refuse": "failed", "break": "in_doubt"}[goes]
            assert told(await act(engine, *steps)) == ("Report", reason)
            assert bench.notes() == (["Logo", "b"] if goes == "ok" else ["Logo"])

    asyncio.run(main())


@pytest.mark.parametrize("point", ["commit:confirm:before", "statement:plans.press:after"])
def test_b55_a_caller_that_goes_away_during_its_yes_has_said_it(tmp_path, point):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            loop = asyncio.get_running_loop()
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))

            def leave():
                gone = threading.Event()
                loop.call_soon_threadsafe(lambda: (yes.cancel(), gone.set()))
                gone.wait()

            with interrupt_at(point, leave):
                with pytest.raises(asyncio.CancelledError):
                    await yes
                # What was queued is not taken back: its outcome stands.
                await until(lambda: bench.plans() == [("running", None)])
            bench.move(minutes=1)
            await engine.sweep()
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


def test_b55_a_caller_that_goes_away_while_its_yes_is_queued_has_said_it(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            with held(engine) as hold:
                yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
                await until(lambda: hold.waiting == 1)
                yes.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await yes
            await until(lambda: bench.plans() == [("running", None)])
            bench.move(minutes=1)
            await engine.sweep()
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


def test_b05_what_fails_after_the_effect_releases_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, firmar(note))

            def fails(name):
                if name == "commit:local:after":
                    raise ConnectionError("the chat, the audit, whatever comes next")

            with armed(fails):
                first = await engine.person(ANA).confirm(ask.token)
            assert told(first) == DONE
            second = await engine.person(ANA).confirm(ask.token)
            assert second.replayed
            assert second.view == first.view
            assert bench.sql("SELECT ultimo FROM folios") == [(1,)]

    asyncio.run(main())


def test_draining_waits_for_the_step_in_flight_and_the_rest_is_done_elsewhere(
    tmp_path, monkeypatch
):
    async def main():
        monkeypatch.setattr(engine_module, "DRAIN_SECONDS", 20)
        bench = Bench(tmp_path)
        async with bench.engine() as engine:
            bench.mundo.goes = "hang"
            ask = await bench.asked(engine, enviar(await bench.note(engine)))
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await bench.mundo.hanging.wait()
            asyncio.get_running_loop().call_soon(bench.mundo.released.set)
            await engine.drain()
            assert bench.plans() == [("ended", "finished")]
            assert told(await yes) == DONE

    asyncio.run(main())


def test_closing_finishes_what_is_queued_and_refuses_what_comes_later(tmp_path):
    async def main():
        bench = Bench(tmp_path)
        async with bench.engine() as engine:
            ask = await bench.asked(engine, RISKY)
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await until(lambda: engine._core.running or bench.plans() != [("asking", None)])
        assert told(await yes)[0] in {"Report", "Running"}
        # What was not through is handed on: the next start finishes it, once.
        async with bench.engine() as again:
            await again.sweep()
            # Its own sweep, at its start, may have been quicker, and is still at it.
            await again.settle()
            assert bench.plans() == [("ended", "finished")]
            assert bench.notes() == ["Logo"]
        assert told(await act(engine, crear(), message="m-2")) == ("Refused", "closing")
        with pytest.raises(StorageError):
            await engine.person(ANA).plans()

    asyncio.run(main())


def test_who_may_look_at_a_plan_sees_it_and_nobody_else_does(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            eva = Who("o-1", "eva", "c-1")
            assert told(await engine.person(eva).status(ask.view.plan)) == ("Refused", "not_found")
            assert await engine.person(eva).show(ask.view.plan) is None
            assert await engine.person(eva).plans() == []
            detail = await engine.person(LUIS).show(ask.view.plan)
            assert detail.view == ask.view
            assert [event["kind"] for event in detail.events] == ["proposed", "asked"]
            assert [view.plan for view in await engine.person(LUIS).plans()] == [ask.view.plan]
            await engine.write(deny("luis", "semel.decide"))
            assert await engine.person(LUIS).show(ask.view.plan) is None
            assert await engine.person(LUIS).plans(limit=10_000) == []

    asyncio.run(main())
