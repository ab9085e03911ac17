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
from semel.domain.plan import (
    PlanKind,
    PlanReason,
    PlanState,
    Resolution,
    StepReason,
    StepState,
)
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
    undoes: bool = False
    """It takes back what a step of this action did; facts and result are that step's."""
    later: tuple["LaterView", ...] = ()
    similar: tuple["MatchView", ...] = ()
    changed: tuple[Difference, ...] = ()
    """Why it is stale: what was shown and what is."""
    doubt: "DoubtView | None" = None
    resolution: Resolution | None = None
    resolved_by: str | None = None
    wording: Mapping[str, Words] = field(default_factory=dict)
    """What its action declares for a card with room: ``question``, ``button`` and facts by name."""
    undoable: bool = False
    """Its action can take it back."""
    records: tuple[tuple[str, str, str], ...] = ()
    """What it made or touched: kind, id and how it is called."""


@dataclass(frozen=True, slots=True)
class LaterView:
    """What a step plans for later, as its card shows it."""

    will: Words
    facts: Mapping[str, Fact]
    not_before: str


@dataclass(frozen=True, slots=True)
class MatchView:
    """A record that a new one looks like."""

    kind: str
    id: str
    label: str
    facts: Mapping[str, Fact]


@dataclass(frozen=True, slots=True)
class DoubtView:
    """A step that may have happened, for the person who has to find out."""

    since: str
    """When it was sent last, as instant text."""
    reference: str
    """What the other side may know it by: an e-mail's Message-ID begins with it."""
    settled: bool
    """Whether nothing of it can still arrive: only then "it did not happen" counts."""
    settles_at: str | None
    """When its bounds have passed; None when nobody can say."""
    sends: int
    lost: str | None = None
    """When a copy was put back that does not know whether it was sent; None when none was."""


class Because(StrEnum):
    """Why a plan asks, beside the risk of its steps."""

    LOOK_ALIKE = "look_alike"
    """It looks like something that was made a short while ago."""
    FURTHER_PLAN = "further_plan"
    """The same message already led to a plan that ran."""
    STILL_RUNNING = "still_running"
    """A plan of this conversation with such a step is being done at this moment."""


@dataclass(frozen=True, slots=True)
class PlanView:
    """A plan as a person sees it."""

    plan: str
    state: PlanState
    reason: PlanReason | None
    risk: Risk
    steps: tuple[StepView, ...]
    expires_at: str | None = None
    because: tuple[Because, ...] = ()
    kind: PlanKind = PlanKind.PLAN
    epoch: int = 0
    """It grows with every decision; an answer about a doubt names the epoch it was read in."""
    cancelled: bool = False
    """A person has stopped it; the step in flight still ends."""
    due: str | None = None
    """When a plan that waits for its time begins, as instant text."""
    undone_by: str | None = None
    ended_at: str | None = None
    """When it ended, as instant text: a replay says it."""
    unsafe: bool = False
    """The database may lose what it has answered, which was allowed all the same."""
    sentence: str | None = None
    """What the person wrote that led to it, where the channel knows."""
    newer: str | None = None
    """The plan that took this one's place."""


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
    """A plan has ended: what was done, what was not, and why.

    The tokens are there only for the bound person's session, while the offer stands.
    """

    view: PlanView
    retry_token: str | None = field(default=None, repr=False)
    undo_token: str | None = field(default=None, repr=False)
    undo_until: str | None = None


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
    SEND_WORDS = "send_words"
    """Sending once more takes typed words, and these are not they."""
    NOT_SETTLED = "not_settled"
    """What was sent may still arrive: "it did not happen" does not count yet."""
    NOT_IN_DOUBT = "not_in_doubt"
    """Nothing about this step is in doubt (any more)."""
    UNKNOWN_RECORD = "unknown_record"
    """The id that was given is of no record."""
    OFFER_EXPIRED = "offer_expired"
    """The time in which it could be retried or taken back has passed."""
    CHANGED = "changed"
    """What it is about is no longer as it was shown; nothing was sent."""
    CLOSING = "closing"
    """This process is being stopped and begins nothing new."""
    SENDS_OFF = "sends_off"
    """Nothing may be sent outside from this database, until its operator has seen to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(_Spoken):
    """Nothing was done, and why in one word."""

    why: Refusal
    plan: str | None = None
    detail: str = ""


Outcome: TypeAlias = Ask | Running | Report | Invalid | Refused
