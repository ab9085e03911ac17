"""Whose turn it is: of many threads that talk with the server, one runs Python at a time.

Each statement that is handed to the driver lets go of the interpreter's lock for a moment. Whoever
waits for that lock is woken, finds it taken again and sleeps on: with eight threads in a hurry
that took two fifths of the processor. So a thread takes its turn when its answer has come and gives
it away when it waits for the next one, and the others sleep on a lock that is let go of less often.

It decides who runs first and nothing else. Nobody has to wait for somebody who neither asks the
server anything nor ends: after a while the turn is begun anew without them.
"""

import threading

PATIENCE_SECONDS = 0.005
"""As long as the interpreter lets a thread run that others wait for (``sys.getswitchinterval``)."""


class Turn:
    """The turn of the threads that share it; each takes it before it works."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mine = threading.local()

    def take(self) -> None:
        """Wait for one's turn, but not for ever."""
        lock = self._lock
        if not lock.acquire(timeout=PATIENCE_SECONDS):
            # Whoever has it computes or sleeps in a handler; they keep the old one to themselves.
            lock = threading.Lock()
            lock.acquire()
            self._lock = lock
        self._mine.lock = lock

    def give(self) -> None:
        """Let others run; without a turn it does nothing."""
        lock: threading.Lock | None = getattr(self._mine, "lock", None)
        if lock is not None:
            self._mine.lock = None
            lock.release()
