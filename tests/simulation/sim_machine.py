"""Processes of a simulation: engines on one store in memory, which may stop between two statements.

A process is the real engine. What it asks of the store waits for a moment of its own, and may be
the moment at which the process dies, stands still, or never hears how its COMMIT ended.
"""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from datetime import datetime, timedelta
from math import inf
from typing import Any

from crossed import Counted
from memory_pedidos import Machine
from pedidos import allow
from sim_faults import HOUR, Faults
from sim_loop import NETWORK, PROCESS, SimLoop

from semel.catalog import Catalog
from semel.domain.keyring import Keyring
from semel.errors import CommitUnknown, Unreachable
from semel.ports import Clock
from semel.runtime import points
from semel.runtime.core import Core
from semel.runtime.engine import Engine
from semel.storage.memory import MemoryStore
from semel.storage.memory.schema import ATTEMPTS, PLANS, STEPS
from semel.words import speaker

WITHIN = frozenset({"reply lost", "commit lost", "crash in transaction"})
"""What cannot happen before a transaction."""
STATEMENTS_MAX = 60
"""A process that is to die in a transaction dies at one of its first so many points, or not."""


class Killed(BaseException):
    """The process is no more; whoever catches this is dead already."""


class NeverKept(Exception):
    """The COMMIT did not happen."""


class SimClock(Clock):
    """A clock of the simulation's time; it may be wrong, and may jump."""

    def __init__(self, loop: SimLoop, start: datetime, skew: float = 0.0) -> None:
        self.loop = loop
        self.start = start
        self.off = skew

    def now(self) -> datetime:
        return self.start + timedelta(seconds=self.loop.instant + self.off)

    def monotonic(self) -> float:
        return self.loop.instant


class SkewedClock(Clock):
    """An instance's own clock, which differs from the database's by so many seconds."""

    def __init__(self, clock: SimClock, skew: float) -> None:
        self._clock = clock
        self._skew = timedelta(seconds=skew)

    def now(self) -> datetime:
        return self._clock.now() + self._skew

    def monotonic(self) -> float:
        return self._clock.monotonic()


class Site:
    """What the processes of a schedule share."""

    def __init__(
        self, loop: SimLoop, store: MemoryStore, clock: SimClock, entropy: Counted,
        catalog: Catalog, keys: Keyring, faults: Faults | None,
    ) -> None:  # fmt: skip
        self.loop = loop
        self.store = store
        self.clock = clock
        self.entropy = entropy
        self.catalog = catalog
        self.keys = keys
        self.faults = faults
        self.dead: set[str] = set()
        """Whose end is known to the others."""
        self.processes: list[Process] = []
        self.changed: Callable[[set[tuple[str, str]], list[tuple[Any, ...]]], None] = (
            lambda plans, opened: None
        )
        """Told of the plans that a commit has changed, and of the sends that it has marked."""
        self.jumped: Callable[[float], None] = lambda seconds: None
        """Told of the clock's jumps."""
        self.note: Callable[[str, str], None] = lambda who, text: None

    def jump(self, seconds: float) -> None:
        """Let the database's clock jump; it is never wrong by more than an hour."""
        was = self.clock.off
        self.clock.off = min(max(was + seconds, -HOUR), HOUR)
        self.jumped(self.clock.off - was)
        self.note("clock", f"jumps by {self.clock.off - was:.0f} s")

    def alive(self) -> "list[Process]":
        """The processes that run, drain or stand still."""
        return [process for process in self.processes if not process.dead]

    def born(self, *, skew: float = 0.0, known: bool = True) -> "Process":
        """A new process."""
        process = Process(self, f"p{len(self.processes) + 1}", skew, known=known)
        self.processes.append(process)
        return process


class Process:
    """One instance: an engine, and what becomes of it."""

    def __init__(self, site: Site, name: str, skew: float, *, known: bool) -> None:
        self.site = site
        self.name = name
        self.known = known
        self.dead = False
        self.paused = False
        self.paused_until = 0.0
        self.draining = False
        self.disturbed: list[tuple[float, float]] = []
        """From when to when it stood still, was being stopped, or was dead."""
        self.held: list[Any] = []
        self._callers: list[asyncio.Future[Any]] = []
        self.context = contextvars.copy_context()
        self.context.run(PROCESS.set, self)
        clock: Clock = SkewedClock(site.clock, skew) if skew else site.clock
        self.engine = Engine(
            Core(
                store=SimStore(self), catalog=site.catalog, keys=site.keys, clock=clock,
                entropy=site.entropy, host=Machine(name, site.dead), allow=allow, speaker=speaker,
            )
        )  # fmt: skip

    def call(self, verb: Coroutine[Any, Any, Any]) -> "asyncio.Future[Any]":
        """Run a verb here for somebody outside: what it answered or raised; None when nothing
        comes back, since the process is dead."""
        answer: asyncio.Future[Any] = self.site.loop.create_future()
        if self.dead:
            verb.close()
            answer.set_result(None)
            return answer
        task = self.site.loop.create_task(verb, context=self.context)

        def told(task: "asyncio.Task[Any]") -> None:
            if not answer.done():
                cut = task.cancelled()
                error = None if cut else task.exception()
                answer.set_result(None if cut else error or task.result())

        task.add_done_callback(told, context=NETWORK)
        self._callers.append(answer)
        return answer

    def kill(self) -> None:
        """SIGKILL: from here on nothing of it happens."""
        if self.dead:
            return
        self.dead = True
        self.disturbed.append((self.site.loop.instant, inf))
        self.site.note(self.name, "dies")
        if self.known:
            self.site.dead.add(self.name)
        self.held.clear()
        for answer in self._callers:
            if not answer.done():
                answer.set_result(None)

    def pause(self, seconds: float) -> None:
        """Stand still; what was to be done meanwhile is done afterwards."""
        if self.dead or self.paused:
            return
        loop = self.site.loop
        self.disturbed.append((loop.instant, loop.instant + seconds))
        self.paused, self.paused_until = True, loop.instant + seconds
        self.site.note(self.name, f"stands still for {seconds:.0f} s")
        loop.call_later(seconds, self._goes_on, context=NETWORK)

    def _goes_on(self) -> None:
        if not self.dead:
            self.paused = False
            self.site.note(self.name, "goes on")
            self.site.loop.go_on(self)

    def drain(self) -> None:
        """Be stopped in good order, and be gone after that."""
        if self.dead or self.draining:
            return
        self.draining = True
        self.disturbed.append((self.site.loop.instant, inf))
        self.site.note(self.name, "drains")

        async def stop() -> None:
            await self.engine.drain()
            self.kill()

        self.site.loop.create_task(stop(), context=self.context)


