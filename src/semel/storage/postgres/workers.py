"""Threads that each hold one connection and run one transaction after the other."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

import psycopg

from semel.errors import StorageError
from semel.ports import Pending
from semel.storage.postgres.connection import Connection, connect, is_broken
from semel.storage.postgres.turn import Seat, Turn
from semel.storage.promise import Promise

T = TypeVar("T")

Work = Callable[["Worker"], T]


@dataclass(slots=True)
class _Job(Generic[T]):
    work: Work[T]
    future: Promise[T]


class Worker(threading.Thread):
    """One thread, one connection; the connection is made when it is needed, and made anew."""

    def __init__(
        self,
        name: str,
        url: str,
        jobs: "SimpleQueue[_Job[Any] | None]",
        done: Callable[[], None],
        met: Callable[[Connection], None],
        turn: Turn | None,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._seat = Seat(turn) if turn else None
        self._done = done
        self._met = met
        self._url = url
        self._jobs = jobs
        self._connection: Connection | None = None
        self.working = False
        """Whether a transaction runs in this thread; it cannot wait for another one."""
        self.tidy: Callable[[Connection], None] | None = None
        """What is left to do on the connection once the answer is out."""

    def connection(self) -> tuple[Connection, bool]:
        """The connection, and whether it is fresh.

        Raises:
            Unreachable: there is no server.
        """
        held = self._connection
        if held is not None and not is_broken(held):
            return held, False
        self.forget()
        made = connect(self._url)
        try:
            self._met(made)
        except BaseException:
            made.close()
            raise
        made.seat = self._seat
        self._connection = made
        return made, True

    def forget(self) -> None:
        """Close the connection; the next one that is needed is made anew."""
        held, self._connection = self._connection, None
        if held is not None:
            with suppress(psycopg.Error):
                held.close()

    def run(self) -> None:
        """Take one job after the other until there are no more."""
        job = self._next(begun=False)
        while job is not None:
            if job.future.begin():
                self._do(job)
            else:
                self._done()
            del job
            self.clean()
            job = self._next(begun=True)
        if self._seat is not None:
            self._seat.give()
        self.forget()

    def _next(self, *, begun: bool) -> "_Job[Any] | None":
        """The next job, and the turn with it; None when there will be none."""
        if self._seat is None:
            return self._jobs.get()
        if begun:
            with suppress(Empty):
                # The first thing that it does is to wait for the server, and so for the others.
                return self._jobs.get_nowait()
            self._seat.give()
        job = self._jobs.get()
        if job is not None:
            self._seat.take()
        return job

    def _do(self, job: "_Job[Any]") -> None:
        value: Any = None
        error: BaseException | None = None
        try:
            value = job.work(self)
        except BaseException as no:  # noqa: BLE001 - it belongs to whoever asks the future
            error = no
        # Whoever goes on from the answer finds nothing of it held any more, and it may be large.
        del job.work
        # Before the answer is out: whoever goes on from it finds this worker, and needs no other.
        self._done()
        if error is not None:
            job.future.set_exception(error)
        else:
            job.future.set_result(value)

    def clean(self) -> None:
        """Leave the session as it was found; one that cannot be is given up."""
        tidy, self.tidy = self.tidy, None
        if tidy is None or self._connection is None:
            return
        try:
            tidy(self._connection)
        except psycopg.Error:
            self.forget()


class Group:
    """As many workers as there is work for, up to a limit.

    Args:
        name: what their threads are called.
        url: the database.
        size: how many connections they may hold together.
        met: looks at each new connection before it is used: it may lead to another server.
        turn: whose turn it is among them, where jobs talk at length; else they do not take turns.
    """

    def __init__(
        self,
        name: str,
        url: str,
        size: int,
        met: Callable[[Connection], None],
        turn: Turn | None = None,
    ) -> None:
        self._turn = turn
        self._name = name
        self._met = met
        self._url = url
        self._size = size
        self._jobs: SimpleQueue[_Job[Any] | None] = SimpleQueue()
        self._workers: list[Worker] = []
        self._changing = threading.Lock()
        self._closed = False
        self._open = 0
        """Jobs that were queued and are not through: none waits while a worker can be had."""

    def submit(self, work: Work[T]) -> Pending[T]:
        """Queue *work* for the next worker that has nothing to do."""
        future: Promise[T] = Promise()
        with self._changing:
            if self._closed:
                raise StorageError("The store is closed; nothing was written.")
            self._open += 1
            # What is asked from a callback in a worker's own thread may be waited for there.
            held = isinstance(threading.current_thread(), Worker)
            if len(self._workers) < min(self._open + held, self._size):
                name = f"{self._name}-{len(self._workers)}"
                worker = Worker(name, self._url, self._jobs, self._done, self._met, self._turn)
                self._workers.append(worker)
                worker.start()
            self._jobs.put(_Job(work, future))
        return future

    @property
    def idle(self) -> bool:
        """Whether a job that comes now is alone."""
        return self._open == 0

    @property
    def full(self) -> bool:
        """Whether a job that comes now has to wait for another one's end."""
        return self._open >= self._size

    def _done(self) -> None:
        with self._changing:
            self._open -= 1

    def close(self) -> None:
        """Finish what is queued, and let the connections go."""
        with self._changing:
            if not self._closed:
                self._closed = True
                for _ in self._workers:
                    self._jobs.put(None)
        for worker in self._workers:
            if worker is not threading.current_thread():
                worker.join()
