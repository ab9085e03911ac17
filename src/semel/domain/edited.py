"""What an audit finds: rows that are not as the engine left them, and how much it has read."""

from dataclasses import dataclass
from enum import StrEnum


class Why(StrEnum):
    """What does not fit of a row."""

    CHANGED = "changed"
    MISSING = "missing"
    """The plan's events tell of it, and it is not there."""
    ADDED = "added"
    """It is there, and no event tells of it."""
    UNCHAINED = "unchained"
    """It does not follow from the event before it."""
    UNSIGNED = "unsigned"
    """The signature on the end of the plan's events is not of them."""
    NO_KEY = "no_key"
    """It was signed with a key that the keyring does not hold."""
    FORGED = "forged"
    """Its seal is not its own."""
    LOST = "lost"
    """Rows of it are left, and it is not there itself."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A row that is not as the engine left it.

    Args:
        table: its table.
        org: whose it is.
        plan: the plan that it belongs to.
        row: what names it within its plan: ``step 2``; empty for the plan itself.
        why: what does not fit.
        of: which columns, or which key.
    """

    table: str
    org: str
    plan: str
    row: str
    why: Why
    of: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found."""

    plans: int = 0
    events: int = 0
    blanked: int = 0
    """Bodies of events that were blanked, as a person may ask."""
    edited: tuple[Edited, ...] = ()

    def __add__(self, other: "Audit") -> "Audit":
        return Audit(
            self.plans + other.plans,
            self.events + other.events,
            self.blanked + other.blanked,
            self.edited + other.edited,
        )
