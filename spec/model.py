# ruff: noqa: INP001, T201, S603 - a program, which prints and runs spin, gcc and what they make
"""`make model`: every row of runs.txt, checked exhaustively with Spin.

A right row is searched to its end: no error, nothing cut short, no end that is none. A wrong row is
the same protocol with one rule less, or says that something good never happens; it must fail, by an
assertion of the model and with a trail that shows how, for a model that fails by a misspelling has
shown nothing.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROWS = HERE / "runs.txt"
COUNTS = HERE.parent / "tests" / "counts.py"
LEVEL = "SEMEL_PROVE"
LOG = "SEMEL_PROVE_LOG"
BAR = "R5"

SECONDS = 180
"""What one search may take: the longest needs five on a core of its own."""
MEMORY_MB = 2000
"""What one search may keep; the largest needs 300."""
DEPTH = 1_000_000
"""Steps of one run of a model; a search that meets this limit has seen less than everything."""
COMPILE = ("-w", "-DSAFETY", "-DCOLLAPSE", "-DNOFAIR", "-DVECTORSZ=2048")

LACKING = 3
"""Exit status when a program is missing."""


@dataclass(frozen=True)
class Row:
    """A line of runs.txt.

    Args:
        name: what it shows.
        right: whether it must hold; else it must fail.
        quick: whether `--quick` runs it.
        file: the model.
        flags: what is defined for it.
    """

    name: str
    right: bool
    quick: bool
    file: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """How a row came out.

    Args:
        row: which.
        expected: whether it came out as it must.
        why: what came out.
        states: states seen.
        seconds: what it took, compiling included.
    """

    row: Row
    expected: bool
    why: str
    states: int
    seconds: float

    def line(self) -> str:
        """What is said of it while others are searched."""
        word = "ok  " if self.expected else "NOT "
        wanted = "holds" if self.row.right else "fails"
        return (
            f"{word}{self.row.name:34} {wanted} {self.states:>9} states {self.seconds:5.1f} s"
            f"  {self.why}"
        )


class Malformed(Exception):
    """A line of runs.txt that says nothing."""


def read(text: str) -> list[Row]:
    """The rows of a list.

    Raises:
        Malformed: a line is no row, or a name is there twice.
    """
    rows: list[Row] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) < 4 or words[1] not in {"pass", "fail"} or words[2] not in {"quick", "full"}:
            raise Malformed(f"Line {number} is no row: NAME pass|fail quick|full FILE FLAGS…")
        name, outcome, level, file, *flags = words
        if name in {row.name for row in rows}:
            raise Malformed(f"Line {number}: {name} is there twice.")
        rows.append(Row(name, outcome == "pass", level == "quick", file, tuple(flags)))
    return rows


def search(row: Row, folder: Path, trails: Path | None = None) -> Result:
    """Build a row's model in a folder of its own, search it, and judge what came out."""
    began = time.monotonic()

    def result(expected: bool, why: str, states: int = 0) -> Result:
        return Result(row, expected, why, states, time.monotonic() - began)

    model = folder / "model.pml"
    if not (HERE / row.file).is_file():
        return result(False, f"there is no {row.file}")
    shutil.copyfile(HERE / row.file, model)
    built = _run(["spin", *row.flags, "-a", model.name], folder)
    if built.returncode or not (folder / "pan.c").is_file():
        return result(False, f"spin does not read it: {_first(built.stdout, 'rror')}")
    # A wrong one is found out, and a quick one searched, before a better program would have paid
    # for its making.
    level = "-O1" if row.right and not row.quick else "-O0"
    built = _run(["gcc", level, *COMPILE, f"-DMEMLIM={MEMORY_MB}", "-o", "pan", "pan.c"], folder)
    if built.returncode:
        return result(False, f"gcc does not compile it: {_first(built.stdout, 'error')}")
    try:
        said = _run(["./pan", f"-m{DEPTH}"], folder, SECONDS).stdout
    except subprocess.TimeoutExpired:
        return result(False, f"no end after {SECONDS} s")
    trail = folder / f"{model.name}.trail"
    if trails is not None and trail.is_file():
        _keep(row, folder, trails)
    expected, why = judge(row, said, trail=trail.is_file())
    return result(expected, why, _states(said))


def judge(row: Row, said: str, *, trail: bool) -> tuple[bool, str]:
    """Whether what pan said is what a row must come to, and in words what it was.

    Args:
        row: which.
        said: all that pan wrote.
        trail: whether it left the steps of a run that fails.
    """
    errors = re.search(r"errors: (\d+)", said)
    cut = re.search(
        r"max search depth too small|[Ss]earch not completed|out of memory|memory exhausted"
        r"|reached -DMEMLIM|aborting", said
    )  # fmt: skip
    violated = re.search(r"assertion violated (.*?) \(at depth", said)
    if errors is None:
        return False, f"the search came to no end: {_first(said, 'rror')}"
    if errors.group(1) == "0":
        if cut:
            return False, f"the search was cut short: {cut.group()}"
        return row.right, "nothing found"
    if violated is None:
        return False, _first(said, "pan:1:") or "an error that is no assertion"
    if row.right:
        return False, f"violated: {violated.group(1)}"
    if not trail:
        return False, "it left no trail"
    return True, f"violated: {violated.group(1)}"


