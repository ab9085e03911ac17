"""The store of a host: every transaction is one that the application lends.

Lent transactions are never grouped: their COMMIT is the host's as much as semel's. Each runs in a
worker thread, with a session or connection that is the host's, and is given back afterwards.
"""

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from semel.domain.finding import Finding, closed, overridden
from semel.errors import Bug, CommitUnknown, StorageError, TimeLimit, Unreachable
from semel.facts import instant_text
from semel.ports import Clock, EngineTx, Pending, Row, Store, Value
from semel.storage.hosts.crew import Crew
from semel.storage.hosts.lending import Lender, Loan
from semel.storage.hosts.tx import HostTx
from semel.storage.migrate import Migration

T = TypeVar("T")

LIMIT_SECONDS = 5.0
"""A transaction that takes longer is rolled back, as in the engine's own stores."""

TRIES = 10
"""How often a transaction is run that others keep getting in the way of."""

STALE = 20
"""Connections of a host's pool that may all have died with the server before one is made anew."""

READERS = 4
"""Threads that read; what waits on a snapshot keeps no other from its own."""


class _Stale(Unreachable):
    """The connection died while nobody used it: nothing has begun on it."""


class HostStore(Store):
    """Keeps plans in a host's database, in transactions that it lends.

    Args:
        lender: the host.
        clock: this process's clock, for limits; with *lent* also what every statement is given.
        migrations: semel's migrations, in order.
        lent: a test's clock stands for the database's own.
        unsafe: a database may be used that can lose what it has answered.
    """

    def __init__(
        self,
        lender: Lender,
        *,
        clock: Clock,
        migrations: Sequence[Migration],
        lent: bool = False,
        unsafe: bool = False,
    ) -> None:
        self._unsafe = unsafe
        self._lender = lender
        self._dialect = lender.dialect
        self._clock = clock
        self._migrations = migrations
        self._lent = lent
        self._touched = Crew("semel-host", self._dialect.size)
        self._own = Crew("semel-own", self._dialect.own) if self._dialect.own else self._touched
        self._readers = Crew("semel-read", READERS)
        self._inside = threading.local()

    def transact(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* in one transaction and return its value after the COMMIT."""
        self._not_inside()
        if self._touched.is_here():
            # A future's callback runs in the thread that answers, which must not wait for itself.
            return self._written(work)
        return self.submit(work).result()

    def submit(self, work: Callable[[EngineTx], T], *, own: bool = False) -> Pending[T]:
        """Queue *work* as one transaction; the future is done after the COMMIT."""
        crew = self._own if own else self._touched
        return crew.submit(lambda: self._written(work))

    def read(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* on one snapshot; it cannot write."""
        self._not_inside()
        if self._readers.is_here():
            if getattr(self._inside, "reads", False):
                raise Bug("A read was begun inside another one, whose snapshot it would not have.")
            return self._once(work, writes=False)
        return self.submit_read(work).result()

    def submit_read(self, work: Callable[[EngineTx], T], *, own: bool = False) -> Pending[T]:
        """Like :meth:`read`, for callers that must not block for long."""
        del own
        return self._readers.submit(lambda: self._once(work, writes=False))

    def submit_one(self, statement: str, /, **params: Value) -> Pending[Row | None]:
        """Ask one of the engine's reading statements by itself, for its first row."""
        return self.submit_read(lambda tx: tx.one(statement, **params))

    def announce(self, word: str) -> None:
        """Nothing: nobody listens on what is lent."""

    def listen(self, heard: Callable[[str], None]) -> bool:
        """A lent connection is given back, so none is there to listen on; waiters look again."""
        del heard
        return False

    def migrate(self) -> list[str]:
        """Bring semel's tables up to this program; instances that start together take turns."""
        self._not_inside()

        def work() -> list[Migration]:
            with self._lender.translated(), self._lender.raw() as raw:
                return self._dialect.upgrade(raw, self._migrations)

        done = self._readers.submit(work).result()
        return [migration.title for migration in done]

    def ready(self) -> None:
        """Make sure that the tables are there; the host makes them, in its own migrations.

        Raises:
            StorageError: some are missing, or the database is not set as semel needs it.
            SchemaNewer: they are newer than this program.
        """

        def work() -> list[Migration]:
            with self._lender.translated(), self._lender.raw() as raw:
                return self._dialect.lacking(raw, self._migrations)

        lacking = self._readers.submit(work).result()
        if lacking:
            names = ", ".join(f"{m.number:04d} {m.name}" for m in lacking)
            raise StorageError(
                f"The database lacks tables of semel ({names}). Take what"
                f" `semel migrate --print --dialect {self._dialect.name}` prints into a migration"
                " of your own, or call engine.migrate() once. Nothing was changed."
            )
        # The settings of the connection are looked at where a transaction begins.
        self.read(lambda tx: tx.now())
        self.submit_examination().result()

    def submit_examination(self) -> Pending[list[Finding]]:
        """Look at how the database is set, and whether it is where it was."""

        def work() -> list[Finding]:
            with self._lender.translated(), self._lender.raw() as raw:
                findings = self._dialect.examine(raw, self._lent_now())
            self.closed = closed(findings, unsafe=self._unsafe)
            self.unsafe = " ".join(overridden(findings)) or None if self._unsafe else None
            return findings

        return self._readers.submit(work)

    def submit_arrival(self) -> Pending[None]:
        """This is the database's place from here on."""

        def work() -> None:
            with self._lender.translated(), self._lender.raw() as raw:
                self._dialect.arrive(raw, self._lent_now())

        return self._readers.submit(work)

    def _lent_now(self) -> str | None:
        return instant_text(self._clock.now()) if self._lent else None

    def close(self) -> None:
        """Finish what is queued and give back what was lent."""
        for crew in (self._touched, self._own, self._readers):
            crew.close()
        self._lender.close()

    def _not_inside(self) -> None:
        if getattr(self._inside, "writes", False):
            raise Bug("A transaction was begun inside another one, which it would wait for.")

    def _written(self, work: Callable[[EngineTx], T]) -> T:
        """Run a transaction, anew as long as others are in its way and nothing came of it."""
        for _ in range(TRIES - 1):
            try:
                return self._once(work, writes=True)
            except StorageError as no:
                if not self._dialect.is_again(no):
                    raise
        return self._once(work, writes=True)

    def _once(self, work: Callable[[EngineTx], T], *, writes: bool) -> T:
        for _ in range(STALE):
            try:
                return self._lend(work, writes=writes)
            except _Stale:
                continue
        return self._lend(work, writes=writes)

    def _lend(self, work: Callable[[EngineTx], T], *, writes: bool) -> T:
        name = "writes" if writes else "reads"
        with self._lender.lend(self._clock, lent=self._lent, writes=writes) as loan:
            setattr(self._inside, name, True)
            try:
                return self._on(loan, work, writes=writes)
            except BaseException as no:
                meant = self._meant(loan, no, writes=writes)
                if meant is no:
                    raise
                raise meant from no
            finally:
                setattr(self._inside, name, False)

    def _on(self, loan: Loan, work: Callable[[EngineTx], T], *, writes: bool) -> T:
        tx = HostTx(loan)
        began = self._clock.monotonic()
        try:
            value = work(tx)
            if writes:
                loan.settle()
                tx.end()
                if self._clock.monotonic() - began > LIMIT_SECONDS:
                    raise TimeLimit
                loan.commit()
            return value
        finally:
            tx.end()

    def _meant(self, loan: Loan, no: BaseException, *, writes: bool) -> BaseException:
        """What an error of a transaction means: the first one that ended it, if one did."""
        ground = loan.ground
        if not writes and self._dialect.is_read_only(no.__cause__):
            return Bug("A statement that writes was run in a read.")
        if isinstance(no, Unreachable) and ground.broken and not ground.begun:
            return _Stale()
        if ground.fatal is not None and not isinstance(no, CommitUnknown):
            return ground.fatal
        return no
