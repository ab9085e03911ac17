"""A kill matrix: a scenario run once for each point it passes, dying there by a real SIGKILL.

The parent only forks and waits, and asserts that each child died by signal 9: an armed point that
is not reached is a failure, not a pass. Another process then recovers, which may be killed as well;
the last one comes to its end, and a judge looks at the world and at what was said about it.
"""

import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from semel.runtime.points import TRANSACTIONS
from semel.testing import crash_at, recorded

LIFE_SECONDS = 120
"""What one process of a matrix may take, on a machine with other things to do; a life is far
shorter, so one that has not ended by then waits for something that will not come."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge found after a run: each a sentence, empty when all is well."""

    duplicates: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


Point = tuple[str, int]
"""A point's name and which time it is passed."""


class Scenario(Protocol):
    """Something that is run in a world of its own and may die at any point."""

    name: str

    def prepare(self, world: Path) -> None:
        """Make the world, before anything is armed."""

    def run(self, world: Path) -> None:
        """Do it; this process may be killed."""

    def recover(self, world: Path) -> None:
        """What happens next, in another process: a restart, and the person asking again.

        It may be killed too, and is then run once more: it takes the world as it finds it.
        """

    def judge(self, world: Path) -> Verdict:
        """Look at the world and at what is said about it."""


class Draw(Protocol):
    """Which of the points are killed at; all of them, or a sample."""

    def first(self, scenario: str, points: Sequence[Point]) -> Sequence[Point]:
        """Of the points that an undisturbed run passes."""

    def again(self, scenario: str, killed: Point, points: Sequence[Point]) -> Sequence[Point]:
        """Of the points that the recovery from a first kill passes."""


