"""Memory and SQLite have the same tables: columns, keys, references, indexes, constraints."""

import re

import pytest
from things_app import MIGRATIONS, in_memory, in_sqlite

from semel.errors import Conflict
from semel.storage.memory import Schema, schema
from semel.testing._contract.refused import IMPOSSIBLE, NEW, world
from semel.testing._contract.world import call
from semel.testing.contract import StillClock

TABLES = {table.name: table for table in vars(schema).values() if isinstance(table, Schema)}
SQL = next(m.sql for m in MIGRATIONS if m.component == "semel")
TYPES = {"TEXT": str, "INTEGER": int, "BLOB": bytes}
# No statement writes rows that only these refuse; each store's own tests do.
UNWRITTEN = {
    "semel_plans": {"version", "round", "stall", "only_an_ended_plan_is_undone"},
    "semel_confirmations": {"used_or_revoked"},
    "semel_database": {"id", "generation", "fencing", "fencing_has_a_time"},
}


@pytest.fixture
def pragma(tmp_path):
    store = in_sqlite(tmp_path / "books.db", StillClock())
    store.migrate()
    yield lambda what, name: store._connection.execute(f"PRAGMA {what}({name})").fetchall()
    store.close()


def test_both_stores_have_the_same_tables():
    assert re.findall(r"^CREATE TABLE (\w+)", SQL, re.MULTILINE) == list(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_both_stores_have_the_same_columns_and_keys(pragma, name):
    found = pragma("table_info", name)
    columns = {c["name"]: TYPES[c["type"]] for c in found}
    columns |= {c["name"]: columns[c["name"]] | None for c in found if not c["notnull"]}
    assert list(columns.items()) == list(TABLES[name].columns.items())
    keyed = sorted((c["pk"], c["name"]) for c in found if c["pk"])
    assert tuple(column for _, column in keyed) == TABLES[name].key


@pytest.mark.parametrize("name", TABLES)
def test_both_stores_have_the_same_references(pragma, name):
    rows = {}
    for row in pragma("foreign_key_list", name):
        rows.setdefault(row["id"], []).append((row["seq"], row["from"], row["table"], row["to"]))
    found = set()
    for parts in rows.values():
        own, others, theirs = zip(*(part[1:] for part in sorted(parts)), strict=True)
        assert theirs == TABLES[others[0]].key
        line = re.search(rf"FOREIGN KEY \({', '.join(own)}\) .*", body(name)).group()
        found.add((own, others[0], "DEFERRABLE INITIALLY DEFERRED" in line))
    assert found == {
        (reference.columns, (reference.schema or TABLES[name]).name, reference.deferred)
        for reference in TABLES[name].references
    }


@pytest.mark.parametrize("name", TABLES)
def test_both_stores_have_the_same_unique_indexes(pragma, name):
    unique = {}
    for index in pragma("index_list", name):
        if index["origin"] == "c" and index["unique"]:
            columns = tuple(column["name"] for column in pragma("index_info", index["name"]))
            unique[index["name"].removeprefix("semel_")] = (columns, bool(index["partial"]))
    assert unique == {
        key: (index.columns, index.where is not None)
        for key, index in TABLES[name].indexes.items()
        if index.unique
    }


@pytest.mark.parametrize("name", TABLES)
def test_both_stores_have_the_same_constraints(name):
    """A check of one column is called after the column, any other by its name."""
    named = re.findall(r"^ +CONSTRAINT (\w+) CHECK", body(name), re.MULTILINE)
    columns = re.findall(r"^ +(?!CONSTRAINT)(\w+) [A-Z ]+ CHECK", body(name), re.MULTILINE)
    assert sorted([*columns, *named]) == sorted(TABLES[name].checks)


@pytest.mark.parametrize(
    ("name", "check"),
    [
        (n, check)
        for n, t in TABLES.items()
        for check in t.checks
        if check not in UNWRITTEN.get(n, ())
    ],
)
def test_each_constraint_is_the_only_one_to_refuse_some_row(monkeypatch, name, check):
    less = {key: holds for key, holds in TABLES[name].checks.items() if key != check}
    monkeypatch.setitem(vars(TABLES[name]), "checks", less)

    def kept(tx, statement, changes):
        try:
            with tx.savepoint() as part:
                call(tx, statement, **{**NEW.get(statement, {}), **changes})
                part.roll_back()
        except Conflict:
            return False
        return True

    store = in_memory(StillClock())
    store.transact(world)
    assert store.transact(lambda tx: any(kept(tx, *bad) for bad in IMPOSSIBLE))


def body(name):
    """What stands between the brackets of a table in SQL."""
    table = re.compile(rf"^CREATE TABLE {name} \(\n(.*?)^\) STRICT;", re.MULTILINE | re.DOTALL)
    return table.search(SQL)[1]
