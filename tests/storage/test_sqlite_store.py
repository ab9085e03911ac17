"""What is SQLite's own: one file, grouped commits, and what a disk and other programs do to it."""

import ctypes
import json
import re
import sqlite3
import subprocess
import sys
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, Event, Thread

import pytest

from semel.errors import Bug, Conflict, SchemaNewer, StorageError, TimeLimit, Unreachable
from semel.storage import migrate, sql
from semel.storage.migrate import Migration
from semel.storage.sqlite import SqliteStore, connection, group
from semel.storage.sqlite import store as sqlite
from semel.testing.contract import PARAMS, StillClock

FOLDER = Path(__file__).parents[1] / "contract" / "app" / "sqlite"
APP = {
    **sql.load(FOLDER),
    "things.put_or_end": "INSERT OR ROLLBACK INTO things (id, value) VALUES (:id, :value)",
    "things.set": "UPDATE things SET value = :value WHERE id = :id",
    "things.more": "CREATE TABLE more (id TEXT)",
    "things.tables": "SELECT count(*) AS n FROM sqlite_master WHERE name = 'more'",
}
MIGRATIONS = [
    *migrate.load("semel", Path(sqlite.__file__).parent / "migrations"),
    *migrate.load("app", FOLDER / "migrations"),
]
STEPS = ["semel 0001 nouns", "app 0001 things"]
PATIENCE = 30.0  # Seconds; whoever waits longer waits for ever.


