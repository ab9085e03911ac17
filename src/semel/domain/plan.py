"""Plans, their steps and who asked for them, as values read from a store."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from semel.domain.action import Risk, Row

STEPS_MAX = 10
"""Steps of one plan: more cannot be read before a yes."""

PROPOSALS_MAX = 5
"""Plans that one message may lead to, superseded ones included: a loop that words itself anew
each time would otherwise put up cards without end."""


class PlanKind(StrEnum):
    """How a plan came to be."""

    PLAN = "plan"
    """Proposed for a person's message."""
    UNDO = "undo"
    """Takes back what its parent did, last step first."""
    LATER = "later"
    """Written by a step of its parent, for a time to come."""


class PlanState(StrEnum):
    """Where a plan is."""

    ASKING = "asking"
    RUNNING = "running"
    ENDED = "ended"


class PlanReason(StrEnum):
    """Why a plan ended."""

    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    STALE = "stale"
    IN_DOUBT = "in_doubt"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    REFUSED = "refused"


class StepState(StrEnum):
    """Where a step is."""

    WAITING = "waiting"
    STARTED = "started"
    DONE = "done"
    NOT_DONE = "not_done"
    IN_DOUBT = "in_doubt"


class StepReason(StrEnum):
    """Why a step is not done."""

    REFUSED = "refused"
    """The action or the other side said no."""
    FAILED = "failed"
    """Something broke before anything happened."""
    STALE = "stale"
    """The world is no longer what was shown."""
    CANCELLED = "cancelled"
    FORBIDDEN = "forbidden"
    NOT_REACHED = "not_reached"
    """A step before it did not get done."""
    CRASHED = "crashed"
    """Three processes died before it could begin."""
    UNKNOWN_REFERENCE = "unknown_reference"
    """A step before it happened, and nobody knows what it made."""


class Resolution(StrEnum):
    """What a person said of a step in doubt."""

    HAPPENED = "happened"
    DID_NOT = "did_not"
    SEND_ANYWAY = "send_anyway"
    """Send it once more although it may have arrived: a possible duplicate, and said so."""


@dataclass(frozen=True, slots=True)
class Who:
    """A person in a conversation of an organization, as the channel established it."""

    org: str
    person: str
    conversation: str
    locale: str = "en"


SAME_SECONDS = 3600.0
"""For how long after its end a plan answers equal calls of a channel that knows no message: as long
as a person may take it back. A laptop that slept, a client that came back: those are repeats."""


@dataclass(frozen=True, slots=True)
class NoMessage:
    """In place of a message's id, where the channel knows none: equal plans are one request.

    What is equal is decided by the plan alone, until *seconds* after it has ended.
    """

    seconds: float = SAME_SECONDS


@dataclass(frozen=True, slots=True)
class Terms:
    """What makes a plan more than its steps: how it came to be, and for what time."""

    kind: PlanKind = PlanKind.PLAN
    parent: str | None = None
    not_before: str | None = None
    not_after: str | None = None
    unless: str | None = None


class StepRow(NamedTuple):
    """A step as stored. ``input`` and ``preview`` are the stored texts, byte for byte."""

    position: int
    action: str
    action_version: int
    effect: str
    input: str
    preview: str
    facts_digest: str
    risk: Risk
    state: StepState
    reason: StepReason | None
    detail: str | None
    result: str | None
    later: str | None = None
    similar: str | None = None
    changed: str | None = None
    round: int = 1
    resolution: Resolution | None = None
    resolved_by: str | None = None

    @classmethod
    def read(cls, row: Row) -> "StepRow":
        """The step of a row of ``steps.of_plan``."""
        reason, resolution = row["reason"], row["resolution"]
        return cls(
            position=_int(row, "position"),
            action=str(row["action"]),
            action_version=_int(row, "action_version"),
            effect=str(row["effect"]),
            input=str(row["input"]),
            preview=str(row["preview"]),
            facts_digest=str(row["facts_digest"]),
            risk=Risk(_int(row, "risk")),
            state=StepState(str(row["state"])),
            reason=StepReason(str(reason)) if reason is not None else None,
            detail=_text(row, "detail"),
            result=_text(row, "result"),
            later=_text(row, "later"),
            similar=_text(row, "similar"),
            changed=_text(row, "changed"),
            round=_int(row, "round"),
            resolution=Resolution(str(resolution)) if resolution is not None else None,
            resolved_by=_text(row, "resolved_by"),
        )


class PlanRow(NamedTuple):
    """A plan as stored."""

    org: str
    plan: str
    person: str
    conversation: str
    message: str
    locale: str
    state: PlanState
    reason: PlanReason | None
    risk: Risk
    version: int
    epoch: int
    at: int
    round: int
    stall: int
    owner: str | None
    digest: str
    seal: str
    kid: str
    created_at: str
    expires_at: str | None
    why: str | None
    kind: PlanKind
    parent: str | None
    undone_by: str | None
    cancelled_at: str | None
    ended_at: str | None
    not_before: str | None
    not_after: str | None
    unless: str | None
    sentence: str | None
    resume_after: str | None

    @property
    def who(self) -> Who:
        """The person it is bound to, in its conversation."""
        return Who(self.org, self.person, self.conversation, self.locale)

    @property
    def terms(self) -> Terms:
        """How it came to be, and for what time."""
        return Terms(self.kind, self.parent, self.not_before, self.not_after, self.unless)

    @property
    def waits(self) -> bool:
        """Whether it is a later plan that nobody has begun."""
        unbegun = self.at == 0 and self.owner is None
        return self.kind is PlanKind.LATER and self.state is PlanState.RUNNING and unbegun

    @classmethod
    def read(cls, row: Row) -> "PlanRow":
        """The plan of a row of ``plans.find``."""
        reason = row["reason"]
        return cls(
            org=str(row["org"]),
            plan=str(row["plan"]),
            person=str(row["person"]),
            conversation=str(row["conversation"]),
            message=str(row["message"]),
            locale=str(row["locale"]),
            state=PlanState(str(row["state"])),
            reason=PlanReason(str(reason)) if reason is not None else None,
            risk=Risk(_int(row, "risk")),
            version=_int(row, "version"),
            epoch=_int(row, "epoch"),
            at=_int(row, "at"),
            round=_int(row, "round"),
            stall=_int(row, "stall"),
            owner=_text(row, "owner"),
            digest=str(row["digest"]),
            seal=str(row["seal"]),
            kid=str(row["kid"]),
            created_at=str(row["created_at"]),
            expires_at=_text(row, "expires_at"),
            why=_text(row, "why"),
            kind=PlanKind(str(row["kind"])),
            parent=_text(row, "parent"),
            undone_by=_text(row, "undone_by"),
            cancelled_at=_text(row, "cancelled_at"),
            ended_at=_text(row, "ended_at"),
            not_before=_text(row, "not_before"),
            not_after=_text(row, "not_after"),
            unless=_text(row, "unless"),
            sentence=_text(row, "sentence"),
            resume_after=_text(row, "resume_after"),
        )


def _text(row: Mapping[str, object], name: str) -> str | None:
    value = row[name]
    return None if value is None else str(value)


def _int(row: Mapping[str, object], name: str) -> int:
    return int(str(row[name]))


@dataclass(frozen=True, slots=True)
class Owner:
    """The right to run a plan: its epoch, which a take-over makes worthless."""

    org: str
    plan: str
    epoch: int
