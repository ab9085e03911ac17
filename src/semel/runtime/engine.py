"""The engine and its two faces: what a model may do, and what a person's session may do.

It wires; every decision is made elsewhere. An adapter for models holds ``engine.agent`` and
nothing else, so no code path leads from a model to a yes.
"""

import asyncio
import contextlib
from collections.abc import Callable
from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar

from semel.domain.action import Tx
from semel.domain.keyring import Purpose, hkdf
from semel.domain.plan import Who
from semel.ports import EngineTx
from semel.runtime.core import DRAIN_SECONDS, WRITES, Core, log
from semel.runtime.doctor import Health, doctor
from semel.runtime.faces import AgentFace, PersonFace
from semel.runtime.fence import Fenced, fence, moved
from semel.runtime.once import once
from semel.runtime.operators import OperatorFace
from semel.runtime.settle import Settled, settle
from semel.runtime.sweep import Swept, begin_due, sweep

T = TypeVar("T")

SWEEP_SECONDS = 5.0
"""Between two sweeps of an instance: a crashed plan waits this long at most once it is due."""


class Engine:
    """Runs plans. ``async with engine`` opens it, sweeps beside, and drains at the end."""

    def __init__(self, core: Core, *, on_close: Callable[[], None] | None = None) -> None:
        self._core = core
        self._on_close = on_close
        self.agent = AgentFace(core)
        self.operator = OperatorFace(core)
        core.begin_due = begin_due
        self._sweeper: asyncio.Task[None] | None = None

    def person(self, who: Who) -> PersonFace:
        """The face of one person's session."""
        return PersonFace(self._core, who)

    async def sweep(self) -> Swept:
        """Resume what nobody finishes; let unanswered questions expire."""
        return await sweep(self._core)

    async def read(self, work: Callable[[Tx], T]) -> T:
        """Run an application's *work* on one snapshot of its tables; it cannot write."""
        return await self._core.read(lambda tx: work(tx.app))

    async def write(self, work: Callable[[Tx], T], *, org: str | None = None) -> T:
        """Run an application's own *work* as one transaction, outside any plan.

        Args:
            work: the transaction.
            org: whose records it reads and writes. On PostgreSQL no Local step of this organization
                runs meanwhile, so that what *work* decides by stays as it was read; without it
                *work* locks by itself what it decides by. On SQLite nobody else writes anyway.

        Raises:
            CommitUnknown: the connection was lost at the COMMIT; look whether it was written.
        """

        def held(tx: EngineTx) -> T:
            if org is not None:
                tx.send("keys.hold", org=org, key=WRITES)
            return work(tx.app)

        return await self._core.transact("app", held)

    async def once(self, key: str, fn: Callable[[Tx], T], *, org: str = "main") -> T:
        """Run *fn* as one transaction, once for this key; its value, now and ever after.

        Whoever calls with a key that has a value gets that value and *fn* is not run: in this
        process or another, at the same instant, or after a crash. When *fn* raises, nothing
        happened, its exception is the caller's, and the key is free.

        Args:
            key: names the call: text that is not blank, of at most 512 characters.
            fn: ``fn(tx) -> value``, a plain function on the application's statements. It touches
                nothing else, since a database may ask for it to be run again. The value is what
                JSON can write and read back, up to 256 KiB.
            org: whose call it is; two organizations may use the same key.

        Raises:
            ValueError: the key is no such text, or the value no such JSON. Nothing happened.
        """
        return await once(self._core, key, fn, org)

    def announce(self) -> None:
        """Tell other instances what is decided here from now on: people's browsers watch plans."""
        self._core.watched = True

    async def doctor(self) -> Health:
        """Look at how the database is set, and whether outside steps may begin."""
        return await doctor(self._core)

    async def fence(self, said_by: str, *, dry: bool = False) -> Fenced:
        """Say that an older copy was put back here, and that nothing runs on what was lost.

        Args:
            said_by: who says so; it is kept.
            dry: only count what it would do.
        """
        return await fence(self._core, said_by, dry=dry)

    async def moved(self) -> None:
        """Say that the database was moved here whole: nothing is lost, and nothing ends.

        Raises:
            StorageError: a fence was begun here and is not through.
        """
        await moved(self._core)

    async def gone(self, host: str, said_by: str, *, dry: bool = False) -> Settled:
        """Say that a host is gone for good, so that what it was sending settles.

        Args:
            host: its name.
            said_by: who says so; it is kept.
            dry: only say what it would come to.
        """
        return await settle(self._core, host, said_by, dry=dry)

    def now(self) -> datetime:
        """The engine's clock, in UTC."""
        return self._core.clock.now()

    def new_id(self) -> str:
        """A fresh UUIDv7 as text."""
        return self._core.new_id()

    def subkeys(self, purpose: str) -> tuple[bytes, ...]:
        """Keys derived from the signing keys for a purpose of a channel's, newest first.

        The first one signs and every one verifies, on each machine that has the same keys; a key
        that is taken out of the ring takes with it what it had signed.

        Args:
            purpose: a label of its own, ``semel.csrf.v1``; one key never serves two.

        Raises:
            ValueError: the engine itself uses that label.
        """
        if purpose in set(Purpose):
            raise ValueError(f"{purpose} is the engine's own.")
        return tuple(hkdf(secret, purpose.encode()) for _, secret in self._core.keys.keys)

    def migrate(self) -> list[str]:
        """Bring the tables up to this program; the migrations that were applied."""
        return self._core.store.migrate()

    async def start(self, *, sweeps: bool = True) -> None:
        """Open the engine: bring the tables up to date and, unless told not to, sweep beside."""
        self.migrate()
        self._say()
        if sweeps:
            self._sweeper = asyncio.get_running_loop().create_task(self._sweep_on())

    def _say(self) -> None:
        """Tell the log what keeps outside steps off, and what was allowed all the same."""
        if self._core.store.closed is not None:
            log.error("Nothing is sent outside. %s", self._core.store.closed)
        if self._core.store.unsafe is not None:
            log.warning("SEMEL_UNSAFE_DURABILITY=1: %s", self._core.store.unsafe)

    async def stop(self) -> None:
        """Stop sweeping, drain, and let go of the database."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.wait({self._sweeper})
        await self.drain()
        self.close()

    async def __aenter__(self) -> Self:
        try:
            await self.start()
        except BaseException:
            # Whoever could not come in does not go out either.
            self.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    def close(self) -> None:
        """Let go of the database, of an engine that was opened by hand."""
        self._core.store.close()
        if self._on_close is not None:
            self._on_close()

    async def settle(self) -> None:
        """Wait until nothing runs in this process any more, later plans that are due included."""
        while tasks := {*self._core.running.values(), *self._core.background}:
            await asyncio.wait(tasks)

    async def drain(self) -> None:
        """Begin no further step, and wait for the one in flight, at most 30 s.

        Plans that are not through are handed on: whoever sweeps next may have them at once. Nothing
        depends on it; a process that dies in the middle loses no more than time.
        """
        self._core.draining = True
        if self._core.watch is not None:
            self._core.watch.end()
        tasks = {*self._core.running.values(), *self._core.background}
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=DRAIN_SECONDS)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)

    async def _sweep_on(self) -> None:
        while True:
            with contextlib.suppress(Exception):
                # Logged where it happened; the next sweep tries again.
                await sweep(self._core)
            await asyncio.sleep(SWEEP_SECONDS)
