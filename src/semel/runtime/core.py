"""What the verbs work with: the ports, the catalog and the plans that run in this process."""

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar

from semel.catalog import Catalog
from semel.domain.action import Allow
from semel.domain.key import uuid7
from semel.domain.keyring import Keyring
from semel.domain.report import Speaker
from semel.errors import Bug, Busy, CommitUnknown, Unreachable
from semel.facts import instant_text
from semel.ports import Clock, EngineTx, Entropy, Found, Host, Pending, Row, Store, Value
from semel.runtime import points
from semel.runtime.answers import answer
from semel.runtime.chain import chained
from semel.runtime.heard import Heard

T = TypeVar("T")

log = logging.getLogger("semel")

WAIT_SECONDS = 20.0
"""How long a caller waits for a running plan before it is told "running": shorter than the 30 s
after which most HTTP clients give up on their own."""

LOCAL_SECONDS = 5.0
"""What a Local step may take; the store enforces it."""

PREPARE_SECONDS = 20.0
"""What preparing an outside step may take: rendering a document, not a night's work."""

GRACE_SECONDS = 10.0
"""For pauses between steps: a busy disk, a collected heap."""

ASK_AGAIN_SECONDS = (0.0, 0.1, 0.5, 2.0, 5.0)
"""Pauses before a lost COMMIT is looked for: a server that was killed needs seconds."""

WRITES = "writes"
"""What a transaction holds of its organization in which an application decides and writes: on
SQLite nobody else writes meanwhile, and elsewhere nobody else of the same organization."""

DRAIN_SECONDS = 30.0
"""How long a closing engine waits for the step in flight; nothing depends on it."""


class Rings(Protocol):
    """Whoever wants to know that something was committed here."""

    def ring(self) -> None:
        """Something was."""

    def end(self) -> None:
        """Nothing more will be: this process is being stopped."""


