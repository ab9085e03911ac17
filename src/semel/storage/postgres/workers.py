"""Threads that each hold one connection and run one transaction after the other."""

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
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
        self, name: str, url: str, group: "Group", turn: Turn | None, job: "_Job[Any]"
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._seat = Seat(turn) if turn else None
        self._group = group
        self._url = url
        self._job: _Job[Any] | None = job
        """What it was handed and has not taken yet."""
        self._bell = threading.Lock()
        """Open when it was handed something."""
        self._connection: Connection | None = None
        self.working = False
        """Whether a transaction runs in this thread; it cannot wait for another one."""
        self.tidy: Callable[[Connection], None] | None = None
        """What is left to do on the connection once the answer is out."""

    def hand(self, job: "_Job[Any] | None") -> None:
        """Give it a job, or None when there will be none; only while it waits for one."""
        self._job = job
        self._bell.release()

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
            self._group.met(made)
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
        job = self._handed()
        while job is not None:
            if job.future.begin():
                self._do(job)
            else:
                self._group.done()
            del job
            self.clean()
            # Whose job it has next keeps the turn: the first thing that it does is to wait for the
            # server, and so for the others.
            job = self._group.waiting(self) or self._wait()
        self.forget()

    def _wait(self) -> "_Job[Any] | None":
        """The job that it is handed, and the turn with it; None when there will be none."""
        if self._seat is not None:
            self._seat.give()
        return self._handed()

    def _handed(self) -> "_Job[Any] | None":
        self._bell.acquire()
        job, self._job = self._job, None
        if self._seat is not None and job is not None:
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
        self._group.done()
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

    Who was done last has the next job: what it worked on is still at hand, in its session as well.

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
        self.met = met
        self._url = url
        self._size = size
        self._workers: list[Worker] = []
        self._idle: list[Worker] = []
        """Those that wait for a job, who was done last at the end."""
        self._waiting: deque[_Job[Any]] = deque()
        """Jobs that nobody has; there are none while somebody is idle."""
        self._changing = threading.Lock()
        self._closed = False
        self._open = 0
        """Jobs that were queued and are not through."""

    def submit(self, work: Work[T]) -> Pending[T]:
        """Hand *work* to who has nothing to do, or to the next who is done."""
        job = _Job(work, Promise[T]())
        with self._changing:
            if self._closed:
                raise StorageError("The store is closed; nothing was written.")
            self._open += 1
            if self._idle:
                self._idle.pop().hand(job)
            elif len(self._workers) < self._size:
                name = f"{self._name}-{len(self._workers)}"
                worker = Worker(name, self._url, self, self._turn, job)
                self._workers.append(worker)
                worker.start()
            else:
                self._waiting.append(job)
        return job.future

    def waiting(self, worker: Worker) -> "_Job[Any] | None":
        """The next job that waits; where there is none, *worker* is idle and will be handed one."""
        with self._changing:
            if self._waiting:
                return self._waiting.popleft()
            if self._closed:
                worker.hand(None)
            else:
                self._idle.append(worker)
        return None

    @property
    def idle(self) -> bool:
        """Whether a job that comes now is alone."""
        return self._open == 0

    @property
    def full(self) -> bool:
        """Whether a job that comes now has to wait for another one's end."""
        return self._open >= self._size

    def done(self) -> None:
        """A job is through."""
        with self._changing:
            self._open -= 1

    def close(self) -> None:
        """Finish what is queued, and let the connections go."""
        with self._changing:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.hand(None)
        for worker in self._workers:
            if worker is not threading.current_thread():
                worker.join()
