"""What a guard asks of whatever keeps its calls: one atomic change of one record."""

from collections.abc import Callable, Mapping
from typing import Generic, Protocol, TypeAlias, TypeVar

from semel.domain.finding import Finding
from semel.guard.call import Call
from semel.guard.done import Done
from semel.guard.seen import S
from semel.ports import Pending, Tx

T = TypeVar("T")

Work: TypeAlias = Callable[[Call | None, Tx], tuple[Done | None, T]]
"""What makes a Local call within a transaction that is lent to it, unless it finds it made: the
record to write, if any, and what it came to. It may be run again, and then knows what it wrote."""


class Change(Generic[T]):
    """A decision on one record, made until its answer is known: it knows what it has written.

    Args:
        decide: from the record that is there to the one to write, None for no change, and what was
            decided. It may be run again.
        stamp: told from every other change's.
    """

    def __init__(self, decide: Callable[[Call | None], tuple[Call | None, T]], stamp: str) -> None:
        self._decide = decide
        self._stamp = stamp
        self._decided: list[T] = []

    def __call__(self, found: Call | None) -> tuple[Call | None, T]:
        """What to write for the record that is there, and what was decided."""
        if found is not None and found.stamp == self._stamp and self._decided:
            return None, self._decided[-1]
        after, value = self._decide(found)
        self._decided.append(value)
        return (None if after is None else after._replace(stamp=self._stamp)), value


class Calls(Protocol):
    """Keeps the calls of one organization. Every future ends with its answer on disk."""

    def look(self, kind: type[S], key: str) -> Pending[S | None]:
        """What a repeat needs of the call of a key: its answer is the value, or is words."""

    def find(self, key: str) -> Pending[Call | None]:
        """The call of a key."""

    def of_id(self, id: str) -> Pending[Call | None]:
        """The call that a job's id stands for."""

    def open(self, many: int) -> Pending[list[Call]]:
        """Calls of which nothing is proven, the oldest first."""

    closed: str | None
    """Why nothing may be sent outside, as far as this process has seen."""

    crowded: bool = False
    """Whether changes queue here: what one of them finds out anyway is not looked for first."""

    def change(self, key: str, change: Change[T], /) -> Pending[T]:
        """Read a record, decide and write, as one.

        The future fails with a ``StorageError`` when nothing was written, and with
        ``CommitUnknown`` when nobody can say; the same change may then be made again.
        """

    def transact(self, key: str, work: Work[T], /) -> Pending[T]:
        """Make a Local call: its own statements and its record, in one transaction.

        Raises:
            CatalogError: this keeps records only, and has no transaction to lend.
        """

    def transacted(self, key: str, work: Work[T], /) -> T:
        """The same for who waits: where nobody else does, it is run in the caller's own thread."""

    def said_before(self, key: str, intent: str, before: str) -> Pending[Call | None]:
        """The latest call of the same intent for another message, of those up to an instant."""

    def count(self, day: str, counted: Mapping[tuple[str, str, str], int]) -> Pending[None]:
        """Add to the counts of a day, by tool, source and mode."""

    def counts(self, since: str) -> Pending[list[tuple[str, str, str, int]]]:
        """What was counted since a day: tool, source, mode and calls."""

    def examine(self) -> Pending[list[Finding]]:
        """Look at how they are kept."""

    def close(self) -> None:
        """Finish what is queued and let go."""