def new(path, **changes):
    return SqliteStore(
        path, **{"clock": StillClock(), "app": APP, "migrations": MIGRATIONS, **changes}
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "books.db"


@pytest.fixture
def ledger(path):
    ledger = new(path)
    ledger.migrate()
    yield ledger
    ledger.close()


def put(id):
    return lambda tx: tx.app.run("things.put", id=id, value="v")


def things(tx):
    return {id for id in "abcdefxyz" if tx.app.one("things.get", id=id)}


def count(tx):
    return tx.app.one("things.count")["n"]


def orphan(tx):
    """A key to a plan that is not there, which only the COMMIT finds out."""
    tx.run("keys.insert", **{**PARAMS["keys.insert"], "plan": "p_404"})


@contextmanager
def held(ledger):
    """Keep the writer busy, so that what is submitted meanwhile becomes one group."""
    busy, go = Event(), Event()

    def hold(tx):
        busy.set()
        assert go.wait(PATIENCE)

    holder = ledger.submit(hold)
    assert busy.wait(PATIENCE)
    try:
        yield
    finally:
        go.set()
        holder.result(PATIENCE)


@contextmanager
def traced(ledger):
    """The statements that control transactions, as the writer runs them."""
    seen = []
    ledger._connection.set_trace_callback(
        lambda text: seen.append(text) if text in ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK") else 0
    )
    yield seen
    ledger._connection.set_trace_callback(None)


def grouped(ledger, *works):
    """Submit *works* as one group; what each returned or raised, and how often it was run."""
    runs = [0] * len(works)

    def counted(number, work):
        def run(tx):
            runs[number] += 1
            return work(tx)

        return run

    with held(ledger):
        futures = [ledger.submit(counted(number, work)) for number, work in enumerate(works)]
    return [future.exception(PATIENCE) or future.result() for future in futures], runs


def test_every_connection_is_as_durable_as_it_can_be(ledger):
    ledger.read(count)
    (reader,) = ledger._readers._free
    for name, writing, reading in (
        ("journal_mode", "wal", "wal"),
        ("synchronous", 2, 2),  # FULL
        ("foreign_keys", 1, 1),
        ("query_only", 0, 1),
        ("busy_timeout", 10_000, 10_000),
    ):
        found = [c.execute(f"PRAGMA {name}").fetchone() for c in (ledger._connection, reader)]
        assert [next(iter(row.values())) for row in found] == [writing, reading], name


def test_nobody_else_reads_the_books(ledger, path):
    ledger.transact(put("a"))
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["books.db", "books.db-shm", "books.db-wal"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_alone_a_transaction_runs_in_its_callers_thread(ledger):
    ledger.transact(put("a"))
    assert ledger._thread is None


def test_what_waits_shares_one_commit(ledger):
    with traced(ledger) as seen:
        answers, runs = grouped(ledger, *(put(id) for id in "abcdef"))
    assert (answers, runs) == ([1] * 6, [1] * 6)
    assert seen == ["BEGIN IMMEDIATE", "COMMIT"] * 2  # the holder's, and theirs
    assert ledger.read(things) == set("abcdef")


def test_a_group_is_no_larger_than_it_may_be(ledger):
    with traced(ledger) as seen:
        grouped(ledger, *(put(f"t{number}") for number in range(sqlite.GROUP_MAX + 1)))
    assert seen == ["BEGIN IMMEDIATE", "COMMIT"] * 3
    assert ledger.read(count) == sqlite.GROUP_MAX + 1


def test_a_group_in_which_everybody_fails_commits_nothing(ledger):
    def fail(tx):
        put("a")(tx)
        raise ValueError

    with traced(ledger) as seen:
        answers, _ = grouped(ledger, fail, fail)
    assert [type(answer) for answer in answers] == [ValueError, ValueError]
    # Once without savepoints, and once with them.
    assert seen[2:] == ["BEGIN IMMEDIATE", "ROLLBACK"] * 2
    assert ledger.read(count) == 0


def refused(tx):
    put("b")(tx)
    with pytest.raises(Conflict):
        put("b")(tx)


def changes(tx):
    tx.app.run("things.set", id="x", value="other")
    raise ValueError


def makes_a_table(tx):
    tx.app.run("things.more")
    raise ValueError


@pytest.mark.parametrize("fails", [refused, changes, makes_a_table])
def test_what_a_member_wrote_that_failed_is_taken_back_whatever_it_is(ledger, fails):
    ledger.transact(put("x"))
    with traced(ledger) as seen:
        answers, runs = grouped(ledger, put("a"), fails, put("c"))
    assert answers[::2] == [1, 1]
    assert isinstance(answers[1], Conflict | ValueError)
    assert runs == [2, 2, 1]  # the last one had not begun yet
    assert seen[2:] == ["BEGIN IMMEDIATE", "ROLLBACK", "BEGIN IMMEDIATE", "COMMIT"]
    assert ledger.read(things) == set("acx")
    assert ledger.read(lambda tx: tx.app.one("things.get", id="x"))["value"] == "v"
    assert ledger.read(lambda tx: tx.app.one("things.tables")) == {"n": 0}


def test_a_member_that_fails_and_wrote_nothing_costs_nobody_a_second_run(ledger):
    def reads(tx):
        raise ValueError(count(tx))

    with traced(ledger) as seen:
        answers, runs = grouped(ledger, put("a"), reads, put("b"), reads)
    assert [str(answer) for answer in answers] == ["1", "1", "1", "2"]
    assert runs == [1] * 4
    assert seen[2:] == ["BEGIN IMMEDIATE", "COMMIT"]
    assert ledger.read(things) == set("ab")


def test_the_answer_is_that_of_the_run_that_was_committed(ledger):
    tried = []

    def adds(tx):
        tried.append(tx)
        tx.app.run("things.put", id=f"t{len(tried)}", value="v")
        return len(tried)

    def looks(tx):
        put("b")(tx)
        raise ValueError([f"t{n}" for n in range(9) if tx.app.one("things.get", id=f"t{n}")])

    answers, _ = grouped(ledger, adds, looks)
    assert answers[0] == 2
    assert answers[1].args == (["t2"],)
    assert [ledger.read(lambda tx, n=n: tx.app.one("things.get", id=f"t{n}")) for n in (1, 3)] == [
        None, None,
    ]  # fmt: skip
    assert ledger.read(count) == 1


def test_where_members_fail_all_the_time_few_groups_are_run_twice(ledger, monkeypatch):
    monkeypatch.setattr(group, "WARY_GROUPS", 3)
    runs = [grouped(ledger, put(f"t{n}"), makes_a_table)[1] for n in range(4)]
    # The first is run again, and with the two behind it makes three that have savepoints.
    assert runs == [[2, 2], [1, 1], [1, 1], [2, 2]]
    assert ledger.read(count) == 4


def test_who_took_too_long_is_not_given_that_time_again(path):
    clock = StillClock()
    ledger = new(path, clock=clock)
    ledger.migrate()

    def slow(tx):
        put("b")(tx)
        clock.seconds += 5.01

    answers, runs = grouped(ledger, put("a"), slow, put("c"))
    assert answers[::2] == [1, 1]
    assert isinstance(answers[1], TimeLimit)
    assert runs == [2, 1, 1]
    assert ledger.read(things) == set("ac")
    ledger.close()


def test_a_member_that_ends_the_transaction_harms_only_itself(ledger):
    ledger.transact(put("x"))

    def ends(tx):
        put("c")(tx)
        tx.app.run("things.put_or_end", id="x", value="v")

    answers, runs = grouped(ledger, put("a"), put("b"), ends, put("d"))
    assert answers[:2] + answers[3:] == [1, 1, 1]
    assert isinstance(answers[2], Conflict)
    assert runs == [2, 2, 2, 1]  # the last one had not begun yet
    assert ledger.read(things) == set("abdx")


@pytest.mark.parametrize("inside", [False, True])
def test_nothing_is_written_after_a_statement_that_ended_the_transaction(ledger, inside):
    ledger.transact(put("x"))

    def ends(tx):
        put("c")(tx)
        with pytest.raises(Conflict):
            tx.app.run("things.put_or_end", id="x", value="v")

    def goes_on(tx):
        ends(tx)
        put("d")(tx)

    def goes_on_in_part(tx):
        with tx.savepoint() as part:
            ends(tx)
            with pytest.raises(StorageError):
                part.roll_back()
            with pytest.raises(StorageError), tx.savepoint():
                pass
            with pytest.raises(StorageError):
                put("e")(tx)

    works = (ends, goes_on, goes_on_in_part)
    if inside:
        answers, _ = grouped(ledger, put("a"), *works, put("b"))
        assert (answers.pop(0), answers.pop()) == (1, 1)
    else:
        answers = []
        for work in works:
            with pytest.raises(StorageError) as no:
                ledger.transact(work)
            answers.append(no.value)
    assert {str(answer) for answer in answers} == {
        "A statement ended the step's transaction; nothing was written."
    }
    assert ledger.read(things) == (set("abx") if inside else {"x"})


def test_a_constraint_that_fails_at_the_commit_harms_only_its_member(ledger):
    answers, runs = grouped(ledger, put("a"), orphan, put("b"))
    assert answers[::2] == [1, 1]
    assert isinstance(answers[1], Conflict)
    assert runs == [2, 2, 2]
    assert ledger.read(things) == set("ab")
    with pytest.raises(Conflict):
        ledger.transact(orphan)
    assert ledger.transact(put("c")) == 1


def test_giving_up_before_ones_turn_leaves_the_others(ledger):
    with held(ledger):
        futures = [ledger.submit(put(id)) for id in "abc"]
        assert futures[1].cancel()
        futures.append(ledger.submit(lambda tx: futures[2].cancel()))
    assert futures[3].result(PATIENCE) is False  # its turn has come, so it is too late
    assert [futures[0].result(), futures[2].result()] == [1, 1]
    with pytest.raises(CancelledError):
        futures[1].result()
    assert ledger.submit(put("d")).result(PATIENCE) == 1
    assert ledger.read(things) == set("acd")


def test_a_group_of_which_everybody_gave_up_is_no_harm(ledger):
    with held(ledger):
        assert ledger.submit(put("a")).cancel()
    assert ledger.submit(put("b")).result(PATIENCE) == 1
    assert ledger.read(things) == {"b"}


def test_the_writers_thread_does_not_wait_for_itself(ledger):
    answers = []

    def after(_):
        answers.append(ledger.submit(put("b")))
        answers.append(ledger.transact(put("c")))

    with held(ledger):
        first = ledger.submit(put("a"))
        first.add_done_callback(after)
    assert ledger.submit(put("d")).result(PATIENCE) == 1
    assert (answers[0].result(PATIENCE), answers[1]) == (1, 1)
    assert ledger.read(things) == set("abcd")


def test_closing_waits_for_what_is_queued(path):
    ledger = new(path)
    ledger.migrate()
    with held(ledger):
        futures = [ledger.submit(put(id)) for id in "abc"]
        closer = Thread(target=ledger.close)
        closer.start()
    closer.join(PATIENCE)
    assert [future.result(0) for future in futures] == [1, 1, 1]
    again = new(path, create=False)
    assert again.read(things) == set("abc")
    again.close()
    assert again._readers._free == []


def test_a_read_that_outlives_its_store_ends_well(ledger):
    reading, closed = Event(), Event()

    def slow(tx):
        before = count(tx)
        reading.set()
        assert closed.wait(PATIENCE)
        return before, count(tx)

    with ThreadPoolExecutor() as pool:
        answer = pool.submit(ledger.read, slow)
        assert reading.wait(PATIENCE)
        ledger.close()
        closed.set()
        assert answer.result(PATIENCE) == (0, 0)
    assert ledger._readers._free == []


def test_a_read_says_that_it_cannot_write_and_blames_no_file(ledger):
    with pytest.raises(Bug, match="was run in a read"):
        ledger.read(put("a"))


def test_twenty_that_read_and_then_write_lose_no_update(ledger, path):
    ledger.transact(lambda tx: tx.app.run("things.put", id="n", value="0"))
    other = new(path, create=False)
    line = Barrier(20)

    def add(tx):
        number = int(tx.app.one("things.get", id="n")["value"])
        return tx.app.run("things.set", id="n", value=str(number + 1))

    def five(number):
        line.wait(PATIENCE)
        return [(ledger, other)[number % 2].transact(add) for _ in range(5)]

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(five, range(20))) == [[1] * 5] * 20
    other.close()
    assert ledger.read(lambda tx: tx.app.one("things.get", id="n"))["value"] == "100"


BEGIN = """
import json, sys
from pathlib import Path
from semel.storage import migrate
from semel.storage.sqlite import SqliteStore

path, *folders = map(Path, sys.argv[1:])
steps = [step for name, folder in zip(("semel", "app"), folders) for step in migrate.load(name, folder)]
print("ready", flush=True)
sys.stdin.readline()
ledger = SqliteStore(path, clock=None, app={}, migrations=steps)
print(json.dumps(ledger.migrate()), flush=True)
ledger.close()
"""


def test_eight_processes_that_start_at_once_migrate_once(path):
    folders = [Path(sqlite.__file__).parent / "migrations", FOLDER / "migrations"]
    begin = [sys.executable, "-c", BEGIN, path, *folders]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(begin, **pipes) for _ in range(8)]
    assert [process.stdout.readline() for process in started] == ["ready\n"] * 8
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=PATIENCE)[0] for process in started]
    assert [process.returncode for process in started] == [0] * 8
    assert sorted(map(json.loads, answers)) == [[]] * 7 + [STEPS]
    ledger = new(path)
    assert ledger.migrate() == []
    assert ledger.transact(put("a")) == 1
    ledger.close()


