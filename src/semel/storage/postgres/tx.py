"""A transaction on PostgreSQL: named statements, and savepoints for the engine."""

from collections.abc import Mapping
from datetime import datetime
from typing import cast

from semel.domain.canonical import are_easy, is_whole
from semel.errors import Bug
from semel.ports import Asked, EngineTx, Row, Tx, Value
from semel.storage.block import Nested
from semel.storage.postgres.numbered import numbered, takes_rows
from semel.storage.postgres.talk import Answer
from semel.storage.postgres.traces import leaves_traces
from semel.storage.postgres.wire import Wire


class Statements(Tx):
    """Runs one set of named statements while its transaction lasts."""

    def __init__(self, wire: Wire, statements: Mapping[str, str], *, engine: bool) -> None:
        self._wire = wire
        self._statements = statements
        self._engine = engine
        self._open = True

    def one(self, statement: str, /, **params: Value) -> Row | None:
        """Run a statement and return its first row, or None when there is none."""
        rows = self.all(statement, **params)
        return rows[0] if rows else None

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        """Run a statement and return its rows."""
        return cast("list[Row]", self._execute(statement, params).rows)

    def run(self, statement: str, /, **params: Value) -> int:
        """Run a statement and return how many rows it changed.

        One that inserts a row is trusted to do so, and is sent with the next one that is asked.
        """
        sql = None if self._engine else self._statements.get(statement)
        if sql is None or not takes_rows(sql) or leaves_traces(sql):
            return self._execute(statement, params).count
        return self._wire.trust(self._checked(statement, params), params)

    def _execute(self, statement: str, params: Mapping[str, Value]) -> Answer:
        sql = self._checked(statement, params)
        if not self._engine and leaves_traces(sql):
            self._wire.touched = True
        return self._wire.ask((sql, params))[0]

    def _checked(self, statement: str, params: Mapping[str, Value]) -> str:
        self._check(statement)
        sql = self._statements.get(statement)
        if sql is None:
            raise Bug(f"There is no statement called {statement}.")
        if not (self._engine and are_easy(params.values())):
            for value in params.values():
                if not _is_plain(value):
                    kind = type(value).__name__
                    raise Bug(f"{statement} was given a {kind} that no column holds.")
        if not numbered(sql).named <= params.keys():
            missing = ", ".join(sorted(numbered(sql).named.difference(params)))
            raise Bug(f"{statement} was run without its parameter {missing}.")
        return sql

    def _check(self, what: str) -> None:
        if not self._open:
            raise Bug(f"{what} was run after its transaction had ended.")

    def end(self) -> None:
        """From here on a statement is refused: the transaction is over."""
        self._open = False


def _is_plain(value: object) -> bool:
    if isinstance(value, int):
        return -(1 << 63) <= value < 1 << 63
    if isinstance(value, str):
        return is_whole(value)
    return value is None or isinstance(value, bytes)


class PostgresTx(Statements, EngineTx):
    """The engine's view of a transaction."""

    def __init__(self, wire: Wire, statements: Mapping[str, str], app: Mapping[str, str]) -> None:
        super().__init__(wire, statements, engine=True)
        self._app = Statements(wire, app, engine=False)
        self._saved: list[str] = []
        """The savepoints that are open, as they were said."""

    @property
    def app(self) -> Tx:
        """The application's statements, in this same transaction."""
        return self._app

    def now(self) -> datetime:
        """The database's clock, in UTC; a test may lend its own."""
        return self._wire.now()

    def each(self, *asked: Asked) -> list[list[Row]]:
        """Run several statements in one round trip, and return the rows of each."""
        said = [(self._checked(statement, params), params) for statement, params in asked]
        return [cast("list[Row]", answer.rows) for answer in self._wire.ask(*said)]

    def send(self, statement: str, /, **params: Value) -> None:
        """Run a statement of which nobody asks anything, together with the next one."""
        self._wire.block.check()
        self._wire.later(self._checked(statement, params), params)

    def savepoint(self) -> Nested:
        """Open a savepoint. It is rolled back when its block raises or asks for it, else kept."""
        return Nested(self)

    def go_in(self) -> int:
        """Open the innermost savepoint; its depth."""
        self._check("A savepoint")
        self._wire.block.check()
        self._saved.append(self._wire.save(len(self._saved) + 1))
        return len(self._saved)

    def go_out(self, *, kept: bool) -> None:
        """Close the innermost savepoint: keep what it holds, if nothing was refused in it."""
        try:
            if kept:
                self._check("The end of a savepoint")
                self._wire.block.check()
        except BaseException:
            kept = False
            raise
        finally:
            if self._open and not kept:
                self._take_back()
            self._saved.pop()
            self._wire.release(len(self._saved) + 1)

    def roll_back_to(self, depth: int) -> None:
        """Take back what was written in the innermost savepoint, if that is at *depth*."""
        self._check("The end of a savepoint")
        if depth != len(self._saved):
            raise Bug("A savepoint was rolled back outside its block.")
        self._take_back()

    def _take_back(self) -> None:
        """What waits in the queue never was; what was sent is rolled back by the server."""
        self._wire.settle()
        saved = self._saved[-1]
        again = self._wire.cut(saved)
        self._wire.later(saved if again else f"ROLLBACK TO {saved}")
        self._wire.block.taken_back()

    def end(self) -> None:
        """From here on a statement is refused, the application's too."""
        super().end()
        self._app.end()