@dataclass(slots=True)
class Core:
    """The engine's parts. It wires and counts; it decides nothing."""

    store: Store
    catalog: Catalog
    keys: Keyring
    clock: Clock
    entropy: Entropy
    host: Host
    allow: Allow
    speaker: Speaker
    draining: bool = False
    """This process is being stopped: what runs ends its step, and nothing new begins."""
    begin_due: "Callable[[Core], Coroutine[Any, Any, None]] | None" = None
    """Begins the later plans whose time is now; the engine puts it here."""
    wrote_later: bool = False
    """A step of this process has written a plan for later, perhaps for this moment."""
    running: dict[tuple[str, str], "asyncio.Task[None]"] = field(default_factory=dict)
    heard: Heard = field(default_factory=Heard)
    """What other instances say of plans that are waited for here."""
    background: set["asyncio.Task[Any]"] = field(default_factory=set)
    repeats: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Calls and presses that only told what was there, by organization, since this process began:
    they left nothing behind, and are worth no write."""
    watch: "Rings | None" = None
    """Who follows plans here; it rings when something was committed in this process."""
    watched: bool = False
    """People's browsers follow plans, here or elsewhere: what is decided here is announced."""

    def resume_after(self, now: datetime, seconds: float = LOCAL_SECONDS) -> str:
        """When somebody else may take over a plan whose step may take *seconds* from *now*.

        The next step's preparing comes before its own start writes this anew, so it counts too.
        """
        return self.later(now, seconds + PREPARE_SECONDS + GRACE_SECONDS)

    async def transact(
        self,
        name: str,
        work: Callable[[EngineTx], T],
        committed: Callable[[EngineTx], bool] | None = None,
    ) -> T:
        """Run *work* as one transaction and return its value after the COMMIT.

        A COMMIT whose answer was lost is looked for by *committed* and, when it did not happen,
        made anew; without it, *work* itself is run again, which finds what it has done. Both begin
        by locking what the lost transaction had locked, so they wait for its end.

        Args:
            name: its kind, for crash points.
            work: the transaction.
            committed: whether an earlier run of this very *work* was kept.

        Raises:
            CommitUnknown: the answer was lost, and nothing can be run again or the database is
                away; what was written, if it was, stays.
        """
        member = self._member(name, work, committed)
        value = await self._told(name, lambda _: self._begun(name, member))
        self._ended_well(name)
        return value

    async def unless(
        self,
        statement: str,
        params: Mapping[str, Value],
        name: str,
        work: Callable[[EngineTx], T],
        committed: Callable[[EngineTx], bool] | None = None,
    ) -> T | Found:
        """Like :meth:`transact`, unless one of the engine's reading statements has a row by itself.

        Where transactions queue, it is not asked beside them: *work* finds that row too.
        """
        both = self.store.submit_unless
        if both is None:
            row = None if self.store.crowded else await self.ask(statement, **params)
            return Found(row) if row is not None else await self.transact(name, work, committed)
        member = self._member(name, work, committed)

        def begun(again: bool) -> Pending[T | Found]:
            # What was lost is looked for as it always is, and not taken for somebody else's.
            return self._begun(name, member) if again else both(statement, params, member)

        value = await self._told(name, begun)
        if not isinstance(value, Found):
            self._ended_well(name)
        return value

    def _member(
        self,
        name: str,
        work: Callable[[EngineTx], T],
        committed: Callable[[EngineTx], bool] | None,
    ) -> Callable[[EngineTx], T]:
        """What the store runs of a transaction; once more when its COMMIT was not answered."""
        if name not in points.TRANSACTIONS:
            raise Bug(f"{name} is not a kind of transaction.")
        kept: list[T] = []

        def member(tx: EngineTx) -> T:
            _inside.transaction = True
            try:
                if kept and committed is not None and committed(tx):
                    return kept[-1]
                value = chained(self.keys, work, tx, points.pointed(tx))
                points.reach(f"commit:{name}:before")
            except StopIteration as no:
                # A future refuses to carry it, and whoever waits for it would wait for ever.
                raise RuntimeError(f"{name} raised StopIteration") from no
            finally:
                _inside.transaction = False
            kept.append(value)
            return value

        return member

    def _ended_well(self, name: str) -> None:
        if self.watch is not None:
            self.watch.ring()
        points.reach(f"commit:{name}:after")

    def _begun(self, name: str, member: Callable[[EngineTx], T]) -> Pending[T]:
        return self.store.submit(member, own=name in points.OWN)

    async def _told(self, name: str, begun: Callable[[bool], Pending[T]]) -> T:
        """Run a transaction until it is known how it ended.

        Args:
            name: its kind.
            begun: begins it; again, when it is given True.
        """
        lost: CommitUnknown | None = None
        for pause in (*ASK_AGAIN_SECONDS, None):
            try:
                return await answer(begun(lost is not None))
            except CommitUnknown as no:
                if name == points.APP or pause is None:
                    raise
                lost = no
            except (Unreachable, Busy) as no:
                # Busy: the lost transaction may be open still, until the server's own limit.
                if lost is None:
                    raise
                if pause is None:
                    raise lost from no
            log.warning("The answer to a COMMIT was lost; it is looked for.", exc_info=lost)
            await asyncio.sleep(pause)
        raise Bug("A transaction came to no end.")

    async def closed(self) -> str | None:
        """Why no outside step may begin; while none may, it is looked at anew each time."""
        if self.store.closed is not None:
            await answer(self.store.submit_examination())
        return self.store.closed

    async def read(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* on one snapshot; an application's statements may run in it."""
        return await answer(self.store.submit_read(work))

    async def look(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* on one snapshot, in which only the engine's own statements run."""
        return await answer(self.store.submit_read(work, own=True))

    async def ask(self, statement: str, /, **params: Value) -> Row | None:
        """The first row of one of the engine's reading statements, by itself."""
        return await answer(self.store.submit_one(statement, **params))

    def new_id(self, now: datetime | None = None) -> str:
        """A fresh UUIDv7 as text."""
        moment = now or self.clock.now()
        return uuid7(int(moment.timestamp() * 1000), self.entropy.bytes(10))

    def later(self, now: datetime, seconds: float) -> str:
        """The instant text of *seconds* after *now*."""
        return instant_text(datetime.fromtimestamp(now.timestamp() + seconds, now.tzinfo))

    def spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Run *work* beside the caller: a closed socket or a cancelled request stops nothing."""
        task = asyncio.get_running_loop().create_task(work)
        self.background.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self.background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("A plan stopped unexpectedly; a sweep will resume it.", exc_info=error)


_inside = threading.local()


def inside_transaction() -> bool:
    """Whether this thread is running a transaction's work, which can wait for nobody."""
    return getattr(_inside, "transaction", False)