def test_a_migration_that_fails_leaves_nothing(path):
    half = Migration("app", 2, "half", "CREATE TABLE half (id TEXT);\nCREATE NONSENSE;\n")
    ledger = new(path, migrations=[*MIGRATIONS, half])
    with pytest.raises(StorageError):
        ledger.migrate()
    ledger.close()
    ledger = new(path)
    assert ledger.migrate() == STEPS
    ledger.close()


def test_a_migration_is_applied_to_its_last_word(path):
    more = Migration(
        "app", 2, "more", "CREATE TABLE more (\n  id TEXT); -- one\n\nCREATE TABLE last (id TEXT)"
    )
    ledger = new(path, migrations=[*MIGRATIONS, more], app={"last.all": "SELECT * FROM last, more"})
    assert ledger.migrate() == [*STEPS, "app 0002 more"]
    assert ledger.read(lambda tx: tx.app.all("last.all")) == []
    ledger.close()


def test_a_newer_database_is_left_alone(ledger, path):
    newer = Migration("semel", 2, "newer", "CREATE TABLE newer (id TEXT);")
    later = new(path, migrations=[MIGRATIONS[0], newer, MIGRATIONS[1]])
    assert later.migrate() == ["semel 0002 newer"]
    later.close()
    with pytest.raises(
        SchemaNewer, match=r"^The database was written by another version of semel\. Use "
    ):
        ledger.migrate()


