"""What a look at the database finds: each from a server or a file that is really set that way."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pedidos
import psycopg
import pytest
from afuera import Afuera
from copies import Books
from dudas import KEYS
from lives import CARTA, CREAR, FIRMAR
from pair import pair
from pedidos import ANA

from semel import Ask, Engine
from semel.domain.finding import Finding, Level
from semel.errors import StorageError
from semel.storage.sqlite.place import _disk, file_system
from semel.testing import Postgres, postgres

pytestmark = pytest.mark.no_store
UNSAFE = "SEMEL_UNSAFE_DURABILITY"
FAST = {"shared_buffers": "16MB"}


def engine_on(url: str, folder: Path) -> Engine:
    return Engine(
        url, pedidos.actions(Afuera(folder / "outside")), allow=pedidos.allow, sql=pedidos.SQL,
        keys=KEYS,
    )  # fmt: skip


@asynccontextmanager
async def opened(url: str, folder: Path) -> AsyncIterator[Engine]:
    engine = engine_on(url, folder)
    await engine.start(sweeps=False)
    try:
        yield engine
    finally:
        await engine.stop()


def looked(url: str, folder: Path) -> dict[str, Finding]:
    """What a look finds, without the engine being opened."""

    async def main() -> dict[str, Finding]:
        engine = engine_on(url, folder)
        try:
            return {one.name: one for one in (await engine.doctor()).findings}
        finally:
            engine.close()

    return asyncio.run(main())


def migrated(url: str, folder: Path) -> None:
    engine = engine_on(url, folder)
    engine.migrate()
    engine.close()


def sql(url: str, *texts: str) -> None:
    with psycopg.connect(url, autocommit=True) as line:
        for text in texts:
            line.execute(text.encode())


def ask(*steps: tuple[str, object]) -> dict[str, object]:
    return {"steps": [{"action": name, "input": given} for name, given in steps]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where one server's data stay, while it is started with one setting after the other."""
    return tmp_path_factory.mktemp("set")


@pytest.fixture(autouse=True)
def durable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(UNSAFE, raising=False)


def books(server: Postgres, name: str) -> str:
    server.drop(name)
    return server.database(name)


def levels(found: dict[str, Finding]) -> dict[str, str]:
    return {name: str(one.level) for name, one in found.items() if one.level is not Level.OK}


