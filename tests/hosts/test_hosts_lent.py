"""What semel does with what it was lent, and what it says when that is not what it needs."""

import asyncio
import contextlib
import subprocess
import sys
import weakref
from threading import Barrier, Event, Thread

import pytest
from django.db import connections, transaction
from hosts_bench import ANA, NOW, SKU, STOCK, Bench, act, guion, opened, pedir, run, side, told
from hosts_bench import bench as on_host
from side_sqlalchemy import Articulo, Base
from sqlalchemy import create_engine, event, text
from sqlalchemy.orm import sessionmaker

import semel
import stores
from semel import Ask, CatalogError, StorageError
from semel.errors import CommitUnknown, Conflict
from semel.lend import hosted
from semel.storage.hosts import HostStore
from semel.storage.hosts.django import _dialect
from semel.storage.hosts.sqlalchemy import DENIED_METHODS
from semel.testing import MovableClock, interrupt_at


def terminate(bench: Bench) -> None:
    """Cut every session of the database, as a server that is restarted does."""
    bench.sql(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


on_postgres = pytest.mark.only_on("postgres", "a file has no server that could go away")
on_sqlite = pytest.mark.only_on("sqlite", "it is about the settings of a SQLite connection")


@on_postgres
@pytest.mark.parametrize("name", ["propose", "confirm", "local"])
def test_a_commit_whose_answer_is_lost_is_looked_for(bench, name):
    async def main():
        async with opened(bench) as engine:
            with interrupt_at(f"commit:{name}:before", lambda: terminate(bench)):
                ask = await act(engine, pedir(3, urgente=True))
                assert isinstance(ask, Ask), ask
                done = await engine.person(ANA).confirm(ask.token)
            assert told(done) == ("Report", "finished")
            assert (bench.orders(), bench.left()) == (1, STOCK - 3)

    run(main())


@on_postgres
def test_a_lost_answer_is_no_answer(bench):
    store = hosted(bench.side.lender(), None)

    def work(tx):
        bench.side.order(tx.app, "x", "o-1", SKU, 1)
        tx.one("plans.find", org="o-1", plan="p_x")  # what is pending is written before it
        terminate(bench)

    with pytest.raises(CommitUnknown):
        store.transact(work)
    assert store.read(lambda tx: bench.side.orders(tx.app)) == 0
    store.close()


@on_postgres
def test_connections_that_died_while_nobody_used_them_are_made_anew(bench):
    if bench.side.name == "django":
        connections.settings["default"]["CONN_MAX_AGE"] = None

    async def main():
        async with opened(bench) as engine:
            for number in range(2):
                outcomes = await asyncio.gather(
                    *(act(engine, pedir(1), message=f"m-{number}-{n}") for n in range(4))
                )
                assert {told(outcome) for outcome in outcomes} == {("Report", "finished")}
                terminate(bench)
            assert told(await act(engine, pedir(1), message="last")) == ("Report", "finished")
        assert bench.orders() == 9

    run(main())


@on_postgres
def test_a_deadlock_of_the_hosts_own_statements_is_run_again(bench):
    bench.sql("INSERT INTO tienda_articulo (sku, quedan, version) VALUES ('plato', 7, 1)")
    both, tries = Barrier(2), []

    def works(*skus):
        def work(tx):
            tries.append(skus)
            for number, sku in enumerate(skus):
                bench.side.raw(
                    tx, f"UPDATE tienda_articulo SET quedan = quedan - 1 WHERE sku = '{sku}'"
                )
                if number == 0 and len(tries) <= 2:
                    both.wait(30)

        return work

    async def main():
        async with opened(bench) as engine:
            await asyncio.gather(
                engine.write(works(SKU, "plato")), engine.write(works("plato", SKU))
            )

    run(main())
    assert len(tries) == 3
    assert bench.sql("SELECT quedan FROM tienda_articulo ORDER BY sku") == [(5,), (STOCK - 2,)]


@on_postgres
def test_the_server_keeps_the_limits_of_a_lent_transaction(bench):
    shown = "SELECT current_setting('statement_timeout') || ' ' || current_setting('{}')"

    def settings(tx):
        if bench.side.name == "sqlalchemy":
            return [
                tx.scalar(text(shown.format(name)))
                for name in ("idle_in_transaction_session_timeout", "transaction_isolation")
            ]
        found = []
        with tx.cursor() as cursor:
            for name in ("idle_in_transaction_session_timeout", "transaction_isolation"):
                cursor.execute(shown.format(name))
                found += cursor.fetchone()
        return found

    async def main():
        async with opened(bench) as engine:
            assert await engine.write(settings) == ["5s 5s", "5s read committed"]
            assert await engine.read(settings) == ["5s 5s", "5s repeatable read"]

    run(main())


def test_what_the_application_does_at_a_begin_is_done(tmp_path):
    """Its tenant for row security, say; or SQLAlchemy's recipe for SQLite, which begins by hand."""
    with on_host("sqlalchemy", tmp_path / "begun.db") as bench:
        at_begin = "BEGIN" if stores.kind() == "sqlite" else "SET LOCAL shop.org = 'o-1'"
        event.listen(bench.side.engine, "begin", lambda conn: conn.exec_driver_sql(at_begin))
        asked = "SELECT 1" if stores.kind() == "sqlite" else "SET LOCAL shop.more = 'm'"
        event.listen(
            bench.side.session_local, "after_begin", lambda s, t, conn: conn.exec_driver_sql(asked)
        )
        shown = "current_setting('shop.org') || current_setting('shop.more')"
        text_ = "SELECT 'o-1m'" if stores.kind() == "sqlite" else f"SELECT {shown}"

        async def main():
            async with opened(bench) as engine:
                assert told(await act(engine, pedir(1))) == ("Report", "finished")
                assert await engine.write(lambda tx: tx.scalar(text(text_))) == "o-1m"
                assert await engine.read(lambda tx: tx.scalar(text(text_))) == "o-1m"

        run(main())
        assert bench.orders() == 1


def test_a_step_that_takes_too_long_is_rolled_back(bench):
    def slow(ctx):
        bench.side.order(ctx.tx, f"lento {bench.guion.calls}", ctx.org, SKU, 1)
        if bench.guion.calls > 2:
            bench.clock.move(seconds=5.001)

    async def main():
        bench.does(slow)
        async with opened(bench) as engine:
            ask = await act(engine, guion(seguro=False))
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "failed")
        assert bench.orders() == 0

    run(main())


