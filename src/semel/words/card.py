"""A card: what a channel draws of an outcome, and what its parts have in common."""

from dataclasses import dataclass

from semel.domain.report import Card
from semel.words.neutral import visible

ID_SHOWN = len("p_0192f3a1-7c2b")
"""Characters of a plan's number that are shown: its time to the millisecond tells plans apart."""

UNDER = "   "
"""What a line under a step begins with: the width of the step's number."""


@dataclass(frozen=True, slots=True)
class PlanCard(Card):
    """What a channel draws; every part is one line, whatever the data says."""

    title: str
    lines: tuple[str, ...] = ()
    why: str | None = None
    buttons: tuple[str, ...] = ()
    """What each button does: ``confirm``, ``cancel``, ``retry``, ``undo`` or ``resolve``."""
    footer: str | None = None
    reply: str | None = None
    """How to answer where there are no buttons."""
    labels: tuple[str, ...] = ()
    """What the buttons say, in their order."""
    answers: tuple[str, ...] = ()
    """What each ``resolve`` button answers, in their order: ``happened``, ``did_not`` or
    ``look_again``."""

    def text(self) -> str:
        """The card as plain text."""
        foot = [part for part in (self.why, self.reply, self.footer) if part]
        parts = [[self.title], list(self.lines), foot]
        return "\n\n".join("\n".join(part) for part in parts if part)


def short(plan: str) -> str:
    """A plan's number as a card shows it: enough to find it by."""
    return visible(plan[:ID_SHOWN])
