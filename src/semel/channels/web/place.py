"""Where a router is mounted, and where its application shows what plans have made."""

from dataclasses import dataclass

from semel.channels.cards import Links, nowhere


@dataclass(frozen=True, slots=True)
class Place:
    """What the addresses on a card are made of."""

    prefix: str = ""
    links: Links = nowhere
