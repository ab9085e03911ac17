"""What the core asks of the world: protocols without logic.

A transaction is a plain function of a ``Tx``. It commits as a whole or leaves nothing; there is no
``await`` in it, so nobody can wait for the world while rows are locked. One text therefore serves
every database, blocking and asynchronous callers, and a simulated clock.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from semel.domain.action import Row, Tx, Value
from semel.domain.finding import Finding

__all__ = [
    "Asked",
    "Clock",
    "EngineTx",
    "Entropy",
    "Host",
    "Pending",
    "Row",
    "Savepoint",
    "Store",
    "Tx",
    "Value",
]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Asked: TypeAlias = tuple[str, Mapping[str, Value]]
"""A statement's name and its parameters."""


class EngineTx(Tx, Protocol):
    """The engine's own view of a transaction; an application never sees it."""

    @property
    def app(self) -> Tx:
        """The application's statements, in this same transaction."""

    def now(self) -> datetime:
        """The database's clock, in UTC; a test may lend its own."""

    def each(self, *asked: Asked) -> list[list[Row]]:
        """Run several statements, one after the other, and return the rows of each."""

    def send(self, statement: str, /, **params: Value) -> None:
        """Run a statement of which nobody asks anything: it may travel with a later one.

        What it is refused for is raised by itself, by a later statement, or at the COMMIT.
        """

    def savepoint(self) -> AbstractContextManager["Savepoint"]:
        """Open a savepoint. It is rolled back when its block raises or asks for it, else kept."""


class Savepoint(Protocol):
    """A part of a transaction that can be taken back on its own."""

    def roll_back(self) -> None:
        """Take back what was written since the savepoint; the block goes on to its end."""


class Found(NamedTuple):
    """What was looked for was there, so that nothing was run."""

    row: Row


class Pending(Protocol[T_co]):
    """An answer that may still come, as ``concurrent.futures.Future`` is one."""

    def done(self) -> bool:
        """Whether there is an answer, or never will be."""

    def exception(self) -> BaseException | None:
        """Why there is no answer, once that is known; None when there is one."""

    def result(self, timeout: float | None = None) -> T_co:
        """The answer, or the error that stands for it; waited for, *timeout* seconds at most."""

    def add_done_callback(self, told: Callable[[Any], object], /) -> None:
        """Call *told* with this when it is done, in whichever thread that is."""


SubmitUnless: TypeAlias = Callable[
    [str, Mapping[str, Value], Callable[[EngineTx], Any]], Pending[Any]
]
"""Takes a statement, its parameters and a transaction; gives what that comes to, or `Found`."""

STUCK_SECONDS = 0.05
"""A transaction that takes so long keeps those behind it from nothing that they can read."""


class Store(Protocol):
    """Keeps plans. A transaction is a function: all of it commits, or none."""

    def transact(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* in one transaction and return its value after the COMMIT.

        *work* may be run again when the database asks for it, so it touches nothing but its
        transaction.
        """

    def submit(self, work: Callable[[EngineTx], T], *, own: bool = False) -> Pending[T]:
        """Queue *work* as one transaction; the future is done after the COMMIT.

        Args:
            work: the transaction.
            own: nothing of an application runs in it, so it need not wait behind what does.
        """

    def read(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* on one consistent snapshot; it cannot write."""

    def submit_read(self, work: Callable[[EngineTx], T], *, own: bool = False) -> Pending[T]:
        """Like :meth:`read`, for callers that must not block for long."""

    def submit_one(self, statement: str, /, **params: Value) -> Pending[Row | None]:
        """Ask one of the engine's reading statements by itself, for its first row."""

    def announce(self, word: str) -> None:
        """Tell other instances what is to be read; nothing depends on their hearing it."""

    def listen(self, heard: Callable[[str], None]) -> bool:
        """Call *heard*, from any thread, with what other instances announce from here on.

        Returns:
            False where nobody can listen; whoever waits then looks now and again.
        """

    submit_unless: SubmitUnless | None = None
    """How to ask a reading statement by itself and, where it has no row, run a transaction, in one
    way; as long as nobody else is at work. None where it is better asked first."""
    crowded: bool = False
    """Whether transactions queue here, and go on: what one of them finds out anyway is then not
    looked for beside it first."""
    closed: str | None = None
    """Why no outside step may begin from this database, as far as this process has seen."""
    unsafe: str | None = None
    """What may be lost of what this database has answered, where that was allowed all the same."""

    def submit_examination(self) -> Pending[list[Finding]]:
        """Look at how the database is set; ``closed`` is what that comes to."""

    def submit_arrival(self) -> Pending[None]:
        """This is the database's place from here on: somebody has said that it was put here."""

    def migrate(self) -> list[str]:
        """Bring the tables up to this program, safely beside others doing so; the steps taken."""

    def close(self) -> None:
        """Finish what is queued and let go of the database."""


class Clock(Protocol):
    """Where time comes from."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""

    def monotonic(self) -> float:
        """Seconds that never run backwards, for limits inside this process."""


class Entropy(Protocol):
    """Where randomness comes from."""

    def bytes(self, count: int) -> bytes:
        """*count* unpredictable bytes."""


class Host(Protocol):
    """Who this process is, and whether another one is known to be dead."""

    @property
    def identity(self) -> str:
        """This process, told apart from every other one that ever ran."""

    def is_dead(self, identity: str) -> bool:
        """True only when *identity* ran on this host and certainly runs no more."""
