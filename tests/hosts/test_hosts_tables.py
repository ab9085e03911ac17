"""semel's tables come into the host's own migrations, and an engine says when they are missing."""

import json
import subprocess
import sys

import pytest
from hosts_bench import KEYS, NOW, Pedido, Pedir, act, pedir, run, side, told

import stores
from semel import CatalogError, Engine, StorageError
from semel.open import printed
from semel.testing import MovableClock


@pytest.fixture
def bare(host, tmp_path):
    """The host's application before it has heard of semel."""
    one = side(host, stores.url(tmp_path / "bare.db", f"bare_{host}"))
    one.tables()
    stores.rows(tmp_path / "bare.db", "INSERT INTO tienda_articulo VALUES ('taza', 100, 1)")
    for table in reversed(stores.tables(tmp_path / "bare.db")):
        if table.startswith("semel_"):
            cascade = " CASCADE" if stores.kind() == "postgres" else ""
            stores.rows(tmp_path / "bare.db", f"DROP TABLE {table}{cascade}")
    yield one
    one.close()


def engine(one, **more):
    return Engine(
        one.lender(),
        [Pedir(one)],
        allow=lambda ctx, permission, records: True,
        keys=KEYS,
        clock=MovableClock(NOW),
        **more,
    )


def semel(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "semel.cli", *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_an_engine_starts_after_the_hosts_own_migration(bare, tmp_path):
    text = semel("migrate", "--print", "--dialect", stores.kind())
    statements = [part for part in text.split(";\n") if part.strip()]
    assert json.loads(semel("migrate", "--print", "--dialect", stores.kind(), "--json")) == printed(
        stores.kind()
    )
    assert len(statements) == len(printed(stores.kind()))
    bare.run_sql(statements)

    async def main():
        Pedido.side = bare
        async with engine(bare) as opened:
            assert opened.migrate() == []
            assert told(await act(opened, pedir(1))) == ("Report", "finished")

    run(main())
    assert stores.rows(tmp_path / "bare.db", "SELECT count(*) FROM semel_plans") == [(1,)]


def test_the_tables_are_those_that_semel_makes_itself(bare, tmp_path):
    bare.run_sql(printed(stores.kind()))
    other = side(bare.name, stores.url(tmp_path / "other.db", f"bare_{bare.name}"))
    opened = engine(other)
    opened.migrate()
    opened.close()
    if stores.kind() == "sqlite":
        text = "SELECT name, sql FROM sqlite_master WHERE name LIKE 'semel%' ORDER BY name"
    else:
        text = (
            "SELECT table_name, column_name, data_type, collation_name, is_nullable FROM"
            " information_schema.columns WHERE table_name LIKE 'semel%' ORDER BY 1, 2"
        )
    mine, theirs = (plain(stores.rows(tmp_path / f"{name}.db", text)) for name in ("bare", "other"))
    assert mine == theirs
    assert len(mine) > 10
    notes = "SELECT component, number, name FROM semel_schema ORDER BY number"
    assert stores.rows(tmp_path / "bare.db", notes) == stores.rows(tmp_path / "other.db", notes)
    other.close()


def plain(rows):
    """A statement without its comments: SQLite keeps the text of what made a table."""
    return [
        tuple(" ".join(part.split("--")[0] for part in str(value).splitlines()) for value in row)
        for row in rows
        if "rowid" not in row
    ]


def test_an_engine_without_its_tables_says_so_and_makes_none(bare, tmp_path):
    async def main():
        opened = engine(bare)
        with pytest.raises(StorageError) as no:
            await opened.start()
        opened.close()
        return str(no.value)

    said = run(main())
    assert f"semel migrate --print --dialect {stores.kind()}" in said
    assert "0001 nouns" in said
    assert not [name for name in stores.tables(tmp_path / "bare.db") if name.startswith("semel")]


def test_an_engine_that_is_asked_makes_them(bare, tmp_path):
    async def main():
        opened = engine(bare)
        assert opened.migrate() == ["semel 0001 nouns"]
        await opened.start()
        await opened.stop()

    run(main())


def test_a_host_brings_its_own_statements_and_keys(bare, tmp_path, monkeypatch):
    monkeypatch.delenv("SEMEL_KEYS", raising=False)
    for more in ({"sql": tmp_path}, {"key_file": tmp_path / "key"}):
        with pytest.raises(CatalogError, match="leave sql= and key_file= out"):
            engine(bare, **more)
    with pytest.raises(StorageError, match="With a lent transaction the signing keys come from"):
        Engine(bare.lender(), [Pedir(bare)], allow=lambda *_: True)


@pytest.mark.no_store
def test_the_cli_prints_the_dialect_of_its_database():
    assert "STRICT" in semel("migrate", "--print", "--db", "sqlite:///x.db")
    assert "STRICT" not in semel("migrate", "--print", "--db", "postgresql://nobody@nowhere/x")