@on_sqlite
@pytest.mark.parametrize("missing", ["journal_mode", "synchronous", "foreign_keys"])
def test_a_database_that_could_lose_a_commit_is_refused(host, tmp_path, missing):
    path = tmp_path / "careless.db"
    if missing != "journal_mode":
        stores.url(path, f"tienda_{host}")
        with stores.connected(path) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
    lines = [
        "PRAGMA synchronous = " + ("NORMAL" if missing == "synchronous" else "FULL"),
        "PRAGMA foreign_keys = " + ("OFF" if missing == "foreign_keys" else "ON"),
    ]

    def careless(connection, _):
        for line in lines:
            connection.execute(line)

    how = careless if host == "sqlalchemy" else "; ".join(lines)
    one = side(host, stores.url(path, f"tienda_{host}"), careful=how)
    one.tables()
    engine = Bench(path, one).engine()
    engine.migrate()
    with pytest.raises(StorageError, match="journal_mode = WAL, synchronous = FULL and"):
        run(engine.start())
    engine.close()
    one.close()


def test_what_the_application_does_on_its_own_is_its_own(bench):
    """Beside an engine, and after it: its sessions and connections are as they were."""

    async def main():
        async with opened(bench) as engine:
            assert told(await act(engine, pedir(1))) == ("Report", "finished")
            await asyncio.to_thread(ours, bench, "beside")

    run(main())
    ours(bench, "after")
    assert bench.orders() == 3
    bench.side.close()


def test_what_a_session_is_denied_is_denied_before_it_does_anything(tmp_path):
    with on_host("sqlalchemy", tmp_path / "denied.db") as bench:
        store = hosted(bench.side.lender(), None)

        def work(tx):
            bench.side.order(tx.app, "x", "o-1", SKU, 1)
            for name in DENIED_METHODS:
                with pytest.raises(semel.Bug, match="may not end its transaction or begin another"):
                    getattr(tx.app, name)()
            with tx.app.begin_nested():
                bench.side.order(tx.app, "y", "o-1", SKU, 1)

        store.transact(work)
        assert (bench.orders(), bench.left()) == (2, STOCK - 2)
        store.close()


