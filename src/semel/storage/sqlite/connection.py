"""A SQLite connection as semel needs it, and its errors in semel's words."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from operator import itemgetter
from pathlib import Path

from semel.errors import Conflict, SemelError, StorageError, Unreachable

BUSY_SECONDS = 10.0
"""How long to wait for another process's transaction; ours take milliseconds, 5 s at the most."""

WAL_PAGES = 4000
"""How far the log grows before it is worked into the file, 16 MB: a page that is written again and
again meanwhile, as those of an index are, is copied once."""

WAL_TRIES = 100
"""Entering WAL takes an exclusive lock that the busy handler does not wait for, so processes that
start together try again, 20 ms apart: two seconds in all."""


def connect(path: Path, *, create: bool, read_only: bool = False) -> sqlite3.Connection:
    """Open *path* with WAL, full durability and explicit transactions.

    Raises:
        Unreachable: the file is missing, locked, read-only, or no database.
    """
    if not create and not path.exists():
        raise Unreachable(f"There is no database at {path}. Make one with `semel seed`.")
    try:
        if not path.exists():
            with suppress(FileExistsError):
                # Books hold personal data: nobody else reads them; WAL files take over the mode.
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as no:
        raise translate(no, path) from no
    except OSError as no:
        raise Unreachable(
            f"The database {path} could not be made ({no.strerror}). "
            "Check that its folder exists and may be written to."
        ) from no
    try:
        with translated(path):
            connection.row_factory = _row
            connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
            _enter_wal(connection)
            # FULL: the mark of a send must survive what the send survives, a power cut included.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
            connection.execute("PRAGMA foreign_keys = ON")
            if read_only:
                connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _enter_wal(connection: sqlite3.Connection) -> None:
    for attempt in range(WAL_TRIES):
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as no:
            # The low byte is the kind of error; SQLITE_BUSY_RECOVERY is a busy one too.
            busy = no.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or attempt == WAL_TRIES - 1:
                raise
            time.sleep(0.02)
        else:
            return


_name = itemgetter(0)


def _row(cursor: sqlite3.Cursor, values: tuple[object, ...]) -> dict[str, object]:
    return dict(zip(map(_name, cursor.description), values, strict=True))


LOCKED = "is locked by another program; nothing was written. Try again when it is done"
READ_ONLY = "cannot be written to; nothing was changed. Check the rights of the file and its folder"
WORDS = {
    "SQLITE_BUSY": LOCKED,
    "SQLITE_LOCKED": LOCKED,
    "SQLITE_READONLY": READ_ONLY,
    "SQLITE_PERM": READ_ONLY,
    "SQLITE_FULL": "cannot grow, the disk is full; nothing was written. Free space and try again",
    "SQLITE_NOTADB": "is not a SQLite database; nothing was changed. Check the path",
    "SQLITE_CORRUPT": "is damaged; nothing was changed. Restore it from a backup",
    "SQLITE_CANTOPEN": "could not be opened. Check that its folder exists and may be written to",
    "SQLITE_IOERR": "could not be read or written; what was not confirmed is lost. Check the disk",
}


def translate(no: sqlite3.Error, path: Path) -> SemelError:
    """The driver's error in semel's words: the one place where that happens."""
    name = getattr(no, "sqlite_errorname", "") or ""
    if isinstance(no, sqlite3.IntegrityError):
        return Conflict(f"The database refused the row: {no}.")
    for code, words in WORDS.items():
        if name.startswith(code):
            return Unreachable(f"The database {path} {words}.")
    return StorageError(f"The database {path} failed: {no}.")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn the driver's errors into semel's."""
    try:
        yield
    except sqlite3.Error as no:
        raise translate(no, path) from no
    except UnicodeEncodeError as no:
        raise Conflict("The database refused text that holds half a character.") from no
