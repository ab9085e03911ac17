"""The SQLite store: one writer, grouped commits, readers beside it.

A transaction that nobody waits for runs in its caller's thread. Otherwise it queues for the writer
thread, which runs all that wait as one group, and answers none of them before the group's COMMIT is
on disk: the cost of one fsync is shared, its promise is not.
"""

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from semel.domain.finding import Finding, closed, overridden
from semel.domain.known import Known
from semel.errors import Bug, StorageError, Unreachable
from semel.ports import STUCK_SECONDS, Clock, EngineTx, Pending, Row, Store, Value
from semel.storage.migrate import Migration
from semel.storage.sql import load
from semel.storage.sqlite.connection import connect, translated
from semel.storage.sqlite.group import Groups
from semel.storage.sqlite.jobs import Job, at_once, failed
from semel.storage.sqlite.place import examine, schema
from semel.storage.sqlite.readers import Readers
from semel.storage.sqlite.tx import SqliteTx
from semel.storage.sqlite.upgrade import upgrade

T = TypeVar("T")

GROUP_MAX = 64
"""Transactions of one commit: more would make the first one wait for the last."""

STATEMENTS = load(Path(__file__).parent)


class SqliteStore(Store):
    """Keeps plans in one SQLite file.

    Args:
        path: the file.
        clock: where time comes from.
        app: the application's named statements.
        migrations: semel's and the application's migrations, in order.
        statements: the engine's own, and those of a part that brings tables of its own.
        create: whether a missing file is made.
        unsafe: it may be used where it can lose what it has answered.

    Raises:
        Unreachable: the file is missing, locked, read-only, or no database.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        app: Mapping[str, str],
        migrations: Sequence[Migration],
        statements: Mapping[str, str] = STATEMENTS,
        create: bool = True,
        unsafe: bool = False,
    ) -> None:
        self._path = path
        self._unsafe = unsafe
        self._clock = clock
        self._app = app
        self._migrations = migrations
        self._statements = statements
        self._connection = connect(path, create=create)
        self._writing = threading.Lock()
        self._queue: deque[Job] = deque()
        self._queued = threading.Lock()
        self._ready = threading.Condition(self._queued)
        self._idle = False
        """Whether the writer waits to be woken."""
        self._closing = False
        self._readers = Readers(path)
        self._thread: threading.Thread | None = None
        self._groups = Groups(self._connection, statements, app, clock, path)

    def transact(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* in one transaction; inline when nobody waits, else in the next group."""
        me = threading.current_thread()
        if self._groups.working == me.ident:
            raise Bug("A transaction was begun inside another one, which it would wait for.")
        # A future's callback runs in the writer thread, which must not wait for itself either.
        callback = me is self._thread
        if (callback or not self._queue) and self._writing.acquire(blocking=callback):
            job = Job(work)
            try:
                self._groups.run([job])
            finally:
                self._writing.release()
            job.answer()
            value: T = job.future.result()
            return value
        return self.submit(work).result()

    def submit(self, work: Callable[[EngineTx], T], *, own: bool = False) -> Pending[T]:
        """Queue *work* for the writer thread; there is one, whosever work it is."""
        del own
        job = Job(work)
        with self._queued:
            if self._closing:
                raise StorageError("The store is closed; nothing was written.")
            self._queue.append(job)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._write, name="semel-writer", daemon=True
                )
                self._thread.start()
            if self._idle:
                self._idle = False
                self._ready.notify()
        return job.future

    @property
    def crowded(self) -> bool:  # type: ignore[override]  # it is looked at, and never set
        """Whether the writer is at work: a statement beside it takes turns with each of its own.

        Two threads that hand the interpreter's lock to one another at every statement are several
        times as slow as one, so whoever writes in any case had better queue.
        """
        if not self._queue and not self._writing.locked():
            return False
        return self._clock.monotonic() - self._groups.began < STUCK_SECONDS

    def _write(self) -> None:
        while True:
            with self._ready:
                while not self._queue and not self._closing:
                    self._idle = True
                    self._ready.wait()
                if not self._queue:
                    return
            with self._writing:
                with self._queued:
                    count = min(len(self._queue), GROUP_MAX)
                    jobs = [self._queue.popleft() for _ in range(count)]
                # Whoever gave up before its turn gets nothing done; from here on nobody can.
                jobs = [job for job in jobs if job.future.begin()]
                self._groups.run(jobs)
            while jobs:
                # Nothing of an answered one is held until the next one comes: it may be large.
                jobs.pop(0).answer()

    def read(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* on one consistent snapshot; in WAL it waits for no writer."""
        connection = self._readers.take()
        tx = SqliteTx(connection, self._statements, self._app, self._clock, self._path)
        try:
            with translated(self._path):
                connection.execute("BEGIN")
                return work(tx)
        except Unreachable as no:
            if getattr(no.__cause__, "sqlite_errorname", None) == "SQLITE_READONLY":
                raise Bug("A statement that writes was run in a read.") from no
            raise
        finally:
            tx.end()
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._readers.give_back(connection)

    def submit_one(self, statement: str, /, **params: Value) -> Pending[Row | None]:
        """Ask one statement, at once; its snapshot is its own, so it needs no transaction."""
        try:
            row = self._readers.first(self._statements[statement], params)
        except Exception as no:  # noqa: BLE001 - it belongs to whoever asks the future
            return failed(no)
        # A future that can be waited for costs as much as the statement does.
        return Known(row)

    def submit_read(self, work: Callable[[EngineTx], T], *, own: bool = False) -> Pending[T]:
        """Like :meth:`read`, which here is quick enough to be done at once."""
        del own
        return at_once(lambda: self.read(work))

    def announce(self, word: str) -> None:
        """Nothing: a file has no way to tell."""

    def listen(self, heard: Callable[[str], None]) -> bool:
        """Nobody can listen to a file."""
        del heard
        return False

    def migrate(self) -> list[str]:
        """Bring the tables up to this program; processes that start together take turns."""
        with self._writing, translated(self._path):
            done = upgrade(self._connection, self._migrations)
            self._examine()
        return [migration.title for migration in done]

    def submit_examination(self) -> Pending[list[Finding]]:
        """Look at how the file is kept, which is quick enough to be done at once."""
        return at_once(self._examined)

    def submit_arrival(self) -> Pending[None]:
        """Nothing: a file does not know where it is."""
        return at_once(lambda: None)

    def _examined(self) -> list[Finding]:
        with self._writing, translated(self._path):
            return [*self._examine(), schema(self._connection, self._migrations)]

    def _examine(self) -> list[Finding]:
        findings = examine(self._path, self._connection)
        self.closed = closed(findings, unsafe=self._unsafe)
        self.unsafe = " ".join(overridden(findings)) or None if self._unsafe else None
        return findings

    def close(self) -> None:
        """Finish what is queued and let go of the file."""
        with self._ready:
            self._closing = True
            self._ready.notify_all()
        if self._thread is not None:
            self._thread.join()
        with self._writing, suppress(sqlite3.Error):
            self._connection.close()
        self._readers.close()
