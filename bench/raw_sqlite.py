"""The raw row of SQLite: the standard library's module, WAL and FULL, a lock, one commit a call.

It does what code without semel would have to do for the same promise: claim the key, do the effect
and write the result in one transaction. Its callers are threads that share one connection for
writing; each reads on one of its own.
"""

import json
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing

from bench.load import Measured, threads
from bench.rows import PAYLOAD, REPLAYED, STEPS, Job, Ran, Unusable, durable
from bench.worlds import sqlite_path

TABLES = """
CREATE TABLE IF NOT EXISTS effects (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, payload TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS raw_calls (key TEXT PRIMARY KEY, result TEXT) STRICT;
CREATE TABLE IF NOT EXISTS raw_plans (id TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS raw_steps (
    plan TEXT NOT NULL, position INTEGER NOT NULL, result TEXT NOT NULL,
    PRIMARY KEY (plan, position)) STRICT;
"""
EFFECT = "INSERT INTO effects (key, payload) VALUES (?, ?)"


class Books:
    """One connection that writes, behind a lock, and one for reading in each thread."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._readers = threading.local()
        self.writer = self._connect()
        self.writer.executescript(TABLES)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=10, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def call(self, key: str) -> object:
        """A protected call: its result, whether or not it was there before."""
        with self._lock:
            db = self.writer
            db.execute("BEGIN IMMEDIATE")
            try:
                claim = "INSERT INTO raw_calls (key) VALUES (?) ON CONFLICT DO NOTHING"
                mine = db.execute(claim, (key,)).rowcount == 1
                if mine:
                    db.execute(EFFECT, (key, PAYLOAD))
                    result = json.dumps({"key": key})
                    db.execute("UPDATE raw_calls SET result = ? WHERE key = ?", (result, key))
                db.execute("COMMIT")
            except BaseException:
                db.execute("ROLLBACK")
                raise
        return json.loads(result) if mine else self.replay(key)

    def replay(self, key: str) -> object:
        """What a call came to."""
        reader: sqlite3.Connection | None = getattr(self._readers, "connection", None)
        if reader is None:
            reader = self._readers.connection = self._connect()
        row = reader.execute("SELECT result FROM raw_calls WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0])

    def plan(self, id: str) -> None:
        """Four steps, each durable before the next begins."""
        for position in range(1, STEPS + 1):
            self._step(id, position)

    def _step(self, id: str, position: int) -> None:
        with self._lock:
            db = self.writer
            db.execute("BEGIN IMMEDIATE")
            try:
                if position == 1:
                    db.execute("INSERT INTO raw_plans (id, state) VALUES (?, 'running')", (id,))
                key = f"{id}.{position}"
                db.execute(EFFECT, (key, PAYLOAD))
                step = "INSERT INTO raw_steps (plan, position, result) VALUES (?, ?, ?)"
                db.execute(step, (id, position, json.dumps({"key": key})))
                if position == STEPS:
                    db.execute("UPDATE raw_plans SET state = 'ended' WHERE id = ?", (id,))
                db.execute("COMMIT")
            except BaseException:
                db.execute("ROLLBACK")
                raise


def raw_sqlite(url: str, warm: Job, job: Job) -> Ran:
    """Threads on one file."""
    try:
        books = Books(sqlite_path(url))
    except sqlite3.Error as no:
        raise Unusable(f"The database cannot be used: {no}.") from no
    with closing(books.writer) as db:
        one = db.execute("PRAGMA journal_mode").fetchone()[0]
        settings = durable(
            {"journal_mode": one, "synchronous": db.execute("PRAGMA synchronous").fetchone()[0]}
        )
        found = Measured()
        for part in (warm, job):
            if part.load == "W1r":
                for number in range(REPLAYED):
                    books.call(part.key(number))
            found = threads(part.callers, part.amount, _call(books, part))
        return Ran(found, settings)


def _call(books: Books, job: Job) -> Callable[[int, int], object]:
    does = {"W1": books.call, "W1r": books.replay, "W2": books.plan}[job.load]
    return lambda number, _: does(job.key(number))
