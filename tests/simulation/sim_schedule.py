"""One schedule: everything that is left open is decided by one seed."""

import asyncio
import hashlib
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from decide_bench import KEYS, NOW
from sim_chance import Chance
from sim_faults import UNKNOWN, Faults
from sim_history import History, Said
from sim_judge import judge
from sim_loop import SimLoop, run
from sim_machine import Process, SimClock, Site
from sim_people import People
from sim_prepared import CATALOG, CLASSES, KINDS, ORG, OUTSIDE, SHAPES, came, fork, prepared

from semel.errors import Bug, StorageError
from semel.facts import read_instant
from semel.runtime import wait
from semel.runtime.proof import LOOK_SECONDS
from semel.storage.memory.schema import ATTEMPTS, EVENTS, PLANS

BUSY = 100.0
"""Seconds of a schedule in which people act and things go wrong."""
LIVE = 300.0
"""Seconds after the faults stop in which every confirmed plan has to end, with a sweep when it is
due; what the clock was set back by comes on top."""
SWEEPS_MAX = 40
POLLS = (0.02, 0.5, 3.0)
"""Whoever waits for a plan that runs elsewhere looks less often than the engine's own habit is."""
AUDITED = 0.1
"""Share of the schedules of which every digest and signature is checked; that takes its time."""


@dataclass(frozen=True)
class Result:
    """What came of a schedule."""

    seed: int
    effect: str
    counted: bool
    faults: Counter[str]
    ends: Counter[str]
    events: Counter[str]
    wrong: list[str]
    excused: int
    digest: bytes
    lines: list[str] = field(default_factory=list)


