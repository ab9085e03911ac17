"""A tool as a reader found it, and what the scan thinks of it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from semel.errors import SemelError


class ScanError(SemelError):
    """What was to be scanned could not be read; the sentence says why."""


class Kind(StrEnum):
    """What a second call of a tool does, the worst first: this is the order of the table."""

    MONEY = "money"
    """Money moves twice, and whoever got it decides whether it comes back."""
    MESSAGE = "message"
    """Somebody reads it twice, and nothing takes it back."""
    RESOURCE = "resource"
    """Another system holds two of it, which somebody has to find and delete."""
    WEBHOOK = "webhook"
    """Something else starts twice; most receivers expect that of a delivery, and some do not."""
    UNKNOWN = "unknown"
    """It cannot be told, so it may be any of the above; what is known to be bad goes first."""
    WRITE = "write"
    """A second row in the application's own store, where it can be seen and mended."""
    READ_WRITES = "read_writes"
    """It looks like a read and leaves something on the way: a log of queries, a counter."""
    HARMLESS = "harmless"
    """It leaves the same state however often it is called: set, upsert, delete by id."""
    READ = "read"
    """It changes nothing."""

    @property
    def damage(self) -> int:
        """How much a second call does, from 0 for a read."""
        return len(Kind) - 1 - [*Kind].index(self)

    @property
    def effect(self) -> bool:
        """Whether a second call does something that the first had not done."""
        return self not in {Kind.HARMLESS, Kind.READ}


OWN = {Kind.WRITE, Kind.READ_WRITES}
"""What happens in the application's own store, where the source shows that it does."""


class Deed(NamedTuple):
    """Something that a tool was seen to do, and the sentence that says so."""

    kind: Kind
    says: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, as far as one can know it without calling it."""

    name: str
    description: str = ""
    parameters: tuple[str, ...] = ()
    place: str = ""
    """Where it is: ``tools.py:12``, ``POST /charges``; empty for a tool of a server."""
    method: str | None = None
    """The HTTP method, in capitals."""
    path: str = ""
    read_only: bool | None = None
    """What an MCP server says of it. Any server may say anything, so this never lowers a class."""
    idempotent: bool | None = None
    deeds: tuple[Deed, ...] | None = None
    """What its source does; None where there is no source."""
    whole: bool = False
    """Whether every call in its source is one whose effect is known."""
    key: str | None = None
    """Where it takes a key by which the other side could tell repeats."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A tool's class, why, and the effect that the guard would be told."""

    tool: Tool
    kind: Kind
    reasons: tuple[str, ...]
    """Sentences, the decisive one first."""
    seen: bool = False
    """Whether the class rests on the source, and not on words only."""

    @property
    def suggested(self) -> str | None:
        """The effect class to declare, as Python; None for what needs no guard."""
        if not self.kind.effect:
            return None
        deeds = [deed.kind for deed in self.tool.deeds or () if deed.kind.effect]
        # What the source writes is in a database; who sends what it queued is another's matter.
        if deeds and set(deeds) == {Kind.WRITE} and (self.tool.whole or self.kind in OWN):
            return "Local()"
        # An hour is less than what the usual providers remember; their page has the right number.
        return "Keyed(ttl=3600)" if self.tool.key else "Opaque()"

    @property
    def line(self) -> str | None:
        """The line to add to the source; None for what needs no guard."""
        return self.suggested and f"@guard.once(effect={self.suggested})"
