"""The books' statements in their two dialects: the same names, parameters, and columns."""

import re
import sqlite3

import psycopg
import pytest
from facturas_world import BOOKS, Books

import stores
from semel.storage.sql import load

PARAM = re.compile(r"(?<![:\w]):([a-z_]+)\b")
NAME = re.compile(r"^-- ([a-z_]+) --\n((?:-- .*\n)*)", re.MULTILINE)
SQLITE, POSTGRES = load(BOOKS / "sqlite"), load(BOOKS / "postgres")
TEXT, WHOLE = 25, {20, 23}
"""Numbers of PostgreSQL's types: text, and whole numbers of eight and of four bytes."""


def sentences(dialect: str) -> dict[str, str]:
    """What stands above each statement."""
    return {
        f"{path.stem}.{name}": words
        for path in (BOOKS / dialect).glob("*.sql")
        for name, words in NAME.findall(path.read_text(encoding="utf-8"))
    }


@pytest.mark.no_store
def test_both_dialects_have_the_same_statements_with_the_same_parameters():
    assert sorted(SQLITE) == sorted(POSTGRES)
    assert len(SQLITE) > 30
    for name in SQLITE:
        assert set(PARAM.findall(SQLITE[name])) == set(PARAM.findall(POSTGRES[name])), name


@pytest.mark.no_store
def test_a_statement_says_why_it_differs_and_only_one_that_differs_says_so():
    words = sentences("postgres")
    assert sorted(words) == sorted(POSTGRES)
    differ = {name for name in SQLITE if SQLITE[name].split() != POSTGRES[name].split()}
    assert differ == {name for name in words if "Differs by necessity: " in words[name]}
    for name in differ:
        assert "Differs by necessity: " in sentences("sqlite")[name] or name == "contacts.alike"


@pytest.mark.no_store
def test_both_dialects_have_the_same_migrations():
    names = [
        sorted(path.name for path in (BOOKS / one / "migrations").iterdir())
        for one in ("sqlite", "postgres")
    ]
    assert names[0] == names[1]


def columns(books: Books, name: str) -> list[str]:
    """The columns that a statement returns on SQLite, which tells only whoever runs it."""
    with books.connect() as connection:
        connection.execute("BEGIN")
        nothing = dict.fromkeys(PARAM.findall(SQLITE[name]))
        nothing |= {"limit": 0} if "limit" in nothing else {}
        try:
            ran = connection.execute(SQLITE[name], nothing)
        except sqlite3.IntegrityError:
            # Written with nothing, a row is refused; one that is written by the books has no result.
            assert "RETURNING" not in SQLITE[name]
            return []
        return [column[0] for column in ran.description or ()]


@pytest.mark.only_on("postgres", "it prepares each statement on a real server")
def test_the_server_takes_every_statement_and_returns_the_columns_that_sqlite_does(
    tmp_path, monkeypatch, books_tx
):
    monkeypatch.setenv(stores.KIND, "sqlite")
    lite = Books(tmp_path / "lite.db")
    lite.migrate()
    with psycopg.connect(books_tx.url) as server:
        for name, statement in POSTGRES.items():
            found = list(dict.fromkeys(PARAM.findall(statement)))
            numbered = PARAM.sub(lambda one: f"${found.index(one[1]) + 1}", statement)  # noqa: B023 - it is called at once
            raw = server.pgconn
            prepared = raw.prepare(name.encode(), numbered.encode())
            assert prepared.status == psycopg.pq.ExecStatus.COMMAND_OK, (
                name,
                prepared.error_message,
            )
            told = raw.describe_prepared(name.encode())
            got = [(told.fname(at) or b"").decode() for at in range(told.nfields)]
            assert got == columns(lite, name), name
            kinds = {told.ftype(at) for at in range(told.nfields)}
            kinds |= {told.param_type(at) for at in range(told.nparams)}
            assert kinds <= {TEXT, *WHOLE}, name
