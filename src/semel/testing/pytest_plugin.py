"""A fixture for pytest: ``pytest_plugins = ["semel.testing.pytest_plugin"]`` in a ``conftest.py``.

``at_every_crash(scenario)`` kills a scenario at each of its points and fails with what was found.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from semel.testing.crash import Point, Scenario, Tally, matrix


@dataclass(frozen=True, slots=True)
class Sample:
    """All points, or so many of them, drawn by a seed.

    Args:
        first_of: how many points of a run; None for all.
        second_of: how many points of each recovery; None for all.
        seed: another one draws others.
    """

    first_of: int | None
    second_of: int | None
    seed: int

    def first(self, scenario: str, points: Sequence[Point]) -> Sequence[Point]:
        """Of the points that an undisturbed run passes."""
        return self._drawn(points, self.first_of, scenario)

    def again(self, scenario: str, killed: Point, points: Sequence[Point]) -> Sequence[Point]:
        """Of the points that the recovery from a first kill passes."""
        return self._drawn(points, self.second_of, scenario, killed)

    def _drawn(self, points: Sequence[Point], count: int | None, *what: object) -> Sequence[Point]:
        def number(point: Point) -> bytes:
            return hashlib.sha256(repr((self.seed, *what, point)).encode()).digest()

        few = {*sorted(points, key=number)[: len(points) if count is None else count]}
        return [point for point in points if point in few]


class AtEveryCrash:
    """Kills scenarios at their points, each in a folder of its own below *folder*."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(
        self,
        *scenarios: Scenario,
        second: int | None = 0,
        sample: int | None = None,
        seed: int = 0,
    ) -> Tally:
        """Run each scenario once for each point it passes, dying there by SIGKILL, and judge.

        Args:
            scenarios: what is run.
            second: at how many points of each recovery to die once more; None for all of them.
            sample: at how many points of the run to die; None for all of them.
            seed: which ones, where a sample is drawn.

        Returns:
            What was counted.

        The test fails with every sentence that was found, and also when fewer runs were made than
        there were points.
        """
        said: list[str] = []
        tally = matrix(scenarios, Sample(sample, second, seed), self._folder, said.append)
        if not tally.held:
            pytest.fail("\n".join([*said, tally.line()]), pytrace=False)
        return tally


@pytest.fixture
def at_every_crash(tmp_path: Path) -> AtEveryCrash:
    """What a test calls with a scenario, which is then killed at every point."""
    return AtEveryCrash(tmp_path / "worlds")
