"""The engine's view of a lent transaction: its own statements, between those of the host."""

from datetime import datetime
from typing import Any, cast

from semel.errors import Bug, SemelError
from semel.ports import Asked, EngineTx, Row, Tx, Value
from semel.storage.block import Nested
from semel.storage.hosts.lending import Loan


class HostTx(EngineTx):
    """Runs semel's statements on the host's connection, after what the host has left to write."""

    def __init__(self, loan: Loan) -> None:
        self._loan = loan
        self._inner = loan.ground.tx
        self._open = True
        self._nested: list[Any] = []

    @property
    def app(self) -> Tx:
        """What the host lends: its session, its connection."""
        return cast("Tx", self._loan.app)

    def now(self) -> datetime:
        """The database's clock, in UTC; a test may lend its own."""
        return self._inner.now()

    def one(self, statement: str, /, **params: Value) -> Row | None:
        """Run a statement and return its first row, or None when there is none."""
        self._settle(statement)
        return self._inner.one(statement, **params)

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        """Run a statement and return its rows."""
        self._settle(statement)
        return self._inner.all(statement, **params)

    def run(self, statement: str, /, **params: Value) -> int:
        """Run a statement and return how many rows it changed."""
        self._settle(statement)
        return self._inner.run(statement, **params)

    def each(self, *asked: Asked) -> list[list[Row]]:
        """Run several statements, one after the other, and return the rows of each."""
        self._settle("Statements")
        return self._inner.each(*asked)

    def send(self, statement: str, /, **params: Value) -> None:
        """Run a statement of which nobody asks anything."""
        self._settle(statement)
        self._inner.send(statement, **params)

    def savepoint(self) -> Nested:
        """Open a savepoint. It is rolled back when its block raises or asks for it, else kept."""
        return Nested(self)

    def go_in(self) -> int:
        """Open the innermost savepoint; its depth."""
        self._settle("A savepoint")
        self._nested.append(self._loan.nest())
        return len(self._nested)

    def go_out(self, *, kept: bool) -> None:
        """Close the innermost savepoint: keep what it holds, if nothing was refused in it."""
        try:
            if kept:
                self._settle("The end of a savepoint")
        except BaseException:
            self._leave()
            raise
        else:
            if kept:
                self._keep()
            else:
                self._leave()
        finally:
            self._nested.pop()

    def roll_back_to(self, depth: int) -> None:
        """Take back what was written in the innermost savepoint, if that is at *depth*."""
        self._check("The end of a savepoint")
        if depth != len(self._nested):
            raise Bug("A savepoint was rolled back outside its block.")
        self._take_back()
        self._nested[-1] = self._loan.nest()

    def _keep(self) -> None:
        try:
            self._loan.keep(self._nested[-1])
        except SemelError as no:
            # Whether it is still open is not known, so nothing of this transaction is kept.
            self._loan.ground.give_up(no)
            raise

    def _leave(self) -> None:
        if self._open:
            self._take_back()

    def _take_back(self) -> None:
        self._loan.take_back(self._nested[-1])

    def _settle(self, what: str) -> None:
        self._check(what)
        self._loan.settle()

    def _check(self, what: str) -> None:
        if not self._open:
            raise Bug(f"{what} was run after its transaction had ended.")

    def end(self) -> None:
        """From here on a statement is refused: the transaction is over."""
        self._open = False
