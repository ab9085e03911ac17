"""Where the story keeps its worlds on PostgreSQL: whose server, whose databases, and what it says."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

import stores
from semel import StorageError
from semel_facturas.story import place as places
from semel_facturas.story.judge.ledger import DATABASE, Unreadable, at, rows
from semel_facturas.story.place import Databases, place

pytestmark = pytest.mark.only_on("postgres", "on SQLite a world is a file in its folder")


@pytest.fixture
def url(tmp_path) -> str:
    return stores.url(tmp_path / "books.db", "story")


def test_the_story_brings_a_server_of_its_own_and_takes_it_along_again(url, tmp_path):
    del url  # nobody has named it
    home = tmp_path / "story" / "scene-1" / "calm"
    with place("postgres", "sqlite:///anything.db", tmp_path / "story") as kept:
        kept.make(home)
        where = kept.environment(home)["SEMEL_DB"]
        assert rows(where, "SELECT 1 WHERE 'a%' LIKE ?", "a%") == [(1,)]
    with pytest.raises(Unreadable):
        rows(where, "SELECT 1")
    assert [path.name for path in (tmp_path / "story").iterdir()] == ["scene-1"]


def test_a_database_that_the_story_made_is_made_anew_and_any_other_is_left_alone(url, tmp_path):
    home = tmp_path / "story" / "scene-1" / "calm"
    kept = Databases(url)
    kept.make(home)
    where = kept.environment(home)["SEMEL_DB"]
    stores.rows(where, "CREATE TABLE mine (x INTEGER)")
    (home / DATABASE).unlink()
    home.rmdir()
    kept.make(home)
    assert stores.tables(where) == []
    name = (home / DATABASE).read_text()
    with psycopg.connect(url, autocommit=True) as admin:
        try:
            admin.execute(f"COMMENT ON DATABASE {name} IS NULL".encode())
            stores.rows(where, "CREATE TABLE mine (x INTEGER)")
            (home / DATABASE).unlink()
            home.rmdir()
            with pytest.raises(StorageError, match=f"{name} is there, and not made by the story"):
                kept.make(home)
            assert stores.tables(where) == ["mine"]
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def test_two_stories_on_one_server_have_databases_of_their_own(tmp_path):
    one, two = (tmp_path / home / "story" / "scene-1" / "calm" for home in ("one", "two"))
    assert places._name(one) != places._name(two)
    assert stores.url(tmp_path / "books.db", "story")


def test_a_user_who_may_not_create_databases_is_told(url, tmp_path):
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("CREATE ROLE story_nobody LOGIN")
        try:
            kept = Databases(url.replace("semel@", "story_nobody@"))
            with pytest.raises(StorageError, match="a user who may create databases"):
                kept.make(tmp_path / "story" / "scene-1" / "calm")
        finally:
            admin.execute("DROP ROLE story_nobody")


@pytest.mark.parametrize(
    ("server", "found"),
    [
        ("postgresql://u:p@h:1/old", "postgresql://u:p@h:1/new"),
        ("postgres://u@h", "postgres://u@h/new"),
        ("postgresql://h/old?sslmode=require&x=a/b", "postgresql://h/new?sslmode=require&x=a/b"),
        ("postgresql:///old?host=/run", "postgresql:///new?host=/run"),
        ("postgresql://a:1,b:2/old", "postgresql://a:1,b:2/new"),
    ],
)
@pytest.mark.no_store
def test_a_database_beside_another_has_its_url_but_for_the_name(server, found):
    assert at(server, "new") == found


@pytest.mark.no_store
def test_a_server_that_is_not_there_is_said_in_one_sentence_without_its_password(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "semel.cli", "demo", "--story", "--store", "postgres",
         "--home", str(tmp_path), "--db", "postgresql://ana:s3cret@127.0.0.1:1/books"],
        capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.startswith("semel: The database server ")
    assert done.stderr.count("\n") == 1
    assert "s3cret" not in done.stdout + done.stderr
    assert not list(Path(tmp_path).rglob("*.eml"))
