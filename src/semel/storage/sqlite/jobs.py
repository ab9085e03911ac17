"""What waits for the writer: a transaction and its answer."""

from collections.abc import Callable
from typing import Any, TypeVar

from semel.ports import EngineTx, Pending
from semel.storage.promise import Promise

T = TypeVar("T")


def at_once(ask: Callable[[], T]) -> Pending[T]:
    """What is quick enough to be done by its caller, as the future that others have to wait for."""
    future: Promise[T] = Promise()
    try:
        future.set_result(ask())
    except Exception as no:  # noqa: BLE001 - it belongs to whoever asks the future
        future.set_exception(no)
    return future


def failed(no: Exception) -> Pending[Any]:
    """The future of what was asked for, and could not be answered."""
    future: Promise[Any] = Promise()
    future.set_exception(no)
    return future


class Job:
    """A transaction that waits to be run, and its answer."""

    __slots__ = ("error", "future", "value", "work")

    def __init__(self, work: Callable[[EngineTx], Any]) -> None:
        self.work = work
        self.future: Promise[Any] = Promise()
        self.value: Any = None
        self.error: BaseException | None = None

    def answer(self) -> None:
        """Give whoever waits what came of it."""
        # They may look at once what is left of it in memory, and it may have held much.
        del self.work
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.value)


class Ended(Exception):
    """A member's own statement ended the group's transaction: nobody in it happened."""


class Mixed(Exception):
    """A member failed that had written, and its rows cannot be told from the others' any more."""
