"""A transaction on SQLite: named statements, and savepoints for the engine."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import NoneType

from semel.errors import Bug, Conflict, StorageError
from semel.ports import Asked, Clock, EngineTx, Row, Tx, Value
from semel.storage.block import Block, Nested
from semel.storage.sqlite.connection import translate
from semel.storage.sqlite.numbered import numbered

PLAIN = (str, int, bytes, NoneType)
"""What a column holds."""

EXACTLY = frozenset(PLAIN)
"""The same, where nothing is a subclass of them."""

ENDED = "A statement ended the step's transaction; nothing was written."


class State(Block):
    """What becomes of a transaction, for the engine's statements and the application's."""

    __slots__ = ("over", "wrote")

    def __init__(self) -> None:
        super().__init__()
        self.over = False
        self.wrote = False
        """Whether anything was run that may leave a trace: all but a SELECT counts as such."""


class Statements(Tx):
    """Runs one set of named statements while its transaction lasts."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        statements: Mapping[str, str],
        path: Path,
        block: State,
    ) -> None:
        self._connection = connection
        self._statements = statements
        self._path = path
        self.block = block

    def one(self, statement: str, /, **params: Value) -> Row | None:
        """Run a statement and return its first row, or None when there is none."""
        rows = self._ran(statement, params)[1]
        return rows[0] if rows else None

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        """Run a statement and return its rows."""
        return self._ran(statement, params)[1]

    def run(self, statement: str, /, **params: Value) -> int:
        """Run a statement and return how many rows it changed."""
        cursor, rows = self._ran(statement, params)
        # RETURNING counts its rows as they are fetched.
        return max(cursor.rowcount, len(rows))

    def _ran(self, statement: str, params: Mapping[str, Value]) -> tuple[sqlite3.Cursor, list[Row]]:
        """Run a statement to its end; what is refused spoils the block that it stands in."""
        block = self.block
        # As _check does, which is called only where there is something to say.
        if block.over or block.spoilt or not self._connection.in_transaction:
            self._check(statement)
        sql = self._statements.get(statement)
        if sql is None:
            raise Bug(f"There is no statement called {statement}.")
        if not EXACTLY.issuperset(map(type, params.values())):
            _look_at(statement, params)
        if not sql.startswith("SELECT"):
            block.wrote = True
        try:
            cursor = self._connection.execute(*numbered(sql, params))
            return cursor, cursor.fetchall()
        except sqlite3.Error as no:
            error = translate(no, self._path)
            if isinstance(error, Conflict):
                block.spoil()
            raise error from no
        except (OverflowError, UnicodeEncodeError) as no:
            raise Bug(f"{statement} was given a value that no column holds.") from no

    def _check(self, what: str) -> None:
        if self.block.over:
            raise Bug(f"{what} was run after its transaction had ended.")
        if not self._connection.in_transaction:
            # What ran from here on would be committed by itself, whatever became of the rest.
            raise StorageError(ENDED)
        self.block.check()

    def end(self) -> None:
        """From here on a statement is refused, whoever asks it: the transaction is over."""
        self.block.over = True


def _look_at(statement: str, params: Mapping[str, Value]) -> None:
    for value in params.values():
        if not isinstance(value, PLAIN):
            raise Bug(f"{statement} was given a {type(value).__name__} that no column holds.")


class SqliteTx(Statements, EngineTx):
    """The engine's view of a transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        statements: Mapping[str, str],
        app: Mapping[str, str],
        clock: Clock,
        path: Path,
    ) -> None:
        super().__init__(connection, statements, path, State())
        self._app = Statements(connection, app, path, self.block)
        self._clock = clock
        self._depth = 0

    @property
    def app(self) -> Tx:
        """The application's statements, in this same transaction."""
        return self._app

    def now(self) -> datetime:
        """The process's clock: on one machine it is the database's too."""
        return self._clock.now()

    def each(self, *asked: Asked) -> list[list[Row]]:
        """Run several statements, one after the other, and return the rows of each."""
        return [self.all(statement, **params) for statement, params in asked]

    def send(self, statement: str, /, **params: Value) -> None:
        """Run a statement of which nobody asks anything."""
        if self._statements.get(statement, "").startswith("SELECT"):
            # Who writes is alone here, so there is nothing to wait for, and nothing changes.
            self._check(statement)
        else:
            self._ran(statement, params)

    def savepoint(self) -> Nested:
        """Open a savepoint. It is rolled back when its block raises or asks for it, else kept."""
        return Nested(self)

    def go_in(self) -> int:
        """Open the innermost savepoint; its depth."""
        self._check("A savepoint")
        self._depth += 1
        self._control(f"SAVEPOINT semel_{self._depth}")
        return self._depth

    def go_out(self, *, kept: bool) -> None:
        """Close the innermost savepoint: keep what it holds, if nothing was refused in it."""
        try:
            if kept:
                self._check("The end of a savepoint")
        except BaseException:
            self._take_back()
            raise
        else:
            if kept:
                self._control(f"RELEASE semel_{self._depth}")
            else:
                self._take_back()
        finally:
            self._depth -= 1

    def _take_back(self) -> None:
        # A statement may have ended the whole transaction; then there is nothing to take back.
        if self._connection.in_transaction:
            self._connection.execute(f"ROLLBACK TO semel_{self._depth}")
            self._connection.execute(f"RELEASE semel_{self._depth}")
            self.block.taken_back()

    def _control(self, sql: str) -> None:
        try:
            self._connection.execute(sql)
        except sqlite3.Error as no:
            raise translate(no, self._path) from no

    def roll_back_to(self, depth: int) -> None:
        """Take back what was written in the innermost savepoint, if that is at *depth*."""
        self.block.taken_back()
        self._check("The end of a savepoint")
        if depth != self._depth:
            raise Bug("A savepoint was rolled back outside its block.")
        self._control(f"ROLLBACK TO semel_{depth}")
