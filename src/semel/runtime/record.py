"""Writing what happened: a change and its event, always in the same transaction."""

from datetime import datetime
from typing import NamedTuple

from semel.domain.key import step_key
from semel.domain.plan import PlanKind, PlanReason, PlanRow, StepReason, StepRow, StepState
from semel.domain.step import Change
from semel.facts import instant_text
from semel.ports import EngineTx
from semel.runtime import chain
from semel.runtime.core import Core
from semel.runtime.result import Touched

# Whoever writes a change takes both from here.
Link = chain.Link
NEW, FIRST = chain.NEW, chain.FIRST
event = chain.event


def insert_plan(tx: EngineTx, row: PlanRow) -> None:
    """Write a new plan, which has neither a subject nor an end of its chain yet."""
    tx.send(
        "plans.insert",
        org=row.org, plan=row.plan, kind=str(row.kind), parent=row.parent, person=row.person,
        conversation=row.conversation, message=row.message, sentence=row.sentence,
        locale=row.locale, state=str(row.state), reason=str(row.reason) if row.reason else None,
        risk=int(row.risk), why=row.why, epoch=row.epoch, at=row.at, owner=row.owner,
        resume_after=row.resume_after, digest=row.digest, seal=row.seal, kid=row.kid,
        now=row.created_at, expires_at=row.expires_at, ended_at=row.ended_at,
        not_before=row.not_before, not_after=row.not_after, unless=row.unless,
        subject_kind=None, subject_id=None, head=None,
    )  # fmt: skip


def insert_step(
    tx: EngineTx, org: str, plan: str, row: StepRow, ended_at: str | None = None
) -> None:
    """Write a step of a new plan; one that has just run comes with its result and time."""
    tx.send(
        "steps.insert",
        org=org, plan=plan, position=row.position, action=row.action,
        action_version=row.action_version, effect=row.effect, input=row.input,
        preview=row.preview, facts_digest=row.facts_digest, risk=int(row.risk),
        state=str(row.state), result=row.result, later=row.later, similar=row.similar,
        started_at=ended_at, ended_at=ended_at,
    )  # fmt: skip


class Begun(NamedTuple):
    """Which run of which step: its round, its owner's epoch, and the digest of its facts."""

    org: str
    plan: str
    position: int
    round: int
    epoch: int
    digest: str


def ran(core: Core, tx: EngineTx, begun: Begun, now: datetime, at: str | None = None) -> None:
    """Note that a Local step ran: its end and its effect are this same commit.

    Args:
        core: the engine's parts.
        tx: the transaction.
        begun: which run of which step.
        now: when.
        at: the same as instant text, when the caller has it.
    """
    at = at or instant_text(now)
    tx.send(
        "attempts.open",
        org=begun.org, plan=begun.plan, position=begun.position, id=core.new_id(now),
        round=begun.round, epoch=begun.epoch,
        key=step_key(begun.org, begun.plan, begun.position, begun.round),
        sent_by=core.host.identity, now=at, deadline_at=None, settles_at=None,
        request_digest=begun.digest, outcome="made", returned_at=at,
    )  # fmt: skip


def effects(tx: EngineTx, org: str, plan: str, rows: list[Touched]) -> None:
    """Index what a step made or touched, so that a record leads back to its plan."""
    for position, kind, id_, version, label in rows:
        tx.send(
            "effects.insert",
            org=org, plan=plan, position=position, kind=kind, id=id_, version=version, label=label,
        )  # fmt: skip


def not_done(
    tx: EngineTx, org: str, plan: str, position: int, reason: StepReason, detail: str | None
) -> bool:
    """Write that a step did not happen; False when something else is known of it by now."""
    now = instant_text(tx.now())
    changed = tx.one(
        "steps.not_done",
        org=org, plan=plan, position=position, reason=str(reason), detail=detail, now=now,
    )  # fmt: skip
    if changed:
        event(tx, org, plan, "step_not_done", position, reason=str(reason))
    return changed is not None


def end(
    tx: EngineTx,
    org: str,
    plan: str,
    epoch: int,
    reason: PlanReason,
    look_after: str | None = None,
) -> bool:
    """End a running plan as its owner, and say of what it never reached that it was not done.

    Args:
        tx: the transaction.
        org: the organization.
        plan: its number.
        epoch: the epoch of its owner; another's end nothing.
        reason: why it ends.
        look_after: when a doubt is worth looking at again, as instant text.
    """
    now = instant_text(tx.now())
    stopped = tx.one(
        "plans.stop",
        org=org, plan=plan, epoch=epoch, reason=str(reason), now=now, look_after=look_after,
    )  # fmt: skip
    if stopped is None:
        return False
    why = StepReason.CANCELLED if reason is PlanReason.CANCELLED else StepReason.NOT_REACHED
    tx.send("steps.not_reached", org=org, plan=plan, reason=str(why), now=now)
    event(tx, org, plan, "ended", reason=str(reason))
    if stopped["kind"] == PlanKind.UNDO and reason is not PlanReason.FINISHED:
        _unless_undone(tx, org, plan, str(stopped["parent"]))
    return True


def hand_on(tx: EngineTx, org: str, plan: str, epoch: int) -> None:
    """Let whoever sweeps next have a running plan at once: its owner is being stopped."""
    now = instant_text(tx.now())
    if tx.one("plans.release", org=org, plan=plan, epoch=epoch, now=now):
        event(tx, org, plan, "handed_on")


def _unless_undone(tx: EngineTx, org: str, plan: str, parent: str) -> None:
    """An undo that changed nothing has not been: it may be offered again."""
    steps = tx.all("steps.of_plan", org=org, plan=plan)
    untouched = all(step["state"] in {"waiting", "not_done"} for step in steps)
    if untouched and tx.one("plans.not_undone", org=org, plan=parent, undone_by=plan):
        event(tx, org, parent, "not_undone", by=plan)


def apply(
    tx: EngineTx,
    org: str,
    plan: str,
    epoch: int,
    position: int,
    change: Change,
    detail: str | None = None,
    look_after: str | None = None,
) -> bool:
    """Write a step's change that is not "done", and the plan's end with it, in one commit.

    Nothing is written when a proof came in between: then the step says what the plan comes to.
    """
    if change.state is StepState.IN_DOUBT:
        written = _doubt(tx, org, plan, position, detail)
    else:
        reason = change.reason
        written = reason is not None and not_done(tx, org, plan, position, reason, detail)
    if written and change.ends is not None:
        end(tx, org, plan, epoch, change.ends, look_after)
    return written


def _doubt(tx: EngineTx, org: str, plan: str, position: int, detail: str | None) -> bool:
    now = instant_text(tx.now())
    written = tx.one("steps.doubt", org=org, plan=plan, position=position, detail=detail, now=now)
    if written:
        event(tx, org, plan, "step_in_doubt", position)
    return written is not None
