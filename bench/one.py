"""One row, once: run it, count what was done, and say how fast it was."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bench import worlds
from bench.guard_rows import guard_row, told_row
from bench.load import Amount
from bench.raw_psycopg import raw_psycopg
from bench.raw_sqlite import raw_sqlite
from bench.rows import EFFECTS, REPLAYED, Job, Row
from bench.semel_rows import semel_row

ROWS: Final[Mapping[str, Row]] = {
    "semel-pg": semel_row,
    "raw-psycopg": raw_psycopg,
    "semel-sqlite": semel_row,
    "raw-sqlite": raw_sqlite,
    "guard-pg": guard_row,
    "guard-sqlite": guard_row,
    "told-pg": told_row,
    "told-sqlite": told_row,
}

WARM_SECONDS: Final = 0.5
"""Statements are prepared, connections made and pages cached before anything is measured."""

WARM_CALLS: Final = 32
"""The same where so many calls are asked for, and not so many seconds."""


class Mismatch(Exception):
    """The database holds other effects than the calls say: the row is worth nothing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    row: str
    load: str
    callers: int
    amount: Amount
    url: str


def run(asked: Asked) -> dict[str, Any]:
    """Run one row.

    Raises:
        Unusable: the row cannot be run here.
        Mismatch: it did something else than it said.
    """
    label = f"{os.getpid()}x{time.perf_counter_ns()}"
    few = Amount(calls=WARM_CALLS) if asked.amount.calls else Amount(seconds=WARM_SECONDS)
    job = Job(asked.load, asked.callers, asked.amount, label)
    ran = ROWS[asked.row](asked.url, Job(asked.load, asked.callers, few, f"w{label}"), job)
    found = ran.measured
    done = _checked(asked, label, found.calls)
    return {
        "row": asked.row,
        "load": asked.load,
        "callers": asked.callers,
        "per_s": round(found.calls / found.seconds, 1) if found.seconds else 0.0,
        "p50_ms": round(found.percentile(0.50) * 1000, 3),
        "p99_ms": round(found.percentile(0.99) * 1000, 3),
        "calls": found.calls,
        "effects": done,
        "effects_per_call": EFFECTS[asked.load],
        "cpu_ms": round(found.cpu_seconds / max(found.calls, 1) * 1000, 4),
        "seconds": round(found.seconds, 3),
        "durability": dict(ran.settings),
    }


def _checked(asked: Asked, label: str, calls: int) -> int:
    """The effects of *calls*, counted in the database: each there once, and no other."""
    filled = REPLAYED if asked.load == "W1r" else 0
    expected = calls * EFFECTS[asked.load]
    count, different = worlds.effects(asked.url, label)
    if count != expected + filled or different != count:
        raise Mismatch(
            f"{asked.row} {asked.load} made {calls} calls, which are {expected} effects"
            f"{f' beside {filled} that were filled in' if filled else ''}; the database holds"
            f" {count}, of {different} different keys."
        )
    return count - filled