def _states(said: str) -> int:
    found = re.search(r"^\s*(\d+) states, stored", said, re.MULTILINE)
    return int(found.group(1)) if found else 0


def _first(text: str, word: str) -> str:
    return next((line.strip() for line in text.splitlines() if word in line), "")


def _keep(row: Row, folder: Path, trails: Path) -> None:
    """Write a failing run as text: each step, with the line of the model and what changed."""
    with suppress(subprocess.TimeoutExpired):
        # A shorter way is easier to read; what was found first will do.
        _run(["./pan", "-i", "-m3000"], folder, SECONDS)
    shown = _run(["spin", *row.flags, "-t", "-p", "-g", "-l", "model.pml"], folder)
    (trails / f"{row.name}.txt").write_text(shown.stdout, encoding="utf-8")


def _run(
    command: Sequence[str], folder: Path, seconds: float | None = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, cwd=folder, timeout=seconds, check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def all_of(rows: Sequence[Row], jobs: int, trails: Path | None = None) -> Iterable[Result]:
    """Search rows, so many at once; each as it comes out."""
    with tempfile.TemporaryDirectory(prefix="semel-model-") as folder:

        def one(row: Row) -> Result:
            place = Path(folder) / row.name
            place.mkdir()
            try:
                return search(row, place, trails)
            finally:
                shutil.rmtree(place)

        with ThreadPoolExecutor(jobs) as pool:
            for done in as_completed([pool.submit(one, row) for row in rows]):
                yield done.result()


def told(results: Sequence[Result], rows: Sequence[Row]) -> tuple[str, bool]:
    """The last line, and whether every row came out as it must."""
    right = [row for row in rows if row.right]
    wrong = [row for row in rows if not row.right]
    held = sum(one.expected for one in results if one.row.right)
    failed = sum(one.expected for one in results if not one.row.right)
    line = f"model: {held}/{len(right)} right held, {failed}/{len(wrong)} wrong failed"
    return line, bool(rows) and held == len(right) and failed == len(wrong)


def count(results: Sequence[Result]) -> None:
    """Say to `make prove` how many rows came out as they must."""
    if LOG not in os.environ:
        return
    spec = importlib.util.spec_from_file_location("counts", COUNTS)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{COUNTS} cannot be loaded.")
    counts = importlib.util.module_from_spec(spec)
    sys.modules["counts"] = counts
    spec.loader.exec_module(counts)
    counts.ran(BAR, sum(one.expected for one in results))


def main(arguments: Sequence[str] | None = None) -> int:
    """Search the rows that were asked for; 0 when every one came out as it must."""
    parser = argparse.ArgumentParser(
        prog="model.py",
        description="Search every model of the protocol, right and wrong, to its end.",
    )
    cores = os.cpu_count() or 1
    parser.add_argument("--jobs", type=int, default=cores, help="searches at once")
    parser.add_argument("--only", default="", metavar="PATTERN", help="rows whose name it matches")
    parser.add_argument("--quick", action="store_true", help="the rows that are said to be quick")
    parser.add_argument("--list", type=Path, default=ROWS, metavar="FILE", help="another runs.txt")
    parser.add_argument("--trails", type=Path, metavar="DIR", help="keep the runs that fail here")
    parser.add_argument("--expect", type=int, default=0, metavar="N", help="fail with fewer rows")
    given = parser.parse_args(arguments)
    lacking = [name for name in ("spin", "gcc") if shutil.which(name) is None]
    if lacking:
        print(
            f"model: {' and '.join(lacking)} cannot be found, without which no model is searched"
            f" (on Debian and Ubuntu: apt install {' '.join(lacking)}).",
            file=sys.stderr,
        )
        return LACKING
    try:
        rows = read(given.list.read_text(encoding="utf-8"))
    except (Malformed, OSError) as no:
        print(f"model: {no}", file=sys.stderr)
        return 1
    quick = given.quick or os.environ.get(LEVEL) in {"smoke", "quick"}
    rows = [row for row in rows if (row.quick or not quick) and re.search(given.only, row.name)]
    if given.trails is not None:
        given.trails.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    for one in all_of(rows, max(given.jobs, 1), given.trails):
        results.append(one)
        print(one.line(), file=sys.stderr, flush=True)
    count(results)
    line, held = told(results, rows)
    print(line)
    return 0 if held and len(results) >= given.expect else 1


if __name__ == "__main__":
    sys.exit(main())
