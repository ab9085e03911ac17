"""Reading a plan back: as a view for words, as an outcome, and whole for the person."""

import json
from dataclasses import dataclass

from semel.domain.consent import Confirmation, Question, token_of
from semel.domain.plan import PlanReason, PlanRow, PlanState, StepRow, Who
from semel.domain.report import (
    Ask,
    Because,
    Outcome,
    PlanView,
    Refusal,
    Refused,
    Report,
    Running,
    StepView,
)
from semel.facts import JSON, Fact, instant_text, read_facts
from semel.ports import EngineTx, Row
from semel.runtime.core import Core
from semel.runtime.invoke import context

DECIDE = "semel.decide"
"""The permission to look at and decide about other people's plans."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A plan and its steps, read in one transaction."""

    plan: PlanRow
    steps: tuple[StepRow, ...]

    @property
    def began(self) -> bool:
        """Whether any step was begun."""
        return self.plan.at > 0


def load(tx: EngineTx, org: str, plan: str) -> Stored | None:
    """Read a plan and its steps; None when there is none of that number."""
    # A number may be anything that a model or a URL holds; a plan's is ASCII.
    row = tx.one("plans.find", org=org, plan=plan) if plan.isascii() else None
    if row is None:
        return None
    steps = tx.all("steps.of_plan", org=org, plan=plan)
    return Stored(PlanRow.read(row), tuple(StepRow.read(step) for step in steps))


def may_decide(core: Core, tx: EngineTx, who: Who) -> bool:
    """Whether a person may look at and decide about other people's plans."""
    return core.allow(context(core, tx.app, who, "", 0, 1, tx.now()), DECIDE, []) is True


def may_look(core: Core, tx: EngineTx, who: Who, plan: PlanRow) -> bool:
    """Whether a person may see a plan: their own, or everybody's when they may decide."""
    return plan.org == who.org and (plan.person == who.person or may_decide(core, tx, who))


def confirmation(row: Row) -> Confirmation:
    """A question as stored."""
    nonce = row["nonce"]
    return Confirmation(
        org=str(row["org"]),
        id=str(row["id"]),
        nonce=nonce if isinstance(nonce, bytes) else b"",
        kid=str(row["kid"]),
        question=Question(str(row["question"])),
        plan=str(row["plan"]),
        version=int(str(row["version"])),
        digest=str(row["digest"]),
        person=str(row["person"]),
        conversation=str(row["conversation"]),
        expires_at=str(row["expires_at"]),
        mac=str(row["mac"]),
        used_at=None if row["used_at"] is None else str(row["used_at"]),
        revoked_at=None if row["revoked_at"] is None else str(row["revoked_at"]),
    )


def live_token(core: Core, tx: EngineTx, who: Who, plan: PlanRow) -> str | None:
    """The token of the standing question, for its bound person in its conversation only."""
    if (plan.person, plan.conversation) != (who.person, who.conversation):
        return None
    row = tx.one("confirmations.live", org=plan.org, plan=plan.plan)
    return token_of(core.keys, confirmation(row)) if row else None


def view(core: Core, stored: Stored) -> PlanView:
    """A plan as words need it."""
    plan = stored.plan
    return PlanView(
        plan=plan.plan,
        state=plan.state,
        reason=plan.reason,
        risk=plan.risk,
        steps=tuple(_step(core, step) for step in stored.steps),
        expires_at=plan.expires_at,
        because=Because(plan.why) if plan.why else None,
    )


def _step(core: Core, step: StepRow) -> StepView:
    action = core.catalog.get(step.action)
    # An action that this program no longer has still happened; its name is all that can be said.
    will = getattr(action, "will", {})
    did = getattr(action, "did", {})
    made, id_ = _result(step.result)
    return StepView(
        position=step.position,
        action=step.action,
        will=will,
        did=did,
        effect=step.effect,
        risk=step.risk,
        facts=_facts(step.preview),
        state=step.state,
        reason=step.reason,
        detail=step.detail,
        made=made,
        id=id_,
    )


def _facts(text: str) -> dict[str, Fact]:
    try:
        return read_facts(json.loads(text))
    except (ValueError, ArithmeticError):
        return {}


def _result(text: str | None) -> tuple[dict[str, Fact], str | None]:
    if text is None:
        return {}, None
    try:
        result: JSON = json.loads(text)
    except ValueError:
        return {}, None
    if not isinstance(result, dict):
        return {}, None
    id_ = result.get("id")
    try:
        facts = read_facts(result.get("facts", {}))
    except (ValueError, ArithmeticError):
        facts = {}
    return facts, id_ if isinstance(id_, str) else None


def outcome(
    core: Core, stored: Stored, *, token: str | None = None, replayed: bool = False
) -> Outcome:
    """What a plan answers at present."""
    shown = view(core, stored)
    match stored.plan.state:
        case PlanState.ASKING:
            return Ask(view=shown, token=token, replayed=replayed, speaker=core.speaker)
        case PlanState.RUNNING:
            return Running(view=shown, replayed=replayed, speaker=core.speaker)
        case PlanState.ENDED:
            return Report(view=shown, replayed=replayed, speaker=core.speaker)


def expired(tx: EngineTx, stored: Stored) -> bool:
    """Whether a plan's question has outlived its time."""
    plan = stored.plan
    return (
        plan.state is PlanState.ASKING
        and plan.expires_at is not None
        and plan.expires_at <= instant_text(tx.now())
    )


def refused(core: Core, why: Refusal, plan: str | None = None, detail: str = "") -> Refused:
    """Nothing was done, and why."""
    return Refused(why=why, plan=plan, detail=detail, speaker=core.speaker)


def superseded(stored: Stored) -> bool:
    """Whether a newer plan took this one's place before it ran."""
    return stored.plan.reason is PlanReason.SUPERSEDED