@dataclass(slots=True)
class Tally:
    """The matrix's sums."""

    expected: int = 0
    runs: int = 0
    second: int = 0
    """Those of the runs whose recovery was killed too."""
    duplicates: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    killed: set[str] = field(default_factory=set)
    """The names of the points that were killed at."""

    def add(self, other: "Tally") -> None:
        """Add what another process has counted."""
        self.expected += other.expected
        self.runs += other.runs
        self.second += other.second
        self.duplicates += other.duplicates
        self.false += other.false
        self.lost += other.lost
        self.killed |= other.killed

    def line(self) -> str:
        """The fixed last line; both orders count."""
        return (
            f"crash: {self.runs} runs of {self.expected}, {len(self.duplicates)} duplicates, "
            f"{len(self.false)} false, {len(self.lost)} lost"
        )

    def untouched(self) -> list[str]:
        """The kinds of transaction in which nobody was killed; ``app`` is not the engine's own."""
        places = {name.split(":")[1] for name in self.killed if name.startswith("commit:")}
        return sorted({*TRANSACTIONS} - places - {"app"})

    @property
    def held(self) -> bool:
        """Whether every run was made and nothing was found."""
        found = self.duplicates or self.false or self.lost
        return not found and self.runs == self.expected and self.expected > 0


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run came out, and the points that its last process passed, in order."""

    verdict: Verdict
    passed: list[Point]


def undisturbed(scenario: Scenario, world: Path) -> Ending:
    """Run *scenario* with no kill at all, and judge it."""
    scenario.prepare(world)
    return _ending(scenario, scenario.run, world)


def kill_at(scenario: Scenario, world: Path, first: Point, *others: Point) -> Ending:
    """Run *scenario* and die at *first*; recover, dying at each of *others*; recover, and judge.

    Raises:
        AssertionError: a child did not die by SIGKILL: its point was not reached.
    """
    scenario.prepare(world)
    _die(scenario, scenario.run, world, first)
    for point in others:
        _die(scenario, scenario.recover, world, point)
    return _ending(scenario, scenario.recover, world)


def matrix(
    scenarios: Sequence[Scenario], draw: Draw, folder: Path, progress: Callable[[str], None]
) -> Tally:
    """Kill each scenario at the drawn points of its run, and again at those of its recovery.

    Args:
        scenarios: what is run.
        draw: which points.
        folder: where worlds are made, one folder a run.
        progress: told about each scenario and each finding.
    """
    tally = Tally()
    for scenario in scenarios:
        with _world(folder, scenario) as world:
            whole = undisturbed(scenario, world)
        if whole.verdict != Verdict():
            # Its points are worth nothing: it counts as one run that was expected.
            tally.expected += 1
            _found(tally, f"{scenario.name} undisturbed", whole.verdict, progress)
            continue
        points = draw.first(scenario.name, whole.passed)
        before = tally.runs
        tally.expected += len(points)
        for point in points:
            recovery = _one(tally, scenario, folder, progress, point)
            again = draw.again(scenario.name, point, recovery)
            tally.expected += len(again)
            for second in again:
                _one(tally, scenario, folder, progress, point, second)
        progress(f"{scenario.name}: {len(points)} points, {tally.runs - before} runs")
    return tally


def _one(
    tally: Tally,
    scenario: Scenario,
    folder: Path,
    progress: Callable[[str], None],
    *points: Point,
) -> list[Point]:
    """One run with its kills; the points that its recovery passed."""
    where = ", then at ".join(f"{name} #{occurrence}" for name, occurrence in points)
    try:
        with _world(folder, scenario) as world:
            ending = kill_at(scenario, world, points[0], *points[1:])
    except AssertionError as no:
        # It counts as expected and not as run, so that the matrix does not hold.
        progress(f"not run: {no}")
        return []
    tally.runs += 1
    tally.second += len(points) > 1
    tally.killed.update(name for name, _ in points)
    _found(tally, f"{scenario.name} at {where}", ending.verdict, progress)
    return ending.passed


def _found(tally: Tally, where: str, verdict: Verdict, progress: Callable[[str], None]) -> None:
    for kind in ("duplicates", "false", "lost"):
        for sentence in getattr(verdict, kind):
            progress(f"{kind}: {where}: {sentence}")
            getattr(tally, kind).append(f"{where}: {sentence}")


@contextmanager
def _world(folder: Path, scenario: Scenario) -> Iterator[Path]:
    world = folder / scenario.name
    world.mkdir(parents=True)
    try:
        yield world
    finally:
        shutil.rmtree(world)


def _ending(scenario: Scenario, life: Callable[[Path], None], world: Path) -> Ending:
    status, points = _recorded(life, world)
    if status != 0:
        # Whoever waits for an answer gets none, whatever the world looks like.
        return Ending(Verdict(lost=(f"its last process ended with {status}",)), [])
    return Ending(scenario.judge(world), points)


def _die(scenario: Scenario, life: Callable[[Path], None], world: Path, point: Point) -> None:
    def die() -> None:
        with crash_at(*point):
            life(world)

    status = fork(die)
    if status != -signal.SIGKILL:
        raise AssertionError(f"{scenario.name} at {point}: ended with {status}, not by SIGKILL.")


def _recorded(life: Callable[[Path], None], world: Path) -> tuple[int, list[Point]]:
    """Live in a child process; its exit status, and the points that it passed, in order."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _child(lambda: _record(life, world, write))
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        names = pipe.read().split("\n")[:-1]
    status = _wait(pid)
    seen: dict[str, int] = {}
    found: list[Point] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append((name, seen[name]))
    return status, found


def _record(life: Callable[[Path], None], world: Path, pipe: int) -> None:
    with recorded() as names:
        life(world)
    with os.fdopen(pipe, "w", encoding="utf-8") as out:
        out.writelines(f"{name}\n" for name in names)


def fork(work: Callable[[], None]) -> int:
    """Do *work* in a child process; its exit status, negative when a signal ended it."""
    pid = os.fork()
    if pid == 0:
        _child(work)
    return _wait(pid)


def _wait(pid: int) -> int:
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _child(work: Callable[[], None]) -> None:
    signal.alarm(LIFE_SECONDS)
    try:
        work()
    except BaseException:  # noqa: BLE001 - a child says what went wrong and never returns
        traceback.print_exc(file=sys.stderr)
        os._exit(9)
    os._exit(0)