@pytest.mark.parametrize("way", ["the root's close", "the root's rollback"])
def test_a_session_without_its_transaction_has_committed_nothing(tmp_path, way):
    with on_host("sqlalchemy", tmp_path / "gone.db") as bench:
        store = hosted(bench.side.lender(), None)

        def work(tx):
            bench.side.raw(tx.app, "UPDATE tienda_articulo SET quedan = 1")
            with contextlib.suppress(Exception):
                bench.side.ways_out[way](tx.app)
            return "done"

        with pytest.raises(StorageError):
            store.transact(work)
        assert bench.left() == STOCK
        store.close()


def test_what_was_rolled_back_below_a_session_is_not_begun_again(tmp_path):
    with on_host("sqlalchemy", tmp_path / "below.db") as bench:
        store = hosted(bench.side.lender(), None)

        def work(tx):
            bench.side.raw(tx.app, "UPDATE tienda_articulo SET quedan = 1")
            connection = tx.app.connection()
            with contextlib.suppress(Exception):  # SQLite itself refuses it
                connection.rollback()
            with pytest.raises(semel.Bug, match="may not end its transaction or begin another"):
                connection.execute(text("UPDATE tienda_articulo SET quedan = 2"))

        with pytest.raises(StorageError):
            store.transact(work)
        assert bench.left() == STOCK
        store.close()


def test_engines_that_come_and_go_disturb_nobody(bench):
    """The application's threads read its listeners all the time: nothing of them is changed."""
    gone, errors = Event(), []

    def works():
        try:
            while not gone.is_set():
                with our_part(bench):
                    pass
        except BaseException as no:
            errors.append(no)

    thread = Thread(target=works)
    thread.start()
    try:
        for _ in range(20):
            store = hosted(bench.side.lender(), None)
            assert store.transact(lambda tx: bench.side.orders(tx.app)) == 0
            store.close()
    finally:
        gone.set()
        thread.join()
    assert errors == []


@contextlib.contextmanager
def our_part(bench):
    """A transaction of the application's own, that only reads."""
    if bench.side.name == "sqlalchemy":
        with bench.side.session_local() as session:
            yield bench.side.orders(session)
            session.commit()
    else:
        with transaction.atomic():
            yield bench.side.orders(None)
        connections["default"].close()


def ours(bench, id):
    if bench.side.name == "sqlalchemy":
        with bench.side.session_local() as session:
            bench.side.order(session, id, "o-1", SKU, 1)
            session.flush()
            session.rollback()
            bench.side.order(session, id, "o-1", SKU, 1)
            session.commit()
            session.execute(text("SELECT 1"))
        return
    with transaction.atomic():
        bench.side.order(None, id, "o-1", SKU, 1)
        transaction.set_rollback(True)
    with transaction.atomic(durable=True):
        bench.side.order(None, id, "o-1", SKU, 1)
    connections["default"].close()


def test_what_the_application_does_after_a_commit_changes_no_answer(bench, caplog):
    """Its listeners hear of commits, not of rehearsals; one that fails is in the log."""
    heard = []

    def hears(session=None):
        if session is not None and session.in_nested_transaction():
            return  # SQLAlchemy tells of the end of every savepoint, too
        heard.append(bench.orders())
        raise ValueError("the listener's own")

    if bench.side.name == "sqlalchemy":
        event.listen(bench.side.session_local, "after_commit", hears)

    def works(ctx):
        bench.side.order(ctx.tx, f"oído {bench.guion.calls}", ctx.org, SKU, 1)
        if bench.side.name == "django":
            transaction.on_commit(hears)

    async def main():
        bench.does(works)
        async with opened(bench) as engine:
            ask = await act(engine, guion(seguro=False))
            before = len(heard)
            done = await engine.person(ANA).confirm(ask.token)
            assert told(done) == ("Report", "finished")
            return before

    before = run(main())
    # The Session's listener hears of each transaction of the engine's, and on_commit of its own.
    own = {"django": ([], [1]), "sqlalchemy": ([0], [0, 1])}[bench.side.name]
    assert (heard[:before], sorted(set(heard))) == own
    assert bench.orders() == 1
    assert "failed after a COMMIT" in caplog.text


