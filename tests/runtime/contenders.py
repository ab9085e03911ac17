"""Processes and threads that are let go at one instant, and what each of them found.

The processes are forked: each closes its end of a pipe, opens what it needs, says that it is ready
and reads the gate. The parent closes the gate when all are ready, and every reader wakes at once.
"""

import os
import pickle
import select
import signal
import sys
import traceback
from collections.abc import Callable, Container
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from typing import Any, Generic, TypeVar

import stores
from semel import Engine

T = TypeVar("T")

SECONDS = 60.0
"""What a child may take; a test that hangs says so instead of hanging the run."""


@dataclass
class Gate:
    """What a child waits at, in any number of threads; it counts as ready when all are there."""

    ready: int
    opens: int
    said: bool = False

    def wait(self) -> None:
        """Say that this process is ready, and wait until all are."""
        self.say()
        os.read(self.opens, 1)

    def say(self) -> None:
        """Say that this process is ready, and go on."""
        if not self.said:
            self.said = True
            os.write(self.ready, b".")


@dataclass
class Child(Generic[T]):
    """A process: its number, and the pipe that its value comes through."""

    pid: int
    pipe: int

    def value(self, ends: int = 0) -> T | None:
        """What it returned, once it has ended with this status; None when a signal ended it."""
        parts = []
        while True:
            if not select.select([self.pipe], [], [], SECONDS)[0]:
                self.kill()
                raise AssertionError(f"Child {self.pid} did not end.")
            part = os.read(self.pipe, 65536)
            if not part:
                break
            parts.append(part)
        os.close(self.pipe)
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if status != ends:
            raise AssertionError(f"Child {self.pid} ended with {status}, not with {ends}.")
        return pickle.loads(b"".join(parts)) if parts else None

    def kill(self) -> None:
        """End it, and reap it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.pipe)


def start(work: Callable[[], T], *close: int) -> "Child[T]":
    """Run *work* in a child, which keeps none of the descriptors in *close*."""
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return Child(pid, read)
    status = 9
    try:
        for handle in (read, *close):
            os.close(handle)
        value = pickle.dumps(work())
        with os.fdopen(write, "wb") as pipe:
            pipe.write(value)
        status = 0
    except BaseException:
        traceback.print_exc(file=sys.stderr)
    os._exit(status)


def contend(
    count: int,
    work: Callable[[int, Gate], T],
    during: Callable[[], None] = lambda: None,
    killed: Container[int] = (),
) -> list[Any]:
    """Run *work* in *count* processes that are let go together; what each returned, in order.

    Args:
        count: how many processes.
        work: what each does; it is given its number and the gate that it has to wait at.
        during: what the parent does once they run.
        killed: the numbers of those that SIGKILL ends; None stands for what they would return.
    """
    came, ready = os.pipe()
    opens, hold = os.pipe()

    def one(number: int) -> T:
        gate = Gate(ready, opens)
        try:
            return work(number, gate)
        finally:
            gate.say()  # one that fails early keeps nobody waiting

    children = [start(lambda number=number: one(number), came, hold) for number in range(count)]
    for handle in (ready, opens):
        os.close(handle)
    waiting = count
    while waiting:
        if not select.select([came], [], [], SECONDS)[0]:
            for child in children:
                child.kill()
            raise AssertionError("Not every child came to the gate.")
        waiting -= len(os.read(came, waiting))
    os.close(hold)
    os.close(came)
    during()
    return [
        child.value(-signal.SIGKILL if number in killed else 0)
        for number, child in enumerate(children)
    ]


def threads(count: int, gate: Gate, work: Callable[[int], Any]) -> list[Any]:
    """Run *work* in *count* threads of this process that the gate lets go together."""

    together = Barrier(count, action=gate.say)

    def one(number: int) -> Any:
        together.wait()
        gate.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return [found.result() for found in [pool.submit(one, number) for number in range(count)]]


def no_power_cut(engine: Engine) -> None:
    """Let the disk take its time: a test of thousands of commits in which no power is cut."""
    stores.no_power_cut(engine)
