"""Behind PgBouncer in transaction mode: every life goes as it does on a session of one's own."""

import asyncio
import os

import psycopg
import pytest
from afuera import Afuera
from cut_lives import live
from lives import lives
from pedidos import ANA, open_pedidos
from pooler import SESSIONS, pooled

import stores
from semel.runtime import resolve
from semel.storage.postgres.connection import connect, is_direct
from semel.testing.crash import Verdict

pytestmark = pytest.mark.only_on("postgres", "nothing pools a file")
CALLERS = 40


@pytest.fixture
def through(tmp_path, monkeypatch):
    direct = os.environ[stores.SERVER]
    with pooled(tmp_path / "pooler", direct) as url:
        monkeypatch.setenv(stores.SERVER, url)
        yield url
        for path in [*stores.given()]:
            stores.forget(path)
        monkeypatch.setenv(stores.SERVER, direct)


def test_a_pooler_is_noticed_and_nothing_is_kept_in_its_sessions(tmp_path, through):
    own = connect(stores.url(tmp_path / "books.db", "bare"))
    assert not is_direct(own)
    for number in range(8):
        answers, error = own.talk([("SELECT %(n)s::bigint AS n", {"n": number})])
        assert error is None
        assert answers[0].rows == [{"n": number}]
    own.close()
    with psycopg.connect(through, autocommit=True, prepare_threshold=None) as db:
        assert db.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)


def test_lives_go_as_without_it(tmp_path, monkeypatch, through):
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))
    for life in lives(tmp_path):
        verdict, heard = live(life, tmp_path / life.name, lambda _: None)
        assert verdict == Verdict(), life.name
        assert heard


def test_many_callers_share_few_sessions(tmp_path, through):
    async def main():
        engine = open_pedidos(tmp_path, Afuera(tmp_path / "outside"))
        other = open_pedidos(tmp_path, Afuera(tmp_path / "outside"))
        for one in (engine, other):
            await one.start(sweeps=False)

        def work(tx):
            tx.run("notas.add", org=ANA.org, id="n-1", text="Una", now="2026-10-19")
            return "n-1"

        try:
            plan = {"steps": [{"action": "nota.crear", "input": {"text": "Otra"}}]}
            told = await asyncio.gather(
                *(one.agent.act(ANA, plan, message="m-1") for one in (engine, other) * CALLERS),
                *(one.once("k-1", work, org=ANA.org) for one in (engine, other) * CALLERS),
            )
        finally:
            for one in (engine, other):
                await one.stop()
        assert len({outcome.view.plan for outcome in told[: 2 * CALLERS]}) == 1
        assert {*told[2 * CALLERS :]} == {"n-1"}

    asyncio.run(main())
    books = tmp_path / "pedidos.db"
    assert sorted(stores.rows(books, "SELECT text FROM notas")) == [("Otra",), ("Una",)]
    assert SESSIONS < CALLERS
