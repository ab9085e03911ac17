"""Every row in turn, several times in another order each, and a table of what came out."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Any, Final

from bench import places, worlds
from bench.guard_rows import LOADS as GUARDED
from bench.one import Mismatch
from bench.rows import LOADS, Unusable

SECONDS: Final = 2.0
CALLERS: Final = (1, 32)
POSTGRES: Final = ("semel-pg", "guard-pg", "told-pg", "raw-psycopg")
SQLITE: Final = ("semel-sqlite", "guard-sqlite", "told-sqlite", "raw-sqlite")
"""The rows of a database; the last one is what the others are held against."""

FLOORS: Final[Mapping[tuple[str, str, int], float]] = {
    **{("semel-pg", load, callers): 0.5 for load in LOADS for callers in CALLERS},
    **{("guard-pg", "W1", callers): 0.5 for callers in CALLERS},
    ("semel-sqlite", "W1", 32): 1.5,
    ("guard-sqlite", "W1", 32): 1.5,
}
"""What is promised of a row: so much of the raw one's rate, with so many callers."""

REPEAT: Final = ("guard-sqlite", "W1r", 1)
REPEAT_MICROSECONDS: Final = 25
"""What a repeat of a guarded call takes code at most, on SQLite."""

COUNTED: Final = 400
"""Calls of one caller whose commits and syncs the server is asked for."""

Cell = tuple[str, str, int]


def run(rounds: int, seconds: float, only: str | None, given: str | None) -> int:
    """Run all rows *rounds* times and print the table; 1 when a server counted too few syncs.

    Raises:
        Unusable: a row cannot be run here.
        Mismatch: a row did something else than it said.
    """
    groups = [SQLITE] if only == "sqlite" else [POSTGRES] if only == "pg" else [SQLITE, POSTGRES]
    rows = [row for group in groups for row in group]
    cells = [(row, load, callers) for row in rows for load in loads(row) for callers in CALLERS]
    found: dict[Cell, list[dict[str, Any]]] = {cell: [] for cell in cells}
    with ExitStack() as stack:
        folder = stack.enter_context(places.folder())
        url = ""
        if POSTGRES in groups:
            url = given or stack.enter_context(places.server(folder))
            places.checked("pg", url)
        for turn in range(rounds):
            for cell in sorted(cells, key=lambda cell: _shuffled(turn, cell)):
                where = url if is_postgres(cell[0]) else f"sqlite:///{folder}/{cell[0]}.db"
                one = _one(cell, where, "--seconds", str(seconds))
                found[cell].append(one)
                _say(f"round {turn + 1}: {' '.join(map(str, cell))}: {one['per_s']} per second\n")
        _say("\n", out=True)
        for line in table(groups, found):
            _say(f"{line}\n", out=True)
        short = list(counted(url)) if url else []
    for line in short:
        _say(f"{line}\n", out=True)
    return 1 if any(line.endswith("!") for line in short) else 0


def is_postgres(row: str) -> bool:
    """Whether a row wants a PostgreSQL server."""
    return row in POSTGRES


def loads(row: str) -> Sequence[str]:
    """The loads of a row."""
    return LOADS if row.startswith(("semel-", "raw-")) else GUARDED


def _shuffled(turn: int, cell: Cell) -> bytes:
    return hashlib.sha256(repr((turn, cell)).encode()).digest()


def _say(text: str, *, out: bool = False) -> None:
    stream = sys.stdout if out else sys.stderr
    stream.write(text)
    stream.flush()


def _process(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "bench", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - this very program


def _one(cell: Cell, url: str, *amount: str) -> dict[str, Any]:
    """Run one row in a process of its own."""
    row, load, callers = cell
    words = ["--row", row, "--load", load, "--callers", str(callers), "--db", url, "--json"]
    done = _process(*words, *amount)
    if done.returncode == 1 and not done.stdout:
        raise Mismatch(done.stderr.strip())
    if done.returncode != 0:
        raise Unusable(f"{row} {load} ended with {done.returncode}: {done.stderr.strip()}")
    one: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return one


def table(
    groups: Sequence[Sequence[str]], found: Mapping[Cell, Sequence[Mapping[str, Any]]]
) -> Iterator[str]:
    """Medians with their range, and how much of the raw row's rate ours have."""
    for *ours, raw in groups:
        settings = found[ours[0], LOADS[0], CALLERS[0]][0]["durability"]
        yield f"{ours[0]}: " + ", ".join(f"{name}={value}" for name, value in settings.items())
        yield f"  {'':<14}{'load':<5}{'callers':>7}  {raw:<36}{'ours':<36}{'ratio':>6}  promised"
        for row in ours:
            for load in loads(row):
                for callers in CALLERS:
                    mine, theirs = found[row, load, callers], found[raw, load, callers]
                    ratio = _median(mine, "per_s") / _median(theirs, "per_s")
                    cells = f"{_cell(theirs):<36}{_cell(mine):<36}{ratio:>6.2f}"
                    promise = _promise((row, load, callers), mine, ratio)
                    yield f"  {row:<14}{load:<5}{callers:>7}  {cells}  {promise}".rstrip()
        yield ""


def _promise(cell: Cell, mine: Sequence[Mapping[str, Any]], ratio: float) -> str:
    """What is promised of a cell, and whether it was held."""
    if cell == REPEAT:
        took = _median(mine, "p50_ms") * 1000
        return f"{REPEAT_MICROSECONDS} µs {_held(took < REPEAT_MICROSECONDS)}: {took:.0f} µs"
    floor = FLOORS.get(cell)
    return "" if floor is None else f"{floor} {_held(ratio >= floor)}"


def _held(held: bool) -> str:
    return "held" if held else "NOT HELD"


def _median(many: Sequence[Mapping[str, Any]], name: str) -> float:
    return median(float(one[name]) for one in many)


def _cell(many: Sequence[Mapping[str, Any]]) -> str:
    rates = [float(one["per_s"]) for one in many]
    p50, p99 = _median(many, "p50_ms"), _median(many, "p99_ms")
    return f"{median(rates):,.0f} [{min(rates):,.0f}–{max(rates):,.0f}] {p50:.3g}/{p99:.3g}"


def counted(url: str) -> Iterator[str]:
    """What the server does for each call; a line that ends in "!" is a broken promise."""
    yield f"per call of one caller{'commits':>11}{'WAL syncs':>11}{'WAL bytes':>11}"
    for row in (POSTGRES[0], POSTGRES[-1]):
        for load in LOADS:
            few, many = (spent(row, load, url, calls) for calls in (1, 1 + COUNTED))
            per = {name: (many[name] - few[name]) / COUNTED for name in many}
            short = load != "W1r" and many["wal_syncs"] < COUNTED
            yield (
                f"  {row:<13}{load:<7}{per['commits']:>11.2f}{per['wal_syncs']:>11.2f}"
                f"{per['wal_bytes']:>11.0f}"
                f"{'  a commit is answered before it is on disk!' if short else ''}"
            )


def spent(row: str, load: str, url: str, calls: int) -> Mapping[str, int]:
    """Commits, WAL syncs and WAL bytes of a run of one caller, opening and closing included."""
    before = worlds.work(url)
    _one((row, load, 1), url, "--calls", str(calls))
    after = worlds.work(url)
    return {name: after[name] - before[name] for name in after}
