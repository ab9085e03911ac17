"""What a row is: the same loads, done by semel or without it, in one database."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from bench.load import Amount, Measured

LOADS: Final = ("W1", "W1r", "W2")
"""A protected call with a fresh key; its replay; a plan of four steps with nobody asked."""

EFFECTS: Final[Mapping[str, int]] = {"W1": 1, "W1r": 0, "W2": 4}
"""Effects of one call of each load."""

REPLAYED: Final = 256
"""Keys that are filled before a replay is measured."""

PAYLOAD: Final = (
    '{"to":"maria@carmona.example","subject":"Factura 2026-0004","amount":"605.00","lines":[1,2,3]}'
)
"""What an effect writes: about a hundred bytes, as a small row of an application has."""

STEPS: Final = 4
"""Steps of a plan."""

LOSES: Final[Mapping[str, frozenset[str]]] = {
    "fsync": frozenset({"off"}),
    "synchronous_commit": frozenset({"off"}),
    "full_page_writes": frozenset({"off"}),
    "synchronous": frozenset({"0", "1"}),
    "journal_mode": frozenset({"memory", "off"}),
}
"""Settings with which a commit that was answered may be lost; SQLite's 1 is NORMAL."""


class Unusable(Exception):
    """A row cannot be run here; the message says why, in a sentence."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to run: the load, by how many callers, for how long, and under which names of keys."""

    load: str
    callers: int
    amount: Amount
    label: str

    def key(self, number: int) -> str:
        """The key of a call; a replay takes those that were filled before in turn."""
        return f"{self.label}-{number % REPLAYED if self.load == 'W1r' else number}"


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a row: its measure, and the settings that its own session had."""

    measured: Measured
    settings: Mapping[str, str]


class Row(Protocol):
    """One way to do the loads."""

    def __call__(self, url: str, warm: Job, job: Job) -> Ran:
        """Open what is needed, do *warm*, fill what *job* replays, measure *job*, and close.

        Raises:
            Unusable: the database keeps no promise, or cannot be reached.
        """


def durable(settings: Mapping[str, object]) -> Mapping[str, str]:
    """The settings as text.

    Raises:
        Unusable: a commit that was answered may be lost, and nobody has said that this is meant.
    """
    said = {name: str(value) for name, value in settings.items()}
    wrong = [f"{name}={value}" for name, value in said.items() if value in LOSES.get(name, ())]
    if wrong and os.environ.get("SEMEL_UNSAFE_DURABILITY") != "1":
        raise Unusable(
            f"With {', '.join(wrong)} a commit that was answered may be lost, so its speed says"
            " nothing. SEMEL_UNSAFE_DURABILITY=1 runs it all the same."
        )
    return said
