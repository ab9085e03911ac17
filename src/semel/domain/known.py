"""An answer that is there already, for whoever expects one that may still come."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Known(Generic[T]):
    """A future that is done, as every read of a file is; without a lock, since nobody waits."""

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def done(self) -> bool:
        """It is."""
        return True

    def exception(self) -> None:
        """There is none."""

    def result(self, timeout: float | None = None) -> T:
        """The value."""
        del timeout
        return self._value

    def add_done_callback(self, told: Callable[["Known[T]"], object]) -> None:
        """It is done, so *told* is called at once."""
        told(self)
