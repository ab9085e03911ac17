"""For the tests of applications: a movable clock, checks of actions, crash points, PostgreSQL.

>>> "commit:confirm:before" in points()
True
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from semel.errors import Bug
from semel.runtime.points import SENDS, TRANSACTIONS, arm
from semel.storage.sqlite.store import STATEMENTS
from semel.testing.check import World, check_action
from semel.testing.checks.far import HttpOutside, Mood, Outside, SmtpOutside
from semel.testing.clock import MovableClock
from semel.testing.servers import Postgres, postgres, postgres_servers

__all__ = [
    "HttpOutside",
    "Mood",
    "MovableClock",
    "Outside",
    "Postgres",
    "SmtpOutside",
    "World",
    "check_action",
    "crash_at",
    "interrupt_at",
    "points",
    "postgres",
    "postgres_servers",
    "recorded",
]


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
