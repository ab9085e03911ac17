"""How often a check runs: a few times in `make test`, more in `make prove`, fully with `FULL=1`.

The numbers are in ``tests/prove/*.toml``, one table for each bar of the promises. A check asks for
its number and says afterwards how many it ran; one that ran fewer fails.
"""

import json
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LEVEL = "SEMEL_PROVE"
"""Which of the numbers counts: ``smoke`` (without it), ``quick`` or ``full``."""
LOG = "SEMEL_PROVE_LOG"
"""The file in which `make prove` reads what was run; without it nothing is written."""
LEVELS = ("smoke", "quick", "full")
BARS = Path(__file__).parent / "prove"


@dataclass(frozen=True)
class Bar:
    """A promise with its numbers.

    Args:
        name: the bar's name in its table, ``R12`` or ``R13.cancel``.
        says: the promise in a sentence.
        counts: what one of the number is: "rounds of 50 presses".
        smoke: how many in `make test`.
        quick: how many in `make prove`.
        full: how many in `make prove FULL=1`.
        run: what runs it, each an argument for pytest or, after ``python``, a program's command line.
    """

    name: str
    says: str
    counts: str
    smoke: int
    quick: int
    full: int
    run: tuple[str, ...]

    def at(self, level: str) -> int:
        return {"smoke": self.smoke, "quick": self.quick, "full": self.full}[level]


@cache
def bars() -> dict[str, Bar]:
    """Every bar, in the order of the files and of the tables in them."""
    found: dict[str, Bar] = {}
    for path in sorted(BARS.glob("*.toml")):
        for name, table in _flat(tomllib.loads(path.read_text(encoding="utf-8"))):
            if name in found:
                raise ValueError(f"{path.name}: {name} is there twice.")
            found[name] = Bar(name, run=tuple(table.pop("run")), **table)
    return found


def _flat(tables: dict[str, Any], above: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise ValueError(f"{above}{name} is no table.")
        within = {key: value for key, value in table.items() if isinstance(value, dict)}
        own = {key: value for key, value in table.items() if key not in within}
        if own:
            yield f"{above}{name}", own
        yield from _flat(within, f"{above}{name}.")


def level() -> str:
    """The level at which this run counts."""
    given = os.environ.get(LEVEL, "smoke")
    if given not in LEVELS:
        raise ValueError(f"{LEVEL} is one of {', '.join(LEVELS)}, not {given!r}.")
    return given


def of(bar: str) -> int:
    """How many of *bar* are to be run at this level."""
    return bars()[bar].at(level())


def ran(bar: str, count: int) -> None:
    """Say how many of *bar* were run here; several tests of a bar add up.

    Raises:
        KeyError: there is no such bar.
    """
    found = bars()[bar]
    if LOG in os.environ:
        line = json.dumps({"bar": found.name, "ran": count}) + "\n"
        with Path(os.environ[LOG]).open("a", encoding="utf-8") as log:
            # One write of less than a page: lines of several processes do not mix.
            log.write(line)
