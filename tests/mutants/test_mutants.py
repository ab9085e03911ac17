"""Each mutant of the list can be put in and has its test; some are put in, and what is none is told."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from mutate import ROOT, Mutant, Verdict, chosen, read, verdict

import counts

LIST = ROOT / "tests/mutants.toml"
MUTATE = Path(__file__).with_name("mutate.py")
AT_LEAST = 28


def run(*words: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, str(MUTATE), *words], capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    return done.returncode, done.stdout.splitlines()


def test_every_mutant_changes_one_line_that_is_there_once():
    mutants = read(LIST)
    assert len(mutants) >= AT_LEAST
    assert counts.bars()["R23"].full == len(mutants)
    assert len({mutant.name for mutant in mutants}) == len(mutants)
    assert len({(mutant.file, mutant.old, mutant.new) for mutant in mutants}) == len(mutants)
    assert {mutant.name: no for mutant in mutants if (no := mutant.wrong(ROOT))} == {}
    assert [mutant.name for mutant in mutants if not mutant.why.endswith(".")] == []


def test_every_test_that_is_named_is_there():
    tests = sorted({mutant.test for mutant in read(LIST)})
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *tests],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = done.stdout.splitlines()
    missing = [
        one for one in tests if one not in found and not any(f.startswith(f"{one}[") for f in found)
    ]
    assert missing == [], done.stdout[-2000:]


def test_some_that_are_drawn_are_killed():
    bar = counts.of("R23")
    status, lines = run("--sample", str(bar), "--seed", "7", "--jobs", "1", "--bar", "R23")
    assert lines[-1] == f"mutants: {bar}/{bar} killed", lines
    assert status == 0


HARMLESS = """
[[mutant]]
name = "another-name"
file = "src/semel/domain/step.py"
old = "        reason = StepReason.CANCELLED if self.cancelled else StepReason.FAILED"
new = "        reason = StepReason.FAILED if not self.cancelled else StepReason.CANCELLED"
test = "tests/domain/test_step.py::test_what_can_no_longer_arrive_is_not_done_for_the_persons_reason_or_ours"
why = "Nothing: it says the same."

[[mutant]]
name = "no-python"
file = "src/semel/domain/step.py"
old = "        if self.others_open:"
new = "        if self.others_open"
test = "tests/domain/test_step.py::test_a_refusal_counts_only_when_it_was_the_only_send"
why = "It is no program."

[[mutant]]
name = "no-type"
file = "src/semel/domain/step.py"
old = "            return self.in_doubt()"
new = "            return None"
test = "tests/domain/test_step.py::test_a_refusal_counts_only_when_it_was_the_only_send"
why = "It is none that mypy lets pass."

[[mutant]]
name = "falls-over"
file = "src/semel/domain/step.py"
old = "        if self.others_open:"
new = "        if self.others_open / 0:"
test = "tests/domain/test_step.py::test_a_refusal_counts_only_when_it_was_the_only_send"
why = "It falls over, which is no verdict."
"""

NO_TEST = """
[[mutant]]
name = "fails-anyway"
file = "src/semel/domain/step.py"
old = "        if self.others_open:"
new = "        if self.others_open < 0:"
test = "tests/domain/test_step.py::test_that_nobody_wrote"
why = "Its test is not there."
"""


def test_what_is_no_mutant_or_is_not_killed_is_told_and_fails(tmp_path):
    (tmp_path / "harmless.toml").write_text(HARMLESS, encoding="utf-8")
    status, lines = run("--file", str(tmp_path / "harmless.toml"), "--jobs", "1")
    assert [line.split(":")[0].split() for line in lines[:-1]] == [
        ["survived", "another-name"],
        ["no", "mutant", "no-python"],
        ["no", "mutant", "no-type"],
        ["broken", "falls-over"],
    ]
    assert "ZeroDivisionError" in lines[3]
    assert lines[-1] == "mutants: 0/4 killed"
    assert status == 1


def test_a_mutant_whose_test_does_not_pass_without_it_is_not_killed(tmp_path):
    (tmp_path / "one.toml").write_text(NO_TEST, encoding="utf-8")
    status, lines = run("--file", str(tmp_path / "one.toml"), "--jobs", "1")
    assert lines[-1] == "mutants: 0/1 killed"
    assert "does not pass without it" in lines[0]
    assert status == 1


def test_a_sample_is_the_same_for_a_seed_and_another_for_another():
    mutants = read(LIST)
    drawn = [chosen(mutants, "*", 5, seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert chosen(mutants, "key-*", None, 1) == [one for one in mutants if one.name[:4] == "key-"]


def told(*reports: tuple[str, str, str]) -> list[dict[str, object]]:
    return [
        {"test": "t", "when": when, "outcome": outcome, "kinds": [kind] if kind else []}
        for when, outcome, kind in reports
    ]


@pytest.mark.parametrize(
    ("reports", "word"),
    [
        ([], "broken"),
        ([("call", "passed", "")], "survived"),
        ([("call", "failed", "AssertionError")], "killed"),
        ([("call", "failed", "Failed")], "killed"),
        (
            [("call", "failed", "AssertionError"), ("teardown", "failed", "AssertionError")],
            "killed",
        ),
        ([("call", "failed", "AssertionError"), ("call", "failed", "KeyError")], "broken"),
        ([("setup", "failed", "AssertionError")], "broken"),
        ([("call", "passed", ""), ("teardown", "failed", "AssertionError")], "survived"),
    ],
)
def test_only_an_assertion_of_the_test_itself_is_a_verdict(reports, word):
    assert verdict(told(*reports)).word == word


def test_a_mutant_that_changes_two_lines_or_none_is_none(tmp_path):
    (tmp_path / "x.py").write_text("a = 1\nb = 2\n", encoding="utf-8")

    def of(old: str, new: str) -> str | None:
        return Mutant("n", "x.py", old, new, "t", "w").wrong(tmp_path)

    assert of("a = 1", "a = 2") is None
    assert of("a = 1\nb = 2", "a = 1\nb = 3") is None
    assert of("a = 1\nb = 2", "a = 3\nb = 3") is not None
    assert of("a = 1", "a = 1") is not None
    assert of("a = 1", "a = 1\nc = 2") is not None
    assert of(" = ", " == ") is not None
    assert Mutant("n", "y.py", "a", "b", "t", "w").wrong(tmp_path) is not None
    assert not Verdict("survived").killed
