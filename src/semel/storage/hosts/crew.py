"""Threads that run lent transactions, so that nobody's event loop waits for a database."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from semel.errors import StorageError

T = TypeVar("T")


class _Once(Generic[T]):
    """Work that is let go of when it is done: the pool holds it until its answer is out."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work

    def __call__(self) -> T:
        work = self._work
        del self._work
        return work()


class Crew:
    """As many threads as there is work for, up to a limit.

    Args:
        name: what the threads are called.
        size: how many there may be; each has one transaction at a time.
    """

    def __init__(self, name: str, size: int) -> None:
        self._members = threading.local()
        self._pool = ThreadPoolExecutor(size, name, initializer=self._enter)

    def _enter(self) -> None:
        self._members.here = True

    def is_here(self) -> bool:
        """Whether this is one of its threads, which would wait for itself."""
        return getattr(self._members, "here", False)

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Queue *work* for the next thread that has nothing to do.

        Raises:
            StorageError: the store is closed.
        """
        try:
            return self._pool.submit(_Once(work))
        except RuntimeError as no:
            raise StorageError("The store is closed; nothing was written.") from no

    def close(self) -> None:
        """Finish what is queued."""
        self._pool.shutdown(wait=not self.is_here())
