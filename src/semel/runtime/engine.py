"""The engine and its two faces: what a model may do, and what a person's session may do.

It wires; every decision is made elsewhere. An adapter for models holds ``engine.agent`` and
nothing else, so no code path leads from a model to a yes.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar

from semel.domain.action import Tx
from semel.domain.plan import PlanReason, PlanRow, Who
from semel.domain.report import Outcome, PlanView, Refusal
from semel.facts import JSON
from semel.ports import EngineTx, Row
from semel.runtime import look, wait
from semel.runtime.confirm import Pressed, dismiss, press
from semel.runtime.core import DRAIN_SECONDS, Core
from semel.runtime.draft import Proposed
from semel.runtime.propose import Call, parse, propose
from semel.runtime.say import says
from semel.runtime.sweep import Swept, sweep

T = TypeVar("T")

SWEEP_SECONDS = 5.0
"""Between two sweeps of an instance: a crashed plan waits this long at most once it is due."""

LIST_MAX = 200


@dataclass(frozen=True, slots=True)
class Detail:
    """A plan whole, for the person who asks what happened: its rows as they are stored."""

    view: PlanView
    plan: Row
    steps: Sequence[Row]
    attempts: Sequence[Row]
    events: Sequence[Row]


class AgentFace:
    """What a model's side may do: propose, and ask how a plan stands."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def act(
        self, who: Who, plan: object, *, message: str, sentence: str | None = None
    ) -> Outcome:
        """Propose a plan for a person's message.

        Args:
            who: the person and conversation, as the channel established them.
            plan: what the model wrote: JSON text, bytes, or the parsed object.
            message: the id of the person's message that led to it.
            sentence: the person's words, kept so that a record leads back to them.

        Returns:
            ``Invalid`` or ``Refused`` when nothing was kept; ``Ask`` when a person must say yes;
            ``Report`` or ``Running`` when it ran at once, or had run before (``replayed``).
        """
        call = parse(self._core, who, message, sentence, plan)
        if not isinstance(call, Call):
            return call
        return await _proposed(self._core, await propose(self._core, call))

    async def status(self, who: Who, plan: str) -> Outcome:
        """How a plan of this person stands; it changes nothing."""
        return await _status(self._core, who, plan)

    def schema(self) -> dict[str, JSON]:
        """JSON Schema of a plan, for the one tool that a model gets."""
        return self._core.catalog.schema()


class PersonFace:
    """What a person's own session may do; only channels hold one."""

    def __init__(self, core: Core, who: Who) -> None:
        self._core = core
        self._who = who

    async def confirm(self, token: str, words: str | None = None) -> Outcome:
        """Say yes to the question that this token stands for.

        Args:
            token: what the button carried.
            words: the typed words, for plans that ask for them.
        """
        return await _pressed(self._core, await press(self._core, self._who, token, words))

    async def says(self, text: str, *, message: str | None = None, source: str = "text") -> Outcome:
        """Read a message as the answer to the pending question; never by a model.

        Args:
            text: what the person wrote.
            message: the channel's id of the message.
            source: ``text``; anything else (``voice``, ``reaction``, …) is never a yes.
        """
        del message  # a repeated yes meets a used question, so its own id decides nothing
        return await _pressed(self._core, await says(self._core, self._who, text, source))

    async def status(self, plan: str) -> Outcome:
        """How a plan stands; to those who may not see it, it does not exist."""
        return await _status(self._core, self._who, plan)

    async def plans(self, limit: int = 50) -> list[PlanView]:
        """The plans this person may see, newest first."""
        return await self._core.read(lambda tx: _plans(self._core, tx, self._who, limit))

    async def show(self, plan: str) -> Detail | None:
        """A plan with every step, attempt and event; None when it does not exist for them."""
        return await self._core.read(lambda tx: _show(self._core, tx, self._who, plan))


