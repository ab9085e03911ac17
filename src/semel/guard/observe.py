"""How often an intent is asked for again, and by what: counted before and after it is protected.

    first        nobody asked before
    parallel     the same call is being made at this moment
    http_retry   the same request of the transport came again
    loop         the agent's loop asked again in the same turn
    restored     another turn has the same message: a checkpoint was restored, a queue redelivered
    person       another message of the conversation asks for the same

What is counted is of no importance to any call: it is kept in this process for a second or so and
then added up in the background, and what a killed process had in hand is lost.
"""

import logging
import threading
from collections import Counter as Counts
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from enum import StrEnum
from typing import TypeVar

from semel.errors import StorageError
from semel.guard import metrics
from semel.guard.call import Call, CallState
from semel.guard.seen import Glance, Seen
from semel.guard.turn import Turn
from semel.ports import Pending

T = TypeVar("T")

log = logging.getLogger("semel.guard")

SETTLE_SECONDS = 5.0
"""How long whoever reads the counts waits for what is still being looked up."""

FLUSH_SECONDS = 1.0
"""Between two times that counts are added up: a commit a second is nothing beside the calls'."""


class Source(StrEnum):
    """What asked."""

    FIRST = "first"
    PARALLEL = "parallel"
    HTTP_RETRY = "http_retry"
    LOOP = "loop"
    RESTORED = "restored"
    PERSON = "person"


class Mode(StrEnum):
    """Whether a repeat was stopped."""

    OBSERVED = "observed"
    GUARDED = "guarded"


# A member that is asked of its enumeration is searched for, at seven times the cost of a name.
FIRST, GUARDED, STARTED = Source.FIRST, Mode.GUARDED, CallState.STARTED


def source(before: Call | Glance | Seen | None, turn: Turn, *, running: bool = False) -> Source:
    """What asked, by how the same was asked for last.

    Args:
        before: the latest call of the same intent; None when there is none.
        turn: the turn that asks now.
        running: whether that call is being made at this moment.
    """
    if before is None:
        return Source.FIRST
    if running or before.state == STARTED:
        return Source.PARALLEL
    if turn.id == before.turn:
        return Source.LOOP
    if turn.request is not None and turn.request == before.request:
        return Source.HTTP_RETRY
    if turn.message is not None and before.message != turn.message:
        return Source.PERSON
    # Where nobody says which message it is, a later turn may be anybody's.
    return Source.PERSON if turn.message is None else Source.RESTORED


class Counter:
    """Adds up what was asked for, beside the calls.

    Args:
        flush: adds counts to those that are kept, by tool, source and mode.
    """

    def __init__(
        self, flush: Callable[[Mapping[tuple[str, str, str], int]], Pending[None]]
    ) -> None:
        self._flush = flush
        self._asked: list[tuple[str, Source, Mode]] = []
        """Each call since they were added up: to count it at once, others would have to wait."""
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._closed = False
        self._looked: set[Future[None]] = set()
        self._line = ThreadPoolExecutor(1, thread_name_prefix="semel-counter")

    def after(self, looked: Pending[T], count: Callable[[Pending[T]], None]) -> None:
        """Count a call as soon as it has been looked up what asked for it."""
        over: Future[None] = Future()

        def counted(done: Pending[T]) -> None:
            try:
                count(done)
            finally:
                self._looked.discard(over)
                over.set_result(None)

        self._looked.add(over)
        looked.add_done_callback(counted)

    def submit(self, look: Callable[[], T]) -> "Future[T]":
        """Look something up after all that was looked up before: the order says what asked."""
        return self._line.submit(look)

    def settle(self) -> None:
        """Wait until everything that is looked up has been counted."""
        wait([*self._looked], SETTLE_SECONDS)

    def add(self, tool: str, source: Source, mode: Mode) -> None:
        """Count one call."""
        self._asked.append((tool, source, mode))
        if self._timer is None:
            self._begin()

    def _begin(self) -> None:
        with self._lock:
            if self._closed:
                self._asked.clear()
            elif self._timer is None:
                self._timer = threading.Timer(FLUSH_SECONDS, self.flush)
                self._timer.daemon = True
                self._timer.start()

    def flush(self) -> Pending[None] | None:
        """Add up what there is, now; None when there is nothing."""
        with self._lock:
            # First the timer: whoever is counted too late for these begins another one.
            timer, self._timer = self._timer, None
            asked = self._asked[:]
            del self._asked[: len(asked)]
        if timer is not None:
            timer.cancel()
        counted = Counts(asked).items()
        told = {(tool, str(source), str(mode)): n for (tool, source, mode), n in counted}
        for place, calls in told.items():
            metrics.called(*place, calls)
        try:
            return self._flush(told) if told else None
        except StorageError as no:
            # It is being closed, or its database is away: no call is worth less for it.
            log.debug("Counts of calls were lost.", exc_info=no)
            return None

    def close(self) -> Pending[None] | None:
        """Add up what there is; what is counted from here on is lost."""
        self._line.shutdown()
        with self._lock:
            self._closed = True
        return self.flush()
