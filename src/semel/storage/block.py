"""What a refused statement does to the rest of its block, the same in every store.

A database may go on after a refused row or may not; so that an application runs on each of them,
none goes on here: the innermost savepoint, or the transaction, can only be taken back.
"""

from types import TracebackType
from typing import Protocol

from semel.errors import Conflict
from semel.ports import Savepoint


class Spoilt(Conflict):
    """A statement of this block was refused, so that nothing after it counts. Let its error out."""


class Block:
    """Whether a statement of the innermost open block was refused."""

    __slots__ = ("spoilt",)

    def __init__(self) -> None:
        self.spoilt = False

    def spoil(self) -> None:
        """A statement was refused."""
        self.spoilt = True

    def check(self) -> None:
        """Refuse to go on after a refused statement.

        Raises:
            Spoilt: there was one in this block, and its error was not let out.
        """
        if self.spoilt:
            raise Spoilt

    def taken_back(self) -> None:
        """The innermost block was rolled back: what was refused in it never was."""
        self.spoilt = False


class Nests(Protocol):
    """A transaction with blocks in it."""

    def go_in(self) -> int:
        """Open the innermost savepoint; its depth."""

    def go_out(self, *, kept: bool) -> None:
        """Close the innermost savepoint: keep what it holds, if nothing was refused in it."""

    def roll_back_to(self, depth: int) -> None:
        """Take back what was written in the innermost savepoint, if that is at *depth*."""


class Nested(Savepoint):
    """A part of a transaction that can be taken back on its own, and the block that it is.

    A generator would say the same, at five times the cost.
    """

    __slots__ = ("_depth", "_tx")

    def __init__(self, tx: Nests) -> None:
        self._tx = tx
        self._depth = 0

    def __enter__(self) -> Savepoint:
        self._depth = self._tx.go_in()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._tx.go_out(kept=kind is None)

    def roll_back(self) -> None:
        """Take back what was written since the savepoint; the block goes on to its end."""
        self._tx.roll_back_to(self._depth)
