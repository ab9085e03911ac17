"""A transaction on tables in memory: named statements, and savepoints for the engine."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from semel.domain.canonical import is_whole
from semel.errors import Bug, Conflict
from semel.ports import Asked, Clock, EngineTx, Row, Savepoint, Tx, Value
from semel.storage.block import Block
from semel.storage.memory.tables import Statement, Tables

INT_BITS = 63
"""A whole number of SQL has 64 bits, one of them for its sign."""


class Params(dict[str, Value]):
    """A statement's parameters; asking for one that was not given is the caller's mistake."""

    def __missing__(self, name: str) -> Value:
        raise Bug(f"A statement was run without its parameter {name}.")


class Statements(Tx):
    """Runs one set of named statements while its transaction lasts."""

    def __init__(self, tables: Tables, statements: Mapping[str, Statement], block: Block) -> None:
        self.block = block
        self._tables = tables
        self._statements = statements
        self._open = True

    def one(self, statement: str, /, **params: Value) -> Row | None:
        """Run a statement and return its first row, or None when there is none."""
        rows = self.all(statement, **params)
        return rows[0] if rows else None

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        """Run a statement and return its rows."""
        return self._execute(statement, params)[0]

    def run(self, statement: str, /, **params: Value) -> int:
        """Run a statement and return how many rows it changed."""
        return self._execute(statement, params)[1]

    def _execute(self, statement: str, params: Mapping[str, Value]) -> tuple[list[Row], int]:
        if not self._open:
            raise Bug(f"{statement} was run after its transaction had ended.")
        function = self._statements.get(statement)
        if function is None:
            raise Bug(f"There is no statement called {statement}.")
        plain = Params({name: _plain(statement, value) for name, value in params.items()})
        self.block.check()
        try:
            return self._tables.run(function, plain)
        except Conflict:
            self.block.spoil()
            raise

    def end(self) -> None:
        """From here on a statement is refused: the transaction is over."""
        self._open = False


def _plain(statement: str, value: Value) -> Value:
    """The value as a column would give it back: an enumeration's member comes back as its value."""
    match value:
        case None | bytes():
            return value
        case str() if is_whole(value):
            return str.__str__(value)
        case int() if -(1 << INT_BITS) <= value < 1 << INT_BITS:
            return int(value)
    raise Bug(f"{statement} was given a {type(value).__name__} that no column holds.")


class MemorySavepoint(Savepoint):
    """A part of a transaction that can be taken back on its own."""

    def __init__(self, tx: "MemoryTx", depth: int) -> None:
        self._tx = tx
        self._depth = depth
        self._mark = tx.mark()

    def roll_back(self) -> None:
        """Take back what was written since the savepoint; the block goes on to its end."""
        self._tx.undo(self._mark, self._depth)


class MemoryTx(Statements, EngineTx):
    """The engine's view of a transaction."""

    def __init__(
        self,
        tables: Tables,
        statements: Mapping[str, Statement],
        app: Mapping[str, Statement],
        clock: Clock,
    ) -> None:
        super().__init__(tables, statements, Block())
        self._app = Statements(tables, app, self.block)
        self._clock = clock
        self._depth = 0

    @property
    def app(self) -> Tx:
        """The application's statements, in this same transaction."""
        return self._app

    def now(self) -> datetime:
        """The process's clock: there is no other here."""
        return self._clock.now()

    def each(self, *asked: Asked) -> list[list[Row]]:
        """Run several statements, one after the other, and return the rows of each."""
        return [self.all(statement, **params) for statement, params in asked]

    def send(self, statement: str, /, **params: Value) -> None:
        """Run a statement of which nobody asks anything."""
        self.run(statement, **params)

    @contextmanager
    def savepoint(self) -> Iterator[Savepoint]:
        """Open a savepoint. It is rolled back when its block raises or asks for it, else kept."""
        if not self._open:
            raise Bug("A savepoint was opened after its transaction had ended.")
        self.block.check()
        self._depth += 1
        savepoint = MemorySavepoint(self, self._depth)
        try:
            yield savepoint
            self.block.check()
        except BaseException:
            savepoint.roll_back()
            raise
        finally:
            self._depth -= 1

    def mark(self) -> int:
        """The point of the transaction that a savepoint goes back to."""
        return self._tables.mark()

    def undo(self, mark: int, depth: int) -> None:
        """Go back to *mark*, for the innermost savepoint only."""
        if not self._open or depth != self._depth:
            raise Bug("A savepoint was rolled back outside its block.")
        self._tables.undo(mark)
        self.block.taken_back()

    def end(self) -> None:
        """From here on a statement is refused, the application's too."""
        super().end()
        self._app.end()
