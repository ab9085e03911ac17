"""Plans, their steps and who asked for them, as values read from a store."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from semel.domain.action import Risk, Row

STEPS_MAX = 10
"""Steps of one plan: more cannot be read before a yes."""

PROPOSALS_MAX = 5
"""Plans that one message may lead to, superseded ones included: a loop that words itself anew
each time would otherwise put up cards without end."""


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


@dataclass(frozen=True, slots=True)
class Who:
    """A person in a conversation of an organization, as the channel established it."""

    org: str
    person: str
    conversation: str
    locale: str = "en"


@dataclass(frozen=True, slots=True)
class StepRow:
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

    @classmethod
    def read(cls, row: Row) -> "StepRow":
        """The step of a row of ``steps.of_plan``."""
        reason = row["reason"]
        return cls(
            position=_int(row, "position"),
            action=_str(row, "action"),
            action_version=_int(row, "action_version"),
            effect=_str(row, "effect"),
            input=_str(row, "input"),
            preview=_str(row, "preview"),
            facts_digest=_str(row, "facts_digest"),
            risk=Risk(_int(row, "risk")),
            state=StepState(_str(row, "state")),
            reason=StepReason(str(reason)) if reason is not None else None,
            detail=_text(row, "detail"),
            result=_text(row, "result"),
        )


@dataclass(frozen=True, slots=True)
class PlanRow:
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

    @classmethod
    def read(cls, row: Row) -> "PlanRow":
        """The plan of a row of ``plans.find``."""
        reason = row["reason"]
        return cls(
            org=_str(row, "org"),
            plan=_str(row, "plan"),
            person=_str(row, "person"),
            conversation=_str(row, "conversation"),
            message=_str(row, "message"),
            locale=_str(row, "locale"),
            state=PlanState(_str(row, "state")),
            reason=PlanReason(str(reason)) if reason is not None else None,
            risk=Risk(_int(row, "risk")),
            version=_int(row, "version"),
            epoch=_int(row, "epoch"),
            at=_int(row, "at"),
            round=_int(row, "round"),
            stall=_int(row, "stall"),
            owner=_text(row, "owner"),
            digest=_str(row, "digest"),
            seal=_str(row, "seal"),
            kid=_str(row, "kid"),
            created_at=_str(row, "created_at"),
            expires_at=_text(row, "expires_at"),
            why=_text(row, "why"),
        )


def _str(row: Mapping[str, object], name: str) -> str:
    return str(row[name])


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
