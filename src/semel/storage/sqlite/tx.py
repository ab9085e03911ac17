"""A transaction on SQLite: named statements, and savepoints for the engine."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import cast

from semel.errors import Bug, StorageError
from semel.ports import Clock, EngineTx, Row, Savepoint, Tx, Value
from semel.storage.sqlite.connection import translated

ENDED = "A statement ended the step's transaction; nothing was written."


class Statements(Tx):
    """Runs one set of named statements while its transaction lasts."""

    def __init__(
        self, connection: sqlite3.Connection, statements: Mapping[str, str], path: Path
    ) -> None:
        self._connection = connection
        self._statements = statements
        self._path = path
        self._open = True

    def one(self, statement: str, /, **params: Value) -> Row | None:
        """Run a statement and return its first row, or None when there is none."""
        rows = self.all(statement, **params)
        return rows[0] if rows else None

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        """Run a statement and return its rows."""
        with translated(self._path):
            return cast("list[Row]", self._execute(statement, params).fetchall())

    def run(self, statement: str, /, **params: Value) -> int:
        """Run a statement and return how many rows it changed."""
        with translated(self._path):
            cursor = self._execute(statement, params)
            # RETURNING counts its rows as they are fetched.
            rows = cursor.fetchall()
            return max(cursor.rowcount, len(rows))

    def _execute(self, statement: str, params: Mapping[str, Value]) -> sqlite3.Cursor:
        self._check(statement)
        sql = self._statements.get(statement)
        if sql is None:
            raise Bug(f"There is no statement called {statement}.")
        for value in params.values():
            if value is not None and not isinstance(value, str | int | bytes):
                raise Bug(f"{statement} was given a {type(value).__name__} that no column holds.")
        try:
            return self._connection.execute(sql, params)
        except (OverflowError, UnicodeEncodeError) as no:
            raise Bug(f"{statement} was given a value that no column holds.") from no

    def _check(self, what: str) -> None:
        if not self._open:
            raise Bug(f"{what} was run after its transaction had ended.")
        if not self._connection.in_transaction:
            # What ran from here on would be committed by itself, whatever became of the rest.
            raise StorageError(ENDED)

    def end(self) -> None:
        """From here on a statement is refused: the transaction is over."""
        self._open = False


class SqliteSavepoint(Savepoint):
    """A part of a transaction that can be taken back on its own."""

    def __init__(self, tx: "SqliteTx", depth: int) -> None:
        self._tx = tx
        self._depth = depth

    def roll_back(self) -> None:
        """Take back what was written since the savepoint; the block goes on to its end."""
        self._tx.roll_back_to(self._depth)


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
        super().__init__(connection, statements, path)
        self._app = Statements(connection, app, path)
        self._clock = clock
        self._depth = 0

    @property
    def app(self) -> Tx:
        """The application's statements, in this same transaction."""
        return self._app

    def now(self) -> datetime:
        """The process's clock: on one machine it is the database's too."""
        return self._clock.now()

    @contextmanager
    def savepoint(self) -> Iterator[Savepoint]:
        """Open a savepoint. It is rolled back when its block raises or asks for it, else kept."""
        self._check("A savepoint")
        self._depth += 1
        name = f"semel_{self._depth}"
        with translated(self._path):
            self._connection.execute(f"SAVEPOINT {name}")
        try:
            yield SqliteSavepoint(self, self._depth)
        except BaseException:
            # A statement may have ended the whole transaction; then there is nothing to take back.
            if self._connection.in_transaction:
                self._connection.execute(f"ROLLBACK TO {name}")
                self._connection.execute(f"RELEASE {name}")
            raise
        else:
            self._check("The end of a savepoint")
            with translated(self._path):
                self._connection.execute(f"RELEASE {name}")
        finally:
            self._depth -= 1

    def roll_back_to(self, depth: int) -> None:
        """Take back what was written in the innermost savepoint, if that is at *depth*."""
        self._check("The end of a savepoint")
        if depth != self._depth:
            raise Bug("A savepoint was rolled back outside its block.")
        with translated(self._path):
            self._connection.execute(f"ROLLBACK TO semel_{depth}")

    def end(self) -> None:
        """From here on a statement is refused, the application's too."""
        super().end()
        self._app.end()
