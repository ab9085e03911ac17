"""Where transactions queue, what one of them finds out anyway is not looked for beside it first."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from app import ANA
from notas_bench import Bench, crear, looks, opened, plan

import stores
from semel import Engine, Tx
from semel.errors import CommitUnknown
from semel.ports import STUCK_SECONDS, EngineTx
from semel.storage.postgres.store import APP_CONNECTIONS
from semel.storage.postgres.talk import Session
from semel.storage.postgres.wire import Wire

PLAN = plan(crear("Una", "1"))


def writes(tx: Tx) -> str:
    tx.run("notas.insert", org="o-1", id="n-1", texto="Dos", importe="1")
    return "n-1"


def never(_: Tx) -> str:
    raise AssertionError("It was run again.")


@contextmanager
def held(engine: Engine) -> Iterator[None]:
    """Transactions are at work, as many as there is room for."""
    many = APP_CONNECTIONS if stores.kind() == "postgres" else 1
    began, end = threading.Barrier(many + 1), threading.Event()

    def work(tx: EngineTx) -> None:
        tx.one("keys.find", org="o-1", key="none")
        began.wait(timeout=30)
        assert end.wait(timeout=30)

    works = [engine._core.store.submit(work) for _ in range(many)]
    began.wait(timeout=30)
    try:
        yield
    finally:
        end.set()
        for one in works:
            one.result(timeout=30)


@asynccontextmanager
async def watched(folder: Path) -> AsyncIterator[tuple[Bench, Engine, list[str]]]:
    """A bench with an open engine, and the names of what is looked for beside a transaction."""
    async with opened(folder) as (bench, engine):
        yield bench, engine, looks(engine)


async def queued(engine: Engine, works: list[asyncio.Future[Any]]) -> None:
    """Let go of what is held once each of *works* has come as far as it can without it."""
    for _ in range(5):
        await asyncio.sleep(0)
    assert not any(work.done() for work in works)


def test_a_request_that_queues_anyway_is_not_looked_for_first(tmp_path):
    async def run() -> None:
        async with watched(tmp_path) as (bench, engine, names):
            with held(engine):
                assert engine._core.store.crowded
                call = asyncio.ensure_future(engine.once("k", writes))
                act = asyncio.ensure_future(engine.agent.act(ANA, PLAN, message="m-1"))
                await queued(engine, [call, act])
                assert names == []
            assert await call == "n-1"
            first = await act
            assert not first.replayed
            assert not engine._core.store.crowded
            # Nobody queues any more: a repeat is one look, and no transaction.
            assert await engine.once("k", never) == "n-1"
            again = await engine.agent.act(ANA, PLAN, message="m-1")
            assert (again.replayed, again.view.plan) == (True, first.view.plan)
            assert names[:2] == ["calls.find", "keys.find"]
            assert bench.notes() == ["Dos", "Una"]

    asyncio.run(run())


@pytest.mark.only_on("postgres", "a look at a file is no way of its own")
def test_a_look_and_its_transaction_are_one_job(tmp_path, monkeypatch):
    async def run() -> None:
        async with opened(tmp_path) as (bench, engine):
            threads: list[str] = []
            talk = Session.talk

            def noted(session: Session, batch: Any, *more: Any) -> Any:
                if batch[0][0].startswith("SELECT") and "FROM semel_keys" in batch[0][0]:
                    threads.append(threading.current_thread().name.rpartition("-")[0])
                return talk(session, batch, *more)

            monkeypatch.setattr(Session, "talk", noted)
            await engine.agent.act(ANA, PLAN, message="m-1")
            # The engine's own connections are others, and their threads.
            assert threads == ["semel-app"]
            assert bench.notes() == ["Una"]

    asyncio.run(run())


@pytest.mark.only_on("postgres", "a look at a file is no way of its own")
def test_a_lost_commit_is_not_taken_for_somebody_elses_call(tmp_path, monkeypatch):
    async def run() -> None:
        async with opened(tmp_path) as (bench, engine):
            commit = Wire.commit

            def lost(wire: Wire) -> None:
                monkeypatch.setattr(Wire, "commit", commit)
                commit(wire)
                raise CommitUnknown

            monkeypatch.setattr(Wire, "commit", lost)
            told = await engine.agent.act(ANA, PLAN, message="m-1")
            assert not told.replayed
            assert bench.notes() == ["Una"]

    asyncio.run(run())


def test_a_repeat_that_queues_gets_what_the_first_one_got(tmp_path):
    async def run() -> None:
        async with watched(tmp_path) as (bench, engine, names):
            await engine.once("k", writes)
            first = await engine.agent.act(ANA, PLAN, message="m-1")
            names.clear()
            with held(engine):
                call = asyncio.ensure_future(engine.once("k", never))
                act = asyncio.ensure_future(engine.agent.act(ANA, PLAN, message="m-1"))
                await queued(engine, [call, act])
                assert names == []
            again = await act
            assert (await call, again.view.plan, again.replayed) == ("n-1", first.view.plan, True)
            assert bench.notes() == ["Dos", "Una"]

    asyncio.run(run())


def test_who_only_reads_does_not_wait_behind_one_that_is_stuck(tmp_path):
    async def run() -> None:
        async with watched(tmp_path) as (bench, engine, _):
            await engine.once("k", writes)
            first = await engine.agent.act(ANA, PLAN, message="m-1")
            with held(engine):
                bench.move(seconds=STUCK_SECONDS)
                assert not engine._core.store.crowded
                assert await engine.once("k", never) == "n-1"
                again = await engine.agent.act(ANA, PLAN, message="m-1")
                assert (again.view.plan, again.replayed) == (first.view.plan, True)

    asyncio.run(run())
