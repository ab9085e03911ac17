"""The PostgreSQL store: transactions in worker threads, each with a connection of its own.

There are two groups of connections. The engine's own never see an application's statement, so
nothing can be left behind in them, and a proof finds one free however long handlers hold the
others. Those that an application's statements touched are tidied before they are used again.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from psycopg import errors

from semel.domain.finding import Finding, closed, overridden
from semel.errors import Bug, CommitUnknown, SemelError, StorageError, TimeLimit
from semel.facts import instant_text
from semel.ports import (
    STUCK_SECONDS,
    Clock,
    EngineTx,
    Found,
    Pending,
    Row,
    Store,
    SubmitUnless,
    Value,
)
from semel.storage.migrate import Migration
from semel.storage.postgres.asking import asked
from semel.storage.postgres.connection import (
    Again,
    Connection,
    check_durable,
    is_broken,
    translated,
)
from semel.storage.postgres.ears import Ears, announce
from semel.storage.postgres.leaving import leave
from semel.storage.postgres.place import Seen, arrive, examine, seen
from semel.storage.postgres.setting import beside, schema
from semel.storage.postgres.statements import STATEMENTS
from semel.storage.postgres.turn import Turn
from semel.storage.postgres.tx import PostgresTx
from semel.storage.postgres.upgrade import upgrade
from semel.storage.postgres.wire import Wire
from semel.storage.postgres.workers import Group, Worker

T = TypeVar("T")

LIMIT_SECONDS = 5.0
"""A transaction that takes longer is rolled back; the server ends its statements and its pauses."""

TRIES = 10
"""How often a transaction is run that others keep getting in the way of."""

OWN_CONNECTIONS = 4
"""For the engine's own short transactions, proofs among them."""

APP_CONNECTIONS = 8
"""For those in which an application's statements run; on few cores more only wait."""