def test_a_migration_that_was_written_anew_is_not_taken_for_the_old_one(ledger, path):
    sql = "CREATE TABLE anew (id TEXT);"
    for component, first in (("semel", 0), ("app", 1)):
        anew = list(MIGRATIONS)
        anew[first] = Migration(component, 1, "anew", sql)
        other = new(path, migrations=anew)
        with pytest.raises(SchemaNewer):
            other.migrate()
        other.close()
    assert ledger.migrate() == []
    assert ledger.transact(put("a")) == 1


def says(path, what):
    """The message of an unusable database: what is the matter, and what to do."""
    sentences = {
        "missing": f"There is no database at {path}. Make one with `semel seed`.",
        "no folder": f"The database {path} could not be made (No such file or directory). Check that its folder exists and may be written to.",
        "locked": f"The database {path} is locked by another program; nothing was written. Try again when it is done.",
        "read-only": f"The database {path} cannot be written to; nothing was changed. Check the rights of the file and its folder.",
        "full": f"The database {path} cannot grow, the disk is full; nothing was written. Free space and try again.",
        "no database": f"The database {path} is not a SQLite database; nothing was changed. Check the path.",
    }
    return pytest.raises(Unreachable, match=f"^{re.escape(sentences[what])}$")


def test_a_missing_file(path):
    with says(path, "missing"):
        new(path, create=False)
    assert not path.exists()


