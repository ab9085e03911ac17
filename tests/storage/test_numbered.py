"""A statement's parameters by their numbers, on SQLite."""

import sqlite3

import pytest

from semel.storage.sqlite.numbered import numbered

pytestmark = pytest.mark.no_store


@pytest.mark.parametrize(
    ("sql", "bound"),
    [
        ("SELECT :a, :b, :a", ("SELECT ?1, ?2, ?1", (1, 2))),
        ("SELECT :b, :a", ("SELECT ?1, ?2", (2, 1))),
        ("SELECT :a, ':b', :b", ("SELECT ?1, ':b', ?2", (1, 2))),
        ("SELECT :a, 'it''s :b', \":b\", :b", ("SELECT ?1, 'it''s :b', \":b\", ?2", (1, 2))),
        ("SELECT :a, /* :c */ :b -- :d", ("SELECT ?1, /* :c */ ?2 -- :d", (1, 2))),
    ],
)
def test_names_become_numbers_and_what_only_looks_like_one_stays(sql, bound):
    assert numbered(sql, {"a": 1, "b": 2, "unused": 3}) == bound


@pytest.mark.parametrize(
    "sql", ["SELECT :a", "SELECT :a, @b", "SELECT :a, :b, $c", "SELECT :a, ?2", "SELECT :a, :b:c"]
)
def test_what_has_one_name_or_other_signs_keeps_its_names(sql):
    params = {"a": 1, "b": 2}
    assert numbered(sql, params) == (sql, params)


def test_a_name_that_is_missing_is_told_by_the_driver():
    with sqlite3.connect(":memory:") as db, pytest.raises(sqlite3.ProgrammingError, match=":b"):
        db.execute(*numbered("SELECT :a, :b", {"a": 1}))
    db.close()


def test_every_statement_reads_the_same_by_numbers():
    with sqlite3.connect(":memory:") as db:
        sql = "SELECT :one AS one, :two AS two, :one || ':two' AS three"
        params = {"one": "1", "two": "2"}
        assert db.execute(*numbered(sql, params)).fetchall() == db.execute(sql, params).fetchall()
    db.close()
