"""For the tests of applications: a clock that a test moves, crash points, a PostgreSQL server.

>>> "commit:confirm:before" in points()
True
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from semel.errors import Bug
from semel.ports import Clock
from semel.runtime.points import SENDS, TRANSACTIONS, arm
from semel.storage.sqlite.store import STATEMENTS
from semel.testing.servers import Postgres, postgres, postgres_servers

__all__ = [
    "MovableClock",
    "Postgres",
    "crash_at",
    "interrupt_at",
    "points",
    "postgres",
    "postgres_servers",
    "recorded",
]


class MovableClock(Clock):
    """A clock that stands until a test moves it; its limits run on the machine's own seconds.

    Args:
        start: the instant it shows at first, aware.
    """

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)
        self._elapsed = 0.0

    def now(self) -> datetime:
        """The instant it shows."""
        return self._now

    def monotonic(self) -> float:
        """Seconds that the test let pass."""
        return self._elapsed

    def move(self, **by: float) -> None:
        """Let time pass: ``clock.move(minutes=11)``."""
        step = timedelta(**by)
        self._now += step
        self._elapsed += step.total_seconds()


def points() -> list[str]:
    """Every crash point of the engine, from its statements, commits and sends.

    An application's own statements are points too, as ``app:name:before`` and ``:after``; which
    ones a run passes, :func:`recorded` tells.
    """
    places = [f"statement:{name}" for name in sorted(STATEMENTS)]
    places += [f"commit:{name}" for name in TRANSACTIONS]
    places += list(SENDS)
    return [f"{place}:{when}" for place in places for when in ("before", "after")]


@contextmanager
def interrupt_at(point: str, do: Callable[[], None], occurrence: int = 1) -> Iterator[None]:
    """Call *do* when *point* is passed for the *occurrence*-th time.

    Raises:
        Bug: the block ended and the point was not reached; a test that arms a point means it.
    """
    passed = 0

    def hook(name: str) -> None:
        nonlocal passed
        if name == point:
            passed += 1
            if passed == occurrence:
                do()

    arm(hook)
    try:
        yield
    finally:
        arm(None)
    if passed < occurrence:
        raise Bug(f"The armed point {point} was passed {passed} times, not {occurrence}.")


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def crash_at(point: str, occurrence: int = 1) -> Iterator[None]:
    """Die by SIGKILL at *point*, as ``kill -9`` would have it; only in a process made for it.

    Raises:
        Bug: the point was not reached.
    """
    with interrupt_at(point, _die, occurrence):
        yield


@contextmanager
def recorded() -> Iterator[list[str]]:
    """Note every point that is passed, in order."""
    passed: list[str] = []
    arm(passed.append)
    try:
        yield passed
    finally:
        arm(None)
