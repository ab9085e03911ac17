"""Watching plans: who follows one is told of each event, by one look at the tables for all.

    commit here ── ring ──┐
    word from elsewhere ──┼──▶ one look at where every watched chain ends ──▶ whoever follows one
    a pause that is over ─┘

What is told is only how far a plan's chain of events has come: whoever is told reads the plan, with
their rights of then. So nothing is lost when a look is late, and nothing is told twice.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TypeAlias

from semel.domain.plan import PlanRow, PlanState, Who
from semel.errors import StorageError
from semel.ports import EngineTx
from semel.runtime import look
from semel.runtime.core import Core, log
from semel.runtime.heard import Bell
from semel.runtime.look import Stored

Place: TypeAlias = tuple[str, str]
"""An organization, and a plan's number."""

BRISK_SECONDS = 0.1
"""Between two looks while a watched plan runs: with the way to the browser and its drawing, a step
that begins in another process is on the screen within a quarter of a second."""

SLOW_SECONDS = 1.0
"""Between two looks while what is watched only waits for somebody, and word comes of the rest."""

DEAF_SECONDS = 0.25
"""The same where no word comes from other processes, as over a file."""

LEAST_SECONDS = 0.02
"""Between two looks however often it rings: a busy process commits a thousand times a second."""


class Follower:
    """One who follows a plan, and how far they have been told."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.brisk = True
        """Whether something happens to the plan without anybody deciding."""
        self.seq = 0
        self.over = False
        self._moved = asyncio.Event()

    def tell(self, seq: int) -> None:
        """The chain has come so far."""
        if seq > self.seq:
            self.seq = seq
            self._moved.set()

    def end(self) -> None:
        """Nothing more will be told."""
        self.over = True
        self._moved.set()

    async def after(self, seq: int) -> int | None:
        """How far the chain has come, once that is further than *seq*; None when it is over."""
        while self.seq <= seq and not self.over:
            self._moved.clear()
            await self._moved.wait()
        return None if self.over else self.seq


class Watch:
    """The one poller of an engine; it looks while somebody follows, and only then."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._followers: dict[Place, set[Follower]] = {}
        self._words: dict[Place, AbstractContextManager[Bell]] = {}
        self._poller: asyncio.Task[None] | None = None
        self._bell: Bell | None = None
        self.looks = 0
        """How many times it has looked; a test holds it against how many follow."""

    @contextmanager
    def following(self, place: Place) -> Iterator[Follower]:
        """Follow a plan while the block lasts."""
        follower, bell = Follower(place), self._begun()
        of_place = self._followers.setdefault(place, set())
        of_place.add(follower)
        if len(of_place) == 1:
            self._words[place] = self._core.heard.waiting(place[1], bell)
            self._words[place].__enter__()
        bell.ring()
        try:
            yield follower
        finally:
            of_place.discard(follower)
            if not of_place:
                del self._followers[place]
                self._words.pop(place).__exit__(None, None, None)
            bell.ring()

    def _begun(self) -> Bell:
        """The bell of the poller, which is begun when there is none."""
        if self._bell is None or self._poller is None or self._poller.done():
            self._bell = Bell()
            self._poller = asyncio.get_running_loop().create_task(self._poll(self._bell))
            self._poller.add_done_callback(self._stopped)
        return self._bell

    def ring(self) -> None:
        """Something was committed in this process: look at once."""
        if self._bell is not None:
            self._bell.ring()

    def end(self) -> None:
        """Tell everybody that nothing more will come: this process is being stopped."""
        for followers in self._followers.values():
            for follower in followers:
                follower.end()
        self.ring()

    def _stopped(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("Nobody looks at what is watched any more.", exc_info=error)
            self.end()

    async def _poll(self, bell: Bell) -> None:
        core = self._core
        hears = await self._listens()
        while self._followers and not core.draining:
            before = core.clock.monotonic()
            await self._look()
            brisk = any(one.brisk for ones in self._followers.values() for one in ones)
            slow = SLOW_SECONDS if hears else DEAF_SECONDS
            await bell.wait(BRISK_SECONDS if brisk else slow)
            early = LEAST_SECONDS - (core.clock.monotonic() - before)
            if early > 0:
                await asyncio.sleep(early)
        self.end()

    async def _listens(self) -> bool:
        try:
            return await asyncio.to_thread(self._core.store.listen, self._core.heard)
        except StorageError as no:
            log.warning("Nobody can be heard at present; it is looked more often.", exc_info=no)
            return False

    async def _look(self) -> None:
        places = [*self._followers]
        try:
            seqs = await self._core.look(lambda tx: _ends(tx, places))
        except StorageError as no:
            # Whoever follows hears of it later: the tables say everything that has been.
            log.warning("What is watched cannot be looked at now.", exc_info=no)
            return
        self.looks += 1
        for place, seq in seqs.items():
            for follower in self._followers.get(place, ()):
                follower.tell(seq)


def _ends(tx: EngineTx, places: Sequence[Place]) -> Mapping[Place, int]:
    """Where the chain of each plan ends, asked in one round trip."""
    asked = [("events.last", {"org": org, "plan": plan}) for org, plan in places]
    answers = tx.each(*asked) if asked else []
    return {
        place: int(str(rows[0]["seq"])) for place, rows in zip(places, answers, strict=True) if rows
    }


def watch_of(core: Core) -> Watch:
    """The watch of an engine, made when somebody first follows a plan."""
    if not isinstance(core.watch, Watch):
        core.watch = Watch(core)
    return core.watch


async def watch(core: Core, who: Who, plan: str) -> AsyncGenerator[int, None]:
    """Follow a plan that this person may see.

    Args:
        core: the engine's parts.
        who: who follows it; whether they still may is asked each time.
        plan: its number.

    Yields:
        The number of the plan's last event: that of now, and then each later one. What happens
        while nobody asks for the next is told as one.
    """
    with watch_of(core).following((who.org, plan)) as follower:
        told = 0
        while not core.draining:
            found = await core.read(lambda tx: _seen(core, tx, who, plan))
            if found is None:
                return
            stored, now = found
            follower.brisk = stored.plan.state is PlanState.RUNNING and not stored.plan.waits
            if now > told:
                told = now
                yield now
            if await follower.after(told) is None:
                return


async def seq(core: Core, who: Who, plan: str) -> int | None:
    """Where a plan's chain of events ends, for a person who may see it."""
    found = await core.read(lambda tx: _seen(core, tx, who, plan))
    return None if found is None else found[1]


def _seen(core: Core, tx: EngineTx, who: Who, plan: str) -> tuple[Stored, int] | None:
    """A plan that this person may see, and where its chain ends, on one snapshot."""
    stored = look.load(tx, who.org, plan)
    if stored is None or not look.may_look(core, tx, who, stored.plan):
        return None
    place = (who.org, plan)
    return stored, _ends(tx, [place]).get(place, 0)


def announce(core: Core, plan: PlanRow) -> None:
    """Tell other instances that something was decided, where people watch plans at all.

    What takes a plan back is a plan of its own, and changes what may be done about its parent.
    """
    if core.watched:
        with suppress(StorageError):
            for number in filter(None, (plan.plan, plan.parent)):
                core.store.announce(number)
