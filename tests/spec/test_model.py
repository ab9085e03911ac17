"""The program that searches the models: smoke rows, and that it fails wherever it should."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import model
import pytest
from model import Malformed, Row, count, judge, read, search, told

import counts

PROGRAM = Path(model.__file__)
ROWS = read(model.ROWS.read_text(encoding="utf-8"))
SMOKE = ("propose", "fuse", "alike", "locks", "w_host_first", "w_fused", "w_no_hold", "w_key_apart")
"""Small models, right ones and wrong ones: what `make test` searches."""

BOUNDS = {"DEATHS", "STALLS", "ROWS"}
"""Flags that only say how far a search goes."""

RIGHT = Row("right", True, True, "fuse.pml", ())
WRONG = Row("wrong", False, True, "fuse.pml", ("-DFUSED",))


def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        capture_output=True, text=True, check=False, env={**os.environ, **environment},
    )  # fmt: skip


def listed(folder: Path, *rows: str) -> tuple[str, str]:
    """A list of rows of one's own, as the program is given it."""
    path = folder / "runs.txt"
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return "--list", str(path)


def test_smoke_rows_of_both_kinds_come_out_as_they_must(tmp_path):
    log = tmp_path / "log"
    number = counts.bars()["R5"].smoke
    done = run(
        "--only", rf"^({'|'.join(SMOKE)})$", "--expect", str(number),
        SEMEL_PROVE_LOG=str(log), SEMEL_PROVE="full",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["model: 4/4 right held, 4/4 wrong failed"]
    lines = done.stderr.splitlines()
    assert len(lines) == len(SMOKE) == number
    assert all(re.match(r"ok  \w+ +(holds|fails) +[1-9]\d* states", line) for line in lines)
    assert [json.loads(line) for line in log.read_text().splitlines()] == [
        {"bar": "R5", "ran": number}
    ]


def test_a_row_that_is_not_there_is_missed():
    done = run("--only", "^fuse$", "--expect", "2")
    assert done.stdout.splitlines() == ["model: 1/1 right held, 0/0 wrong failed"]
    assert done.returncode == 1
    nothing = run("--only", "^no row is called so$")
    assert nothing.stdout.splitlines() == ["model: 0/0 right held, 0/0 wrong failed"]
    assert nothing.returncode == 1


def test_a_right_row_that_is_broken_and_a_wrong_one_that_holds_fail_the_run(tmp_path):
    broken = listed(
        tmp_path,
        "broken pass quick fuse.pml -DFUSED",
        "harmless fail quick fuse.pml",
        "right pass quick fuse.pml",
    )
    done = run(*broken, "--trails", str(tmp_path / "trails"))
    assert done.stdout.splitlines() == ["model: 1/2 right held, 0/1 wrong failed"]
    assert done.returncode == 1
    assert "NOT broken" in done.stderr
    assert "NOT harmless" in done.stderr
    # What fails is kept as text, with the line of the model that failed.
    trail = (tmp_path / "trails" / "broken.txt").read_text()
    assert "assertion violated" in trail
    assert [path.name for path in (tmp_path / "trails").iterdir()] == ["broken.txt"]


@pytest.mark.parametrize(
    ("text", "flags", "why"),
    [
        ("active proctype p() { this is no model }", (), "spin does not read it"),
        ("active proctype p() { c_code { no C } }", (), "gcc does not compile it"),
        # A deadlock is an error, and no assertion of ours.
        ("byte x = 0; active proctype p() { x == 1 }", (), "invalid end state"),
    ],
)
def test_a_wrong_row_must_fail_by_an_assertion(tmp_path, monkeypatch, text, flags, why):
    monkeypatch.setattr(model, "HERE", tmp_path)
    (tmp_path / "own.pml").write_text(text)
    folder = tmp_path / "folder"
    folder.mkdir()
    found = search(Row("own", False, True, "own.pml", flags), folder)
    assert not found.expected
    assert why in found.why


def test_a_model_that_is_not_there_is_no_failure_of_a_wrong_row(tmp_path):
    found = search(Row("own", False, True, "nowhere.pml", ()), tmp_path)
    assert (found.expected, found.why) == (False, "there is no nowhere.pml")


def test_a_search_without_end_is_neither(tmp_path, monkeypatch):
    monkeypatch.setattr(model, "SECONDS", 0.2)
    monkeypatch.setattr(model, "HERE", tmp_path)
    (tmp_path / "own.pml").write_text(
        "int x; active [3] proctype p() { do :: x++ :: x-- :: x = x + 7 od }"
    )
    for right in (True, False):
        folder = tmp_path / str(right)
        folder.mkdir()
        found = search(Row("own", right, True, "own.pml", ()), folder)
        assert (found.expected, found.why) == (False, "no end after 0.2 s")


WHOLE = "State-vector 36 byte, depth reached 12, errors: 0\n 81 states, stored\n"
FAILED = "pan:1: assertion violated (x==1) (at depth 4)\nerrors: 1\n 44 states, stored\n"


@pytest.mark.parametrize(
    ("said", "trail", "right", "wrong"),
    [
        (WHOLE, False, True, False),
        (FAILED, True, False, True),
        # The trail is what shows how it fails.
        (FAILED, False, False, False),
        (f"error: max search depth too small\n{WHOLE}", False, False, False),
        (f"pan: reached -DMEMLIM bound\n{WHOLE}", False, False, False),
        (f"Warning: Search not completed\n{WHOLE}", False, False, False),
        ("pan:1: invalid end state (at depth 4)\nerrors: 1\n", True, False, False),
        ("Segmentation fault\n", False, False, False),
    ],
)
def test_what_pan_says_is_judged_for_either_kind(said, trail, right, wrong):
    assert judge(RIGHT, said, trail=trail)[0] is right
    assert judge(WRONG, said, trail=trail)[0] is wrong


def test_the_last_line_holds_only_when_every_row_came_out_as_it_must():
    good = [model.Result(row, True, "", 1, 0.1) for row in (RIGHT, WRONG)]
    assert told(good, [RIGHT, WRONG]) == ("model: 1/1 right held, 1/1 wrong failed", True)
    assert told(good[:1], [RIGHT, WRONG]) == ("model: 1/1 right held, 0/1 wrong failed", False)
    assert told([], []) == ("model: 0/0 right held, 0/0 wrong failed", False)


def test_only_what_came_out_as_it_must_counts(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMEL_PROVE_LOG", str(tmp_path / "log"))
    count([model.Result(RIGHT, True, "", 1, 0.1), model.Result(WRONG, False, "", 1, 0.1)])
    assert json.loads((tmp_path / "log").read_text()) == {"bar": "R5", "ran": 1}
    monkeypatch.delenv("SEMEL_PROVE_LOG")
    count([model.Result(RIGHT, True, "", 1, 0.1)])
    assert len((tmp_path / "log").read_text().splitlines()) == 1


@pytest.mark.parametrize("lacking", ["spin", "gcc", "spin and gcc"])
def test_without_its_programs_it_says_so_in_one_sentence(tmp_path, lacking):
    for name in {"spin", "gcc"} - {*lacking.split(" and ")}:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    done = run(PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (3, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"model: {lacking} cannot be found")


@pytest.mark.parametrize(
    "line",
    [
        "fuse pass",
        "fuse maybe quick fuse.pml",
        "fuse pass later fuse.pml",
        "a pass full b\na fail full b",
    ],
)
def test_a_line_that_says_nothing_is_refused(tmp_path, line):
    with pytest.raises(Malformed, match="Line"):
        read(line)
    done = run(*listed(tmp_path, line))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("model: Line ")


def test_the_list_has_as_many_rows_as_are_promised():
    bar = counts.bars()["R5"]
    assert len(ROWS) == bar.full >= 100
    assert sum(row.quick for row in ROWS) == bar.quick
    assert sum(row.right for row in ROWS) >= 20
    assert {row.name for row in ROWS} >= {*SMOKE}


def test_every_model_has_a_right_row_a_wrong_one_and_one_that_shows_it_is_not_empty():
    for path in sorted(model.HERE.glob("*.pml")):
        mine = [row for row in ROWS if row.file == path.name]
        assert any(row.right for row in mine), path.name
        assert any(row.name.startswith("w_") for row in mine), path.name
        assert any(row.name.startswith("r_") for row in mine), path.name


def test_every_wrong_design_that_a_model_names_has_a_row_and_every_flag_is_named():
    for path in sorted(model.HERE.glob("*.pml")):
        text = path.read_text(encoding="utf-8")
        used = {
            flag[2:].partition("=")[0]
            for row in ROWS
            if row.file == path.name
            for flag in row.flags
        }
        head = text.partition("*/")[0]
        named = {*re.findall(r"^ \*   ([A-Z_]+)\b", head, re.MULTILINE)}
        assert named - used == set(), path.name
        assert {flag for flag in used if not re.search(rf"\b{flag}\b", text)} == set(), path.name
        assert {flag for flag in used if not re.search(rf"\b{flag}\b", head)} <= BOUNDS


def test_the_page_names_every_wrong_design_and_counts_the_rows():
    page = (model.HERE.parent / "docs" / "model.md").read_text(encoding="utf-8")
    tables = "".join(line for line in page.splitlines() if line.startswith("|"))
    named = re.findall(r"`(w_\w+)`", tables)
    assert sorted(named) == sorted(row.name for row in ROWS if row.name.startswith("w_"))
    right = sum(row.right for row in ROWS)
    last, _ = told([model.Result(row, True, "", 1, 0.1) for row in ROWS], ROWS)
    assert f"`{last}`" in page
    assert (
        last
        == f"model: {right}/{right} right held, {len(ROWS) - right}/{len(ROWS) - right} wrong failed"
    )
    files = {path.name for path in model.HERE.iterdir() if path.is_file()} - {"model.py"}
    assert files == {*re.findall(r"^\| `spec/([\w.]+)` \|", page, re.MULTILINE)}


def test_a_row_is_called_by_what_it_is():
    for row in ROWS:
        assert row.right != row.name.startswith(("w_", "r_")), row.name
