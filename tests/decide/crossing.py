"""All ways in which verbs can cross: each transaction, read and call outside is a place to switch.

    actor 0   ──read──────────write(mark)──────call──write(made)──▶
    actor 1   ────────write(cancel)──────read─────────────────────▶

A schedule is the order in which the operations happen. They are gone through depth first; of two
orders that differ only in neighbours that cannot notice each other (two reads; a call outside and
anything in the database) one is run, which is Godefroid's method of sleep sets. Nothing is drawn,
nothing sleeps: time moves only when nobody can do anything else.
"""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from semel.storage.memory import MemoryStore

ACTOR: contextvars.ContextVar[int] = contextvars.ContextVar("actor")

Id = tuple[int, int]
"""An operation: whose, and which of theirs."""

CHANGES = {("write", "write"), ("write", "read"), ("read", "write"), ("call", "call")}
"""Kinds of operations of which one may notice whether the other was before it."""

OPERATIONS_MAX = 500
"""Of one schedule; a verb that goes on for ever is a fault, not a schedule."""


@dataclass(slots=True)
class Operation:
    """Something that waits for its turn."""

    id: Id
    kind: str
    act: Callable[[], None]


@dataclass(slots=True)
class Place:
    """A moment of a schedule at which somebody had to be chosen."""

    kinds: dict[Id, str]
    asleep: set[Id]
    chosen: Id
    tried: set[Id] = field(default_factory=set)

    def next(self) -> Id | None:
        """Who has not been chosen here yet and need be."""
        left = [one for one in sorted(self.kinds) if one not in self.asleep | self.tried]
        return left[0] if left else None

    def sleeping(self) -> set[Id]:
        """Who need not be chosen at the next place: they would do what was done already."""
        mine = self.kinds[self.chosen]
        return {
            one
            for one in self.asleep | self.tried
            if one != self.chosen and (self.kinds[one], mine) not in CHANGES
        }


class Redundant(Exception):
    """What is left of this schedule is another order of what was run already."""


class Loop(asyncio.SelectorEventLoop):
    """An event loop whose time stands until it is moved."""

    def __init__(self) -> None:
        super().__init__()
        self.instant = 0.0

    def time(self) -> float:
        return self.instant

    def quiet(self) -> bool:
        """Whether nothing would go on by itself."""
        return not self._ready  # type: ignore[attr-defined]  # the loop has no public name for it

    def skip(self) -> bool:
        """Move to the next instant at which something is due; False when nothing ever is."""
        timers = [timer for timer in self._scheduled if not timer.cancelled()]  # type: ignore[attr-defined]  # the loop has no public name for it
        if timers:
            self.instant = max(self.instant, min(timer.when() for timer in timers))
        return bool(timers)


class Crossing:
    """One schedule: the verbs run, and *choose* says whose operation comes next."""

    def __init__(self, choose: Callable[[dict[Id, str]], Id]) -> None:
        self._choose = choose
        self._waiting: dict[Id, Operation] = {}
        self._counts: dict[int, int] = {}
        self._over = False
        self.trace: list[tuple[Id, str]] = []

    def later(self, kind: str, act: Callable[[], None]) -> None:
        """Let *act* wait for its turn, as the next operation of the actor that asks."""
        if self._over:
            raise Redundant
        actor = ACTOR.get()
        number = self._counts[actor] = self._counts.get(actor, 0) + 1
        self._waiting[actor, number] = Operation((actor, number), kind, act)

    async def call(self) -> None:
        """Wait for the turn of something that happens outside."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.later("call", lambda: turn.set_result(None))
        await turn

    async def run(self, verbs: Sequence[Coroutine[Any, Any, Any]]) -> list[Any]:
        """Run the verbs to their ends; what each returned or raised."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Loop)
        tasks = [loop.create_task(verb, context=_as(actor)) for actor, verb in enumerate(verbs)]
        try:
            while True:
                await asyncio.sleep(0)
                if not loop.quiet():
                    continue
                if self._waiting:
                    self._turn()
                elif all(task.done() for task in tasks):
                    return await asyncio.gather(*tasks, return_exceptions=True)
                elif not loop.skip():
                    raise AssertionError(f"Nobody can go on after {self.trace}.")
        finally:
            self._over = True
            while others := asyncio.all_tasks() - {asyncio.current_task()}:
                for task in others:
                    task.cancel()
                await asyncio.gather(*others, return_exceptions=True)

    def _turn(self) -> None:
        assert len(self.trace) < OPERATIONS_MAX, self.trace
        kinds = {one.id: one.kind for one in self._waiting.values()}
        operation = self._waiting.pop(self._choose(kinds))
        self.trace.append((operation.id, operation.kind))
        operation.act()


def _as(actor: int) -> contextvars.Context:
    context = contextvars.copy_context()
    context.run(ACTOR.set, actor)
    return context


class SwitchedStore:
    """A store in memory whose transactions and reads wait for their turn."""

    def __init__(self, store: MemoryStore, crossing: Crossing) -> None:
        self.store = store
        self._crossing = crossing

    def submit(self, work: Any, *, own: bool = False) -> "Future[Any]":
        return self._later("write", lambda: self.store.submit(work, own=own))

    def submit_read(self, work: Any, *, own: bool = False) -> "Future[Any]":
        return self._later("read", lambda: self.store.submit_read(work, own=own))

    def submit_one(self, statement: str, /, **params: Any) -> "Future[Any]":
        return self._later("read", lambda: self.store.submit_one(statement, **params))

    # A look and a transaction are two steps, between which others may come.
    submit_unless = None

    @property
    def crowded(self) -> bool:
        return self.store.crowded

    @property
    def closed(self) -> str | None:
        return self.store.closed

    @property
    def unsafe(self) -> str | None:
        return self.store.unsafe

    def announce(self, word: str) -> None:
        self.store.announce(word)

    def listen(self, heard: Callable[[str], None]) -> bool:
        return self.store.listen(heard)

    def _later(self, kind: str, run: Callable[[], "Future[Any]"]) -> "Future[Any]":
        answer: Future[Any] = Future()

        def act() -> None:
            done = run()
            error = done.exception()
            if error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(done.result())

        self._crossing.later(kind, act)
        return answer


def every(play: Callable[[Crossing], Coroutine[Any, Any, None]]) -> int:
    """Run *play* once for each schedule; how many there were.

    Args:
        play: builds a world of its own around the crossing that it is given, runs the verbs
            through :meth:`Crossing.run`, and asserts what must hold at the end.
    """
    places: list[Place] = []
    count = 0
    while True:
        depth = 0

        def choose(kinds: dict[Id, str]) -> Id:
            nonlocal depth
            if depth == len(places):
                asleep = places[-1].sleeping() & kinds.keys() if places else set()
                place = Place(kinds, asleep, (-1, -1))
                first = place.next()
                if first is None:
                    raise Redundant
                place.chosen = first
                places.append(place)
            place = places[depth]
            assert place.kinds == kinds, "The same choices led somewhere else."
            depth += 1
            return place.chosen

        crossing = Crossing(choose)
        try:
            _play(play, crossing)
            count += 1
        except Redundant:
            pass
        except BaseException:
            print(f"schedule: {crossing.trace}")
            raise
        while places:
            places[-1].tried.add(places[-1].chosen)
            following = places[-1].next()
            if following is not None:
                places[-1].chosen = following
                break
            places.pop()
        if not places:
            return count


def _play(play: Callable[[Crossing], Coroutine[Any, Any, None]], crossing: Crossing) -> None:
    loop = Loop()
    try:
        loop.run_until_complete(play(crossing))
    finally:
        loop.close()
