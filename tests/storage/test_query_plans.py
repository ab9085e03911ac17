"""What a statement reads: its own plan, its own conversation, and never all that an organization has."""

import re
import sqlite3
from pathlib import Path

import pytest

import semel.guard
import semel.storage.postgres
import semel.storage.sqlite
from semel.storage.sqlite.store import STATEMENTS

MIGRATIONS = Path(semel.storage.sqlite.__file__).parent / "migrations"
GUARD = Path(semel.guard.__file__).parent / "sql" / "sqlite" / "migrations"

WIDE = {
    "effects.orgs_of": "for the operator of the machine, who knows no organization",
    "figures.unended": "what is open in an organization: three indexes that hold nothing else",
    "gone.latest": "who is gone for good: a handful, each said by a person",
    "keys.hold": "reads no table",
    "plans.everywhere": "the newest of all, for the operator, up to a limit",
    "plans.listed": "the newest of an organization, up to a limit",
    "plans.lost": "an audit's, over everything",
    "plans.running": "what runs at this moment, for a fence and for who waits for it",
}
"""Statements that may read more than one plan or conversation, each with its reason."""


@pytest.fixture(scope="module")
def tables():
    with sqlite3.connect(":memory:") as db:
        for migration in sorted(MIGRATIONS.glob("*.sql")):
            db.executescript(migration.read_text(encoding="utf-8"))
        yield db
    db.close()


def steps(db, sql):
    given = dict.fromkeys(re.findall(r":([a-z_]+)", sql), "x")
    return [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", given)]


def is_wide(step):
    """Whether a step of a query plan reads a table, or all that an organization has in one."""
    narrowed = re.search(r"\((.*)\)$", step)
    return step.startswith("SCAN") or (
        step.startswith("SEARCH") and (narrowed is None or narrowed[1] == "org=?")
    )


@pytest.mark.no_store
@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_a_statement_reads_no_more_than_it_is_about(tables, name):
    wide = [step for step in steps(tables, STATEMENTS[name]) if is_wide(step)]
    assert bool(wide) == (name in WIDE), wide


@pytest.mark.no_store
def test_a_wide_step_is_known_when_it_is_seen(tables):
    for sql in (
        "SELECT * FROM semel_plans WHERE org = :org AND person = :person ORDER BY plan",
        "SELECT * FROM semel_steps WHERE action = :action",
    ):
        assert any(is_wide(step) for step in steps(tables, sql))
    assert not any(
        is_wide(step) for step in steps(tables, "SELECT * FROM semel_plans WHERE plan = :plan")
    )
    assert set(WIDE) <= set(STATEMENTS)


@pytest.mark.no_store
@pytest.mark.parametrize("folder", [MIGRATIONS, GUARD], ids=["engine", "guard"])
def test_no_row_has_a_table_made_for_the_words_that_a_rule_allows(folder):
    """SQLite makes one of an IN of more than two, in each statement that the rule is read in."""
    db = sqlite3.connect(":memory:")
    for migration in sorted(folder.glob("*.sql")):
        db.executescript(migration.read_text(encoding="utf-8"))
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert tables
    for table in tables:
        rows = db.execute(f"EXPLAIN INSERT INTO {table} DEFAULT VALUES")
        assert "OpenEphemeral" not in {row[1] for row in rows}, table
    db.close()
