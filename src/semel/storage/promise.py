"""What a transaction will come to: a future with no more to it than a store needs.

The standard library's makes a condition for each, on which whoever waits could be woken one by one.
That costs as much as a small transaction does, and most answers are waited for by a callback.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")

log = logging.getLogger("semel")

WAITING, BEGUN, GIVEN_UP, DONE = range(4)


class Promise(Generic[T]):
    """An answer that is still to come; whoever makes it begins, and then sets it once."""

    __slots__ = ("_error", "_lock", "_state", "_told", "_value")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state = WAITING
        self._told: list[Callable[[Any], object]] = []
        self._value: T | None = None
        self._error: BaseException | None = None

    def begin(self) -> bool:
        """Whether it is still wanted; from here on nobody can give it up."""
        with self._lock:
            if self._state == GIVEN_UP:
                return False
            self._state = BEGUN
            return True

    def cancel(self) -> bool:
        """Give it up, unless it has begun; whether that was so."""
        with self._lock:
            if self._state in {BEGUN, DONE}:
                return False
            self._state = GIVEN_UP
        self._tell()
        return True

    def set_result(self, value: T) -> None:
        """This is the answer."""
        self._value = value
        self._end()

    def set_exception(self, error: BaseException) -> None:
        """There is none, and why."""
        self._error = error
        self._end()

    def done(self) -> bool:
        """Whether there is an answer, or never will be."""
        return self._state >= GIVEN_UP

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Why there is no answer; None when there is one.

        Raises:
            CancelledError: it was given up.
            TimeoutError: there is nothing yet after *timeout* seconds.
        """
        self._wait(timeout)
        return self._error

    def result(self, timeout: float | None = None) -> T:
        """The answer, or the error that stands for it.

        Raises:
            CancelledError: it was given up.
            TimeoutError: there is nothing yet after *timeout* seconds.
        """
        if self._state != DONE:
            self._wait(timeout)
        if self._error is not None:
            try:
                raise self._error
            finally:
                # The error holds this frame, and this frame what holds the error.
                del self
        return cast("T", self._value)

    def add_done_callback(self, told: Callable[[Any], object]) -> None:
        """Call *told* with this promise when it is done, in whichever thread that is."""
        with self._lock:
            if self._state < GIVEN_UP:
                self._told.append(told)
                return
        told(self)

    def _end(self) -> None:
        with self._lock:
            self._state = DONE
        if self._told:
            self._tell()

    def _tell(self) -> None:
        told, self._told = self._told, []
        for one in told:
            try:
                one(self)
            except Exception:
                # It is the waiter's own; whoever else waits is told all the same.
                log.exception("Who waited for an answer failed when it came.")

    def _wait(self, timeout: float | None) -> None:
        if not self.done():
            came = threading.Lock()
            came.acquire()
            self.add_done_callback(lambda _: came.release())
            if not came.acquire(timeout=-1 if timeout is None else timeout):
                raise TimeoutError
        if self._state == GIVEN_UP:
            raise CancelledError
