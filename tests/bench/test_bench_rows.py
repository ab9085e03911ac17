"""Each row and load through the command line: what it says, and what a doctored database makes of it."""

import itertools
import json
import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from bench.__main__ import main
from bench.every import POSTGRES, SQLITE, loads, table
from bench.rows import Unusable

from bench import every, worlds
from semel.testing import postgres
from semel.testing.servers import Postgres
from semel_facturas.story.nursery import Nursery

ROOT = Path(__file__).parents[2]
KEYS = {"row", "load", "callers", "per_s", "p50_ms", "p99_ms", "calls", "effects"}
CALLS = 40
NUMBERS = itertools.count()
ROWS = (*SQLITE, *POSTGRES)
LOADS = {"W1": 1, "W1r": 0, "W2": 4}
TABLE = "CREATE TABLE effects (id {}, key TEXT NOT NULL, payload TEXT NOT NULL)"


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Postgres]:
    """A server that syncs every commit, as a row wants it."""
    with postgres(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def url(request, tmp_path, server) -> str:
    """A database of its own for the row that the test is given."""
    row = request.getfixturevalue("row")
    if row.endswith("sqlite"):
        return f"sqlite:///{tmp_path / 'bench.db'}"
    return server.database(f"bench_{next(NUMBERS)}")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    """What a row makes for itself is made in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("SEMEL_UNSAFE_DURABILITY", raising=False)


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    """What starts the rows: each is a process of its own, and has nothing to import."""
    with Nursery("bench.one", "bench.every", "semel.storage.postgres", "uvloop") as one:
        yield one


@pytest.fixture
def bench(nursery) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    def run(*words: object, **environment: str) -> "subprocess.CompletedProcess[str]":
        given = [str(word) for word in words]
        with nursery.start("bench", *given, env=os.environ | environment) as process:
            out, err = process.communicate()
        return subprocess.CompletedProcess(given, process.wait(), out.decode(), err.decode())

    return run


@pytest.fixture
def measured(bench) -> Callable[..., dict[str, object]]:
    def run(*words: object) -> dict[str, object]:
        done = bench(*words, "--json")
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("\n") == 1
        return json.loads(done.stdout)

    return run


@pytest.mark.parametrize(("row", "load"), [(row, load) for row in ROWS for load in loads(row)])
def test_a_row_says_how_fast_it_was_and_its_effects_are_those_of_its_calls(
    row, load, url, measured
):
    callers = {"W1": 1, "W1r": 2, "W2": 4}[load]
    found = measured(
        "--row", row, "--load", load, "--callers", callers, "--calls", CALLS, "--db", url
    )
    assert found.keys() >= KEYS
    assert (found["row"], found["load"], found["callers"]) == (row, load, callers)
    assert found["calls"] == CALLS
    assert found["effects"] == CALLS * LOADS[load]
    assert 0 < found["p50_ms"] <= found["p99_ms"]
    assert found["per_s"] > 0
    durable = found["durability"]
    if row.endswith("sqlite"):
        assert durable == {"journal_mode": "wal", "synchronous": "2"}
    else:
        assert {durable["fsync"], durable["synchronous_commit"]} == {"on"}
        assert durable["full_page_writes"] == "on"
        assert durable["wal_sync_method"]


def test_a_row_may_run_for_a_time_and_makes_its_own_database(measured):
    row = "raw-sqlite"
    found = measured("--row", row, "--seconds", "0.2", "--callers", 2)
    assert found["calls"] == found["effects"] > 0
    assert [*Path.cwd().iterdir()] == []


def doctor(url: str, lost: bool) -> None:
    """Have some effects lost, or done once more, by the database itself."""
    if url.startswith("sqlite"):
        does = (
            "DELETE FROM effects WHERE id = new.id"
            if lost
            else "INSERT INTO effects (key, payload) VALUES (new.key, 'again')"
        )
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as db:
            db.execute(f"{TABLE.format('INTEGER PRIMARY KEY')} STRICT")
            db.execute(
                "CREATE TRIGGER doctored AFTER INSERT ON effects"
                f" WHEN new.id % 7 = 0 AND new.payload <> 'again' BEGIN {does}; END"
            )
        return
    does = (
        "RETURN NULL"
        if lost
        else "INSERT INTO effects (key, payload) VALUES (new.key, 'again'); RETURN new"
    )
    # One that is lost is lost again when its transaction is run again: its key says so, not its place.
    of = "new.key ~ '7([.][0-9]+)?$'" if lost else "new.id % 7 = 0"
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(TABLE.format("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"))
        db.execute(
            "CREATE FUNCTION doctored() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {of} AND new.payload <> 'again' THEN {does}; END IF; RETURN new;"
            " END $$"
        )
        db.execute(
            "CREATE TRIGGER doctored BEFORE INSERT ON effects"
            " FOR EACH ROW EXECUTE FUNCTION doctored()"
        )


DOCTORED = [(row, "W1", lost) for row in ROWS for lost in (True, False)]
DOCTORED += [(row, load, True) for row in ("semel-sqlite", "raw-psycopg") for load in ("W1r", "W2")]


@pytest.mark.parametrize(("row", "load", "lost"), DOCTORED)
def test_a_database_that_loses_an_effect_or_doubles_one_is_seen(row, load, lost, url, bench):
    doctor(url, lost)
    done = bench("--row", row, "--load", load, "--calls", CALLS, "--db", url, "--json")
    assert done.returncode == 1, done.stdout
    assert done.stdout == ""
    assert done.stderr.startswith("The effects are not what the calls say: ")
    assert f"made {CALLS} calls" in done.stderr


@pytest.mark.parametrize("row", ["semel-pg", "raw-psycopg"])
def test_a_server_that_may_lose_a_commit_is_not_measured(row, url, bench):
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(
            f"ALTER DATABASE {psycopg.sql.Identifier(db.info.dbname).as_string()}"
            " SET synchronous_commit = off"
        )
    words = ("--row", row, "--calls", 5, "--db", url)
    done = bench(*words)
    assert (done.returncode, done.stdout) == (2, "")
    # The engine says so itself, and plain psycopg's row in its place.
    assert "synchronous_commit" in done.stderr
    assert "may lose what it has answered" in done.stderr or "may be lost" in done.stderr
    done = bench(*words, "--json", SEMEL_UNSAFE_DURABILITY="1")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["durability"]["synchronous_commit"] == "off"


WRONG = [
    (),
    ("--row", "semel-redis"),
    ("--row", "raw-sqlite", "--load", "W3"),
    ("--row", "raw-sqlite", "--callers", "0"),
    ("--row", "raw-sqlite", "--callers", "many"),
    ("--row", "raw-sqlite", "--calls", "-1"),
    ("--row", "raw-sqlite", "--seconds", "0"),
    ("--row", "raw-sqlite", "--seconds", "1", "--calls", "1"),
    ("--row", "raw-sqlite", "--db", "postgresql://semel@127.0.0.1/x"),
    ("--row", "raw-sqlite", "--db", "sqlite:////no/such/folder/x.db"),
    ("--row", "semel-sqlite", "--db", "sqlite:////no/such/folder/x.db"),
    ("--row", "semel-pg", "--db", "sqlite:///x.db"),
    ("--row", "raw-psycopg", "--db", "books.db"),
    ("--row", "raw-psycopg", "--calls", "1", "--db", "postgresql://semel@127.0.0.1:1/x"),
    ("--row", "semel-pg", "--calls", "1", "--db", "postgresql://semel@127.0.0.1:1/x"),
    ("--all", "--row", "raw-sqlite"),
    ("--all", "--only", "redis"),
    ("--fast",),
]


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_what_is_asked_wrongly_is_refused_with_a_sentence(words, capsys):
    try:
        status = main(words)
    except SystemExit as no:
        status = no.code
    said = capsys.readouterr()
    assert (status, said.out) == (2, "")
    assert said.err.strip().endswith(".") or "error: " in said.err


def test_help_says_what_there_is(bench):
    done = bench("--help")
    assert done.returncode == 0
    for word in (*ROWS, *LOADS, "--callers", "--seconds", "--calls", "--db", "--json", "--all"):
        assert word in done.stdout


def cell(*rates: float) -> list[dict[str, object]]:
    durability = {"fsync": "on"}
    return [{"per_s": r, "p50_ms": 1.0, "p99_ms": 2.0, "durability": durability} for r in rates]


def test_the_table_has_medians_ratios_and_what_is_promised():
    found = {}
    for (*ours, raw), rate in ((POSTGRES, 70), (SQLITE, 140)):
        for load, callers in itertools.product(LOADS, (1, 32)):
            for row in ours:
                found[row, load, callers] = cell(1, rate, 1000)
            found[raw, load, callers] = cell(100, 100, 100)
    lines = list(table([POSTGRES, SQLITE], found))
    assert lines[0] == "semel-pg: fsync=on"
    assert sum("0.70  0.5 held" in line for line in lines) == 8
    assert [line.split()[-3:] for line in lines if " 1.5 " in line] == [["1.5", "NOT", "HELD"]] * 2
    assert sum("70 [1–1,000]" in line for line in lines) == 14
    # Of a repeat it is promised how long it takes: here a thousandth of a second.
    assert [line.split()[-5:] for line in lines if "µs" in line] == [
        ["µs", "NOT", "HELD:", "1000", "µs"]
    ]


def test_who_stays_on_a_server_spoils_its_count(server, monkeypatch):
    url = server.database("shared")
    worlds.work(url)
    with psycopg.connect(url) as other:
        other.execute("SELECT 1")
        monkeypatch.setattr(worlds, "LEAVING_SECONDS", 0)
        with pytest.raises(Unusable, match=r"^Other sessions \(1\) are on the server.*\.$"):
            worlds.work(url)


def test_a_session_that_ends_is_waited_for_and_its_commits_are_counted(server):
    url = server.database("leaving")
    before = worlds.work(url)["commits"]
    one = psycopg.connect(url, autocommit=True)
    for _ in range(50):
        one.execute("SELECT 1")
    # The client has gone while the server is still busy with what it was sent last.
    one.pgconn.send_query(b"SELECT pg_sleep(0.2)")
    one.pgconn.finish()
    assert worlds.work(url)["commits"] - before >= 51


def test_a_server_is_asked_what_a_call_costs_it(server, bench, monkeypatch, capsys):
    monkeypatch.setattr(every, "_process", bench)
    monkeypatch.setattr(every, "CALLERS", (1,))
    monkeypatch.setattr(every, "POSTGRES", ("semel-pg", "raw-psycopg"))
    monkeypatch.setattr(every, "COUNTED", 60)
    url = server.database("counted")
    words = ("--all", "--only", "pg", "--rounds", "1", "--seconds", "0.05", "--db", url)
    assert main(words) == 0
    table = capsys.readouterr().out.partition("WAL syncs")[2].splitlines()[1:]
    counted = {tuple(line.split()[:2]): [float(x) for x in line.split()[2:5]] for line in table}
    assert counted.keys() == {(row, load) for row in ("semel-pg", "raw-psycopg") for load in LOADS}
    for (row, load), (commits, syncs, written) in counted.items():
        # A server has other things to write now and then, so the counts are not whole.
        assert commits > 0.9, (row, load)
        assert (syncs > 0.5) == (load != "W1r"), (row, load)
        assert written > 100 or load == "W1r", (row, load)
