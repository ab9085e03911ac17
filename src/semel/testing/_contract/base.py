"""What every part of the contract stands on: the hooks, a clock, and three ways to look."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

from semel.ports import Clock, EngineTx, Row, Store, Value
from semel.testing._contract.world import call, seed

PATIENCE = 30.0
"""Seconds after which a wait for another thread counts as failed; a good store needs none."""


class StillClock(Clock):
    """A clock that stands still, and jumps when it is told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        """Always the same instant."""
        return datetime(2026, 10, 19, 8, 0, tzinfo=UTC)

    def monotonic(self) -> float:
        """Seconds, as many as it was moved by."""
        return self.seconds


class Contract(ABC):
    """The hooks of the suite, and what its tests begin with."""

    @abstractmethod
    def open_store(self, tmp_path: Path, clock: Clock) -> Store:
        """Open a new, empty store with the application's ``things`` statements."""

    def second(self, store: Store, tmp_path: Path, clock: Clock) -> Store | None:
        """Open another handle on the data of *store*; None where there can be no other."""
        del store, tmp_path, clock
        return None

    @contextmanager
    def opened(self, tmp_path: Path, clock: Clock | None = None) -> Iterator[Store]:
        """A store with its tables, closed in the end."""
        store = self.open_store(tmp_path, clock or StillClock())
        try:
            store.migrate()
            yield store
        finally:
            store.close()

    @contextmanager
    def seeded(self, tmp_path: Path) -> Iterator[Store]:
        """A store that holds the world of :func:`semel.testing._contract.rows.seed`."""
        with self.opened(tmp_path) as store:
            store.transact(seed)
            yield store

    @contextmanager
    def seen(self, store: Store, tmp_path: Path) -> Iterator[Store]:
        """A second handle on the same data where there is one, else the store itself."""
        other = self.second(store, tmp_path, StillClock())
        try:
            yield other or store
        finally:
            if other is not None:
                other.close()


@contextmanager
def raises(kind: type[BaseException]) -> Iterator[None]:
    """Fail unless the block raises *kind*."""
    try:
        yield
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was not raised.")


def equal(found: object, expected: object) -> None:
    """Fail unless both are the same."""
    if found != expected:
        raise AssertionError(f"Found {found!r}, not {expected!r}.")


def changed(before: Row | None, after: Row | None) -> dict[str, Value]:
    """The columns in which a row differs from what it was, with their new values."""
    if before is None or after is None:
        raise AssertionError(f"There is no row to compare: {before!r}, {after!r}.")
    return {name: value for name, value in after.items() if before[name] != value}


def put(id: str) -> Callable[[EngineTx], int]:
    """A transaction that adds one thing."""
    return lambda tx: tx.app.run("things.put", id=id, value="v")


def things(tx: EngineTx) -> Value:
    """How many things there are."""
    return (tx.app.one("things.count") or {})["n"]


def ask(statement: str, **changes: Value) -> Callable[[EngineTx], list[Row]]:
    """A transaction that runs one statement of the table in ``rows``, with *changes*."""
    return lambda tx: call(tx, statement, **changes)


def together(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Run *work* in *count* threads that all begin at once; what each returned or raised."""
    answers: list[Any] = [None] * count
    line = Barrier(count)

    def run(number: int) -> None:
        line.wait(PATIENCE)
        try:
            answers[number] = work(number)
        except BaseException as no:  # noqa: BLE001 - the caller looks at it
            answers[number] = no

    threads = [Thread(target=run, args=(number,)) for number in range(count)]
    join(threads)
    return answers


def join(threads: Sequence[Thread]) -> None:
    """Start *threads* and wait for their end."""
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        if thread.is_alive():
            raise AssertionError("A thread still waits: the store never answered it.")
