"""Break one line of protective code at a time and see the test that is named for it fail.

    python tests/mutants/mutate.py [--only PATTERN] [--jobs N] [--sample K] [--seed S]

A mutant of ``tests/mutants.toml`` counts as killed when it is still a program (it imports without a
warning and passes ``mypy --strict``), its test passes without it, and with it fails by an assertion:
a crash, a time-out or an error of a fixture is no verdict of a test. The last line is
``mutants: k/n killed``, and the status is 0 only when all are.
"""

import argparse
import fnmatch
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import counts  # noqa: E402 - tests are no package, so the line above leads to it
import stores  # noqa: E402 - as above
from semel.testing import postgres  # noqa: E402 - as above

SECONDS = 120
"""What one run may take, on a machine with other things to do; a named test takes a few."""
COPIED = ("src", "tests", "conftest.py", "pyproject.toml")
VERDICTS = {"AssertionError", "Failed"}
"""How a test says no: an assertion, or pytest's own, as where something was not raised."""


@dataclass(frozen=True)
class Mutant:
    """One line changed.

    Args:
        name: what it takes away.
        file: where, below the root.
        old: the text that is there once.
        new: what stands there instead; one line of it differs.
        test: the pytest id of what kills it.
        why: which protection it takes away, in a sentence.
    """

    name: str
    file: str
    old: str
    new: str
    test: str
    why: str

    @property
    def server(self) -> bool:
        """Whether its test runs on PostgreSQL."""
        return "postgres" in self.test

    def wrong(self, root: Path) -> str | None:
        """Why it cannot be put in, or None."""
        path = root / self.file
        if not path.is_file():
            return f"there is no {self.file}"
        found = path.read_text(encoding="utf-8").count(self.old)
        if found != 1:
            return f"the old text is there {found} times"
        pairs = zip(self.old.split("\n"), self.new.split("\n"), strict=False)
        if self.old.count("\n") != self.new.count("\n") or sum(a != b for a, b in pairs) != 1:
            return "it changes more or less than one line"
        return None


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant; only "killed" is as it should be."""

    word: str
    said: str = ""

    @property
    def killed(self) -> bool:
        return self.word == "killed"


def read(path: Path) -> list[Mutant]:
    """The mutants of a file, in its order."""
    return [Mutant(**one) for one in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]]


class Tree:
    """A copy of the sources and the tests in which one file at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told = folder / "told"

    def copy(self) -> None:
        self.folder.mkdir(parents=True)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                # With what was compiled, and with the times by which a changed file is told from it.
                shutil.copytree(source, self.folder / name)
            else:
                shutil.copy2(source, self.folder / name)
        kept = ROOT / ".mypy_cache"
        if kept.is_dir():
            # What has been checked before need not be checked again; mypy compares contents.
            shutil.copytree(kept, self.folder / ".mypy_cache")

    def run(
        self, *words: str, server: bool = False, seconds: float = SECONDS
    ) -> subprocess.CompletedProcess[str]:
        """Run a Python program in the tree, on the tree's own sources."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("SEMEL_")
        }
        environment |= {
            "PYTHONPATH": f"{self.folder / 'src'}{os.pathsep}{Path(__file__).parent}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MUTANTS_TOLD": str(self.told),
        }
        if server:
            environment |= {stores.SERVER: os.environ[stores.SERVER], "SEMEL_TEST_STORES": "every"}
        else:
            environment["SEMEL_TEST_NO_SERVER"] = "these run on SQLite"
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=seconds, check=False,
        )  # fmt: skip

    def tests(self, tests: Sequence[str], *, server: bool) -> list[dict[str, object]]:
        """Run tests; how each part of each ended."""
        self.told.write_text("", encoding="utf-8")
        options = ["-p", "told", "-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist"]
        seconds = SECONDS * len(tests)
        self.run("-m", "pytest", *options, *tests, server=server, seconds=seconds)
        return [json.loads(line) for line in self.told.read_text(encoding="utf-8").splitlines()]

    @contextmanager
    def changed(self, mutant: Mutant) -> Iterator[None]:
        path = self.folder / mutant.file
        before = path.read_text(encoding="utf-8")
        path.write_text(before.replace(mutant.old, mutant.new), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(before, encoding="utf-8")

    def judge(self, mutant: Mutant) -> Verdict:
        """Put a mutant in and see what becomes of it."""
        with self.changed(mutant):
            no = self._is_program(mutant)
            if no is not None:
                return Verdict("no mutant", no)
            return verdict(self.tests([mutant.test], server=mutant.server))

    def _is_program(self, mutant: Mutant) -> str | None:
        """Why the changed file is no program any more, or None."""
        if mutant.file.endswith(".py"):
            module = mutant.file.removeprefix("src/").removesuffix(".py").replace("/", ".")
            steps = [["-W", "error", "-c", f"import {module}"], ["-m", "mypy", mutant.file]]
        elif mutant.file.endswith(".js"):
            return self._is_module(mutant)
        else:
            # The whole folder is read and, on SQLite, every statement is parsed by its tests.
            folder = Path(mutant.file).parent
            load = f"from semel.storage.sql import load; from pathlib import Path; load(Path({str(folder)!r}))"
            if folder.name == "migrations":
                # A migration that the database cannot read fails its tests by that.
                load = load.replace("storage.sql", "storage.migrate").replace(
                    "load(P", "load('', P"
                )
            steps = [["-W", "error", "-c", load]]
        for words in steps:
            done = self.run(*words)
            if done.returncode:
                said = done.stdout.strip().splitlines() or ["it ended without a word"]
                return next((line for line in said if "rror: " in line), said[-1])
        return None

    def _is_module(self, mutant: Mutant) -> str | None:
        """Why the changed file is no module of JavaScript any more, or None."""
        copy = self.folder / "module.mjs"
        shutil.copy2(self.folder / mutant.file, copy)
        done = subprocess.run(
            ["node", "--check", copy], capture_output=True, text=True, check=False
        )
        said = [line for line in done.stderr.splitlines() if "Error: " in line]
        return None if done.returncode == 0 else said[0] if said else "node does not say why"


def verdict(told: Sequence[dict[str, object]]) -> Verdict:
    """What the reports of a test say of the mutant that it ran on."""
    failed = [one for one in told if one["outcome"] == "failed" and one["when"] != "teardown"]
    other = [one for one in failed if one["when"] != "call" or not _asserted(one)]
    if not told:
        return Verdict("broken", "its test was not run")
    if other:
        kinds = other[0]["kinds"]
        return Verdict("broken", f"its test failed at {other[0]['when']} by {kinds and kinds[0]}")  # type: ignore[index]  # a list, as JSON has it
    return Verdict("killed") if failed else Verdict("survived", "its test passes with it")


def _asserted(report: dict[str, object]) -> bool:
    return not VERDICTS.isdisjoint(report["kinds"])  # type: ignore[arg-type]  # a list of names


def passed(told: Sequence[dict[str, object]], test: str) -> bool:
    """Whether a test was run and passed, in each of its forms."""
    mine = [one for one in told if one["test"] == test or str(one["test"]).startswith(f"{test}[")]
    return bool(mine) and all(one["outcome"] == "passed" for one in mine)


def chosen(mutants: Sequence[Mutant], only: str, sample: int | None, seed: int) -> list[Mutant]:
    """Those whose names match; of these so many, drawn by the seed."""
    found = [mutant for mutant in mutants if fnmatch.fnmatch(mutant.name, only)]
    if sample is None:
        return found

    def number(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed}:{mutant.name}".encode()).digest()

    drawn = sorted(found, key=number)[:sample]
    return [mutant for mutant in found if mutant in drawn]


def judged(mutants: Sequence[Mutant], jobs: int, folder: Path) -> Iterator[tuple[Mutant, Verdict]]:
    """What becomes of each, in order, with so many at once."""
    trees: SimpleQueue[Tree] = SimpleQueue()
    for number in range(jobs):
        tree = Tree(folder / str(number))
        tree.copy()
        trees.put(tree)

    def with_tree(work, *arguments):
        tree = trees.get()
        try:
            return work(tree, *arguments)
        except subprocess.TimeoutExpired:
            return Verdict("broken", f"it took longer than {SECONDS} s")
        finally:
            trees.put(tree)

    def baseline(tree: Tree, tests: Sequence[str], server: bool):
        return tree.tests(tests, server=server)

    with ThreadPoolExecutor(jobs) as pool:
        groups = [
            (sorted({one.test for one in mutants if one.server is server})[start::jobs], server)
            for server in (False, True)
            for start in range(jobs)
        ]
        runs = [pool.submit(with_tree, baseline, *group) for group in groups if group[0]]
        sound = [one for run in runs for one in (run.result() or []) if isinstance(one, dict)]

        def one(tree: Tree, mutant: Mutant) -> Verdict:
            no = mutant.wrong(tree.folder)
            if no is not None:
                return Verdict("no mutant", no)
            if not passed(sound, mutant.test):
                return Verdict("broken", "its test does not pass without it")
            return tree.judge(mutant)

        yield from zip(
            mutants, pool.map(lambda mutant: with_tree(one, mutant), mutants), strict=True
        )


@contextmanager
def server(mutants: Sequence[Mutant]) -> Iterator[None]:
    """A PostgreSQL server for the tests that need one."""
    if not any(mutant.server for mutant in mutants):
        yield
        return
    with (
        tempfile.TemporaryDirectory(prefix="semel-postgres-") as folder,
        postgres(Path(folder), **stores.SETTINGS) as running,
    ):
        os.environ[stores.SERVER] = running.url
        yield


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", default="*", help="names, as a shell would match them")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--sample", type=int, help="so many of them, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", type=Path, default=ROOT / "tests/mutants.toml")
    parser.add_argument("--bar", help="the bar of tests/prove that this counts for")
    given = parser.parse_args()
    mutants = chosen(read(given.file), given.only, given.sample, given.seed)
    killed, began = 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="semel-mutants-") as folder, server(mutants):
        for mutant, found in judged(mutants, given.jobs, Path(folder)):
            killed += found.killed
            said = found.said or mutant.why
            print(f"{found.word:9} {mutant.name}: {said}", flush=True)
    print(f"seconds: {time.monotonic() - began:.0f}", file=sys.stderr)
    if given.bar:
        counts.ran(given.bar, killed)
    print(f"mutants: {killed}/{len(mutants)} killed")
    enough = given.sample is None or len(mutants) >= given.sample
    return 0 if mutants and enough and killed == len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
