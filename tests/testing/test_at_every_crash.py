"""The fixture: a scenario that holds holds, a duplicate is found, and too few runs are a failure."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scenarios_of_things import Added, Moody, Printed, Silent

from semel.testing.pytest_plugin import Sample

HERE = Path(__file__).parent


def test_a_plan_that_dies_at_a_point_and_again_in_its_recovery_happens_once(at_every_crash):
    tally = at_every_crash(Added(), sample=8, second=1, seed=3)
    assert tally.held
    assert 12 <= tally.runs == tally.expected <= 16
    assert 4 <= tally.second <= 8


def test_an_effect_before_its_record_is_found_at_one_point_of_all(at_every_crash):
    with pytest.raises(pytest.fail.Exception) as failed:
        at_every_crash(Printed())
    said = str(failed.value).splitlines()
    assert "duplicates: printed at commit:app:before #1: a label was printed twice" in said
    assert said[-1].startswith("crash: ")
    assert ", 0 false, 0 lost" in said[-1]


def test_the_seed_says_which_points_are_drawn(at_every_crash):
    drawn = {seed: at_every_crash(Added(), sample=1, seed=seed).killed for seed in (1, 2, 1)}
    assert drawn[1] != drawn[2]


def test_all_points_are_killed_at_unless_a_sample_is_asked_for():
    points = [(f"point {number}", 1) for number in range(20)]
    whole, few = Sample(None, None, 1), Sample(5, 2, 1)
    assert whole.first("s", points) == whole.again("s", points[0], points) == points
    assert few.first("s", points) == [point for point in points if point in few.first("s", points)]
    assert (len(few.first("s", points)), len(few.again("s", points[0], points))) == (5, 2)
    assert few.first("s", points) != few.first("t", points)


@pytest.mark.parametrize(
    ("scenario", "said"),
    [(Moody, "crash: 0 runs of 1, 0 duplicates"), (Silent, "crash: 0 runs of 0, 0 duplicates")],
)
def test_a_point_that_is_not_reached_or_not_there_fails_the_test(at_every_crash, scenario, said):
    with pytest.raises(pytest.fail.Exception, match=said):
        at_every_crash(scenario())


def test_an_authors_own_test_asks_for_it_by_name(tmp_path):
    (tmp_path / "test_theirs.py").write_text(
        "from scenarios_of_things import Printed\n\n"
        "def test_printed(at_every_crash):\n    at_every_crash(Printed())\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "semel.testing.pytest_plugin", "-p", "no:randomly",
         "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "."],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(HERE)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "a label was printed twice" in done.stdout
    assert "Traceback" not in done.stdout
