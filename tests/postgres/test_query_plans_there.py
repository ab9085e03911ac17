"""What PostgreSQL would read for a statement while its tables have no statistics, as in a new database.

It keeps such a plan for as long as a session lasts, or until the tables are looked at for the first
time, which is about a minute later: long enough for each call to read all that came before it.
"""

import re
from pathlib import Path

import psycopg
import pytest

import semel
import stores
from semel.storage.sql import load

pytestmark = pytest.mark.only_on("postgres", "tests/storage/test_query_plans.py is about SQLite's")

SRC = Path(semel.__file__).parent
FOLDERS = (SRC / "storage" / "postgres", SRC / "guard" / "sql" / "postgres")
WIDE = {
    "figures.unended": "what is open in an organization: indexes that hold nothing else",
    "gone.latest": "who is gone for good: a handful, each said by a person",
    "guarded.open": "the oldest of an organization's open calls, by an index that holds nothing else",
    "plans.end_waiting": "goes through the index of what waits for its day, which holds nothing else",
    "plans.listed": "the newest of an organization, up to a limit",
    "plans.look_again": "goes through the index of an organization's doubts",
    "plans.lost": "an audit's, over everything",
    "plans.prove": "as look_again",
    "plans.send_again": "as look_again",
}
"""Statements that may read more than one plan or conversation, each with its reason."""


@pytest.fixture
def tables(tmp_path):
    """A session with semel's tables as they are made, which nobody has ever looked at."""
    with psycopg.connect(stores.url(tmp_path / "books.db", "pedidos")) as db:
        db.prepare_threshold = None
        db.execute("CREATE SCHEMA fresh")
        db.execute("SET search_path = fresh")
        db.execute("SET plan_cache_mode = force_generic_plan")
        for folder in FOLDERS:
            for migration in sorted((folder / "migrations").glob("*.sql")):
                db.execute(migration.read_bytes())
        yield db
        db.rollback()


def wide(db, sql: str) -> list[str]:
    """The steps of a statement's plan that read a table, or all that an organization has in one."""
    names = dict[str, int]()
    text = re.sub(
        r"(?<!:):([a-z_]+)", lambda found: f"${names.setdefault(found[1], len(names) + 1)}", sql
    )
    db.execute("DEALLOCATE ALL")
    db.execute(f"PREPARE asked AS {text}".encode())
    nulls = ", ".join("NULL" for _ in names)
    given = f"({nulls})" if nulls else ""
    plan = [row[0].strip() for row in db.execute(f"EXPLAIN EXECUTE asked{given}").fetchall()]
    return [line for line in plan if "Seq Scan" in line or is_by_organization(line)]


def is_by_organization(line: str) -> bool:
    return re.fullmatch(r"Index Cond: \((\w+\.)?org = [^()]*\)", line) is not None


def test_a_statement_reads_no_more_than_it_is_about(tables):
    found = {n: wide(tables, sql) for folder in FOLDERS for n, sql in load(folder).items()}
    assert len(found) > 90
    assert {name for name, lines in found.items() if lines} == WIDE.keys(), found


def test_a_wide_plan_is_known_when_it_is_seen(tables):
    for sql in (
        "SELECT * FROM semel_plans WHERE org = :org AND sentence = :sentence",
        "SELECT * FROM semel_plans WHERE org = :org AND locale = :locale ORDER BY plan",
        "SELECT * FROM semel_events WHERE kind = :kind",
    ):
        assert wide(tables, sql), sql
