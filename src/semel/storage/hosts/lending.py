"""What a host lends: a transaction of its own, and what semel asks of it while it lasts."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from semel.domain.finding import Finding
from semel.errors import Bug, Conflict, SemelError, StorageError
from semel.ports import Clock, EngineTx
from semel.storage.migrate import Migration

ENDED = "A step ended its transaction; nothing was written."

DENIED = (
    "A step may not end its transaction or begin another: what it wrote and that it was done are"
    " one commit, which is the engine's. Leave the session as it was lent."
)

CONTROL = re.compile(
    r"\s*(?:(?:--[^\n]*\n|/\*.*?\*/)\s*)*"
    r"(?:BEGIN|COMMIT|END|ABORT|START\s+TRANSACTION|PREPARE\s+TRANSACTION"
    r"|ROLLBACK(?!\s+(?:TRANSACTION\s+|WORK\s+)?TO\b))\b",
    re.IGNORECASE | re.DOTALL,
)
"""Statements that end a transaction or begin one. A savepoint of the application is its own."""

SAVEPOINT = re.compile(r"\s*(?:SAVEPOINT|RELEASE|ROLLBACK)\b", re.IGNORECASE)
"""What opens, keeps or takes back a part: it must come through after a refused statement."""


class Denied(Bug):
    """A step did with its lent transaction what only the engine may do."""


class Ground(ABC):
    """One transaction on a lent connection, in its database's own terms."""

    tx: EngineTx
    """Runs the engine's statements; its savepoints are not used, the host's own are."""

    @abstractmethod
    def before(self, statement: str) -> None:
        """A statement of the host is about to run: what waits goes first.

        Raises:
            Denied: it would end the transaction.
            SemelError: a statement before it was refused.
        """

    @abstractmethod
    def refused(self, error: BaseException | None) -> None:
        """A statement of the host was refused with this error of the driver."""

    @abstractmethod
    def check(self) -> None:
        """Refuse to go on when the transaction is over, or a statement of its was refused."""

    @abstractmethod
    def give_up(self, error: SemelError) -> None:
        """Nothing of this transaction is kept, whatever is made of the error."""

    @abstractmethod
    def taken_back(self) -> None:
        """The innermost savepoint was rolled back: what waits since then never was."""

    @abstractmethod
    def commit(self) -> None:
        """COMMIT.

        Raises:
            Conflict: a deferred constraint refused it.
            CommitUnknown: the connection was lost, and nobody knows on which side of it.
            StorageError: the transaction was not there any more.
        """

    @abstractmethod
    def let_go(self) -> None:
        """Roll back what was not committed, and leave the connection as it was lent."""

    @property
    @abstractmethod
    def fatal(self) -> SemelError | None:
        """Why this transaction cannot go on, whatever a step makes of the error."""

    @property
    @abstractmethod
    def begun(self) -> bool:
        """Whether the server has heard of the transaction."""

    @property
    @abstractmethod
    def broken(self) -> bool:
        """Whether the connection is of no use any more."""


class Dialect(Protocol):
    """What differs between the databases of hosts."""

    name: str
    """As in the names of the folders: ``sqlite``, ``postgres``."""
    own: int
    """Threads for the engine's own transactions; 0 when one writes at a time, whosever it is."""
    size: int
    """Threads for transactions in which the application's code runs."""

    def ground(self, raw: Any, clock: Clock, *, lent: bool, writes: bool) -> Ground:
        """Begin a transaction on the driver's own connection.

        Args:
            raw: the connection.
            clock: this process's clock.
            lent: a test's clock stands for the database's.
            writes: or it reads, on one snapshot.

        Raises:
            StorageError: the connection is not set as semel needs it, or cannot be used.
        """

    def translate(self, error: BaseException | None) -> SemelError | None:
        """An error of the driver in semel's words; None when it is none."""

    def is_again(self, error: BaseException) -> bool:
        """Whether nothing was written because others were in the way, and it may be run again."""

    def is_read_only(self, error: BaseException | None) -> bool:
        """Whether an error of the driver says that a statement wanted to write in a read."""

    def upgrade(self, raw: Any, migrations: Sequence[Migration]) -> list[Migration]:
        """Apply what the database lacks, and return it."""

    def lacking(self, raw: Any, migrations: Sequence[Migration]) -> list[Migration]:
        """The migrations that the database lacks."""

    def examine(self, raw: Any, now: str | None) -> list[Finding]:
        """How the database is set, and whether it is where it was.

        Args:
            raw: the connection.
            now: what a test's clock shows.
        """

    def arrive(self, raw: Any, now: str | None) -> None:
        """Write down that this is the database's place."""


class Loan(ABC):
    """One transaction that was lent, until it is given back."""

    app: Any
    """What ``ctx.tx`` is."""
    ground: Ground

    @abstractmethod
    def settle(self) -> None:
        """Write what the host has not written yet.

        Raises:
            Conflict: it was refused, or something before it was.
            StorageError: the transaction is over.
        """

    @abstractmethod
    def nest(self) -> Any:
        """Open a savepoint of the host's."""

    @abstractmethod
    def keep(self, nested: Any) -> None:
        """Close a savepoint and keep what it holds."""

    @abstractmethod
    def take_back(self, nested: Any) -> None:
        """Roll a savepoint back and close it; the host forgets what it made since."""

    @abstractmethod
    def commit(self) -> None:
        """COMMIT, and what the host does after one."""


class Lender(ABC):
    """Lends transactions of one database of an application."""

    dialect: Dialect

    @abstractmethod
    def lend(self, clock: Clock, *, lent: bool, writes: bool) -> AbstractContextManager[Loan]:
        """A transaction of the host in this thread; rolled back unless it was committed.

        Raises:
            Unreachable: the database cannot be reached.
        """

    @abstractmethod
    def raw(self) -> AbstractContextManager[Any]:
        """A connection of the driver's in this thread, in no transaction."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what was kept between two transactions."""

    @abstractmethod
    def driver_error(self, error: BaseException) -> BaseException | None:
        """The driver's own error in one of the host's; None when there is none."""

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turn the host's and the driver's errors into semel's, where semel itself uses them.

        What else is raised is of code of the application that runs beside, a listener's for
        instance: it refuses the transaction as a constraint would.
        """
        try:
            yield
        except SemelError:
            raise
        except Exception as no:
            error = self.dialect.translate(self.driver_error(no))
            raise error or Conflict(
                f"What the application had left to write was refused ({type(no).__name__})."
            ) from no


def over() -> StorageError:
    """The transaction is not there any more."""
    return StorageError(ENDED)