WRITES = "BEGIN ISOLATION LEVEL READ COMMITTED"
READS = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresStore(Store):
    """Keeps plans in a PostgreSQL database.

    Args:
        url: ``postgresql://user@host/database``, as libpq reads it.
        clock: this process's clock, for limits; with *lent* also what every statement is given.
        app: the application's named statements, bound for the driver.
        migrations: semel's and the application's migrations, in order.
        statements: the engine's own, and those of a part that brings tables of its own, bound.
        lent: a test's clock stands for the database's own.
        unsafe: a server may be used that can lose what it has answered.
        own: connections for the engine's own transactions.
        size: connections that an application's statements may touch.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Clock,
        app: Mapping[str, str],
        migrations: Sequence[Migration],
        statements: Mapping[str, str] = STATEMENTS,
        lent: bool = False,
        unsafe: bool = False,
        own: int = OWN_CONNECTIONS,
        size: int = APP_CONNECTIONS,
    ) -> None:
        self._clock = clock
        self._app = app
        self._migrations = migrations
        self._statements = statements
        self._lent = lent
        self._unsafe = unsafe
        self._url = url
        self._ears: Ears | None = None
        self._listening = threading.Lock()
        self._seen: Seen | None = None
        self._began = 0.0
        """When the last transaction began."""
        self._own = Group("semel-own", url, own, self._meet)
        self._touched = Group("semel-app", url, size, self._meet, Turn())

    def transact(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* in one transaction and return its value after the COMMIT."""
        self._not_inside()
        return self.submit(work).result()

    def submit(self, work: Callable[[EngineTx], T], *, own: bool = False) -> Pending[T]:
        """Queue *work* as one transaction; the future is done after the COMMIT."""
        return self._group(own).submit(lambda worker: self._done(worker, work, writes=True))

    def read(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* on one snapshot; the server lets it write nothing."""
        self._not_inside()
        return self.submit_read(work).result()

    def submit_read(self, work: Callable[[EngineTx], T], *, own: bool = False) -> Pending[T]:
        """Like :meth:`read`, for callers that must not block for long."""
        return self._group(own).submit(lambda worker: self._done(worker, work, writes=False))

    def submit_one(self, statement: str, /, **params: Value) -> Pending[Row | None]:
        """Run one of the engine's reading statements by itself, in one round trip."""
        return self._own.submit(lambda worker: asked(worker, self._statements[statement], params))

    @property
    def submit_unless(self) -> SubmitUnless | None:  # type: ignore[override]  # it is never set
        """A look and a transaction on one connection, while nobody else has one for an application.

        A thread of its own that is woken for the look costs more than the look.
        """
        return self._unless if self._touched.idle else None

    def _unless(
        self, statement: str, params: Mapping[str, Value], work: Callable[[EngineTx], T]
    ) -> "Pending[T | Found]":

        def looked(worker: Worker) -> T | Found:
            row = asked(worker, self._statements[statement], params)
            return self._done(worker, work, writes=True) if row is None else Found(row)

        return self._touched.submit(looked)

    @property
    def crowded(self) -> bool:  # type: ignore[override]  # it is looked at, and never set
        """Whether every connection for an application's statements is in use, for a moment each."""
        return self._touched.full and self._clock.monotonic() - self._began < STUCK_SECONDS

    def announce(self, word: str) -> None:
        """Tell other instances, beside everything else; what cannot be told is read anyway."""
        with suppress(StorageError):
            self._own.submit(lambda worker: announce(worker.connection()[0], word))

    def listen(self, heard: Callable[[str], None]) -> bool:
        """Listen to the other instances, where this is a session of the server's own."""
        with self._listening:
            ears = self._ears
            if ears is None or (ears.direct and not ears.is_alive()):
                self._deafen()
                self._ears = ears = Ears(self._url, heard)
                if ears.direct:
                    ears.start()
            return ears.direct

    def _deafen(self) -> None:
        ears, self._ears = self._ears, None
        if ears is not None:
            ears.close()

    def migrate(self) -> list[str]:
        """Bring the tables up to this program; instances that start together take turns."""
        self._not_inside()

        def work(worker: Worker) -> list[Migration]:
            connection, _ = worker.connection()
            if not self._unsafe:
                check_durable(connection)
            with translated():
                upgraded = upgrade(connection, self._migrations)
            self._examine(connection)
            return upgraded

        done = self._own.submit(work).result()
        return [migration.title for migration in done]

    def submit_examination(self) -> Pending[list[Finding]]:
        """Look at how the server is set, and whether this database is where it was."""
        return self._own.submit(lambda worker: self._examined(worker.connection()[0]))

    def submit_arrival(self) -> Pending[None]:
        """This is the database's place from here on."""
        return self._own.submit(lambda worker: arrive(worker.connection()[0], self._lent_now()))

    def _meet(self, connection: Connection) -> None:
        """A new connection may lead to another server: a standby that was promoted, or a copy."""
        if self._seen is not None and seen(connection) != self._seen:
            self._examine(connection)

    def _examined(self, connection: Connection) -> list[Finding]:
        """The whole of it, beside what is looked at when the store opens."""
        machine = None if self._lent else self._clock.now
        return [
            *self._examine(connection),
            schema(connection, self._migrations),
            *beside(connection, WRITES, machine),
        ]

    def _examine(self, connection: Connection) -> list[Finding]:
        here, findings = examine(connection, self._lent_now())
        self.closed = closed(findings, unsafe=self._unsafe)
        self.unsafe = " ".join(overridden(findings)) or None if self._unsafe else None
        self._seen = here
        return findings

    def _lent_now(self) -> str | None:
        return instant_text(self._clock.now()) if self._lent else None

    def close(self) -> None:
        """Finish what is queued and let go of the connections."""
        self._touched.close()
        self._own.close()
        with self._listening:
            self._deafen()

    def _group(self, own: bool) -> Group:
        return self._own if own else self._touched

    def _not_inside(self) -> None:
        thread = threading.current_thread()
        if isinstance(thread, Worker) and thread.working:
            raise Bug("A transaction was begun inside another one, which it would wait for.")

    def _done(self, worker: Worker, work: Callable[[EngineTx], T], *, writes: bool) -> T:
        """Run a transaction, anew as long as others are in its way and nothing came of it."""
        for tries in range(TRIES - 1):
            try:
                return self._once(worker, work, writes=writes, trusting=tries == 0)
            except Again:
                worker.clean()
        return self._once(worker, work, writes=writes, trusting=False)

    def _once(
        self, worker: Worker, work: Callable[[EngineTx], T], *, writes: bool, trusting: bool
    ) -> T:
        connection, fresh = worker.connection()
        while True:
            wire = Wire(connection, self._clock, lent=self._lent, trusting=trusting and writes)
            try:
                return self._on(worker, wire, work, writes=writes)
            except CommitUnknown:
                worker.forget()
                raise
            except SemelError as no:
                if isinstance(no.__cause__, errors.ReadOnlySqlTransaction) and not writes:
                    raise Bug("A statement that writes was run in a read.") from no
                if fresh or wire.begun or not is_broken(connection):
                    raise
                # The server went away while nobody used this connection: nothing has begun.
                connection, fresh = worker.connection()

    def _on(self, worker: Worker, wire: Wire, work: Callable[[EngineTx], T], *, writes: bool) -> T:
        tx = PostgresTx(wire, self._statements, self._app)
        wire.begin(WRITES if writes else READS, LIMIT_SECONDS)
        began = self._began = self._clock.monotonic()
        worker.working = writes
        try:
            value = self._worked(wire, tx, work)
            tx.end()
            if writes:
                wire.check()
                if self._clock.monotonic() - began > LIMIT_SECONDS:
                    raise TimeLimit
                wire.commit()
            return value
        finally:
            worker.working = False
            tx.end()
            leave(worker, wire)

    def _worked(self, wire: Wire, tx: PostgresTx, work: Callable[[EngineTx], T]) -> T:
        try:
            return work(tx)
        except Exception as no:
            if not is_broken(wire.connection):
                # What was trusted may be what the work should have failed by, and sooner.
                wire.settle()
            if isinstance(wire.fatal, Again):
                raise wire.fatal from no
            raise