class Schedule:
    """A world, its processes, its people and its accidents, by one seed."""

    def __init__(self, seed: int, effect: str, mode: str, race: str, *, told: bool = False) -> None:
        self.seed = seed
        self.race = race
        self.rng = rng = Chance(seed, effect, race)
        self.effect = effect or rng.choice(CLASSES)
        self.live = mode == "liveness" or (mode == "both" and rng.random() < 0.5)
        kinds = {"": KINDS, "cancel": ("asked",), "offers": ("partly", "partly", "asked")}[race]
        chosen = rng.choice(kinds) if race else rng.weighted(KINDS, (6, 2, 2))
        self.world = prepared(self.effect, rng.choice(SHAPES), chosen)
        self.loop = SimLoop()
        self.faults = Faults(rng)
        self.clock = SimClock(self.loop, NOW + timedelta(minutes=1))
        store, chance = fork(self.world, self.clock)
        self.site = Site(self.loop, store, self.clock, chance, CATALOG, KEYS, self.faults)
        self.history = History(store, self.clock, lines=[] if told else None)
        self.site.changed = self.history.changed
        self.site.note = self.history.note
        self.site.jumped = self.jumped
        self.people = People(self, rng, self.world)
        self.complaints: list[str] = []
        self.edits = 0
        self.audited = rng.random() < AUDITED
        self.back = 0.0

    def wrong(self, what: str) -> None:
        """Something must not be."""
        self.complaints.append(what)
        self.history.note("judge", what)

    def jumped(self, seconds: float) -> None:
        if seconds > 0:
            self.history.jumps.append(self.loop.instant)
        self.back += max(-seconds, 0)

    def choose(self) -> Process:
        """A process that may be asked; when none is left, one is started."""
        alive = self.site.alive()
        return self.rng.choice(alive) if alive else self.born()

    def born(self) -> Process:
        """A new process, perhaps on a machine of which the others know nothing."""
        skew, known = 0.0, True
        if self.faults.on and self.faults.skewed:
            skew = self.rng.uniform(-3600, 3600)
            self.faults.count("clock skewed")
        if self.faults.strangers and self.rng.random() < 0.5:
            known = False
            self.faults.count(UNKNOWN)
        return self.site.born(skew=skew, known=known)

    def newest(self) -> str | None:
        """The number of the newest plan."""
        numbers = [row["plan"] for row in self.site.store._tables[PLANS].all()]
        return str(max(numbers)) if numbers else None

    def keys_of(self, plan: str, position: int) -> list[str]:
        """The keys under which a step has been sent."""
        rows = self.site.store._tables[ATTEMPTS].find("of_step", ORG, plan, position)
        return [str(row["key"]) for row in rows]

    def edit(self, note: str) -> None:
        """Somebody else's program changes a note."""
        self.edits += 1
        self.history.note("somebody", "changes the note")
        self.site.store.transact(
            lambda tx: tx.app.run("notas.edit", org=ORG, id=note, text=f"Otra {self.edits}")
        )

    def run(self) -> Result:
        """Run it and judge it."""
        OUTSIDE.begin(self.faults, self.history.note)
        self.history.begin()
        with _heard(self):
            run(self.loop, self._main())
        excused = judge(self)
        return self._result(excused)

    async def _main(self) -> None:
        for _ in range(self.rng.randint(3, 5)):
            self.born()
        loop = self.loop
        people = [loop.create_task(verb) for verb in self.people.acting()]
        beside = [loop.create_task(verb()) for verb in (self._sweeps, self._dies, self._looks)]
        if people:
            await asyncio.wait(people, timeout=BUSY)
        await asyncio.sleep(self.rng.choice((0.0, 5.0, 70.0)))
        for task in beside:
            task.cancel()
        if self.live:
            self.faults.stop()
            self.history.note("judge", "from here on nothing goes wrong")
            # A doubt that nobody ends is looked at each minute, and must not use up the others'.
            more = int((LIVE + self.back) / LOOK_SECONDS)
            await self._calm(SWEEPS_MAX + more, LIVE + self.back)
            self._ended()
        else:
            # Whoever looks after what is left meets with accidents too.
            self.faults.again(6)
            await self._calm(6, BUSY)
            self.faults.quiet()
        await self._late()
        if people:
            await asyncio.wait(people, timeout=BUSY)
        for plan in self._doubts():
            if self.rng.random() < 0.6:
                await self.people.answer(plan)
        await self._late()
        if self.audited:
            await self._audit()

    async def _audit(self) -> None:
        """Every row is as the program wrote it."""
        process = self.born()
        found = await came(process.call(process.engine.operator.audit()))
        if found.edited:
            self.wrong(f"the audit takes these rows for edited: {found.edited}")

    async def _sweeps(self) -> None:
        """Now and then somebody sweeps, mostly when there is something to do."""
        while True:
            await asyncio.sleep(self.rng.rare(8))
            due = self._due()
            if (due is not None and due <= 0) or self.rng.random() < 0.1:
                self._sweep(self.choose())
            if len(self.site.alive()) < 3 and self.rng.random() < 0.3:
                self.born()

    async def _looks(self) -> None:
        """Somebody comes back to what is in doubt."""
        while True:
            await asyncio.sleep(self.rng.rare(10))
            for plan in self._doubts():
                if self.rng.random() < 0.3:
                    await self.people.answer(plan)

    async def _dies(self) -> None:
        """Some processes die while they only wait."""
        while self.rng.random() < 0.3:
            await asyncio.sleep(self.rng.rare(20))
            if self.faults.kills():
                self.choose().kill()

    def _sweep(self, process: Process) -> "asyncio.Future[Any]":
        answer = process.call(process.engine.sweep())

        def told(answer: "asyncio.Future[Any]") -> None:
            outcome = answer.result()
            if isinstance(outcome, BaseException) and not isinstance(outcome, StorageError):
                self.wrong(f"a sweep raised {outcome!r}")

        self.history.note(process.name, "sweeps")
        answer.add_done_callback(told)
        return answer

    def _due(self) -> float | None:
        """Seconds until a sweep would find something; None when it never would."""
        times = []
        for row in self.site.store._tables[PLANS].all():
            if row["state"] == "running":
                if row["owner"] in self.site.dead:
                    return 0.0
                times.append(row["resume_after"])
            elif row["look_after"] is not None:
                times.append(row["look_after"])
            elif row["state"] == "asking":
                times.append(row["expires_at"])
        return (read_instant(min(times)) - self.clock.now()).total_seconds() if times else None

    async def _calm(self, sweeps: int, seconds: float) -> None:
        """Sweep whenever there is something to find, for some time."""
        until, last = self.loop.instant + seconds, self.born()
        for _ in range(sweeps):
            due = self._due()
            if due is None or self.loop.instant + due > until:
                break
            await asyncio.sleep(max(due, 0.0) + 0.1)
            if last.dead or last.draining:
                last = self.born()
            answer = self._sweep(last)
            # Not longer than another sweep would wait.
            await asyncio.wait({answer}, timeout=max(until - self.loop.instant, 5.0))
        if self.live and not self.faults.on and self._running():
            await asyncio.sleep(max(until - self.loop.instant, 0.0))

    def _running(self) -> bool:
        return any(row["state"] == "running" for row in self.site.store._tables[PLANS].all())

    def _doubts(self) -> list[str]:
        rows = self.site.store._tables[PLANS].all()
        return sorted(str(row["plan"]) for row in rows if row["reason"] == "in_doubt")

    def _ended(self) -> None:
        """Every plan that was begun has ended by now."""
        for row in self.site.store._tables[PLANS].all():
            if row["state"] == "running":
                self.wrong(f"{row['plan']} still runs {LIVE:.0f} s after everything went well")

    async def _late(self) -> None:
        """Wait until nobody stands still any more and nothing is on its way; look now and then."""
        ends = [process.paused_until for process in self.site.alive() if process.paused]
        for end in sorted({*ends, self.loop.instant}):
            await asyncio.sleep(max(end - self.loop.instant, 0.0))
            await self._watched(130)
        await self._calm(6, 600)

    async def _watched(self, seconds: float) -> None:
        """Let time pass, in which whoever sees a doubt answers it."""
        until = self.loop.instant + seconds
        while self._doubts() and self.loop.instant < until and self.rng.random() < 0.9:
            await asyncio.sleep(self.rng.rare(12))
            for plan in self._doubts():
                if self.rng.random() < 0.5:
                    await self.people.answer(plan)
        await asyncio.sleep(max(until - self.loop.instant, 0.0))

    def _result(self, excused: int) -> Result:
        tables = self.site.store._tables
        events = tables[EVENTS].all()
        started = bool(self.history.opened)
        ends = Counter(
            reason for said in self.history.said.values() for reason in _ends(said)
        )  # fmt: skip
        told = [(t.at, t.verb, type(t.outcome).__name__) for t in self.history.told]
        chains = sorted((str(e["plan"]), e["seq"], str(e["digest"])) for e in events)
        landed = [(one.key, one.left_at, one.landed_at) for one in OUTSIDE.sendings]
        whole = repr((self.seed, chains, told, landed, sorted(self.faults.counts.items())))
        return Result(
            self.seed, self.effect, started and bool({*self.faults.counts} - {UNKNOWN}), self.faults.counts,
            ends, Counter(str(event["kind"]) for event in events), self.complaints, excused,
            hashlib.sha256(whole.encode()).digest(), self.history.lines or [],
        )  # fmt: skip


