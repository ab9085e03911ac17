"""Clocks that are wrong, or jump in the middle of a run: nothing twice, nothing false (R11).

A life is lived by a process whose clock jumps at one moment, by an hour or a day, forward or back,
and stays there; its outside and its judge have the right time. Then a process with the right time
goes on. A jump may end a question or close a key's window, so a plan may stop short; what it says
has to be true all the same, and nothing may have happened twice.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from crash_world import Mundo, WorldClock
from lives import ANA, CREAR, FIRMAR, Life, Pedidos, lives
from pedidos import open_pedidos

import counts
import stores
from semel import Ask, Host, Refused
from semel.domain.report import Refusal
from semel.machine import SystemClock
from semel.runtime import resolve
from semel.runtime.points import SENDS
from semel.testing import interrupt_at, recorded

JUMPS = tuple(timedelta(hours=hours) for hours in (-24, -1, 1, 24))
BETWEEN = ("commit:", *(f"{send}:" for send in SENDS))
OURS = timedelta(seconds=2)
"""How much later a question may end than ten minutes after it was asked, by the server's clock."""


class Wrong(WorldClock):
    """A world's clock as one process sees it."""

    def __init__(self, world: Path) -> None:
        super().__init__(world)
        self.off = timedelta()

    def now(self) -> datetime:
        return super().now() + self.off


class Skewed(Pedidos):
    """A life whose process has a clock of its own, and whose world keeps the right time."""

    clock: Wrong

    @asynccontextmanager
    async def life(
        self, world: Path, ways: object = None, host: Host | None = None
    ) -> AsyncIterator[Life]:
        del ways
        true = WorldClock(world)
        mundo = Mundo(world, true, self.ways)
        mundo.goes |= {f"{action}?": "dark" for action in self.dark}
        self.clock = Wrong(world)
        engine = open_pedidos(world, mundo, clock=self.clock, host=host)
        await engine.start(sweeps=False)
        try:
            yield Life(engine, mundo, true, self.patience, self.dark, self.sends_anyway)
        finally:
            mundo.released.set()
            await engine.stop()

    async def lives(self, life: Life) -> None:
        outcome = await life.asks(self.steps)
        # A question that has expired, by whichever clock, is answered with that and nothing else.
        if isinstance(outcome, Refused):
            assert outcome.why is Refusal.EXPIRED
            return
        await life.presses(outcome, looks=True)
        await self.goes_on(life, outcome.view.plan)


def skewed(plan: Pedidos) -> Skewed:
    return Skewed(
        plan.name, plan.template, plan.steps, plan.ways, plan.patience,
        dark=plan.dark, sends_anyway=plan.sends_anyway,
    )  # fmt: skip


def places(plan: Skewed, world: Path) -> list[tuple[str, int]]:
    """The commits and sends of a life in which no clock is wrong."""
    plan.prepare(world)
    with recorded() as passed:
        plan.run(world)
    assert plan.judge(world).duplicates == ()
    seen: Counter[str] = Counter()
    found = []
    for name in passed:
        seen[name] += 1
        if name.startswith(BETWEEN):
            found.append((name, seen[name]))
    return found


def drawn(choices: list[tuple[Skewed, timedelta, tuple[str, int]]], count: int) -> list:
    """So many of all choices, always the same ones; every jump and every life among the first."""
    order = [
        hashlib.sha256(repr((plan.name, jump, place)).encode()).digest()
        for plan, jump, place in choices
    ]
    mixed = [
        choice for _, choice in sorted(zip(order, choices, strict=True), key=lambda one: one[0])
    ]
    return mixed[:count]


async def through(plan: Skewed, world: Path, jump: timedelta, place: tuple[str, int]) -> None:
    def jumps() -> None:
        plan.clock.off = jump

    with interrupt_at(place[0], jumps, place[1]):
        await plan.first(world)


def test_r11_a_clock_that_jumps_anywhere_repeats_nothing_and_makes_nothing_false(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))
    template = tmp_path / "template"
    plans = [skewed(plan) for plan in lives(template)]
    makes(template)
    choices = [
        (plan, jump, place)
        for plan in plans
        for place in places(plan, tmp_path / f"{plan.name}-right")
        for jump in JUMPS
        # docs/guarantees.md has it as an assumption: what is under way when the database's own clock
        # is set forward counts as arrived too early.
        if not ("late" in plan.name and jump > timedelta())
    ]
    half = counts.of("R11") // 2
    chosen, wrong, jumped = drawn(choices, half), [], Counter[timedelta]()
    assert len(chosen) == half, "There are not so many moments to jump at."
    for number, (plan, jump, place) in enumerate(chosen):
        world = tmp_path / f"{plan.name}-{number}"
        plan.prepare(world)
        asyncio.run(through(plan, world, jump, place))
        plan.recover(world)
        verdict = plan.judge(world)
        jumped[jump] += 1
        wrong += [
            f"{plan.name}, {jump} at {place}: {what}"
            for what in (*verdict.duplicates, *verdict.false)
        ]
        stores.forget(world / "pedidos.db")
    assert wrong == []
    assert set(jumped) == set(JUMPS)
    counts.ran("R11", len(chosen))


def makes(template: Path) -> None:
    """An empty database of the application, for every life to begin from."""

    async def make() -> None:
        clock = WorldClock(template)
        async with open_pedidos(template, Mundo(template, clock, {}), clock=clock):
            pass

    template.mkdir()
    asyncio.run(make())


@pytest.mark.only_on("postgres", "a file's processes are on one machine, and have its clock")
@pytest.mark.parametrize("hours", [-24, -1, 1, 24])
def test_r11_a_machine_whose_clock_is_wrong_ends_no_question_early(tmp_path, monkeypatch, hours):
    """Time comes through one port; where nobody lends a clock, a question ends by the server's."""
    right = SystemClock.now
    monkeypatch.setattr(SystemClock, "now", lambda self: right(self) + timedelta(hours=hours))

    async def main() -> None:
        mundo = Mundo(tmp_path, WorldClock(tmp_path), {})
        async with open_pedidos(tmp_path, mundo, clock=None) as engine:
            plan = {"steps": [{"action": name, "input": given} for name, given in (CREAR, FIRMAR)]}
            asked = await engine.agent.act(ANA, plan, message="m-1")
            assert isinstance(asked, Ask)
            rows = stores.rows(
                tmp_path / "pedidos.db", "SELECT expires_at FROM semel_plans WHERE state = 'asking'"
            )
            ((expires,),) = rows
            left = datetime.fromisoformat(expires) - right(SystemClock())
            assert timedelta(minutes=10) - left < OURS
            assert left <= timedelta(minutes=10)
            assert asked.token is not None
            done = await engine.person(ANA).confirm(asked.token)
            assert done.for_model("en").status == "done"

    asyncio.run(main())
    assert right(SystemClock()).tzinfo is UTC
