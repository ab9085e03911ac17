"""Two transactions beside each other on PostgreSQL: one that is open, and one that waits for it."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from facturas_world import Books, BooksTx

Work = Callable[[BooksTx], Any]

WAITS = "SELECT (wait_event_type = 'Lock') IS TRUE FROM pg_stat_activity WHERE pid = %s"
PATIENCE = 2000
"""Looks at a session that ought to wait, a hundredth of a second apart: far more than it takes."""


@dataclass
class Beside:
    """What runs in another thread and transaction, which commits when its work is done."""

    books: Books
    work: Work
    pid: int = 0
    ready: threading.Event = field(default_factory=threading.Event)
    ended: "Future[Any]" = field(default_factory=Future)

    def __call__(self) -> Any:
        with self.books() as tx:
            self.pid = tx.connection.info.backend_pid
            self.ready.set()
            return self.work(tx)

    def waits(self) -> bool:
        """Whether it comes to wait for somebody's lock, before it is through."""
        self.ready.wait()
        with psycopg.connect(self.books.url, autocommit=True) as looking:
            for _ in range(PATIENCE):
                row = looking.execute(WAITS, [self.pid]).fetchone()
                if row is None or self.ended.done():
                    return False
                if row[0]:
                    return True
                looking.execute("SELECT pg_sleep(0.01)")
        return False


@contextmanager
def beside(books: Books, work: Work) -> Iterator[Beside]:
    """Begin *work* in another transaction, and hold it in hand until the block has ended."""
    other = Beside(books, work)
    with ThreadPoolExecutor(1) as pool:
        other.ended = pool.submit(other)
        yield other


def first(books: Books, work: Work, then: Work, *, commits: bool = True) -> tuple[Any, Any]:
    """Do *work*, let *then* wait for it, and end it; what both came to, an exception included.

    Args:
        books: where.
        work: done first, and still open when *then* begins.
        then: begun in another transaction, which must wait for the first one.
        commits: whether the first one commits; else it is rolled back.
    """
    with books() as tx:
        done = work(tx)
        with beside(books, then) as other:
            try:
                waited = other.waits()
            finally:
                # The other one waits for this, whatever became of the test.
                tx.connection.execute("COMMIT" if commits else "ROLLBACK")
            error = other.ended.exception(60)
    assert waited, f"The second transaction did not wait for the first one: {error!r}"
    return done, other.ended.result() if error is None else error