def test_a_missing_folder(tmp_path):
    path = tmp_path / "nowhere" / "books.db"
    with says(path, "no folder"):
        new(path)


def test_a_file_that_is_no_database(path):
    path.write_text("Estimada María:\n" * 100)
    with says(path, "no database"):
        new(path)
    assert path.read_text() == "Estimada María:\n" * 100


def test_a_locked_file(path, monkeypatch):
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.01)
    ledger = new(path)
    ledger.migrate()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with says(path, "locked"):
        ledger.transact(put("a"))
    with says(path, "locked"):
        ledger.submit(put("a")).result(PATIENCE)
    assert ledger.read(things) == set()
    assert ledger.migrate() == []
    other.execute("ROLLBACK")
    assert ledger.transact(put("a")) == 1
    ledger.close()
    other.close()


def test_a_file_that_is_locked_before_it_is_ours(path, monkeypatch):
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.01)
    monkeypatch.setattr(connection, "WAL_TRIES", 2)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("CREATE TABLE theirs (id TEXT)")
    other.execute("BEGIN EXCLUSIVE")
    with says(path, "locked"):
        new(path)
    other.close()


def test_a_full_disk(ledger, path):
    def much(tx):
        put("a")(tx)
        tx.app.run("things.put", id="b", value="v" * 1_000_000)

    def quota(pages):
        ledger._connection.execute(f"PRAGMA max_page_count = {pages}")

    quota(ledger._connection.execute("PRAGMA page_count").fetchone()["page_count"] + 5)
    with says(path, "full"):
        ledger.transact(much)
    answers, _ = grouped(ledger, put("c"), much, put("d"))
    assert answers[::2] == [1, 1]
    with says(path, "full"):
        raise answers[1]
    quota(2**30)
    ledger.transact(much)
    assert ledger.read(things) == set("abcd")


def powerless(work):
    """Run *work* in a thread that may do no more than its files' rights say, even as root.

    Linux keeps capabilities by thread; this one gives all of them up and then ends.
    """

    def run():
        version_3, words = 0x20080522, ctypes.c_uint32 * 6
        header = (ctypes.c_uint32 * 2)(version_3, 0)
        assert ctypes.CDLL(None, use_errno=True).capset(header, words(*[0] * 6)) == 0
        return work()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result(PATIENCE)


def write(path):
    ledger = new(path)
    try:
        ledger.transact(put("a"))
    finally:
        ledger.close()


def test_a_file_that_may_only_be_read(ledger, path):
    ledger.close()
    path.chmod(0o444)
    with says(path, "read-only"):
        powerless(lambda: write(path))


def test_a_folder_that_may_only_be_read(ledger, path):
    ledger.close()
    path.parent.chmod(0o555)
    try:
        with pytest.raises(Unreachable, match=r"Check .* folder"):
            powerless(lambda: write(path))
    finally:
        path.parent.chmod(0o755)