def test_a_server_that_is_set_well(folder, tmp_path):
    with postgres(folder, **FAST) as server:
        url = books(server, "well")
        first = looked(url, tmp_path)
        assert levels(first) == {"schema": "warn", "role": "warn"}
        assert "semel migrate" in first["schema"].says
        migrated(url, tmp_path)
        sql(
            url,
            "CREATE ROLE plain LOGIN",
            "GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO plain",
        )
        found = looked(url.replace("semel@", "plain@"), tmp_path)
        sql(url, "DROP OWNED BY plain", "DROP ROLE plain")
    assert levels(found) == {}
    assert set(found) == {
        "version", "durability", "standby", "place", "writes", "autovacuum", "role", "schema",
        "isolation", "clock",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "name", "level", "word"),
    [
        ({"fsync": "off"}, "durability", "stop", "fsync is off"),
        ({"full_page_writes": "off"}, "durability", "stop", "full_page_writes is off"),
        ({"synchronous_commit": "off"}, "durability", "stop", "synchronous_commit is off"),
        ({"autovacuum": "off"}, "autovacuum", "warn", "autovacuum is off"),
        (
            {"synchronous_standby_names": "sb", "synchronous_commit": "local"},
            "standby", "off", "synchronous_commit is local",
        ),
        ({"default_transaction_read_only": "on"}, "writes", "stop", "read-only"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_setting_is_named_with_what_it_costs(folder, tmp_path, settings, name, level, word):
    with postgres(folder, **FAST) as server:
        migrated(books(server, "set"), tmp_path)
    with postgres(folder, **FAST, **settings) as server:
        found = looked(server.at("set"), tmp_path)
    assert levels(found) == {"role": "warn", name: level}
    assert word in found[name].says


def test_what_may_be_lost_is_used_only_when_it_is_said_and_then_loudly(
    folder, tmp_path, monkeypatch, caplog
):
    async def main(url: str) -> str | None:
        async with opened(url, tmp_path) as engine:
            asked = await engine.agent.act(ANA, ask(CREAR, CARTA), message="m-1")
            assert isinstance(asked, Ask)
            assert "Warning: the database may lose what it has confirmed" in asked.card("en").text()
            assert "Aviso: la base de datos puede perder lo que confirma" in asked.card("es").text()
            local = await engine.agent.act(ANA, ask(CREAR, FIRMAR), message="m-2")
            assert "Aviso" not in local.card("es").text()
            again = await engine.agent.act(ANA, ask(CREAR, CARTA), message="m-3")
            done = await engine.person(ANA).confirm(again.token)
            assert done.for_model("en").status == "done"
            return (await engine.doctor()).closed

    with postgres(folder, **FAST, fsync="off") as server:
        url = books(server, "loud")
        with pytest.raises(StorageError, match="fsync is off"):
            asyncio.run(main(url))
        monkeypatch.setenv(UNSAFE, "1")
        with caplog.at_level(logging.WARNING, "semel"):
            assert asyncio.run(main(url)) is None
        found = looked(url, tmp_path)
        with psycopg.connect(url) as line:
            marks = line.execute("SELECT body FROM semel_events WHERE kind = 'step_started'")
            bodies = [body for (body,) in marks.fetchall()]
    assert len(bodies) == 1
    assert "fsync is off" in bodies[0]
    assert "SEMEL_UNSAFE_DURABILITY=1: fsync is off" in caplog.text
    assert levels(found)["override"] == "warn"


def test_beside_a_standby_that_is_not_synchronous_nothing_leaves(tmp_path, made):
    async def main(url: str, standby: Postgres) -> None:
        async with opened(url, tmp_path) as engine:
            closed = (await engine.doctor()).closed
            assert closed is not None
            assert "not synchronous" in closed
            outcome = await engine.agent.act(ANA, ask(CREAR, CARTA), message="m-1")
            assert outcome.for_model("en").status == "refused"
            assert "may not send anything outside" in outcome.card("en").text()
            assert "no puede enviar nada al exterior" in outcome.card("es").text()
            local = await engine.agent.act(ANA, ask(CREAR, FIRMAR), message="m-2")
            assert isinstance(local, Ask)
            done = await engine.person(ANA).confirm(local.token)
            assert done.for_model("en").status == "done"
            standby.stop()
            # It has gone; whoever asks next finds that out.
            with psycopg.connect(url, autocommit=True) as line:
                while line.execute("SELECT count(*) FROM pg_stat_replication").fetchone()[0]:
                    line.execute("SELECT pg_sleep(0.01)")
            again = await engine.agent.act(ANA, ask(CREAR, CARTA), message="m-1")
            assert isinstance(again, Ask)

    with pair(made, tmp_path / "pair", synchronous=False) as both:
        asyncio.run(main(both.primary.database("books"), both.standby))


def test_a_yes_is_not_taken_while_nothing_may_leave(folder, tmp_path):
    """It is not used up: once something may be sent it counts."""

    async def main(url: str) -> None:
        async with opened(url, tmp_path) as engine:
            asked = await engine.agent.act(ANA, ask(CREAR, CARTA), message="m-1")
            sql(url, "UPDATE semel_database SET fencing = 1, fenced_at = '2026-01-01'")
            await engine.doctor()
            refused = await engine.person(ANA).confirm(asked.token)
            assert refused.for_model("en").status == "refused"
            swept = await engine.sweep()
            assert swept.closed is not None
            assert "not through" in swept.closed
            sql(url, "UPDATE semel_database SET fencing = 0")
            done = await engine.person(ANA).confirm(asked.token)
            assert done.for_model("en").status == "done"

    with postgres(folder, **FAST) as server:
        asyncio.run(main(books(server, "yes")))


def test_a_copy_that_is_elsewhere_is_told_and_one_that_was_moved_may_go_on(folder, tmp_path):
    async def main(url: str) -> tuple[str | None, str | None]:
        async with opened(url, tmp_path) as engine:
            before = (await engine.doctor()).closed
            await engine.moved()
            return before, (await engine.doctor()).closed

    with postgres(folder, **FAST) as server:
        books(server, "here")
        migrated(server.at("here"), tmp_path)
        Books(tmp_path, server, "here").dump(tmp_path / "copy")
        server.drop("there")
        Books(tmp_path, server, "there").restore(tmp_path / "copy")
        before, after = asyncio.run(main(server.at("there")))
        assert levels(looked(server.at("here"), tmp_path)) == {"role": "warn"}
    assert before is not None
    assert "semel fence --restored" in before
    assert after is None


def test_a_new_timeline_closes_the_windows_and_a_recovery_to_a_point_is_told(folder, tmp_path):
    with postgres(folder, **FAST) as server:
        url = books(server, "line")
        migrated(url, tmp_path)
        sql(url, "UPDATE semel_database SET timeline = 0")
        found = looked(url, tmp_path)
        assert "Another server goes on" in found["place"].says
        with psycopg.connect(url) as line:
            since = line.execute("SELECT timeline, timeline_since FROM semel_database").fetchone()
        assert since is not None
        assert since[0] == 1
        assert since[1] > "2026"
        sql(url, "UPDATE semel_database SET timeline = 9")
        assert looked(url, tmp_path)["place"].level is Level.OFF
        sql(url, "UPDATE semel_database SET timeline = 0")
    with postgres(folder, **FAST, recovery_target_name="before the accident") as server:
        found = looked(server.at("line"), tmp_path)
    assert found["place"].level is Level.OFF
    assert "recovery_target_name is set" in found["place"].says


def test_tables_of_another_version_are_told(folder, tmp_path):
    with postgres(folder, **FAST) as server:
        url = books(server, "newer")
        migrated(url, tmp_path)
        sql(url, "INSERT INTO semel_schema VALUES ('semel', 99, 'later')")
        found = looked(url, tmp_path)
    assert found["schema"].level is Level.STOP


def test_a_file_that_is_kept_well_and_one_that_is_not(tmp_path):
    url = f"sqlite:///{tmp_path / 'books.db'}"
    migrated(url, tmp_path)
    found = looked(url, tmp_path)
    assert levels(found) == {}
    assert set(found) == {"version", "durability", "disk", "place", "rights", "schema"}
    (tmp_path / "books.db").chmod(0o644)
    found = looked(url, tmp_path)
    assert levels(found) == {"rights": "warn"}
    assert "0644" in found["rights"].says


MOUNTS = """\
21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
22 21 0:30 / /mnt/far rw,relatime shared:1 - nfs4 server:/books rw
23 21 0:31 / /mnt/far/near rw - xfs /dev/sdb1 rw
24 21 0:32 / /with\\040space rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("path", "kind", "level"),
    [
        ("/var/books.db", "ext4", Level.OK),
        ("/mnt/far/books.db", "nfs4", Level.OFF),
        ("/mnt/far/near/books.db", "xfs", Level.OK),
        ("/mnt/farther/books.db", "ext4", Level.OK),
        ("/with space/books.db", "tmpfs", Level.WARN),
    ],
)
def test_a_disk_of_another_machine_is_told(path, kind, level):
    assert file_system(Path(path), MOUNTS) == kind
    assert _disk(kind).level is level
