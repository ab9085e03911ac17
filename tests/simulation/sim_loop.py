"""An event loop whose time is not the world's, and whose callbacks belong to processes.

A process that is dead has no next callback; nothing of it is told, no `finally` of it runs in time.
A process that is paused has none until it goes on. Whoever has no process is the network.
"""

import asyncio
import contextvars
import heapq
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol


class Held(Protocol):
    """What the loop has to know of a process."""

    dead: bool
    paused: bool
    held: list[asyncio.Handle]


PROCESS: contextvars.ContextVar[Held] = contextvars.ContextVar("process")

NETWORK = contextvars.Context()
"""Where callbacks run that no process can stop."""


class Stuck(Exception):
    """Nothing can ever happen again."""


class SimTask(asyncio.Task[Any]):
    """A task with a number for a hash, so that a set of tasks has the same order every time."""

    number = 0

    def __hash__(self) -> int:
        return self.number


class SimLoop(asyncio.BaseEventLoop):
    """Runs callbacks one by one; time moves only when nobody can do anything else."""

    def __init__(self) -> None:
        super().__init__()
        self.instant = 0.0
        self.tasks: list[SimTask] = []
        self.set_task_factory(self._task)  # type: ignore[arg-type]  # a task is a future
        self.set_exception_handler(lambda _loop, _context: None)

    def time(self) -> float:
        return self.instant

    def _task(self, loop: Any, coro: Any, **given: Any) -> SimTask:
        task = SimTask(coro, loop=loop, **given)
        task.number = len(self.tasks)
        self.tasks.append(task)
        return task

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        """Run it here: a thread would come back whenever it likes."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as no:
            future.set_exception(no)
        return future

    def _write_to_self(self) -> None:
        """There is nobody to wake."""

    def _process_events(self, event_list: Any) -> None:
        """There are none."""

    def _run_once(self) -> None:
        ready, timers = self._ready, self._scheduled  # type: ignore[attr-defined]  # the loop has no public name for them
        if not ready:
            while timers and timers[0]._cancelled:
                heapq.heappop(timers)._scheduled = False
            if not timers:
                raise Stuck
            self.instant = max(self.instant, timers[0]._when)
            while timers and timers[0]._when <= self.instant:
                timer = heapq.heappop(timers)
                timer._scheduled = False
                ready.append(timer)
        handle = ready.popleft()
        if handle._cancelled:
            return
        process = handle._context.get(PROCESS)
        if process is not None:
            if process.dead:
                return
            if process.paused:
                process.held.append(handle)
                return
        handle._run()

    def go_on(self, process: Held) -> None:
        """What a process could not do while it was paused is to be done now."""
        held, process.held = process.held, []
        self._ready.extend(held)  # type: ignore[attr-defined]  # as above

    def end(self) -> None:
        """Close what never came to its end, as the death of a process leaves it."""
        self._ready.clear()  # type: ignore[attr-defined]  # as above
        self._scheduled.clear()  # type: ignore[attr-defined]  # as above
        for task in self.tasks:
            if not task.done():
                task._log_destroy_pending = False  # type: ignore[attr-defined]  # nobody is to hear of it
                coro: Any = task.get_coro()
                # One that would go on after its end is told so; there is no after.
                with suppress(RuntimeError):
                    coro.close()
        self.tasks.clear()
        self.close()


def run(loop: SimLoop, main: Coroutine[Any, Any, Any]) -> Any:
    """Run *main* on the loop, as the network."""
    task = loop.create_task(main, context=NETWORK.copy())
    try:
        return loop.run_until_complete(task)
    finally:
        loop.end()
