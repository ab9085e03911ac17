"""Which statements of an application leave something in their session: what is not known does."""

from pathlib import Path

import pytest

from semel.storage import sql
from semel.storage.postgres.traces import leaves_traces

ROOT = Path(__file__).parents[2]
LEAVES = (
    "SELECT set_config('a', 'b', false)",
    "select SET_CONFIG ('a', 'b', false)",
    "SELECT pg_catalog.set_config('a', 'b', false)",
    "SELECT \"set_config\"('a', 'b', false)",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_try_advisory_lock(1)",
    "SELECT my_own(1)",
    "SELECT count(*), my_own(1) FROM t",
    "INSERT INTO t (a, b) VALUES (1, my_own(2))",
    "UPDATE t SET a = mine.own(a) WHERE b IN (1, 2)",
    "WITH x (a) AS (SELECT my_own(1)) SELECT a FROM x",
    "SELECT E'it\\'s', set_config('a', 'b', false), '",
    "SELECT 1 /* ' */ , set_config('a', 'b', false) /* ' */",
    "SELECT 1 -- '\n, set_config('a', 'b', false) -- '",
    "SELECT $$'$$, set_config('a', 'b', false), $$'$$",
    "SELECT \"'\", set_config('a', 'b', false), \"'\" FROM t",
    "LISTEN x",
    "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
    "CREATE TEMP TABLE x (a int)",
    "SELECT * INTO TEMP t FROM a",
    "SELECT * INTO TEMPORARY t FROM a",
    "DO $$ BEGIN PERFORM 1; END $$",
    "CALL p(1)",
)
NOTHING = (
    "SELECT * FROM t WHERE a = %(a)s",
    "INSERT INTO t (a, b) VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = excluded.b RETURNING (a)",
    "WITH x (a) AS (SELECT 1), y (b, c) AS (SELECT 2, 3) INSERT INTO t (a) SELECT a FROM x, y",
    "SELECT count(*), coalesce(sum(a), 0) FROM t WHERE b IN (1, 2) AND c LIKE 'set_config(%%'",
    "SELECT 'it''s', lower(x)::numeric(10, 2) FROM t",
    "UPDATE t SET a = a + 1 WHERE b = ANY (%(b)s)",
    "SELECT pg_advisory_xact_lock(1)",
    "DELETE FROM t WHERE a = %(a)s",
)


@pytest.mark.parametrize("text", LEAVES)
def test_what_may_stay_in_the_session_is_tidied(text):
    assert leaves_traces(text)


@pytest.mark.parametrize("text", NOTHING)
def test_what_only_reads_and_writes_rows_costs_no_tidying(text):
    assert not leaves_traces(text)


def test_no_statement_of_the_reference_application_has_to_be_tidied_after():
    books = sql.load(ROOT / "src/semel_facturas/books/postgres")
    assert len(books) > 30
    assert [name for name, text in books.items() if leaves_traces(text)] == []
