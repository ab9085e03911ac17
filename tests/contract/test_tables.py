"""Memory and SQLite have the same tables: columns, keys, references, indexes, constraints."""

import re
from pathlib import Path

import pytest
from things_app import MIGRATIONS, in_memory, in_sqlite

import semel.storage.postgres
from semel.errors import Conflict
from semel.storage.memory import Schema, schema
from semel.testing._contract.refused import IMPOSSIBLE, NEW, world
from semel.testing._contract.world import call
from semel.testing.contract import StillClock

TABLES = {table.name: table for table in vars(schema).values() if isinstance(table, Schema)}
SQL = next(m.sql for m in MIGRATIONS if m.component == "semel")
THERE = (Path(semel.storage.postgres.__file__).parent / "migrations" / "0001_nouns.sql").read_text(
    "utf-8"
)
SPELLED = {"plan GLOB 'p_?*'": r"plan LIKE 'p\_%' AND length(plan) > 2"}
"""Rules of SQLite that PostgreSQL has in words of its own."""
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


@pytest.mark.parametrize(("noun", "name"), [("plan", "semel_plans"), ("step", "semel_steps")])
def test_postgresql_has_the_same_rules_in_a_function(noun, name):
    function = re.search(
        rf"^CREATE OR REPLACE FUNCTION semel_{noun}_can_be\((.*?)\n\) RETURNS .*? BEGIN RETURN\n(.*?)\n; END",
        THERE,
        re.MULTILINE | re.DOTALL,
    )
    rules = re.sub(r" -- \w+$", "", function[2], flags=re.MULTILINE)
    assert normal(re.split(r"\n    AND ", rules)) == normal(checks(body(name)))
    # Its parameters are the columns by their names and types, each in its place.
    parameters = re.findall(r'"?(\w+)"? (\w+)', function[1])
    given = re.search(rf"CHECK \(semel_{noun}_can_be\((.*?)\)\)", THERE, re.DOTALL)[1]
    assert [column for column, _ in parameters] == re.findall(r"\w+", given)
    kinds = {"TEXT": str, "BIGINT": int}
    types = {column: kinds[kind] for column, kind in parameters}
    assert {c: TABLES[name].columns[c] for c in types} == {
        c: t if TABLES[name].columns[c] == t else t | None for c, t in types.items()
    }


def checks(text):
    """What stands in the brackets of each CHECK."""
    found = []
    for begins in re.finditer(r"CHECK \(", text):
        depth, at = 1, begins.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        found.append(text[begins.end() : at - 1])
    return found


def normal(rules):
    """Rules in one spelling and no order, without the brackets around one."""
    plain = (re.sub(r"\s+", " ", rule).strip() for rule in rules)
    plain = (SPELLED.get(rule, one_of(rule)) for rule in plain)
    return sorted(rule[1:-1] if whole(rule) else rule for rule in plain)


def one_of(rule):
    """A column compared with one word after the other, as SQLite has it, is one IN."""
    parts = [re.fullmatch(r"(\w+) = ('\w+')", part) for part in rule.split(" OR ")]
    if len(parts) < 2 or not all(parts) or len({part[1] for part in parts}) > 1:
        return rule
    return f"{parts[0][1]} IN ({', '.join(part[2] for part in parts)})"


def whole(rule):
    """Whether the first bracket of a rule ends with it."""
    depth = 0
    for at, sign in enumerate(rule):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if not depth:
            return sign == ")" and at == len(rule) - 1
    return False


def body(name):
    """What stands between the brackets of a table in SQL."""
    table = re.compile(rf"^CREATE TABLE {name} \(\n(.*?)^\) STRICT;", re.MULTILINE | re.DOTALL)
    return table.search(SQL)[1]
