"""Any kind of exception, at any point of a run: nothing happens twice, and what is said is true.

A plan with an action of every effect class is run while one named point raises, in whatever thread
or task passes it. Then that is over: another process sweeps, the person's message and yes come once
more, time passes, and the outside is compared with what the plan says.
"""

import asyncio
import concurrent.futures
import contextlib
import copy
import errno
import logging
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from dudas import (
    CARTA,
    COBRO,
    DUE,
    RESERVA,
    SETTLED,
    VUELO,
    Banco,
    Process,
    armed,
    at_once,
    beside,
    crear,
    does,
    firmar,
    no_power_cut,
)
from pedidos import ANA

import counts
import stores
from semel import Ask, Engine, InDoubt, NotDone, Outcome, errors
from semel.runtime import proof
from semel.testing import recorded


class Unprintable(Exception):
    """It cannot even be printed, compared or counted."""

    def __str__(self):
        raise RuntimeError("not even that")

    __repr__ = __str__

    def __eq__(self, other):
        raise RuntimeError("nor that")

    def __hash__(self):
        raise RuntimeError("nor that")


class Unheard(BaseException):
    """Of no family that anybody catches."""

    def __str__(self):
        raise RuntimeError("not even that")

    __repr__ = __str__


KINDS: list[Callable[[], BaseException]] = [
    KeyboardInterrupt,
    MemoryError,
    lambda: NotDone("no"),
    lambda: BaseExceptionGroup("g", [KeyboardInterrupt()]),
    RecursionError,
    lambda: OSError(errno.ENOSPC, "full"),
    StopIteration,
    lambda: errors.Unreachable("x"),
    asyncio.CancelledError,
    lambda: errors.Conflict("x"),
    AssertionError,
    Unprintable,
    BrokenPipeError,
    lambda: errors.Bug("x"),
    TimeoutError,
    GeneratorExit,
    lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"),
    SystemExit,
    lambda: ExceptionGroup("g", [ValueError(), NotDone("no")]),
    lambda: errors.TimeLimit("x"),
    Unheard,
    lambda: InDoubt("x"),
    StopAsyncIteration,
    concurrent.futures.CancelledError,
    lambda: errors.SchemaNewer("x"),
    lambda: sqlite3.OperationalError("disk I/O error"),
    KeyError,
    lambda: errors.StorageError("x"),
    concurrent.futures.InvalidStateError,
    lambda: errors.CatalogError("x"),
]


STEPS = (
    crear(), does(COBRO, "$1"), does(VUELO, "$1"), does(RESERVA, "$1"), does(CARTA, "$1"),
    firmar("$1"),
)  # fmt: skip
PLAN = {"steps": [{"action": name, "input": given} for name, given in STEPS]}
ROUGH = (
    {COBRO: ["lost", "ok"], VUELO: ["gone", "ok"], RESERVA: "lost"},
    {COBRO: ["gone", "ok"], VUELO: "lost", RESERVA: "lost"},
)
"""Every way to a proof is gone: sent again, closed and run anew, looked at, answered."""
EVERY = {"smoke": 15, "quick": 7, "full": 1}
"""By how often it runs: each kind meets every so manyth point, and each point every such kind."""
DENSE = {"send:before", "send:after", "commit:mark:after", "commit:made:before", "check:after"}
"""Points between an effect and its record, which more kinds meet."""
EVERY_DENSE = {"smoke": 5, "quick": 1, "full": 1}
"""Of the kinds, every how manyth meets a dense point."""


@pytest.fixture(autouse=True)
def _at_once(monkeypatch, caplog):
    caplog.set_level(logging.CRITICAL, "semel")
    at_once(monkeypatch)
    monkeypatch.setattr(proof, "INSIST_SECONDS", (0, 0))


def bench(folder: Path, rough: int = 0) -> tuple[Banco, Engine]:
    """The first process on a new database."""
    banco = Banco(folder)
    banco.afuera.goes = copy.deepcopy(ROUGH[rough])
    return banco, banco.engine(Process("one"))


async def says_and_presses(engine: Engine) -> Outcome:
    """The person's message, and their yes to what it asks."""
    outcome = await engine.agent.act(ANA, PLAN, message="m-1")
    if isinstance(outcome, Ask):
        outcome = await engine.person(ANA).confirm(outcome.token or "")
    return outcome


def passed_once(folder: Path, rough: int) -> Counter[str]:
    """How often an undisturbed run passes each point."""
    folder.mkdir()
    banco, engine = bench(folder, rough)

    async def main() -> list[str]:
        async with engine:
            with recorded() as passed:
                await says_and_presses(engine)
        return passed

    passed = asyncio.run(main())
    assert banco.plan() == ("ended", "finished")
    return Counter(passed)


@dataclass(frozen=True)
class Case:
    """What raises what: a kind at the nth passing of a point, there once or from then on."""

    kind: int
    point: str
    nth: int
    lasting: bool

    def hook(self, raised: list[str]) -> Callable[[str], None]:
        """What is told of every point, and raises at its own."""
        left = self.nth

        def reached(name: str) -> None:
            nonlocal left
            if name == self.point:
                left -= 1
                if left == 0 or (left < 0 and self.lasting):
                    raised.append(name)
                    raise KINDS[self.kind]()  # noqa: RSE102 - some kinds are functions that make one

        return reached


