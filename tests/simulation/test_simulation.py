"""The simulation holds, is the same every time, tells its stories, and finds wrong designs."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import simulate
from sim_mutants import MUTANTS, mutated
from simulate import Choice, Sum

import counts

BARS = {
    "R4.local": ("local", ""),
    "R4.keyed": ("keyed", ""),
    "R4.checked": ("checked", ""),
    "R4.void": ("checked_void", ""),
    "R4.opaque": ("opaque", ""),
    "R13.simulation": ("", "cancel"),
    "R14.simulation": ("", "offers"),
}
TEETH = "R23.simulation"
WITHIN = 5000
"""Schedules within which every wrong design has to be found."""


@pytest.mark.parametrize("bar", BARS)
def test_whatever_goes_wrong_every_schedule_holds(bar):
    effect, race = BARS[bar]
    choice = Choice(1, effect, "both", race)
    found = simulate.simulate(choice, counts.of(bar))
    assert found.wrong == []
    assert simulate.problems(choice, found, counts.of(bar)) == []
    counts.ran(bar, found.ran)


def test_a_seed_gives_the_same_histories_in_one_process_or_in_two():
    here = simulate.simulate(Choice(3, "", "both", ""), 40)
    program = [sys.executable, simulate.__file__, "--seed", "3", "--n", "40", "--jobs", "2"]
    elsewhere = subprocess.run(
        program,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert elsewhere.returncode == 0, elsewhere.stdout + elsewhere.stderr
    last = elsewhere.stdout.splitlines()[-1]
    told = re.fullmatch(r"simulate: 40 schedules, 0 violations, digest ([0-9a-f]{32}), \d+/s", last)
    assert told, last
    assert told.group(1) == here.digest
    assert simulate.simulate(Choice(4, "", "both", ""), 40).digest != here.digest


def test_a_schedule_that_fails_is_told_and_fails_the_same_way_ten_times(capsys):
    mutant = MUTANTS["release"]
    choice = Choice(1, mutant.effect, "both", mutant.race)
    simulate.prepare()
    with mutated("release"):
        found = simulate.simulate(choice, WITHIN, stop_at_once=True)
    seed, wrong = found.wrong[0]
    given = ["--mutant", "release", "--class", mutant.effect, "--replay", str(seed)]
    assert simulate.main(given) == 1
    story = capsys.readouterr().out
    assert f"replay: seed {seed}, {len(wrong)} wrong, the same 10 times of 10" in story
    for what in wrong:
        assert f"WRONG: {what}" in story
    for words in ("person    ", "database  ", "sends carta.enviar under", "judge     "):
        assert words in story
    with mutated(""):
        assert simulate.main(given[2:]) == 0


@pytest.mark.parametrize("name", [*MUTANTS][: counts.of(TEETH)])
def test_a_wrong_design_is_found(name, capsys):
    assert simulate.main(["--mutant", name, "--n", str(WITHIN), "--jobs", "1"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert re.match(r"simulate: \d+ schedules, [1-9]\d* violations, digest ", last), last
    counts.ran(TEETH, 1)


def test_the_page_names_every_wrong_design():
    page = (Path(simulate.__file__).parents[2] / "docs/simulation.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE))
    assert rows == {name: mutant.says for name, mutant in MUTANTS.items()}


def test_what_was_not_found_or_not_run_fails():
    choice, few = Choice(1, "", "both", ""), Sum(ran=3)
    assert simulate.problems(choice, few, 4) == ["only 3 of 4 schedules count"]
    assert simulate.problems(choice, few, 3) == []
    assert simulate.problems(choice, few, 3, "late") == ["mutant late was not found"]
    wrong = Sum(ran=3, wrong=[(1, ["so"])])
    assert simulate.problems(choice, wrong, 3) == ["1 schedules are wrong"]
    assert simulate.problems(choice, wrong, 3, "late") == []
    many = Sum(ran=simulate.LARGE, faults=Counter(simulate.KINDS), ends=Counter(simulate.ENDS))
    assert simulate.problems(choice, many, simulate.LARGE) == []
    del many.faults["pause"], many.ends["stale"]
    assert simulate.problems(choice, many, simulate.LARGE) == ["it never came to: pause, stale"]
