"""What the verbs work with: the ports, the catalog and the plans that run in this process."""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from semel.catalog import Catalog
from semel.domain.action import Allow
from semel.domain.key import uuid7
from semel.domain.keyring import Keyring
from semel.domain.report import Speaker
from semel.errors import Bug
from semel.facts import instant_text
from semel.ports import Clock, EngineTx, Entropy, Host, Store
from semel.runtime import points

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

DRAIN_SECONDS = 30.0
"""How long a closing engine waits for the step in flight; nothing depends on it."""


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
    background: set["asyncio.Task[Any]"] = field(default_factory=set)

    def resume_after(self, now: datetime, seconds: float = LOCAL_SECONDS) -> str:
        """When somebody else may take over a plan whose step may take *seconds* from *now*.

        The next step's preparing comes before its own start writes this anew, so it counts too.
        """
        return self.later(now, seconds + PREPARE_SECONDS + GRACE_SECONDS)

    async def transact(self, name: str, work: Callable[[EngineTx], T]) -> T:
        """Run *work* as one transaction and return its value after the COMMIT."""
        if name not in points.TRANSACTIONS:
            raise Bug(f"{name} is not a kind of transaction.")

        def member(tx: EngineTx) -> T:
            _inside.transaction = True
            try:
                value = work(points.pointed(tx))
                points.reach(f"commit:{name}:before")
            except StopIteration as no:
                # A future refuses to carry it, and whoever waits for it would wait for ever.
                raise RuntimeError(f"{name} raised StopIteration") from no
            finally:
                _inside.transaction = False
            return value

        value = await _result(self.store.submit(member))
        points.reach(f"commit:{name}:after")
        return value

    async def read(self, work: Callable[[EngineTx], T]) -> T:
        """Run *work* on one snapshot."""
        return await _result(self.store.submit_read(work))

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


async def _result(future: "Future[T]") -> T:
    if future.done():
        return future.result()
    # A transaction once queued is never taken back: its caller may go, its outcome stands.
    return await asyncio.shield(asyncio.wrap_future(future))
