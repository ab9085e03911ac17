"""The store in memory: one writer, snapshots for readers, nothing on disk.

It runs where it is called: there is no thread, so that a simulation decides alone what happens
when. What another store promises beside durability holds here too, and the contract suite says so.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TypeVar

from semel.domain.finding import Finding
from semel.errors import Bug, StorageError, TimeLimit
from semel.ports import Clock, EngineTx, Pending, Row, Store, Value
from semel.storage.memory.statements import STATEMENTS
from semel.storage.memory.tables import Statement, Tables
from semel.storage.memory.tx import MemoryTx
from semel.storage.promise import Promise

T = TypeVar("T")

LIMIT_SECONDS = 5.0
"""A transaction holds the only writer; one that takes longer is rolled back, as on SQLite."""


class MemoryStore(Store):
    """Keeps plans while this process lives.

    Args:
        clock: where time comes from.
        app: the application's named statements, each a function of the tables and its parameters.
    """

    def __init__(
        self, *, clock: Clock, app: Mapping[str, Statement] = MappingProxyType({})
    ) -> None:
        self._clock = clock
        self._app = app
        self._tables = Tables()
        self._writing = threading.Lock()
        self._writer: int | None = None
        self._closed = False

    def transact(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* in one transaction, after those of other threads."""
        with self._alone():
            tx = self._tx(self._tables)
            began = self._clock.monotonic()
            try:
                value = work(tx)
                tx.block.check()
                if self._clock.monotonic() - began > LIMIT_SECONDS:
                    raise TimeLimit
                self._tables.commit()
            except BaseException:
                self._tables.undo(0)
                raise
            finally:
                tx.end()
            return value

    def submit(self, work: Callable[[EngineTx], T], *, own: bool = False) -> Pending[T]:
        """Like :meth:`transact`, at once; the future that it returns is done."""
        del own
        return self._answered(self.transact, work)

    def read(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* on what is committed by now; it waits for no writer."""
        self._check_open()
        view = self._tables.snapshot()
        tx = self._tx(view)
        try:
            return work(tx)
        finally:
            tx.end()
            self._tables.release(view)

    def submit_one(self, statement: str, /, **params: Value) -> Pending[Row | None]:
        """Ask one statement, at once."""
        return self.submit_read(lambda tx: tx.one(statement, **params))

    def submit_read(self, work: Callable[[EngineTx], T], *, own: bool = False) -> Pending[T]:
        """Like :meth:`read`, at once; the future that it returns is done."""
        del own
        return self._answered(self.read, work)

    def announce(self, word: str) -> None:
        """Nothing: memory has no way to tell."""

    def listen(self, heard: Callable[[str], None]) -> bool:
        """Nobody can listen to memory."""
        del heard
        return False

    def migrate(self) -> list[str]:
        """Nothing: the tables are born with the store."""
        with self._alone():
            return []

    def submit_examination(self) -> Pending[list[Finding]]:
        """Nothing: memory promises to lose everything."""
        future: Promise[list[Finding]] = Promise()
        future.set_result([])
        return future

    def submit_arrival(self) -> Pending[None]:
        """Nothing: memory is nowhere else."""
        future: Promise[None] = Promise()
        future.set_result(None)
        return future

    def close(self) -> None:
        """Let go of the tables, after the transaction that runs."""
        with self._alone(closing=True):
            self._closed = True

    @contextmanager
    def _alone(self, *, closing: bool = False) -> Iterator[None]:
        """Be the only writer. Waiting for oneself would never end, so that is refused."""
        me = threading.get_ident()
        if self._writer == me:
            raise Bug("A transaction was begun inside another one, which it would wait for.")
        with self._writing:
            if not closing:
                self._check_open()
            self._writer = me
            try:
                yield
            finally:
                self._writer = None

    def _answered(
        self, run: Callable[[Callable[[EngineTx], T]], T], work: Callable[[EngineTx], T]
    ) -> Pending[T]:
        future: Promise[T] = Promise()
        try:
            future.set_result(run(work))
        except BaseException as no:  # noqa: BLE001 - a member's error is its caller's, whatever it is
            future.set_exception(no)
        return future

    def _tx(self, tables: Tables) -> MemoryTx:
        return MemoryTx(tables, STATEMENTS, self._app, self._clock)

    def _check_open(self) -> None:
        if self._closed:
            raise StorageError("The store is closed; nothing was written.")
