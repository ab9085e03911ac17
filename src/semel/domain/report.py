"""Outcomes: what every verb answers. Nothing expected is an exception.

An outcome is a value about the world; ``for_model``, ``card`` and ``says`` put it into words
through the speaker it carries, so that this module needs no sentence of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias

from semel.domain.action import Missing, Risk, Words
from semel.domain.consent import Difference
from semel.domain.plan import PlanReason, PlanState, StepReason, StepState
from semel.facts import JSON, Fact


class Status(StrEnum):
    """What a model is told, a closed set."""

    DONE = "done"
    ALREADY_DONE = "already_done"
    RUNNING = "running"
    IN_DOUBT = "in_doubt"
    NOT_DONE = "not_done"
    PARTIAL = "partial"
    NEEDS_PERSON = "needs_person"
    INVALID = "invalid"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    REFUSED = "refused"


class Next(StrEnum):
    """What a model may do now, a closed set."""

    NOTHING = "nothing"
    ASK_PERSON = "ask_person"
    WAIT_PERSON = "wait_person"
    POLL = "poll"


@dataclass(frozen=True, slots=True)
class StepView:
    """A step as a person sees it: its sentences, figures and state."""

    position: int
    action: str
    will: Words
    did: Words
    effect: str
    risk: Risk
    facts: Mapping[str, Fact]
    state: StepState
    reason: StepReason | None = None
    detail: str | None = None
    made: Mapping[str, Fact] = field(default_factory=dict)
    id: str | None = None


class Because(StrEnum):
    """Why a plan asks, beside the risk of its steps."""

    FURTHER_PLAN = "further_plan"
    """The same message already led to a plan that ran."""


@dataclass(frozen=True, slots=True)
class PlanView:
    """A plan as a person sees it."""

    plan: str
    state: PlanState
    reason: PlanReason | None
    risk: Risk
    steps: tuple[StepView, ...]
    expires_at: str | None = None
    because: Because | None = None


class Card(Protocol):
    """What a channel draws: title, lines, why it asks, what can be done now."""

    title: str
    lines: tuple[str, ...]
    why: str | None
    buttons: tuple[str, ...]
    footer: str | None

    def text(self) -> str:
        """The card as plain text."""


class ForModel(Protocol):
    """What a model reads of an outcome."""

    status: Status
    says: str
    next: Next
    plan: str | None

    def plain(self) -> dict[str, JSON]:
        """The answer as JSON, the result of the one tool."""


class Speaker(Protocol):
    """Puts outcomes into words; ``semel.words`` holds the one there is."""

    def for_model(self, outcome: "Outcome", locale: str) -> ForModel:
        """The world first, then what to do next; no token, no trace, no bare "failed"."""

    def card(self, outcome: "Outcome", locale: str) -> Card:
        """Done, could not, not done because of that; and what can be done now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spoken:
    speaker: Speaker = field(repr=False, compare=False)
    replayed: bool = False

    def for_model(self: "Outcome", locale: str) -> ForModel:  # type: ignore[misc]  # only outcomes inherit
        """What a model reads; never a token."""
        return self.speaker.for_model(self, locale)

    def card(self: "Outcome", locale: str) -> Card:  # type: ignore[misc]  # only outcomes inherit
        """What a person reads."""
        return self.speaker.card(self, locale)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(_Spoken):
    """A plan waits for one yes. ``token`` is there only for the bound person's session."""

    view: PlanView
    token: str | None = field(default=None, repr=False)
    again: bool = False
    """The same plan asks once more, because something is no longer as it was shown."""
    changed: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Running(_Spoken):
    """A plan is being run, here or elsewhere; asking again later tells how it ended."""

    view: PlanView


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(_Spoken):
    """A plan has ended: what was done, what was not, and why."""

    view: PlanView


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a proposal, by a code that words has a sentence for."""

    code: str
    where: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalid(_Spoken):
    """A proposal that could not be previewed. Nothing was kept and nothing was assumed."""

    problems: tuple[Problem, ...] = ()
    questions: tuple[Missing, ...] = ()


class Refusal(StrEnum):
    """Why nothing was done."""

    NOT_FOUND = "not_found"
    """To anybody but the bound person every token and plan "does not exist"."""
    FORBIDDEN = "forbidden"
    TAMPERED = "tampered"
    EXPIRED = "expired"
    REVOKED = "revoked"
    BROKEN = "broken"
    """Something failed while previewing; logged."""
    TOO_MANY = "too_many"
    """One message has led to too many proposals."""
    NOTHING_PENDING = "nothing_pending"
    WORDS = "words"
    """The plan asks for typed words, and these are not they."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(_Spoken):
    """Nothing was done, and why in one word."""

    why: Refusal
    plan: str | None = None
    detail: str = ""


Outcome: TypeAlias = Ask | Running | Report | Invalid | Refused
