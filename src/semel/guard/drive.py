"""Drives the way of a call: in the caller's thread, or as a task of an event loop.

What a plain function does cannot be cut off, so its time is only looked at by others. A coroutine
is given up when its time has passed; it is told so, and what it still comes to is recorded.
"""

import asyncio
import inspect
import threading
from concurrent.futures import wait as wait_for
from typing import TypeVar

from semel.guard.kit import log
from semel.guard.way import Came, Pause, Run, Wanted, Way
from semel.ports import Pending
from semel.runtime.answers import answer

T = TypeVar("T")


def blocking(way: Way[T]) -> T:
    """Drive a way to its end in this thread."""
    try:
        wanted = next(way)
        while True:
            try:
                value = _waited(wanted)
            except BaseException as no:  # noqa: BLE001 - the way decides what is made of it
                wanted = way.throw(no)
            else:
                wanted = way.send(value)
    except StopIteration as end:
        ended: T = end.value
        return ended
    finally:
        way.close()


def _waited(wanted: Wanted) -> object:
    if isinstance(wanted, Run):
        return _ran(wanted)
    if isinstance(wanted, Pause):
        return _paused(wanted)
    return wanted.result()


def _paused(pause: Pause) -> bool:
    if pause.until is None:
        return threading.Event().wait(pause.seconds)
    wait_for([pause.until], timeout=pause.seconds)
    return pause.until.done()


def _ran(run: Run) -> Came:
    try:
        value = run.function()
    except BaseException as no:  # noqa: BLE001 - recorded first, whatever it is, and then raised
        return Came(error=no)
    return Came(value)


async def looping(way: Way[T]) -> T:
    """Drive a way to its end on this event loop."""
    try:
        wanted = next(way)
        while True:
            try:
                if isinstance(wanted, (Run, Pause)):
                    value = await _awaited(wanted)
                else:
                    value = await answer(wanted)
            except BaseException as no:  # noqa: BLE001 - the way decides what is made of it
                wanted = way.throw(no)
            else:
                wanted = way.send(value)
    except StopIteration as end:
        ended: T = end.value
        return ended
    finally:
        way.close()


async def waited(future: Pending[T]) -> T:
    """The answer of a store, without blocking the loop."""
    return await answer(future)


async def _awaited(wanted: Run | Pause) -> object:
    if isinstance(wanted, Run):
        return await _given_up(wanted)
    if wanted.until is None:
        await asyncio.sleep(wanted.seconds)
        return False
    await asyncio.wait({asyncio.wrap_future(wanted.until)}, timeout=wanted.seconds)
    return wanted.until.done()


async def _given_up(run: Run) -> Came:
    """Run a coroutine function until its time has passed; it goes on by itself after that."""

    async def made() -> object:
        if run.blocks:
            return await asyncio.to_thread(run.function)
        value = run.function()
        return await value if inspect.isawaitable(value) else value

    task = asyncio.ensure_future(made())
    try:
        await asyncio.wait({task}, timeout=run.seconds)
    except asyncio.CancelledError:
        # The loop is being ended: nothing is known of it here, as if the process had died.
        task.cancel()
        raise
    if task.done():
        return _came(task)
    task.cancel()
    if run.late is not None:
        late = run.late
        task.add_done_callback(lambda done: late(_came(done)))
    return Came(back=False)


def _came(task: "asyncio.Future[object]") -> Came:
    if task.cancelled():
        return Came(error=asyncio.CancelledError())
    error = task.exception()
    if error is not None:
        log.debug("A guarded function raised.", exc_info=error)
        return Came(error=error)
    return Came(task.result())