def _ends(history: list[Said]) -> set[str]:
    """Every way in which a plan was said to have ended, or how it stands when it never was."""
    last = history[-1]
    return {said.reason for said in history[1:] if said.reason} or {last.reason or last.state}


class Heard(logging.Handler):
    """Hears of errors that the runtime logs because nobody waits for them."""

    schedule: "Schedule | None" = None

    def handle(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if self.schedule is not None and isinstance(error, UNEXPECTED):
            self.schedule.wrong(f"the log says {record.getMessage()} {error!r}")
        return False


UNEXPECTED = (Bug, AssertionError, LookupError, TypeError, AttributeError, ValueError)
HEARD = Heard()
LOG = logging.getLogger("semel")


@contextmanager
def _heard(schedule: Schedule) -> Iterator[None]:
    level, propagate, polls = LOG.level, LOG.propagate, wait.POLL_SECONDS
    wait.POLL_SECONDS = POLLS  # type: ignore[assignment]  # as many as it likes
    HEARD.schedule = schedule
    LOG.addHandler(HEARD)
    LOG.setLevel(logging.ERROR)
    LOG.propagate = False
    try:
        yield
    finally:
        LOG.removeHandler(HEARD)
        LOG.setLevel(level)
        LOG.propagate = propagate
        wait.POLL_SECONDS = polls
