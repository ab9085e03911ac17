"""Outcomes in words, Spanish and English: for the model, and as the card that a person reads."""

from dataclasses import dataclass

from semel.domain.report import Card, ForModel, Outcome, Speaker
from semel.words.draw import card
from semel.words.model import answer
from semel.words.neutral import neutral
from semel.words.voice import Voice

__all__ = ["Words", "neutral", "speaker"]


@dataclass(frozen=True, slots=True)
class Words(Speaker):
    """The speaker there is.

    Args:
        zone: whose clock tells a person when a question expires.
    """

    zone: str = "Europe/Madrid"

    def for_model(self, outcome: Outcome, locale: str) -> ForModel:
        """The world first, then what to do next; no token, no trace, no bare "failed"."""
        return answer(outcome, Voice.of(locale, self.zone))

    def card(self, outcome: Outcome, locale: str) -> Card:
        """Done, could not, not done because of that; and what can be done now."""
        return card(outcome, Voice.of(locale, self.zone))


speaker = Words()
