"""A kill matrix: a scenario run once for each point it passes, dying there by a real SIGKILL.

The parent only forks and waits, and asserts that the child died by signal 9: an armed point that
is not reached is a failure, not a pass. Then a second process recovers, and a judge looks at the
world and at what was said about it.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from semel.testing import crash_at, recorded


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge found after a run: each a sentence, empty when all is well."""

    duplicates: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


class Scenario(Protocol):
    """Something that is run in a world of its own and may die at any point."""

    name: str

    def prepare(self, world: Path) -> None:
        """Make the world, before anything is armed."""

    def run(self, world: Path) -> None:
        """Do it; this process may be killed."""

    def recover(self, world: Path) -> None:
        """What happens next, in another process: a restart, and the person asking again."""

    def judge(self, world: Path) -> Verdict:
        """Look at the world and at what is said about it."""


@dataclass(slots=True)
class Tally:
    """The matrix's sums."""

    expected: int = 0
    runs: int = 0
    duplicates: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def line(self) -> str:
        """The fixed last line."""
        return (
            f"crash: {self.runs} runs of {self.expected}, {len(self.duplicates)} duplicates, "
            f"{len(self.false)} false, {len(self.lost)} lost"
        )

    @property
    def held(self) -> bool:
        """Whether every run was made and nothing was found."""
        found = self.duplicates or self.false or self.lost
        return not found and self.runs == self.expected and self.expected > 0


Point = tuple[str, int]
"""A point's name and which time it is passed."""


def passed(scenario: Scenario, world: Path) -> list[Point]:
    """The points that a whole run passes, each with its occurrence, in order."""
    scenario.prepare(world)
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _child(lambda: _record(scenario, world, write))
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        names = pipe.read().split("\n")[:-1]
    if _wait(pid) != 0:
        raise AssertionError(f"{scenario.name} does not even run undisturbed.")
    seen: dict[str, int] = {}
    found: list[Point] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append((name, seen[name]))
    return found


def _record(scenario: Scenario, world: Path, pipe: int) -> None:
    with recorded() as names:
        scenario.run(world)
    with os.fdopen(pipe, "w", encoding="utf-8") as out:
        out.writelines(f"{name}\n" for name in names)


def kill_at(scenario: Scenario, world: Path, point: Point) -> Verdict:
    """Run *scenario* in *world*, die at *point*, recover in another process, and judge.

    Raises:
        AssertionError: the child did not die by SIGKILL, or the recovery did not end well.
    """
    scenario.prepare(world)

    def die() -> None:
        with crash_at(*point):
            scenario.run(world)

    status = fork(die)
    if status != -signal.SIGKILL:
        raise AssertionError(f"{scenario.name} at {point}: ended with {status}, not by SIGKILL.")
    status = fork(lambda: scenario.recover(world))
    if status != 0:
        raise AssertionError(f"{scenario.name} after {point}: the recovery ended with {status}.")
    return scenario.judge(world)


def matrix(
    scenarios: Sequence[Scenario],
    choose: Callable[[list[Point]], list[Point]],
    folder: Path,
    progress: Callable[[str], None],
) -> Tally:
    """Kill each scenario at each chosen point of its run.

    Args:
        scenarios: what is run.
        choose: which of a scenario's points; all of them, or a sample.
        folder: where worlds are made, one folder a run.
        progress: told about each scenario and each finding.
    """
    tally = Tally()
    for scenario in scenarios:
        points = choose(passed(scenario, _world(folder, scenario, 0)))
        progress(f"{scenario.name}: {len(points)} points")
        tally.expected += len(points)
        for number, point in enumerate(points, start=1):
            verdict = kill_at(scenario, _world(folder, scenario, number), point)
            tally.runs += 1
            where = f"{scenario.name} at {point[0]} #{point[1]}"
            for kind in ("duplicates", "false", "lost"):
                for sentence in getattr(verdict, kind):
                    progress(f"{kind}: {where}: {sentence}")
                    getattr(tally, kind).append(f"{where}: {sentence}")
    return tally


def _world(folder: Path, scenario: Scenario, number: int) -> Path:
    world = folder / f"{scenario.name}-{number}"
    world.mkdir(parents=True)
    return world


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
    try:
        work()
    except BaseException:  # noqa: BLE001 - a child says what went wrong and never returns
        traceback.print_exc(file=sys.stderr)
        os._exit(9)
    os._exit(0)
