"""`make prove`: a bar holds only when what runs it succeeded, and ran as often as it promises."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import counts
import prove
from counts import Bar

ROOT = Path(prove.__file__).parents[1]

TESTS = """
import counts
import pytest

def test_runs():
    counts.ran("R1", 3)
    counts.ran("R2", 1)

def test_fails():
    counts.ran("R3", 9)
    assert 1 == 2

@pytest.mark.parametrize("what", ["100 MB - of [text]"])
def test_fails_with_much(what):
    counts.ran("R4", 9)
    raise ValueError("a text - with a dash] - and [more]")
"""


def bar(name: str, *run: str, quick: int = 3) -> Bar:
    return Bar(name, f"what {name} says", "rounds", 1, quick, 10, run)


@pytest.fixture
def own(tmp_path, monkeypatch) -> Path:
    """A folder with tests and bars of its own, where `make prove` looks."""
    (tmp_path / "test_own.py").write_text(TESTS)
    bars = "\n".join(
        f'["{name}"]\nsays = "x"\ncounts = "y"\nsmoke = 1\nquick = 2\nfull = 3\nrun = ["z"]\n'
        for name in ("R1", "R2", "R3", "R4")
    )
    (tmp_path / "bars").mkdir()
    (tmp_path / "bars" / "own.toml").write_text(bars)
    (tmp_path / "conftest.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / 'tests')!r})\n"
        "import counts\nfrom pathlib import Path\n"
        "counts.BARS = Path(__file__).parent / 'bars'\n"
    )
    # Four processes of the two tests above load what these need, and no more.
    unneeded = ("schemathesis", "hypothesispytest", "anyio", "langsmith_plugin", "randomly")
    without = " ".join(f"-p no:{name}" for name in unneeded)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = {without}\n")
    monkeypatch.setattr(prove, "ROOT", tmp_path)
    return tmp_path


def found(own: Path, *bars: Bar) -> dict[str, bool]:
    return {one.bar.name: one.held("quick") for one in prove.prove(bars, "quick", own / "log")}


def test_each_bar_is_told_by_what_its_own_tests_did(own):
    runs, fails = "test_own.py::test_runs", "test_own.py::test_fails"
    assert found(
        own, bar("R1", runs), bar("R2", runs), bar("R3", fails), bar("R4", runs, quick=0)
    ) == {"R1": True, "R2": False, "R3": False, "R4": True}


def test_a_case_with_spaces_breaks_only_the_bars_that_it_belongs_to(own):
    runs, fails, much = (
        f"test_own.py::test_{name}" for name in ("runs", "fails", "fails_with_much")
    )
    bars = [bar("R1", runs), bar("R3", fails), bar("R4", much)]
    seen = {one.bar.name: one for one in prove.prove(bars, "quick", own / "log")}
    assert seen["R1"].held("quick")
    assert seen["R3"].broken == [fails]
    assert seen["R4"].broken == [f"{much}[100 MB - of [text]]"]


@pytest.mark.parametrize(
    ("line", "node"),
    [
        ("FAILED a.py::test_b", "a.py::test_b"),
        ("FAILED a.py::test_b - AssertionError: x - y", "a.py::test_b"),
        ("ERROR a.py::test_b - x [y]", "a.py::test_b"),
        ("ERROR a.py", "a.py"),
        ("FAILED a.py::B::test_c[100 MB - d] - e", "a.py::B::test_c[100 MB - d]"),
        ("FAILED a.py::test_b[d e] - f] - g", "a.py::test_b[d e]"),
    ],
)
def test_a_failed_test_is_read_of_its_line(line, node):
    assert [match["node"] for match in prove.BROKEN.finditer(f"1 failed\n{line}\n")] == [node]


def test_a_test_that_is_not_there_holds_nothing(own):
    assert found(own, bar("R1", "test_own.py::test_gone", quick=0)) == {"R1": False}


def test_a_program_is_run_once_for_its_bars_with_their_number(own):
    program = (
        "import json, os, sys\n"
        "with open(os.environ['SEMEL_PROVE_LOG'], 'a') as log:\n"
        "    for bar in ('R1', 'R2'):\n"
        "        log.write(json.dumps({'bar': bar, 'ran': int(sys.argv[1])}) + '\\n')\n"
        "print(os.environ['SEMEL_PROVE'])\n"
        "sys.exit(int(sys.argv[2]))\n"
    )
    (own / "program.py").write_text(program)
    good = ("python", "program.py", "{n}", "0")
    assert found(own, bar("R1", *good), bar("R2", *good)) == {"R1": True, "R2": True}
    (own / "log").unlink()
    assert found(own, bar("R1", *good), bar("R2", *good, quick=4)) == {"R1": True, "R2": False}
    (own / "log").unlink()
    assert found(own, bar("R1", "python", "program.py", "{n}", "1")) == {"R1": False}


def test_a_line_says_what_ran_of_how_many(own):
    one = prove.Found(bar("R1", "x", quick=1200), ran=1200)
    assert re.search(r"R1 +1,200/1,200/10 rounds: held$", one.line("quick"))
    one.broken.append("test_x")
    assert one.line("quick").endswith("NOT HELD: test_x")


@pytest.mark.parametrize(
    ("node", "place", "its"),
    [
        ("tests/a.py::test_b", "tests/a.py", True),
        ("tests/a.py::test_b[sqlite]", "tests/a.py::test_b", True),
        ("tests/a.py::test_bc", "tests/a.py::test_b", False),
        ("tests/ab.py::test_b", "tests/a.py", False),
        ("tests/a/b.py::test_b", "tests/a", True),
    ],
)
def test_a_failure_belongs_to_the_bars_that_name_it(node, place, its):
    assert prove.belongs(node, [place]) is its


def test_the_page_holds_the_counts_between_its_marks():
    written = prove.proof([prove.Found(bar("R1", "x"), ran=12)], "full", "c" * 40)
    page = prove.paste(f"before\n{prove.BEGIN}\nold\n{prove.END}\nafter\n", written)
    assert page.startswith("before\n")
    assert page.endswith("\nafter\n")
    assert "old" not in page
    assert "| R1 | what R1 says (rounds) | 12 | 10 | held | `cccccccc` |" in page
    assert prove.paste(page, written) == page
    with pytest.raises(SystemExit):
        prove.paste("no marks", written)


def test_a_bar_that_is_run_anew_takes_its_own_place():
    before = prove.proof(
        [prove.Found(bar(name, "x"), ran=12) for name in ("R2", "R12")], "full", "a"
    )
    after = prove.proof([prove.Found(bar("R2", "x"), ran=9)], "full", "b", before)
    told = [(one["bar"], one["ran"], one["held"], one["commit"]) for one in after]
    assert told == [("R2", 9, False, "b"), ("R12", 12, True, "a")]


def test_every_bar_names_what_is_there_and_grows_with_the_level():
    bars = counts.bars()
    assert len(bars) >= 5
    for one in bars.values():
        assert one.says, one.name
        assert one.counts, one.name
        assert 0 < one.smoke <= one.quick <= one.full, one.name
        places = one.run[1:2] if one.run[0] == "python" else one.run
        for place in places:
            assert (ROOT / place.partition("::")[0]).exists(), (one.name, place)


def test_a_level_that_is_none_and_a_bar_that_is_none_are_refused(monkeypatch):
    monkeypatch.setenv(counts.LEVEL, "fast")
    with pytest.raises(ValueError, match="smoke, quick, full"):
        counts.level()
    with pytest.raises(KeyError):
        counts.ran("R0", 1)


def test_a_choice_that_matches_no_bar_is_said():
    done = subprocess.run(
        [sys.executable, prove.__file__, "--only", "no such bar"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "prove: no bar's name matches no such bar\n"


def test_the_bars_are_listed_without_running_them():
    done = subprocess.run(
        [sys.executable, prove.__file__, "--list"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == len(counts.bars())


def test_what_was_proved_is_on_the_page():
    written = json.loads(prove.PROOF.read_text(encoding="utf-8"))
    assert prove.table(written) in prove.PAGE.read_text(encoding="utf-8")
    assert {one["bar"] for one in written} <= counts.bars().keys()
