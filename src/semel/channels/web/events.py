"""The live events of a plan: its card, drawn anew whenever it has changed, for one browser."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from semel.channels.web.place import Place
from semel.channels.web.refusal import Stopped
from semel.channels.web.snapshot import Shot, shot
from semel.channels.web.visitor import Person
from semel.domain.plan import PlanState
from semel.domain.report import Outcome
from semel.errors import StorageError
from semel.runtime.engine import Engine

BEAT_SECONDS = 15.0
"""Between two signs of life: proxies close a line that is silent for thirty or sixty seconds."""

ASKED_SECONDS = 30.0
"""How long a session is taken to hold that nothing has been told to."""

AGAIN_MILLISECONDS = 1000
"""After how long a browser comes back that has lost the line."""

Holds = Callable[[], Awaitable[bool]]
"""Whether the session that a stream began with still holds."""


class Stream:
    """One browser that follows one plan."""

    def __init__(
        self, engine: Engine, person: Person, plan: str, place: Place, *, holds: Holds, seen: int
    ) -> None:
        self._engine = engine
        self._person = person
        self._plan = plan
        self._place = place
        self._holds = holds
        self._seen = seen
        """The event up to which the browser says that it has the card; 0 when it has none."""
        self._sent = ""
        self._next: float | None = None

    async def __call__(self) -> AsyncIterator[str]:
        """What is sent, until there is nothing more to tell."""
        yield f"retry: {AGAIN_MILLISECONDS}\n\n"
        following = self._engine.person(self._person.who).watch(self._plan)
        pending = asyncio.ensure_future(anext(following, None))
        clock = asyncio.get_running_loop().time
        asked = clock()
        try:
            while True:
                done, _ = await asyncio.wait({pending}, timeout=self._pause(clock()))
                due = self._next is not None and clock() >= self._next
                if done or due or clock() - asked >= ASKED_SECONDS:
                    asked = clock()
                    if not await self._holds():
                        yield _event("end", {"why": "session"})
                        return
                if done and pending.result() is None:
                    yield _event("end", {"why": "drain"})
                    return
                if done:
                    pending = asyncio.ensure_future(anext(following, None))
                if not done and not due:
                    yield ": \n\n"
                    continue
                async for part in self._told():
                    yield part
                    if part.startswith("event: end"):
                        return
        finally:
            pending.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration, StorageError):
                await pending
            await following.aclose()

    def _pause(self, now: float) -> float:
        return BEAT_SECONDS if self._next is None else max(0.0, min(BEAT_SECONDS, self._next - now))

    async def _told(self) -> AsyncIterator[str]:
        """The card as it is now, unless the browser has it, and whether that was all."""
        try:
            made = await shot(self._engine, self._person, self._plan, self._place)
        except Stopped:
            yield _event("end", {"why": "gone"})
            return
        except StorageError:
            # What could not be read now is read with the next event, or when it comes back.
            self._next = asyncio.get_running_loop().time() + 1.0
            return
        self._next = _in_loop_time(self._engine, made)
        held = self._seen == made.snapshot.seq and _only_events_change(made.outcome)
        self._seen = 0
        if not held and made.snapshot.html != self._sent:
            self._sent = made.snapshot.html
            yield _event("card", made.snapshot.plain(), made.snapshot.seq)
        if is_over(made):
            yield _event("end", {"why": "final"})


def is_over(made: Shot) -> bool:
    """Whether a plan's card will never show anything else."""
    return made.snapshot.final and made.next_at is None


def _only_events_change(outcome: Outcome) -> bool:
    view = getattr(outcome, "view", None)
    return view is not None and view.state is PlanState.RUNNING


def _in_loop_time(engine: Engine, made: Shot) -> float | None:
    if made.next_at is None:
        return None
    # A little later than the moment: what is drawn at it must not show it as still to come.
    seconds = (made.next_at - engine.now()).total_seconds() + 0.05
    return asyncio.get_running_loop().time() + seconds


def _event(name: str, data: object, id: int | None = None) -> str:
    head = "" if id is None else f"id: {id}\n"
    return f"event: {name}\n{head}data: {json.dumps(data, ensure_ascii=False)}\n\n"
