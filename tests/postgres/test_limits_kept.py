"""The limits of a transaction, which the server keeps: nothing holds others up for longer."""

import asyncio
import threading
from concurrent.futures import Future

import psycopg
import pytest
from afuera import Afuera
from pedidos import ANA, Crear, Firmar, Nota, open_pedidos

import stores
from semel.storage.postgres import store

pytestmark = pytest.mark.only_on("postgres", "on SQLite the store itself looks at the time")

SECONDS = 1.5
"""The limit in these tests: long for a statement, short for a test."""


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(store, "LIMIT_SECONDS", SECONDS)


class Slow(Firmar, name="nota.lenta", effect=Firmar.effect, makes=Nota, allow="firmas"):
    """Signs, and does something else that takes long."""

    def __init__(self, does) -> None:
        self.does = does
        self.rehearsals = 2
        """At the question and at the yes it is quick."""

    def run(self, i, ctx):
        made = super().run(i, ctx)
        if self.rehearsals:
            self.rehearsals -= 1
        else:
            self.does(ctx)
        return made


async def signed(tmp_path, does, beside=None):
    """What becomes of a plan whose step does something long; and how often the note is signed."""
    engine = open_pedidos(tmp_path, Afuera(tmp_path / "outside"), [Crear(), Slow(does)])
    await engine.start(sweeps=False)
    try:
        steps = [
            {"action": "nota.crear", "input": {"text": "Una"}},
            {"action": "nota.lenta", "input": {"nota": "$1"}},
        ]
        ask = await engine.agent.act(ANA, {"steps": steps}, message="m-1")
        if beside is not None:
            beside()
        outcome = await engine.person(ANA).confirm(ask.token)
        return [str(step.reason or step.state) for step in outcome.view.steps]
    finally:
        await engine.stop()


def test_a_statement_that_takes_too_long_fails_its_step(tmp_path):
    def sleeps(ctx):
        ctx.tx._wire.ask(("SELECT pg_sleep(60) IS NULL AS late", None))

    assert asyncio.run(signed(tmp_path, sleeps)) == ["done", "failed"]
    assert stores.rows(tmp_path / "pedidos.db", "SELECT signed FROM notas") == [(0,)]


def test_a_handler_that_pauses_for_too_long_loses_its_session(tmp_path):
    def pauses(ctx):
        # It waits until the server has thrown it out, which is all that it can wait for.
        line = ctx.tx._wire.connection
        while stores.left_of(line.info.backend_pid):
            pass

    assert asyncio.run(signed(tmp_path, pauses)) == ["done", "failed"]
    assert stores.rows(tmp_path / "pedidos.db", "SELECT signed FROM notas") == [(0,)]


def test_a_step_waits_for_its_turn_however_long_others_are_at_work(tmp_path):
    held, waits = psycopg.connect(stores.url(tmp_path / "pedidos.db", "pedidos")), Future()

    def hold():
        """Somebody else of the organization writes, for longer than one transaction may wait."""
        lock = "SELECT pg_advisory_xact_lock(hashtextextended('writes', hashtextextended(%s, 0)))"
        held.execute(lock, [ANA.org])
        threading.Thread(target=let_go).start()

    def let_go():
        with psycopg.connect(stores.url(tmp_path / "pedidos.db", "pedidos")) as admin:
            admin.autocommit = True
            # Three waits have ended in vain when the log of waits says so; then it is let go.
            seen = set()
            while len(seen) < 3:
                seen |= {
                    start
                    for (start,) in admin.execute(
                        "SELECT xact_start FROM pg_stat_activity WHERE wait_event = 'advisory'"
                    )
                }
        held.rollback()
        held.close()
        waits.set_result(len(seen))

    assert asyncio.run(signed(tmp_path, lambda ctx: None, hold)) == ["done", "done"]
    assert waits.result() >= 3
    assert stores.rows(tmp_path / "pedidos.db", "SELECT signed FROM notas") == [(1,)]


def test_a_proposal_does_not_wait_for_longer_than_it_may(tmp_path):
    async def main():
        engine = open_pedidos(tmp_path, Afuera(tmp_path / "outside"))
        await engine.start(sweeps=False)
        try:
            with psycopg.connect(stores.url(tmp_path / "pedidos.db", "pedidos")) as held:
                lock = "SELECT pg_advisory_xact_lock(hashtextextended(%s, hashtextextended(%s, 0)))"
                held.execute(lock, ["writes", ANA.org])
                plan = {"steps": [{"action": "nota.crear", "input": {"text": "Una"}}]}
                refused = await engine.agent.act(ANA, plan, message="m-1")
                held.rollback()
            assert refused.for_model("en").status == "refused"
            done = await engine.agent.act(ANA, plan, message="m-1")
            assert done.for_model("en").status == "done"
        finally:
            await engine.stop()

    asyncio.run(main())