class SimStore:
    """The one store, as a process sees it."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._site = process.site

    def submit(self, work: Callable[[Any], Any], *, own: bool = False) -> "Future[Any]":
        """A transaction; it is answered when its moment has come."""
        faults, future = self._site.faults, Future[Any]()
        fate, delay, after = None, 0.001, False
        if faults is not None:
            delay = faults.latency()
            struck = faults.at_transaction(own=own)
            if struck is not None:
                fate, after = struck
                if fate in WITHIN:
                    after = True
                elif not after and not self._strikes(fate, faults, future):
                    return future
        fate = fate if after else None
        self._site.loop.call_later(delay, self._act, work, future, fate, context=NETWORK)
        return future

    def _strikes(self, fate: str, faults: Faults, future: "Future[Any]") -> bool:
        """Let a fault happen beside a transaction; False when nothing comes after it."""
        process, site = self._process, self._site
        faults.count(fate)
        if fate == "crash":
            process.kill()
            return False
        if fate == "database away":
            site.note(process.name, "cannot reach the database")
            future.set_exception(Unreachable())
            return False
        if fate in {"pause", "long pause"}:
            process.pause(faults.pause(fate))
        elif fate == "drain":
            process.drain()
        else:
            site.jump(faults.jump(fate))
        return True

    def _act(self, work: Callable[[Any], Any], future: "Future[Any]", fate: str | None) -> None:
        """Run the transaction, now; *fate* comes within it or after its COMMIT."""
        process, site = self._process, self._site
        if process.dead:
            return
        if process.paused:
            process.held.append(asyncio.Handle(self._act, (work, future, fate), site.loop, NETWORK))
            return
        plans: set[tuple[str, str]] = set()
        opened: list[tuple[Any, ...]] = []

        def member(tx: Any) -> Any:
            value = work(tx)
            if process.dead:
                raise Killed
            if fate == "commit lost":
                raise NeverKept
            for table, key, before in tx._tables._log:
                if table.schema is STEPS or table.schema is PLANS:
                    plans.add((key[0], key[1]))
                elif table.schema is ATTEMPTS and before is None:
                    opened.append(key)
            return value

        try:
            if fate == "crash in transaction" and site.faults is not None:
                points.arm(_dying(process, site.faults))
            value = site.store.transact(member)
        except Killed:
            return
        except NeverKept:
            self._lost(future, "commit lost")
            return
        except BaseException as no:
            if process.dead:
                # It met its end inside a handler, and was caught there.
                return
            future.set_exception(no)
            return
        finally:
            points.arm(None)
        if plans:
            site.changed(plans, opened)
        if opened and fate is None and site.faults is not None:
            fate = site.faults.at_mark()
        if fate in {"reply lost", "database away"}:
            # It went away with the answer.
            self._lost(future, "reply lost")
        elif fate is None or fate in WITHIN or self._strikes(fate, site.faults, future):
            future.set_result(value)

    def _lost(self, future: "Future[Any]", kind: str) -> None:
        if self._site.faults is not None:
            self._site.faults.count(kind)
        self._site.note(self._process.name, f"does not hear how its COMMIT ended: {kind}")
        future.set_exception(CommitUnknown())

    def submit_read(self, work: Callable[[Any], Any], *, own: bool = False) -> "Future[Any]":
        """A read, at once: what may come between it and the next write does."""
        return self._site.store.submit_read(work, own=own)

    def submit_one(self, statement: str, /, **params: Any) -> "Future[Any]":
        return self._site.store.submit_one(statement, **params)

    def announce(self, word: str) -> None:
        """Nobody hears it."""

    def listen(self, heard: Callable[[str], None]) -> bool:
        del heard
        return False

    @property
    def crowded(self) -> bool:
        """Every other process takes its own for crowded: it looks for nothing beside a transaction."""
        return sum(self._process.name.encode()) % 2 == 1

    def __getattr__(self, name: str) -> Any:
        """What a simulation has nothing to add to."""
        return getattr(self._site.store, name)


def _dying(process: Process, faults: Faults) -> Callable[[str], None]:
    """A hook under which the process dies at one of the points of its transaction."""
    left = faults.point(STATEMENTS_MAX)

    def reach(name: str) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            if not process.dead:
                faults.count("crash in transaction")
                process.site.note(process.name, f"is in a transaction, at {name}")
                process.kill()
            raise Killed

    return reach