class OperatorFace:
    """What whoever runs the machine may look at: everybody's plans, and nothing to press."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def plans(self, limit: int = 50) -> list[PlanView]:
        """All plans, newest first."""

        def work(tx: EngineTx) -> list[PlanView]:
            rows = tx.all("plans.everywhere", limit=min(limit, LIST_MAX))
            found = [look.load(tx, str(row["org"]), str(row["plan"])) for row in rows]
            return [look.view(self._core, stored) for stored in found if stored is not None]

        return await self._core.read(work)

    async def show(self, plan: str) -> Detail | None:
        """A plan with every step, attempt and event; None when there is no such plan."""

        def work(tx: EngineTx) -> Detail | None:
            row = tx.one("plans.whose", plan=plan)
            return _detail(self._core, tx, str(row["org"]), plan) if row else None

        return await self._core.read(work)


class Engine:
    """Runs plans. ``async with engine`` opens it, sweeps beside, and drains at the end."""

    def __init__(self, core: Core, *, on_close: Callable[[], None] | None = None) -> None:
        self._core = core
        self._on_close = on_close
        self.agent = AgentFace(core)
        self.operator = OperatorFace(core)
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

    async def write(self, work: Callable[[Tx], T]) -> T:
        """Run an application's own *work* as one transaction, outside any plan."""
        return await self._core.transact("app", lambda tx: work(tx.app))

    def now(self) -> datetime:
        """The engine's clock, in UTC."""
        return self._core.clock.now()

    def new_id(self) -> str:
        """A fresh UUIDv7 as text."""
        return self._core.new_id()

    def migrate(self) -> list[str]:
        """Bring the tables up to this program; the migrations that were applied."""
        return self._core.store.migrate()

    async def start(self, *, sweeps: bool = True) -> None:
        """Open the engine: bring the tables up to date and, unless told not to, sweep beside."""
        self.migrate()
        if sweeps:
            self._sweeper = asyncio.get_running_loop().create_task(self._sweep_on())

    async def stop(self) -> None:
        """Stop sweeping, drain, and let go of the database."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.wait({self._sweeper})
        await self.drain()
        self.close()

    async def __aenter__(self) -> Self:
        await self.start()
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

    async def drain(self) -> None:
        """Wait for the step in flight, at most 30 s; a sweep finishes what is left."""
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


async def _proposed(core: Core, found: Proposed | Outcome) -> Outcome:
    if not isinstance(found, Proposed):
        return found
    stored = found.stored
    if found.owner is not None:
        wait.start(core, found.owner)
    if found.expired:
        org, plan = stored.plan.org, stored.plan.plan
        gone = await core.transact(
            "dismiss", lambda tx: dismiss(tx, org, plan, PlanReason.EXPIRED, "unanswered")
        )
        stored = gone or stored
    return await wait.outcome(core, stored, token=found.token, replayed=not found.new)


async def _pressed(core: Core, found: Pressed | Outcome) -> Outcome:
    if not isinstance(found, Pressed):
        return found
    if found.owner is not None:
        wait.start(core, found.owner)
    return await wait.outcome(core, found.stored, replayed=found.replayed)


async def _status(core: Core, who: Who, plan: str) -> Outcome:
    def work(tx: EngineTx) -> Outcome:
        stored = look.load(tx, who.org, plan)
        if stored is None or not look.may_look(core, tx, who, stored.plan):
            return look.refused(core, Refusal.NOT_FOUND)
        return look.outcome(core, stored, token=look.live_token(core, tx, who, stored.plan))

    return await core.read(work)


def _plans(core: Core, tx: EngineTx, who: Who, limit: int) -> list[PlanView]:
    everybody = look.may_decide(core, tx, who)
    rows = tx.all(
        "plans.listed",
        org=who.org, person=None if everybody else who.person, limit=min(limit, LIST_MAX),
    )  # fmt: skip
    found = [look.load(tx, who.org, PlanRow.read(row).plan) for row in rows]
    return [look.view(core, stored) for stored in found if stored is not None]


def _show(core: Core, tx: EngineTx, who: Who, plan: str) -> Detail | None:
    stored = look.load(tx, who.org, plan)
    if stored is None or not look.may_look(core, tx, who, stored.plan):
        return None
    return _detail(core, tx, who.org, plan)


def _detail(core: Core, tx: EngineTx, org: str, plan: str) -> Detail | None:
    stored = look.load(tx, org, plan)
    row = tx.one("plans.find", org=org, plan=plan)
    if stored is None or row is None:
        return None
    return Detail(
        view=look.view(core, stored),
        plan=row,
        steps=tx.all("steps.of_plan", org=org, plan=plan),
        attempts=tx.all("attempts.of_plan", org=org, plan=plan),
        events=tx.all("events.of_plan", org=org, plan=plan),
    )
