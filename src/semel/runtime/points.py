"""Crash points: named moments of a run, derived from its statements, commits and sends.

Inert unless a test arms one (``semel.testing.crash_at``): production code only passes the place
where a point would be. Nobody has to remember to add a point, since every statement, every commit
and every send goes through the wrappers here.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

from semel.ports import Asked, EngineTx, Row, Savepoint, Tx, Value

APP = "app"
"""The transaction of an application outside any plan: nobody can tell whether it may run again."""

TRANSACTIONS = (
    "propose",
    "confirm",
    "offer",
    "retry",
    "undo",
    "cancel",
    "answer",
    "local",
    "mark",
    "resend",
    "made",
    "not_made",
    "closed",
    "doubt",
    "look",
    "stop",
    "returned",
    "release",
    "take_over",
    "dismiss",
    "once",
    APP,
)
"""Every kind of transaction that the runtime has."""

OWN = frozenset(
    {"made", "not_made", "closed", "doubt", "look", "stop", "returned", "release", "take_over"}
)
"""Those in which nothing of an application runs: they need not wait behind what does."""

SENDS = ("prepare", "send", "void", "check")
"""What an outside step awaits."""

_hook: Callable[[str], None] | None = None


def arm(hook: Callable[[str], None] | None) -> None:
    """Call *hook* with the name of every point that is reached; None disarms."""
    global _hook  # noqa: PLW0603 - one process has one armed point, and only in tests
    _hook = hook


def reach(name: str) -> None:
    """Pass a point."""
    if _hook is not None:
        _hook(name)


def pointed(tx: EngineTx) -> EngineTx:
    """*tx* with a point before and after each statement, or *tx* itself when nothing is armed."""
    return tx if _hook is None else _PointedEngineTx(tx)


class _PointedTx(Tx):
    def __init__(self, tx: Tx, prefix: str) -> None:
        self._tx = tx
        self._prefix = prefix

    def one(self, statement: str, /, **params: Value) -> Row | None:
        reach(f"{self._prefix}{statement}:before")
        row = self._tx.one(statement, **params)
        reach(f"{self._prefix}{statement}:after")
        return row

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        reach(f"{self._prefix}{statement}:before")
        rows = self._tx.all(statement, **params)
        reach(f"{self._prefix}{statement}:after")
        return rows

    def run(self, statement: str, /, **params: Value) -> int:
        reach(f"{self._prefix}{statement}:before")
        count = self._tx.run(statement, **params)
        reach(f"{self._prefix}{statement}:after")
        return count


class _PointedEngineTx(_PointedTx, EngineTx):
    def __init__(self, tx: EngineTx) -> None:
        super().__init__(tx, "statement:")
        self._inner = tx
        # What a host lends has no statements with names; its own events are where points would be.
        named = Tx in type(tx.app).__mro__
        self._app = _PointedTx(tx.app, "app:") if named else tx.app

    @property
    def app(self) -> Tx:
        return self._app

    def now(self) -> datetime:
        return self._inner.now()

    def each(self, *asked: Asked) -> list[list[Row]]:
        # One by one, so that there is a point between two of them.
        return [self.all(statement, **params) for statement, params in asked]

    def send(self, statement: str, /, **params: Value) -> None:
        reach(f"statement:{statement}:before")
        self._inner.send(statement, **params)
        reach(f"statement:{statement}:after")

    def savepoint(self) -> AbstractContextManager[Savepoint]:
        return self._inner.savepoint()
