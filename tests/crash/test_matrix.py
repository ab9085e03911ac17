"""The kill matrix at smoke counts, and that what kills and counts can fail."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from matrix import DISTINCT_MIN, told

import stores
from semel.runtime import points
from semel.testing import crash
from semel.testing.crash import Point, Tally, Verdict, kill_at, matrix

MATRIX = Path(__file__).with_name("matrix.py")


def run(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(MATRIX), *arguments], capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    return done.returncode, done.stdout.splitlines()[-1]


def test_a_sample_of_points_of_every_plan_and_of_its_recovery_is_survived():
    status, line = run("--store", stores.kind(), "--sample", "2", "--second", "1", "--seed", "7")
    found = re.fullmatch(r"crash: (\d+) runs of (\d+), 0 duplicates, 0 false, 0 lost", line)
    assert found, line
    assert found.group(1) == found.group(2)
    # Forty plans, two points of each, and one more of the recovery from many of them.
    assert int(found.group(1)) >= 100
    # It also says so when it has killed at fewer than forty different points.
    assert status == 0


@pytest.mark.no_store
def test_a_run_that_kills_at_too_few_points_or_in_too_few_transactions_is_no_matrix(capsys):
    kinds = {f"commit:{name}:after" for name in points.TRANSACTIONS if name != "app"}
    others = {f"statement:{number}:before" for number in range(DISTINCT_MIN)}
    assert told(Tally(killed=kinds | others), whole=True, seconds=1)
    assert told(Tally(killed=others), whole=False, seconds=1)
    assert not told(Tally(killed={*list(others)[1:]}), whole=False, seconds=1)
    for one in kinds:
        assert not told(Tally(killed=kinds - {one} | others), whole=True, seconds=1)
    assert "transactions without a kill: none" in capsys.readouterr().err


class Letter:
    """One letter, in files; a mark says that it has been sent."""

    name = "letter"

    def prepare(self, world: Path) -> None:
        (world / "sent").touch()

    def run(self, world: Path) -> None:
        points.reach("send:before")
        with (world / "sent").open("a") as file:
            file.write("letter\n")
        points.reach("send:after")
        self.mark(world)

    def mark(self, world: Path) -> None:
        points.reach("commit:made:before")
        (world / "mark").touch()

    def recover(self, world: Path) -> None:
        if (world / "sent").read_text():
            self.mark(world)
        elif not (world / "mark").exists():
            self.run(world)

    def judge(self, world: Path) -> Verdict:
        count = (world / "sent").read_text().count("letter")
        duplicates = ("it was sent twice",) if count > 1 else ()
        return Verdict(duplicates, (), () if (world / "mark").exists() else ("no mark",))


class Every:
    """Every point, of the recovery too."""

    def first(self, scenario, points):
        return points

    def again(self, scenario, killed, points):
        return points


def tally(scenario: Letter, tmp_path: Path) -> tuple[Tally, list[str]]:
    said: list[str] = []
    return matrix([scenario], Every(), tmp_path, said.append), said


@pytest.mark.no_store
def test_a_careful_scenario_is_killed_at_each_of_its_points_and_at_those_of_its_recovery(tmp_path):
    total, _ = tally(Letter(), tmp_path)
    # Three points; the recovery from the first passes all three, from the others only the last.
    assert (total.runs, total.expected, total.second) == (8, 8, 5)
    assert total.held
    assert total.killed == {"send:before", "send:after", "commit:made:before"}
    assert "made" not in total.untouched()
    assert {"mark", "take_over"} <= {*total.untouched()}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.no_store
def test_a_recovery_that_sends_again_is_a_duplicate(tmp_path):
    class Careless(Letter):
        recover = Letter.run

    total, said = tally(Careless(), tmp_path)
    # Killed before the send the first time, it is sent twice only when the recovery dies after it.
    assert "letter at send:after #1: it was sent twice" in total.duplicates
    assert "letter at send:before #1, then at send:after #1: it was sent twice" in total.duplicates
    assert "letter at send:before #1: it was sent twice" not in total.duplicates
    assert {f"duplicates: {sentence}" for sentence in total.duplicates} <= {*said}
    assert not total.held


@pytest.mark.no_store
def test_a_recovery_that_fails_has_lost_its_plan(tmp_path):
    class Broken(Letter):
        def recover(self, world):
            raise OSError("no space")

    total, _ = tally(Broken(), tmp_path)
    assert total.lost == [
        "letter at send:before #1: its last process ended with 9",
        "letter at send:after #1: its last process ended with 9",
        "letter at commit:made:before #1: its last process ended with 9",
    ]


@pytest.mark.no_store
def test_a_point_that_is_not_reached_is_a_run_that_was_not_made(tmp_path):
    missing: Point = ("send:after", 2)
    with pytest.raises(AssertionError, match="not by SIGKILL"):
        kill_at(Letter(), tmp_path, missing)

    class Missing(Every):
        def first(self, scenario, points):
            return [*points, missing]

    said: list[str] = []
    total = matrix([Letter()], Missing(), tmp_path / "worlds", said.append)
    assert (total.runs, total.expected) == (8, 9)
    assert not total.held
    assert any("not run: letter at ('send:after', 2)" in sentence for sentence in said)


@pytest.mark.no_store
def test_a_plan_that_is_not_well_undisturbed_is_a_finding_and_the_others_go_on(tmp_path):
    class Idle(Letter):
        name = "idle"

        def run(self, world):
            points.reach("send:before")

    class Raising(Letter):
        name = "raising"

        def run(self, world):
            raise OSError("no space")

    total = matrix([Idle(), Raising(), Letter()], Every(), tmp_path, lambda _: None)
    assert total.lost == [
        "idle undisturbed: no mark",
        "raising undisturbed: its last process ended with 9",
    ]
    assert (total.runs, total.expected) == (8, 10)


@pytest.mark.no_store
def test_a_life_that_never_ends_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(crash, "LIFE_SECONDS", 1)
    assert crash.fork(signal.pause) == -signal.SIGALRM


@pytest.mark.no_store
def test_a_matrix_that_ran_nothing_does_not_hold():
    assert not Tally().held
    assert Tally(expected=1, runs=1).held
