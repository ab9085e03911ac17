"""`make prove`: every bar of the promises, at quick counts or, with FULL=1, at full ones.

A bar holds when what runs it succeeded and said that it ran as many as it promises. The tests run
together, in as many processes as there are cores; the programs one after the other, since each uses
all cores itself.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import counts
from counts import Bar

ROOT = Path(__file__).parents[1]
PROOF = ROOT / "docs" / "proof.json"
PAGE = ROOT / "docs" / "guarantees.md"
BEGIN, END = "<!-- proof: begin -->", "<!-- proof: end -->"
BROKEN = re.compile(r"^(?:FAILED|ERROR) (?P<node>[^\s\[]+?(?:\[.*?\])?)(?: - .*)?$", re.MULTILINE)
"""A test that failed, in pytest's last lines; a case of it may have spaces and dashes, and what it says too."""


@dataclass
class Found:
    """What was seen of one bar."""

    bar: Bar
    ran: int = 0
    broken: list[str] = field(default_factory=list)

    def held(self, level: str) -> bool:
        """Whether it ran often enough and nothing of it failed."""
        return not self.broken and self.ran >= self.bar.at(level)

    def line(self, level: str) -> str:
        """What was run, of how many, and whether it held."""
        numbers = f"{self.ran:,}/{self.bar.quick:,}/{self.bar.full:,}"
        verdict = "held" if self.held(level) else "NOT HELD"
        why = f": {'; '.join(self.broken)}" if self.broken else ""
        return f"{self.bar.name:18} {numbers:>24} {self.bar.counts}: {verdict}{why}"


def programs(bars: Sequence[Bar]) -> dict[tuple[str, ...], list[Bar]]:
    """The programs that are run, each once, and the bars that each is for."""
    found: dict[tuple[str, ...], list[Bar]] = {}
    for bar in bars:
        if bar.run[0] == "python":
            found.setdefault(bar.run, []).append(bar)
    return found


def belongs(node: str, places: Sequence[str]) -> bool:
    """Whether a test is one of those that run a bar: a file's, a function's, or one of its cases."""
    name = node.partition("[")[0]
    around = (name[: cut.start()] for cut in re.finditer("/|::", name))
    return not {node, name, *around}.isdisjoint(places)


def run_tests(bars: Sequence[Bar], environment: Mapping[str, str]) -> list[str]:
    """Run every test that a bar names, together; the nodes that failed."""
    places = sorted({place for bar in bars for place in bar.run})
    if not places:
        return []
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "--no-header", "--tb=short"]
    # One test may take half an hour, and keeps to itself no test that another worker could take. More
    # workers than this would be more sessions than the server of the tests has.
    workers = (os.cpu_count() or 1) + 1
    done = subprocess.run(
        [*command, "-n", str(workers), "--dist", "worksteal", *places],
        cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, check=False,
    )  # fmt: skip
    broken = [match["node"] for match in BROKEN.finditer(done.stdout)]
    if done.returncode != 0:
        print(done.stdout, flush=True)
        # What pytest says without naming a test is everybody's fault.
        return broken or places
    return broken


def prove(bars: Sequence[Bar], level: str, log: Path) -> list[Found]:
    """Run what proves each bar; what was seen."""
    # A sample of the tests on PostgreSQL is no proof of it.
    every = {"SEMEL_TEST_STORES": "every"}
    environment = {**os.environ, **every, counts.LEVEL: level, counts.LOG: str(log)}
    found = {bar.name: Found(bar) for bar in bars}
    for command, mine in programs(bars).items():
        told(f"python {' '.join(command[1:])}")
        filled = [part.replace("{n}", str(mine[0].at(level))) for part in command[1:]]
        done = subprocess.run(
            [sys.executable, *filled], cwd=ROOT, env=environment, text=True,
            stdout=subprocess.PIPE, check=False,
        )  # fmt: skip
        last = (done.stdout.strip() or "it said nothing").splitlines()[-1]
        told(f"  {last}")
        if done.returncode != 0:
            print(done.stdout, flush=True)
            for bar in mine:
                found[bar.name].broken.append(f"ended with {done.returncode}: {last}")
    tests = [bar for bar in bars if bar.run[0] != "python"]
    told(f"{len(tests)} bars whose checks are tests")
    broken = run_tests(tests, environment)
    for bar in tests:
        mine_too = {node for node in broken if belongs(node, bar.run)}
        found[bar.name].broken += sorted(mine_too)
    for name, count in logged(log).items():
        if name in found:
            found[name].ran = count
    return list(found.values())


def logged(log: Path) -> Counter[str]:
    """How many of each bar were run, by what the checks wrote down."""
    ran: Counter[str] = Counter()
    if log.exists():
        for line in log.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            ran[entry["bar"]] += entry["ran"]
    return ran


