"""The databases of the rows, looked at from outside: what was done, and what it cost."""

import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import psycopg

from bench.rows import Unusable

COUNT = "SELECT count(*), count(DISTINCT key) FROM effects WHERE key LIKE "

LEAVING_SECONDS: Final = 10
"""How long a session may take to end whose client has gone."""


def sqlite_path(url: str) -> str:
    """The file of a SQLite URL.

    Raises:
        Unusable: it is another kind of URL, or its folder is not there.
    """
    scheme, found, rest = url.partition(":///")
    if scheme != "sqlite" or not found or not rest:
        raise Unusable("This row wants a database as sqlite:///path/to/bench.db.")
    if not Path(rest).absolute().parent.is_dir():
        raise Unusable(f"There is no folder for {rest}.")
    return rest


def is_postgres(url: str) -> bool:
    """Whether a URL is one of PostgreSQL."""
    return url.startswith(("postgresql://", "postgres://"))


def effects(url: str, label: str) -> tuple[int, int]:
    """How many effects stand under a label, and of how many different keys."""
    if is_postgres(url):
        with psycopg.connect(url, autocommit=True) as db:
            row = db.execute(f"{COUNT} %s", (f"{label}-%",)).fetchone()
    else:
        with closing(sqlite3.connect(sqlite_path(url), timeout=10)) as books:
            row = books.execute(f"{COUNT} ?", (f"{label}-%",)).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


def work(url: str) -> Mapping[str, int]:
    """What a PostgreSQL server has counted so far: commits of this database, WAL syncs, WAL bytes.

    A session hands its figures in when it ends, which is a moment after its client has gone: this
    waits until it is alone on the server.

    Raises:
        Unusable: others stay on the server, whose work would be counted too.
    """
    with psycopg.connect(url, autocommit=True) as db:
        _alone(db)
        commits = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        # From version 18 on the syncs of the WAL are counted where all input and output is.
        where = (
            "SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'"
            if db.info.server_version >= 180_000
            else "SELECT wal_sync FROM pg_stat_wal"
        )
        return {
            "commits": _number(db, commits),
            "wal_syncs": _number(db, where),
            "wal_bytes": _number(db, "SELECT wal_bytes FROM pg_stat_wal"),
        }


def _alone(db: "psycopg.Connection[tuple[Any, ...]]") -> None:
    others = (
        "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        " AND backend_type = 'client backend'"
    )
    until = time.monotonic() + LEAVING_SECONDS
    while (many := _number(db, others)) > 0:
        if time.monotonic() > until:
            raise Unusable(
                f"Other sessions ({many}) are on the server, and their syncs would be counted too."
                " Give a database on a server that nobody else uses."
            )
        db.execute("SELECT pg_sleep(0.01)")


def _number(db: "psycopg.Connection[tuple[Any, ...]]", text: str) -> int:
    row = db.execute(text).fetchone()
    return int(row[0] or 0) if row else 0