def cases(passed: list[Counter[str]]) -> Iterator[Case]:
    """Every kind at some points, and at more of the dense ones, at varying passings of it."""
    for number, point in enumerate(sorted(passed[0] | passed[1])):
        every = (EVERY_DENSE if point in DENSE else EVERY)[counts.level()]
        for kind, error in enumerate(KINDS):
            if (number + kind) % every:
                continue
            if point == "send:after" and isinstance(error(), NotDone):
                continue  # An action that says "nothing happened" of what it has sent is believed.
            often = passed[kind % 2][point]
            if not often:
                continue
            nth = 1 + (number + kind // every) % often
            yield Case(kind, point, nth, lasting=bool(kind // 2 % 2))


def first_life(engine: Engine, case: Case) -> None:
    """A process in which the point raises; like a signal, some kinds end its loop."""
    raised: list[str] = []

    async def main() -> None:
        with armed(case.hook(raised)):
            async with asyncio.timeout(20) as limit:
                try:
                    await says_and_presses(engine)
                except (KeyboardInterrupt, SystemExit):
                    raise
                except BaseException:
                    pass  # Its caller has heard of it; what there is, is looked at afterwards.
        assert not limit.expired(), case

    with contextlib.suppress(KeyboardInterrupt, SystemExit):
        asyncio.run(main())
    assert raised, case
    # The writer thread has outlived it, and serves whoever comes next.
    assert engine._core.store.submit(lambda _: "alive").result(timeout=20) == "alive"


async def afterwards(banco: Banco) -> None:
    """The exception is over, and its process is dead; another one does what there is to do."""
    async with beside(banco, Process("two", "one")) as other, asyncio.timeout(60):
        banco.clock.move(seconds=DUE)
        await other.sweep()
        await says_and_presses(other)
        for _ in range(3):
            banco.clock.move(seconds=SETTLED)
            await other.sweep()
        lines, steps = banco.afuera.lines(), banco.steps()
        again = await says_and_presses(other)
        assert again.replayed
        banco.clock.move(hours=25)
        await other.sweep()
        assert (banco.afuera.lines(), banco.steps()) == (lines, steps)


@dataclass
class Judged:
    """What came of the runs."""

    duplicates: list[Any] = field(default_factory=list)
    false: list[Any] = field(default_factory=list)
    lost: list[Any] = field(default_factory=list)
    ends: Counter[str | None] = field(default_factory=Counter)

    def look(self, banco: Banco, case: Case) -> None:
        """Compare what a plan says with what there is."""
        state, reason = banco.plan()
        steps = banco.sql("SELECT action, effect, state FROM semel_steps ORDER BY plan, position")
        notes = banco.sql("SELECT count(*), coalesce(sum(signed), 0) FROM notas")[0]
        there = {name: banco.arrived(name) for name, _, _ in steps}
        there |= {"nota.crear": notes[0], "nota.firmar": int(notes[1])}
        doubts = {effect for _, effect, state in steps if state == "in_doubt"}
        says = repr(KINDS[case.kind]), case, (state, reason), steps, there
        if max(there.values()) > 1:
            self.duplicates.append(says)
        truth = {"done": {1}, "not_done": {0}, "in_doubt": {0, 1}}
        if any(there[name] not in truth.get(state, ()) for name, _, state in steps):
            self.false.append(says)
        plans = banco.sql("SELECT count(*) FROM semel_plans")[0][0]
        if (plans, state) != (1, "ended") or (reason == "in_doubt") != bool(doubts):
            self.lost.append(says)
        if not doubts <= {"opaque", "keyed"}:
            self.lost.append(says)
        refused = isinstance(KINDS[case.kind](), NotDone)
        if reason == "stale" and (any(there.values()) or not refused):
            # The look that a yes takes may say that it is not possible any more, and nothing else may.
            self.false.append(says)
        self.ends[reason] += 1


@pytest.mark.only_on(
    "sqlite",
    "the runtime is one; what PostgreSQL itself may do is cut and killed in tests/postgres",
)
def test_r18_any_exception_at_any_point_repeats_nothing_and_leaves_nothing_false(tmp_path):
    passed = [passed_once(tmp_path / f"undisturbed {rough}", rough) for rough in (0, 1)]
    empty = tmp_path / "empty"
    empty.mkdir()
    _, first = bench(empty)
    first.migrate()
    first.close()
    judged, kinds, hit = Judged(), Counter(), Counter()
    for case in cases(passed):
        folder = tmp_path / "one"
        stores.copies(empty, folder)
        banco, engine = bench(folder, case.kind % 2)
        no_power_cut(engine)
        try:
            first_life(engine, case)
        finally:
            engine.close()
        asyncio.run(afterwards(banco))
        judged.look(banco, case)
        kinds[case.kind] += 1
        hit[case.point] += 1
        shutil.rmtree(folder)
    assert (judged.duplicates, judged.false, judged.lost) == ([], [], [])
    runs = sum(kinds.values())
    counts.ran("R18", runs)
    assert runs >= counts.of("R18") >= (190 if counts.level() == "smoke" else 300)
    # Every kind is met at every 25th point or denser, and every point by two kinds, or one in a few runs.
    assert len(hit) == len(passed[0] | passed[1]) >= 60
    assert len(kinds) == len(KINDS) == 30
    assert min(kinds.values()) * 25 >= len(hit)
    assert min(hit.values()) >= (1 if counts.level() == "smoke" else 2)
    # Most of them are brought through, and nothing has ended without a reason that fits.
    assert {"finished", "failed", "in_doubt"} <= set(judged.ends)
    assert set(judged.ends) <= {"finished", "failed", "in_doubt", "stale"}
    assert judged.ends["finished"] > runs / 2
