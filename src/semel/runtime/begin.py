"""Beginning a step: the owner check, and the world compared with what was shown."""

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from semel.domain.action import Action, Ctx, Made
from semel.domain.consent import plan_intact
from semel.domain.plan import Owner, PlanReason, PlanRow, StepReason, StepRow
from semel.domain.step import NotStarted
from semel.errors import Conflict, NotDone, StorageError, TimeLimit
from semel.facts import instant_text
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.core import LOCAL_SECONDS, Core, log
from semel.runtime.due import TOO_LATE, not_needed
from semel.runtime.invoke import (
    ChangedSince,
    Forbidden,
    Given,
    Missed,
    NotFound,
    Place,
    bind,
    context,
    permit,
    see,
)
from semel.runtime.result import Touched, result_text

DETAIL_MAX = 500
"""Characters of a reason that are kept: a sentence or two."""


def kept(why: str) -> str:
    """A reason as it is kept: no book, and nothing that a database has no letter for."""
    whole = why[:DETAIL_MAX].encode("utf-8", "replace").decode("utf-8")
    return whole.replace("\0", "\ufffd")


class NotNeeded(Exception):
    """A later plan's day has come, and it is not to be done; its argument says why."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The plan is somebody else's by now, or has ended: this process stops quietly."""


@dataclass(frozen=True, slots=True)
class No:
    """The step was not begun, and why."""

    reason: StepReason
    detail: str | None = None
    ends: PlanReason | None = None
    """Why the plan ends, where that does not follow from the reason."""


Going: TypeAlias = Lost | None
"""What a step leaves behind: None, the plan goes on here; Lost, it does not."""


def own(core: Core, tx: EngineTx, owner: Owner, step: StepRow, seconds: float) -> PlanRow | None:
    """Lock the plan as its owner and begin a step of it; None when it is not ours to begin."""
    plan = intact(core, tx, owner, step)
    if plan is None:
        return None
    begun = tx.one(
        "plans.start",
        org=owner.org, plan=owner.plan, epoch=owner.epoch, position=step.position,
        resume_after=core.resume_after(tx.now(), seconds),
    )  # fmt: skip
    return plan if begun else None


def has_begun(tx: EngineTx, owner: Owner, step: StepRow) -> bool:
    """Whether this owner has begun a step already, in a transaction whose COMMIT was lost."""
    stored = look.lock(tx, owner.org, owner.plan)
    if stored is None:
        return False
    return stored.plan.epoch == owner.epoch and stored.plan.at >= step.position


def is_open(tx: EngineTx, org: str, plan: str, position: int, id_: str) -> bool:
    """Whether this very send was marked already, in a transaction whose COMMIT was lost."""
    look.lock(tx, org, plan)
    return any(send.id == id_ for send in look.attempts_of(tx, org, plan, position))


def intact(core: Core, tx: EngineTx, owner: Owner, step: StepRow) -> PlanRow | None:
    """Lock the plan as its owner; None when it is not ours, or not what was sealed and so ended."""
    row = tx.one("plans.own", org=owner.org, plan=owner.plan, epoch=owner.epoch)
    stored = look.load(tx, owner.org, owner.plan) if row else None
    if stored is None:
        return None
    plan = stored.plan
    if not plan_intact(core.keys, plan, stored.steps):
        record.event(tx, plan.org, plan.plan, "tampered", step.position)
        record.end(tx, plan.org, plan.plan, owner.epoch, PlanReason.REFUSED)
        return None
    return plan


def made_so_far(tx: EngineTx, org: str, plan: str) -> list[Touched]:
    """What a plan's steps have made or touched."""
    return [
        (int(str(r["position"])), str(r["kind"]), str(r["id"]), str(r["version"]), str(r["label"]))
        for r in tx.all("effects.of_plan", org=org, plan=plan)
    ]


def checked(
    core: Core, tx: EngineTx, plan: PlanRow, action: Action, step: StepRow
) -> tuple[Given, Ctx[Any], Place]:
    """The step's input with fresh records: permission and facts as of now equal what was shown.

    Raises:
        ChangedSince: they do not.
        NotNeeded: it is a later plan that is not to be done any more.
    """
    ctx = context(core, tx.app, plan.who, plan.plan, step.position, plan.round, tx.now())
    place = Place(plan.org, plan.plan, step.position, made_so_far(tx, plan.org, plan.plan), {})
    given = bind(core, action, step.input, ctx, place)
    permit(core, action, given.records, ctx)
    why = not_needed(plan, given, ctx)
    if why is not None:
        raise NotNeeded(why)
    seen = see(given, ctx, place)
    if seen.preview.missing or seen.digest != step.facts_digest or seen.risk > step.risk:
        raise ChangedSince(action.name)
    if not matches(seen.similar) <= matches(step.similar):
        # The set may shrink; a record that nobody was shown beside this one is news.
        raise ChangedSince(action.name)
    return given, ctx, place


def matches(text: str | None) -> set[tuple[str, str]]:
    """The records that a step was found to look like, by kind and id."""
    return set() if text is None else {(str(kind), str(id)) for kind, id, *_ in json.loads(text)}


def said(error: BaseException, action: Action, locale: str) -> No:
    """What an error before any effect means. Only the action's own words reach a person."""
    match error:
        case NotDone():
            return No(StepReason.REFUSED, kept(error.says(locale)))
        case NotNeeded() if str(error) == TOO_LATE:
            return No(StepReason.NOT_REACHED, str(error), PlanReason.EXPIRED)
        case NotNeeded():
            return No(StepReason.CANCELLED, str(error))
        case Forbidden():
            return No(StepReason.FORBIDDEN)
        case NotFound() | ChangedSince() | Missed():
            return No(StepReason.STALE)
        case StorageError() if not isinstance(error, Conflict | TimeLimit):
            raise error
        case _:
            log.error("%s failed; its writes were taken back.", action.name, exc_info=error)
            return No(StepReason.FAILED)


def not_begun(tx: EngineTx, owner: Owner, step: StepRow, no: No) -> None:
    """Write that a step was not begun; its plan ends with it."""
    change = NotStarted().not_made(no.reason)
    if no.ends is not None:
        change = type(change)(change.state, change.reason, no.ends)
    record.apply(tx, owner.org, owner.plan, owner.epoch, step.position, change, no.detail)


def done(tx: EngineTx, owner: Owner, step: StepRow, made: Made, rows: list[Touched]) -> bool:
    """Write that a step happened, with its result and the records it made or touched."""
    written = tx.one(
        "steps.done",
        org=owner.org, plan=owner.plan, position=step.position,
        result=result_text(made, rows), now=instant_text(tx.now()),
    )  # fmt: skip
    if written is None:
        return False
    record.effects(tx, owner.org, owner.plan, rows)
    record.event(tx, owner.org, owner.plan, "step_done", step.position)
    return True


async def fail(core: Core, owner: Owner, step: StepRow, no: No) -> Going:
    """A step that was not begun ends the plan."""

    def work(tx: EngineTx) -> None:
        if own(core, tx, owner, step, LOCAL_SECONDS) is not None:
            not_begun(tx, owner, step, no)

    await core.transact("not_made", work)
    return Lost()
