"""What was done for an answer is let go of before the answer is out: it may have been large."""

import weakref
from threading import Event

import pytest
from things_app import in_postgres, in_sqlite

import stores
from semel.ports import Store
from semel.testing.contract import StillClock

pytestmark = pytest.mark.only_on("sqlite postgres", "one in memory queues nothing")
PATIENCE = 30.0


class Large:
    """What a transaction works with."""


def queued(store: Store, gate: Event):
    """A transaction that waits for *gate*, and what it holds until then."""
    large = Large()

    def work(tx):
        assert gate.wait(PATIENCE)
        return type(large).__name__

    return store.submit(work), weakref.ref(large)


def test_nothing_of_a_transaction_is_held_when_its_answer_comes(tmp_path, store):
    clock, path = StillClock(), tmp_path / "books.db"
    url = stores.url(path, "a")
    opened = in_postgres(url, clock) if store == "postgres" else in_sqlite(path, clock)
    try:
        opened.migrate()
        gate = Event()
        pending, large = queued(opened, gate)
        seen = []
        pending.add_done_callback(lambda done: seen.append(large()))
        assert large() is not None
        gate.set()
        assert (pending.result(PATIENCE), seen) == ("Large", [None])
    finally:
        opened.close()
