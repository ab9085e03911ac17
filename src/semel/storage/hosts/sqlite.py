"""A lent SQLite connection: semel's statements beside the host's, in one transaction."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from semel.domain.finding import Finding
from semel.errors import Conflict, SemelError, StorageError
from semel.ports import Clock, Value
from semel.storage.hosts.lending import CONTROL, DENIED, SAVEPOINT, Denied, Dialect, Ground, over
from semel.storage.migrate import Migration
from semel.storage.sqlite.connection import translate
from semel.storage.sqlite.place import fence
from semel.storage.sqlite.store import STATEMENTS
from semel.storage.sqlite.tx import SqliteTx
from semel.storage.sqlite.upgrade import lacking, upgrade

LENT = Path("of the application")
"""What an error's sentence calls the database; its path is the host's own matter."""

TRANSACTION = 22
"""SQLITE_TRANSACTION, the authorizer's word for BEGIN, COMMIT and ROLLBACK (Python lacks it)."""

FULL = 2
"""What ``PRAGMA synchronous`` says for FULL; EXTRA is 3."""

SETTINGS = (
    "A lent SQLite database is used with PRAGMA journal_mode = WAL, synchronous = FULL and"
    " foreign_keys = ON, set by the application on each of its connections; here {found}."
    " See docs/hosts.md. Nothing was written."
)


class View:
    """The host's connection, whose rows come to semel by their names."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.mine = False
        """Whether a statement of semel's own is being run."""

    @property
    def in_transaction(self) -> bool:
        """Whether there is still a transaction."""
        return self.connection.in_transaction

    def execute(
        self, sql: str, params: Mapping[str, Value] | Sequence[Value] = ()
    ) -> sqlite3.Cursor:
        """Run a statement of semel's own."""
        cursor = self.connection.cursor()
        cursor.row_factory = _row
        self.mine = True
        try:
            return cursor.execute(sql, params)
        finally:
            self.mine = False


def _row(cursor: sqlite3.Cursor, values: tuple[Any, ...]) -> dict[str, Any]:
    return {column[0]: value for column, value in zip(cursor.description, values, strict=True)}


def _as_connection(view: View) -> sqlite3.Connection:
    """All that semel's classes ask of a connection is what a view has."""
    return cast("sqlite3.Connection", view)


class SqliteGround(Ground):
    """A transaction on a lent SQLite connection."""

    def __init__(self, connection: sqlite3.Connection, clock: Clock, *, writes: bool) -> None:
        self._view = View(connection)
        self._writes = writes
        self._fatal: SemelError | None = None
        self.tx = SqliteTx(_as_connection(self._view), STATEMENTS, {}, clock, LENT)
        self._block = self.tx.block
        with _translated():
            _look(connection)
            if connection.in_transaction:
                # Begun by the application's own settings, and empty: it would take its lock late.
                connection.execute("ROLLBACK")
            connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            if not writes:
                connection.execute("PRAGMA query_only = ON")
        connection.set_authorizer(self._may)

    def _may(self, action: int, *_: object) -> int:
        """SQLite itself asks this of each statement, whichever way it came."""
        ends = action == TRANSACTION and not self._view.mine
        return sqlite3.SQLITE_DENY if ends else sqlite3.SQLITE_OK

    def before(self, statement: str) -> None:
        """Let a statement of the host run, unless it would end the transaction."""
        if CONTROL.match(statement):
            raise Denied(DENIED)
        if not SAVEPOINT.match(statement):
            self._block.check()

    def refused(self, error: BaseException | None) -> None:
        """SQLite takes back what it refused, and the host goes on as it likes."""

    def check(self) -> None:
        """Refuse to go on when the transaction is over, or a statement of it was refused."""
        if self._fatal is not None:
            raise self._fatal
        if not self._view.in_transaction:
            raise over()
        self._block.check()

    def give_up(self, error: SemelError) -> None:
        """Nothing of this is kept."""
        self._fatal = self._fatal or error

    def taken_back(self) -> None:
        """What was refused in the innermost savepoint never was."""
        self._block.taken_back()

    def commit(self) -> None:
        """COMMIT, on disk."""
        self.check()
        with _translated():
            self._view.execute("COMMIT")

    def let_go(self) -> None:
        """Roll back what was not committed, and take off what watched over the connection."""
        connection = self._view.connection
        try:
            connection.set_authorizer(None)
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if not self._writes:
                connection.execute("PRAGMA query_only = OFF")
        except sqlite3.ProgrammingError:
            # A step has closed it; nothing is left to take off.
            return

    @property
    def fatal(self) -> SemelError | None:
        """Why this cannot go on."""
        return self._fatal

    @property
    def begun(self) -> bool:
        """A file is there or it is not; its transaction has begun."""
        return True

    @property
    def broken(self) -> bool:
        """Whether a step has closed the connection."""
        try:
            self._view.connection.cursor().close()
        except sqlite3.ProgrammingError:
            return True
        return False


def _look(connection: sqlite3.Connection) -> None:
    """Refuse a connection on which a commit could be lost, or an impossible row be kept."""
    if getattr(connection, "autocommit", None) is False:
        raise StorageError(
            "A lent SQLite connection leaves BEGIN to the engine; this one was opened with"
            " autocommit=False. Leave it out, or see docs/hosts.md. Nothing was written."
        )
    mode, sync, keys = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "foreign_keys")
    )
    if mode != "wal" or sync < FULL or not keys:
        found = f"they are {mode}, {sync} and {keys}"
        raise StorageError(SETTINGS.format(found=found))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as no:
        raise _meant(no) from no


def _meant(no: sqlite3.Error) -> SemelError:
    if getattr(no, "sqlite_errorname", "") == "SQLITE_AUTH":
        return Denied(DENIED)
    return translate(no, LENT)


class SqliteDialect(Dialect):
    """What is SQLite's own about a host: one writes at a time."""

    name = "sqlite"
    own = 0
    size = 1

    def ground(self, raw: Any, clock: Clock, *, lent: bool, writes: bool) -> Ground:
        """Begin a transaction; the process's clock is the database's."""
        del lent
        return SqliteGround(raw, clock, writes=writes)

    def translate(self, error: BaseException | None) -> SemelError | None:
        """An error of the driver in semel's words."""
        if isinstance(error, sqlite3.Error):
            return _meant(error)
        if isinstance(error, OverflowError | UnicodeEncodeError):
            return Conflict("The database refused a value that no column holds.")
        return None

    def is_again(self, error: BaseException) -> bool:
        """One writes at a time, so nobody is in another's way."""
        del error
        return False

    def is_read_only(self, error: BaseException | None) -> bool:
        """Whether a statement wanted to write in a read."""
        return getattr(error, "sqlite_errorname", None) == "SQLITE_READONLY"

    def upgrade(self, raw: Any, migrations: Sequence[Migration]) -> list[Migration]:
        """Apply what the database lacks."""
        return upgrade(_as_connection(View(raw)), migrations)

    def lacking(self, raw: Any, migrations: Sequence[Migration]) -> list[Migration]:
        """The migrations that the database lacks."""
        return lacking(_as_connection(View(raw)), migrations)

    def examine(self, raw: Any, now: str | None) -> list[Finding]:
        """Whether a fence is not through; the settings are looked at where a transaction begins."""
        del now
        return [fence(_as_connection(View(raw)))]

    def arrive(self, raw: Any, now: str | None) -> None:
        """Nothing: a file does not know where it is."""
        del raw, now
