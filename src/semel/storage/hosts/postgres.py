"""A lent PostgreSQL connection: semel's statements beside the host's, in one transaction."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row

from semel.domain.finding import Finding
from semel.errors import Conflict, SemelError, StorageError, TimeLimit
from semel.ports import Clock
from semel.storage.block import Spoilt
from semel.storage.hosts.lending import CONTROL, DENIED, SAVEPOINT, Denied, Dialect, Ground, over
from semel.storage.migrate import Migration
from semel.storage.postgres.connection import Again, is_broken, translate
from semel.storage.postgres.place import arrive, examine
from semel.storage.postgres.statements import STATEMENTS
from semel.storage.postgres.store import LIMIT_SECONDS, READS, WRITES
from semel.storage.postgres.talk import Session
from semel.storage.postgres.tx import PostgresTx
from semel.storage.postgres.upgrade import lacking, upgrade
from semel.storage.postgres.wire import Wire

OWN = 2
"""Connections of the host's pool for the engine's own transactions."""

SIZE = 4
"""Connections of the host's pool in which its own code runs; with the readers, ten are used."""

ALIVE = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


class View(Session):
    """A second handle on the host's connection; closing it is the host's matter, not this one's.

    It prepares nothing: what a pool resets between two users would be missed here.
    """

    def __init__(self, host: "psycopg.Connection[Any]") -> None:
        notices = host.pgconn.notice_handler, host.pgconn.notify_handler
        super().__init__(host.pgconn, row_factory=dict_row)
        host.pgconn.notice_handler, host.pgconn.notify_handler = notices
        self.prepare_threshold = None
        self._autocommit = True

    def __del__(self, *_: object) -> None:
        """It is not what was opened."""


class LentWire(Wire):
    """A wire on which the host speaks too."""

    @property
    def waits(self) -> bool:
        """Whether something is queued."""
        return bool(self._queue)

    def forget(self) -> None:
        """What waits never was."""
        self._queue.clear()


class PostgresGround(Ground):
    """A transaction on a lent PostgreSQL connection."""

    def __init__(
        self, connection: "psycopg.Connection[Any]", clock: Clock, *, lent: bool, writes: bool
    ) -> None:
        if connection.info.encoding != "utf-8":
            raise StorageError(
                "A lent PostgreSQL connection speaks UTF-8; set client_encoding to UTF8."
                " Nothing was written."
            )
        self._view = View(connection)
        if connection.info.transaction_status is not TransactionStatus.IDLE:
            # Begun by the application's own settings, and empty.
            self._view.execute("ROLLBACK")
        self._wire = LentWire(self._view, clock, lent=lent)
        self._wire.begin(WRITES if writes else READS, LIMIT_SECONDS)
        self.tx = PostgresTx(self._wire, STATEMENTS, {})
        self._host = connection
        connection.add_notice_handler(self._view.noticed)
        # What goes round the host's own classes to the driver's is refused there.
        connection.commit = _denied  # type: ignore[method-assign]  # taken off at the end

    @property
    def fatal(self) -> SemelError | None:
        """Why this transaction cannot go on."""
        return self._wire.fatal

    def before(self, statement: str) -> None:
        """Send what waits, and let a statement of the host run, unless it would end it all."""
        if CONTROL.match(statement):
            raise Denied(DENIED)
        if self._wire.waits:
            self._wire.ask(("SELECT 1 AS sent", None))
        elif not SAVEPOINT.match(statement):
            self._wire.check()

    def refused(self, error: BaseException | None) -> None:
        """A deadlock or a limit ends the transaction, whatever a step makes of it."""
        meant = translate(error) if isinstance(error, psycopg.Error) else None
        if isinstance(meant, Again | TimeLimit):
            self.give_up(meant)

    def give_up(self, error: SemelError) -> None:
        """Nothing of this is kept."""
        self._wire.fatal = self._wire.fatal or error

    def check(self) -> None:
        """Refuse to go on when the transaction is over, or a statement of it was refused."""
        self._wire.check()
        if self._wire.begun and not is_broken(self._view):
            status = self._view.info.transaction_status
            if status not in ALIVE:
                raise over()
            if status is TransactionStatus.INERROR:
                raise Spoilt

    def taken_back(self) -> None:
        """What waits since the savepoint never was."""
        self._wire.forget()
        self._wire.block.taken_back()

    def commit(self) -> None:
        """COMMIT, with what waits."""
        self.check()
        self._host.__dict__.pop("commit", None)
        self._wire.commit()

    def let_go(self) -> None:
        """Roll back what was not committed: its locks, and the limits, end with it."""
        self._host.__dict__.pop("commit", None)
        self._host.remove_notice_handler(self._view.noticed)
        if not self.broken and self._view.info.transaction_status in ALIVE:
            with suppress(psycopg.Error):  # a connection that is lost has nothing to roll back
                self._view.execute("ROLLBACK")

    @property
    def begun(self) -> bool:
        """Whether the server has heard of the transaction."""
        return self._wire.begun

    @property
    def broken(self) -> bool:
        """Whether the connection is lost, or was closed by a step."""
        return is_broken(self._view)


def _denied() -> NoReturn:
    raise Denied(DENIED)


class PostgresDialect(Dialect):
    """What is PostgreSQL's own about a host."""

    name = "postgres"
    own = OWN
    size = SIZE

    def ground(self, raw: Any, clock: Clock, *, lent: bool, writes: bool) -> Ground:
        """Begin a transaction, of which the server hears with its first statement."""
        return PostgresGround(raw, clock, lent=lent, writes=writes)

    def translate(self, error: BaseException | None) -> SemelError | None:
        """An error of the driver in semel's words."""
        if isinstance(error, psycopg.Error):
            return translate(error)
        if isinstance(error, UnicodeEncodeError):
            return Conflict("The database refused text that holds half a character.")
        return None

    def is_again(self, error: BaseException) -> bool:
        """Whether two transactions were in each other's way."""
        return isinstance(error, Again)

    def is_read_only(self, error: BaseException | None) -> bool:
        """Whether a statement wanted to write in a read."""
        return isinstance(error, errors.ReadOnlySqlTransaction)

    def upgrade(self, raw: Any, migrations: Sequence[Migration]) -> list[Migration]:
        """Apply what the database lacks."""
        return upgrade(View(raw), migrations)

    def lacking(self, raw: Any, migrations: Sequence[Migration]) -> list[Migration]:
        """The migrations that the database lacks."""
        return lacking(View(raw), migrations)

    def examine(self, raw: Any, now: str | None) -> list[Finding]:
        """How the server is set, and whether the database is where it was."""
        return examine(View(raw), now)[1]

    def arrive(self, raw: Any, now: str | None) -> None:
        """Write down that this is the database's place."""
        arrive(View(raw), now)
