"""Answers of a store, waited for on an event loop: those that come together wake the loop once."""

import asyncio
import threading
from contextlib import suppress
from typing import TypeVar

from semel.ports import Pending

T = TypeVar("T")


class _Mailbox:
    """What other threads have for one loop. Waking it costs more than most answers do."""

    __slots__ = ("_came", "_lock", "loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._came: list[asyncio.Future[None]] = []
        self._lock = threading.Lock()

    def put(self, waiter: "asyncio.Future[None]") -> None:
        """Wake who waits, from any thread; a loop that has ended has nobody waiting."""
        with self._lock:
            self._came.append(waiter)
            first = len(self._came) == 1
        if first:
            with suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self._hand_out)

    def _hand_out(self) -> None:
        with self._lock:
            came, self._came = self._came, []
        for waiter in came:
            if not waiter.done():
                waiter.set_result(None)


_here = threading.local()


def _mailbox() -> _Mailbox:
    loop = asyncio.get_running_loop()
    found: _Mailbox | None = getattr(_here, "mailbox", None)
    if found is None or found.loop is not loop:
        found = _here.mailbox = _Mailbox(loop)
    return found


async def answer(future: Pending[T]) -> T:
    """The answer of a store, without blocking the loop.

    A transaction once queued is never taken back: its caller may go, its outcome stands.
    """
    if not future.done():
        box = _mailbox()
        waiter = box.loop.create_future()
        future.add_done_callback(lambda _: box.put(waiter))
        await waiter
    return future.result()
