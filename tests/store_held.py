"""A store that is kept busy, so that what a test sends to it has to wait in its queue."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import stores
from semel import Engine

GATE_SECONDS = 60.0


class Hold:
    """Keeps each thread of an engine's store busy, from :meth:`begin` to :meth:`release`."""

    def __init__(self, engine: Engine) -> None:
        self._store: Any = engine._core.store
        self._gate = threading.Event()
        self._counting = threading.Lock()
        self._sent = self._begun = 0
        self._holds = False

    def begin(self) -> None:
        """Send it so much work that whatever comes later waits behind it."""
        if stores.kind() == "sqlite":
            self._store._writing.acquire()
        else:
            self._send(self._store.submit, self._store._touched._size)
            self._send(lambda work: self._store.submit(work, own=True), self._store._own._size)
        self._holds = True

    @property
    def waiting(self) -> int:
        """How much of other people's work is in the queue; before it is held, none waits for that."""
        if not self._holds:
            return 0
        with self._counting:
            return _queued(self._store) - (self._sent - self._begun)

    def release(self) -> None:
        """Let it go on."""
        if stores.kind() == "postgres":
            self._gate.set()
        elif self._store._writing.locked():
            self._store._writing.release()

    def _send(self, submit: Any, count: int) -> None:
        with self._counting:
            self._sent += count
        for _ in range(count):
            submit(self._hold)

    def _hold(self, tx: object) -> None:
        with self._counting:
            self._begun += 1
        self._gate.wait(GATE_SECONDS)


def queued(engine: Engine) -> int:
    """How much work is in the queue of an engine's store."""
    return _queued(engine._core.store)


def _queued(store: Any) -> int:
    if stores.kind() == "sqlite":
        return len(store._queue)
    return sum(len(group._waiting) for group in (store._touched, store._own))


@contextmanager
def held(engine: Engine) -> Iterator[Hold]:
    """Keep an engine's store busy while the block runs, or until it is released."""
    hold = Hold(engine)
    hold.begin()
    try:
        yield hold
    finally:
        hold.release()