def told(text: str) -> None:
    """Say on stderr how far it is."""
    print(f"{time.strftime('%H:%M:%S', time.gmtime())} {text}", file=sys.stderr, flush=True)


def commit() -> str:
    """The commit that is proved, marked when the tree is not what it says."""
    asked = ["git", "-C", str(ROOT)]
    head = subprocess.run([*asked, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    # What a full run writes itself is no change of what it proves.
    own = [f":!{path.relative_to(ROOT)}" for path in (PROOF, PAGE)]
    dirty = subprocess.run(
        [*asked, "status", "--porcelain", "--untracked-files=no", "--", ".", *own],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return head.stdout.strip() + ("+changes" if dirty.stdout.strip() else "")


def proof(
    found: Sequence[Found], level: str, of: str, before: Sequence[Mapping[str, object]] = ()
) -> list[dict[str, object]]:
    """What docs/proof.json holds: each bar as it was last run in full, and at which commit.

    Args:
        found: what was seen now.
        level: at which counts.
        of: the commit.
        before: what the file holds; bars that were not run now stay as they are there.
    """
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    known = {str(one["bar"]): dict(one) for one in before}
    known |= {
        one.bar.name: {
            "bar": one.bar.name, "says": one.bar.says, "counts": one.bar.counts,
            "ran": one.ran, "promised": one.bar.at(level), "held": one.held(level),
            "commit": of, "at": now,
        }
        for one in found
    }  # fmt: skip
    return [known[name] for name in sorted(known, key=_order)]


def _order(name: str) -> tuple[str, int, str]:
    """R2 comes before R12."""
    letter, number, rest = re.match(r"([A-Z]*)([0-9]*)(.*)", name).groups()  # type: ignore[union-attr]  # it matches anything
    return letter, int(number or 0), rest


def table(written: Sequence[Mapping[str, object]]) -> str:
    """The rows of docs/proof.json as the page shows them."""
    lines = ["| Bar | Promise | Ran | Promised | | Commit |", "|---|---|---:|---:|---|---|"]
    for bar in written:
        held = "held" if bar["held"] else "**not held**"
        ran, promised = f"{bar['ran']:,}", f"{bar['promised']:,}"
        says, of = f"{bar['says']} ({bar['counts']})", str(bar["commit"])
        changed = "+" if of.endswith("+changes") else ""
        lines.append(
            f"| {bar['bar']} | {says} | {ran} | {promised} | {held} | `{of[:8]}`{changed} |"
        )
    return "\n".join(lines)


def paste(page: str, written: Sequence[Mapping[str, object]]) -> str:
    """The page with the counts of docs/proof.json between its two marks."""
    before, _, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"The page lacks {BEGIN} or {END}.")
    return f"{before}{BEGIN}\n\n{table(written)}\n\n{END}{after}"


def _written(but: Sequence[Bar] = ()) -> list[dict[str, object]]:
    """What docs/proof.json holds of bars that there still are, without some."""
    if not PROOF.exists():
        return []
    there = counts.bars().keys() - {bar.name for bar in but}
    return [one for one in json.loads(PROOF.read_text(encoding="utf-8")) if one["bar"] in there]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument(
        "--full",
        action="store_true",
        help="full counts; writes docs/proof.json, with --only those bars of it",
    )
    options.add_argument("--smoke", action="store_true", help="the counts of make test")
    options.add_argument("--only", metavar="PATTERN", default=".", help="bars whose names match")
    options.add_argument("--list", action="store_true", help="only list the bars")
    options.add_argument("--paste", action="store_true", help="only paste docs/proof.json's counts")
    given = options.parse_args()
    if given.paste:
        page = paste(PAGE.read_text(encoding="utf-8"), _written())
        PAGE.write_text(page, encoding="utf-8")
        return 0
    level = "full" if given.full else "smoke" if given.smoke else "quick"
    bars = [bar for bar in counts.bars().values() if re.search(given.only, bar.name)]
    if given.list:
        for bar in bars:
            print(f"{bar.name:18} {bar.smoke:>8,} {bar.quick:>8,} {bar.full:>8,}  {bar.says}")
        return 0
    if not bars:
        print(f"prove: no bar's name matches {given.only}", file=sys.stderr)
        return 2
    began, of = time.monotonic(), commit()
    with tempfile.TemporaryDirectory(prefix="semel-prove-") as folder:
        found = prove(bars, level, Path(folder) / "log")
    for one in found:
        print(one.line(level))
    seconds = time.monotonic() - began
    held = sum(one.held(level) for one in found)
    if given.full:
        written = proof(found, level, of, _written(bars) if given.only != "." else ())
        text = json.dumps(written, indent=1, ensure_ascii=False)
        PROOF.write_text(f"{text}\n", encoding="utf-8")
    told(f"{seconds:.0f} s, commit {of}")
    print(f"prove: {held}/{len(found)} bars", flush=True)
    return 0 if held == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
