"""What a look at the database's own settings found, for the operator: what, why, and what to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    WARN = "warn"
    """Something is not as it should be, and no promise is lost by it."""
    OFF = "off"
    """No outside step begins until it is seen to; Local ones go on."""
    STOP = "stop"
    """The engine does not open."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    """What was looked at, in one word."""
    level: Level
    says: str
    """What is so, why it matters, and what to do: a sentence each at most."""
    durability: bool = False
    """Whether ``SEMEL_UNSAFE_DURABILITY=1`` lets it pass."""


def closed(findings: Sequence[Finding], *, unsafe: bool = False) -> str | None:
    """Why no outside step may begin, in the words of the findings; None when one may."""
    off = [
        one.says
        for one in findings
        if one.level in {Level.OFF, Level.STOP} and not (unsafe and one.durability)
    ]
    return " ".join(off) or None


def overridden(findings: Sequence[Finding]) -> list[str]:
    """What ``SEMEL_UNSAFE_DURABILITY=1`` lets pass here."""
    bad = {Level.OFF, Level.STOP}
    return [one.says for one in findings if one.durability and one.level in bad]
