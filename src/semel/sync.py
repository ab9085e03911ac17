"""The blocking face: the engine on a loop of its own, in a thread of its own.

One text of every verb serves both worlds; here a call is handed to the loop and waited for.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from semel.domain.action import Tx
from semel.domain.doubt import Answer
from semel.domain.plan import Who
from semel.domain.report import Outcome, PlanView
from semel.errors import Bug
from semel.runtime.core import inside_transaction
from semel.runtime.engine import Engine
from semel.runtime.history import Detail
from semel.runtime.sweep import Swept
from semel.runtime.trace import Trace

T = TypeVar("T")


class Sync:
    """``with engine.sync as face`` opens the engine; leaving it drains and closes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._loop: asyncio.AbstractEventLoop
        self._thread: threading.Thread
        self._opened = False
        self._opening = threading.Lock()
        self.agent = SyncAgent(self)

    def person(self, who: Who) -> "SyncPerson":
        """The blocking face of one person's session."""
        return SyncPerson(self, who)

    def sweep(self) -> Swept:
        """Resume what nobody finishes; let unanswered questions expire."""
        return self.call(self._engine.sweep())

    def read(self, work: Callable[[Tx], T]) -> T:
        """Run an application's *work* on one snapshot of its tables."""
        return self.call(self._engine.read(work))

    def write(self, work: Callable[[Tx], T], *, org: str | None = None) -> T:
        """Run an application's own *work* as one transaction; see :meth:`Engine.write`."""
        return self.call(self._engine.write(work, org=org))

    def once(self, key: str, fn: Callable[[Tx], T], *, org: str = "main") -> T:
        """Run *fn* as one transaction, once for this key; see :meth:`Engine.once`."""
        return self.call(self._engine.once(key, fn, org=org))

    def open(self) -> None:
        """Open the engine, if it is not open yet."""
        with self._opening:
            if not self._opened:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="semel", daemon=True
                )
                self._thread.start()
                try:
                    self._wait(self._engine.start())
                except BaseException:
                    self._stop()
                    raise
                self._opened = True

    def close(self) -> None:
        """Drain and close the engine."""
        with self._opening:
            if self._opened:
                self._opened = False
                self._wait(self._engine.stop())
                self._stop()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run *work* on the engine's loop and wait for it; opens the engine when needed.

        Raises:
            Bug: called from inside a step's transaction, which would wait for itself.
        """
        if inside_transaction():
            work.close()
            raise Bug("A step's transaction cannot wait for the engine; use ctx.tx.")
        try:
            self.open()
        except BaseException:
            work.close()
            raise
        return self._wait(work)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class SyncAgent:
    """What a model's side may do, without ``await``."""

    def __init__(self, face: Sync) -> None:
        self._face = face

    def act(self, who: Who, plan: object, *, message: str, sentence: str | None = None) -> Outcome:
        """See :meth:`semel.runtime.engine.AgentFace.act`."""
        agent = self._face._engine.agent  # noqa: SLF001 - two halves of one face
        return self._face.call(agent.act(who, plan, message=message, sentence=sentence))

    def status(self, who: Who, plan: str) -> Outcome:
        """How a plan of this person stands."""
        return self._face.call(self._face._engine.agent.status(who, plan))  # noqa: SLF001 - as above


class SyncPerson:
    """What a person's own session may do, without ``await``."""

    def __init__(self, face: Sync, who: Who) -> None:
        self._face = face
        self._person = face._engine.person(who)  # noqa: SLF001 - two halves of one face

    def confirm(self, token: str, words: str | None = None) -> Outcome:
        """Say yes to the question that this token stands for."""
        return self._face.call(self._person.confirm(token, words))

    def retry(self, token: str, words: str | None = None) -> Outcome:
        """Do what is left of a plan that stopped."""
        return self._face.call(self._person.retry(token, words))

    def undo(self, token: str) -> Outcome:
        """Take back what a plan did."""
        return self._face.call(self._person.undo(token))

    def cancel(self, plan: str) -> Outcome:
        """Stop a plan, or what is left of it."""
        return self._face.call(self._person.cancel(plan))

    def resolve(self, plan: str, position: int, answer: Answer) -> Outcome:
        """Say what became of a step that is in doubt."""
        return self._face.call(self._person.resolve(plan, position, answer))

    def trace(self, kind: str, id: str) -> Trace | None:
        """From a record back to the sentence that led to it."""
        return self._face.call(self._person.trace(kind, id))

    def says(self, text: str, *, message: str | None = None, source: str = "text") -> Outcome:
        """Read a message as the answer to the pending question."""
        return self._face.call(self._person.says(text, message=message, source=source))

    def status(self, plan: str) -> Outcome:
        """How a plan stands."""
        return self._face.call(self._person.status(plan))

    def plans(self, limit: int = 50) -> list[PlanView]:
        """The plans this person may see, newest first."""
        return self._face.call(self._person.plans(limit))

    def show(self, plan: str) -> Detail | None:
        """A plan with every step, attempt and event."""
        return self._face.call(self._person.show(plan))
