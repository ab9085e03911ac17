"""The tests' own second database: lent, found by children, emptied, thrown away when it is spoilt."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

import stores

pytestmark = pytest.mark.only_on("postgres", "it is about how its databases are lent")
CHILD = (
    "import sys; from pathlib import Path; import stores; print(stores.url(Path(sys.argv[1]), 'a'))"
)


def in_a_child(path: Path, **environment: str) -> str:
    tests = str(Path(stores.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)],
        capture_output=True, text=True, check=True,
        env={"PYTHONPATH": tests, **stores.environment(), **environment},
    )  # fmt: skip
    return done.stdout.strip()


def test_a_database_comes_back_empty_with_its_tables_and_counts_anew(tmp_path):
    path = tmp_path / "a.db"
    url = stores.url(path, "lent")
    assert stores.url(path, "lent") == url
    assert stores.url(tmp_path / "b.db", "lent") != url
    with psycopg.connect(url, autocommit=True) as books:
        books.execute("CREATE TABLE parents (n INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY)")
        books.execute("CREATE TABLE children (n INT REFERENCES parents)")
        books.execute("INSERT INTO parents DEFAULT VALUES; INSERT INTO children VALUES (1)")
    assert stores.counts(path) == {"parents": 1, "children": 1}
    stores.forget(path)
    assert stores.named(path) is None
    assert stores.url(tmp_path / "c.db", "other") != url
    assert stores.url(path, "lent") == url
    assert stores.counts(path) == {"parents": 0, "children": 0}
    stores.rows(path, "INSERT INTO parents DEFAULT VALUES")
    assert stores.rows(path, "SELECT n FROM parents WHERE n > ? AND '%' = '%'", 0) == [(1,)]
    assert stores.rows(path, "SELECT n::text FROM parents WHERE n = :n", {"n": 1}) == [("1",)]
    # What changes tables may not be lent to the next test.
    stores.rows(path, "ALTER TABLE children ADD COLUMN more INT")
    stores.forget(path)
    assert stores.url(path, "lent") != url
    assert stores.tables(path) == []
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)


def test_a_child_finds_the_database_of_a_path_and_the_parent_that_of_a_child(tmp_path):
    mine, its = tmp_path / "mine.db", tmp_path / "its.db"
    url = stores.url(mine, "a")
    assert in_a_child(mine) == url
    assert in_a_child(its) == stores.url(its, "a") != url
    assert set(stores.given()) == {mine, its}
    assert in_a_child(mine, **{stores.KIND: "sqlite"}) == f"sqlite:///{mine}"


def test_what_children_take_makes_no_pool_grow_without_measure(tmp_path, monkeypatch):
    monkeypatch.setattr(stores, "KEPT_MAX", 2)
    paths = [tmp_path / f"{number}.db" for number in range(4)]
    made = [in_a_child(path).rpartition("/")[2] for path in paths]
    for path in paths:
        stores.forget(path)
    found = stores.rows(
        os.environ[stores.SERVER], "SELECT datname FROM pg_database WHERE datname = ANY(?)", made
    )
    # No more than are kept, each with a session that stays open.
    assert len(found) <= stores.KEPT_MAX < len(set(made))


def test_sessions_that_are_left_are_told(tmp_path):
    path = tmp_path / "a.db"
    with psycopg.connect(stores.url(path, "a"), application_name="forgotten") as one:
        one.execute("SELECT 1")
        (told,) = stores.left()
        assert told.startswith("forgotten idle in transaction")
    assert stores.left() == []


def test_a_world_is_copied_with_its_rows_into_a_database_of_its_own(tmp_path):
    first, world = tmp_path / "first", tmp_path / "world"
    stores.url(first / "a.db", "copied")
    stores.rows(first / "a.db", "CREATE TABLE things (n INT)")
    stores.rows(first / "a.db", "INSERT INTO things VALUES (7)")
    (first / "beside").write_text("it")
    for _ in range(3):
        # The first copy is of a database without tables, the others of one that was lent before.
        stores.copies(first, world)
        assert (world / "beside").read_text() == "it"
        assert stores.named(world / "a.db") not in {None, stores.named(first / "a.db")}
        assert stores.rows(world / "a.db", "SELECT n FROM things") == [(7,)]
        with psycopg.connect(stores.url(world / "a.db", "copied"), autocommit=True) as books:
            books.execute("INSERT INTO things VALUES (8)")
    assert stores.rows(first / "a.db", "SELECT n FROM things") == [(7,)]