def test_a_listener_that_fails_before_a_commit_refuses_it(bench):
    store = hosted(bench.side.lender(), None)
    if bench.side.name == "django":
        # Django has none; what stands for it is that a row was refused and its error swallowed.
        def work(tx):
            try:
                bench.side.stock(tx.app, SKU, 1)
            except Exception:
                return "swallowed"

        refused = work
    else:
        event.listen(bench.side.session_local, "before_commit", fails)

        def refused(tx):
            bench.side.order(tx.app, "x", "o-1", SKU, 1)

    with pytest.raises(Conflict):
        store.transact(refused)
    assert (bench.orders(), bench.left()) == (0, STOCK)
    store.close()


def fails(session):
    raise ValueError("no")


def test_a_lent_session_is_of_no_use_afterwards(bench):
    kept = []

    async def main():
        async with opened(bench) as engine:
            await engine.write(kept.append)

    run(main())
    if bench.side.name == "sqlalchemy":
        with pytest.raises(Exception, match="permanently closed"):
            kept[0].execute(text("SELECT 1"))
    else:
        assert kept[0].connection is None
        assert not kept[0].in_atomic_block
        assert kept[0].execute_wrappers == kept[0].execute_wrappers[:1]


# What cannot be lent.


@pytest.mark.no_store
def test_a_factory_that_lends_no_one_engine_is_refused():
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        for factory in (
            "sqlite://",
            engine,
            sessionmaker(),
            sessionmaker(connection),
            sessionmaker(engine, twophase=True),
            sessionmaker(binds={Articulo: engine}),
        ):
            with pytest.raises(CatalogError, match="sessionmaker"):
                semel.sqlalchemy(factory)
    engine.dispose()


@pytest.mark.no_store
def test_another_driver_is_refused_and_the_right_ones_are_named():
    engine = create_engine("sqlite://")
    engine.dialect.driver = "another"
    with pytest.raises(CatalogError, match=r"postgresql\+psycopg.*this engine is sqlite\+another"):
        semel.sqlalchemy(sessionmaker(engine))
    engine.dispose()
    with pytest.raises(CatalogError, match=r"psycopg 3.*oracle"):
        _dialect("oracle")
    with pytest.raises(CatalogError, match="no alias 'nowhere'"):
        semel.django("nowhere")


@pytest.mark.no_store
@pytest.mark.parametrize(("name", "call"), [("sqlalchemy", "(None)"), ("django", "()")])
def test_a_missing_package_is_named_and_not_needed_before(name, call):
    program = f"""
import sys
import weakref
import semel
assert not {{"sqlalchemy", "django", "psycopg"}} & set(sys.modules), "imported"
sys.modules["{name}"] = None
try:
    semel.{name}{call}
except semel.CatalogError as no:
    print(no)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert f"pip install 'semel[{name}]'" in done.stdout


def test_django_without_autocommit_is_refused(tmp_path):
    one = side("django", stores.url(tmp_path / "manual.db", "tienda_django"), AUTOCOMMIT=False)
    store = HostStore(one.lender(), clock=MovableClock(NOW), migrations=[])
    with pytest.raises(StorageError, match="AUTOCOMMIT"):
        store.transact(lambda tx: None)
    store.close()
    one.close()


def test_a_session_of_two_databases_is_refused_where_it_uses_the_other(tmp_path):
    with stores.connected(stores.url(tmp_path / "one.db", "tienda_sqlalchemy")):
        pass
    one = side("sqlalchemy", stores.url(tmp_path / "one.db", "tienda_sqlalchemy"))
    other = create_engine("sqlite://")
    Base.metadata.create_all(other)
    one.session_local.configure(binds={Articulo: other})
    store = HostStore(semel.sqlalchemy(one.session_local), clock=MovableClock(NOW), migrations=[])
    with pytest.raises(StorageError, match="another database of its session"):
        store.transact(lambda tx: tx.app.get(Articulo, "x"))
    store.close()
    one.close()
    other.dispose()


def test_nothing_of_a_lent_transaction_is_held_when_its_answer_comes(bench):
    store, gate, seen = hosted(bench.side.lender(), None), Event(), []

    class Large:
        pass

    def queued():
        large = Large()

        def work(tx):
            assert gate.wait(30)
            return type(large).__name__

        return store.submit(work), weakref.ref(large)

    pending, large = queued()
    pending.add_done_callback(lambda done: seen.append(large()))
    assert large() is not None
    gate.set()
    assert (pending.result(30), seen) == ("Large", [None])
    store.close()
