"""Beginning a step: the owner check, and the world compared with what was shown."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from semel.domain.action import Action, Ctx, Made
from semel.domain.consent import plan_intact
from semel.domain.plan import Owner, PlanReason, PlanRow, StepReason, StepRow, Who
from semel.domain.step import NotStarted
from semel.errors import Conflict, NotDone, StorageError, TimeLimit
from semel.facts import instant_text
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.core import LOCAL_SECONDS, Core, log
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
from semel.runtime.record import Touched

DETAIL_MAX = 500
"""Characters of a reason that are kept: a sentence or two."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The plan is somebody else's by now, or has ended: this process stops quietly."""


@dataclass(frozen=True, slots=True)
class Marked:
    """An outside step's mark is on disk: it may be sent, once, under this attempt's id."""

    id: str


@dataclass(frozen=True, slots=True)
class No:
    """The step was not begun, and why."""

    reason: StepReason
    detail: str | None = None


Going: TypeAlias = Lost | None
"""What a step leaves behind: None, the plan goes on here; Lost, it does not."""


def own(core: Core, tx: EngineTx, owner: Owner, step: StepRow, seconds: float) -> PlanRow | None:
    """Lock the plan as its owner and begin a step of it; None when it is not ours to begin."""
    row = tx.one("plans.own", org=owner.org, plan=owner.plan, epoch=owner.epoch)
    stored = look.load(tx, owner.org, owner.plan) if row else None
    if stored is None:
        return None
    plan = stored.plan
    if not plan_intact(core.keys, plan.kid, plan.org, plan.plan, plan.seal, stored.steps):
        record.event(tx, plan.org, plan.plan, "tampered", step.position)
        record.end(tx, plan.org, plan.plan, owner.epoch, PlanReason.REFUSED)
        return None
    after = core.resume_after(tx.now(), seconds)
    begun = tx.one(
        "plans.start",
        org=owner.org, plan=owner.plan, epoch=owner.epoch, position=step.position,
        resume_after=after,
    )  # fmt: skip
    return plan if begun else None


def _who(plan: PlanRow) -> Who:
    return Who(plan.org, plan.person, plan.conversation, plan.locale)


def _made_so_far(tx: EngineTx, owner: Owner) -> list[Touched]:
    return [
        (int(str(r["position"])), str(r["kind"]), str(r["id"]), str(r["version"]), str(r["label"]))
        for r in tx.all("effects.of_plan", org=owner.org, plan=owner.plan)
    ]


def checked(
    core: Core, tx: EngineTx, plan: PlanRow, action: Action, step: StepRow
) -> tuple[Given, Ctx[Any]]:
    """The step's input with fresh records: permission and facts as of now equal what was shown."""
    owner = Owner(plan.org, plan.plan, plan.epoch)
    ctx = context(core, tx.app, _who(plan), plan.plan, step.position, plan.round, tx.now())
    place = Place(plan.org, plan.plan, step.position, _made_so_far(tx, owner), {})
    given = bind(core, action, step.input, ctx, place)
    permit(core, given, ctx)
    seen = see(given, ctx, place)
    if seen.preview.missing or seen.digest != step.facts_digest or seen.risk > step.risk:
        raise ChangedSince(action.name)
    return given, ctx


def said(error: BaseException, action: Action, locale: str) -> No:
    """What an error before any effect means. Only the action's own words reach a person."""
    match error:
        case NotDone():
            return No(StepReason.REFUSED, error.says(locale)[:DETAIL_MAX])
        case Forbidden():
            return No(StepReason.FORBIDDEN)
        case NotFound() | ChangedSince() | Missed():
            return No(StepReason.STALE)
        case StorageError() if not isinstance(error, Conflict | TimeLimit):
            raise error
        case _:
            log.error("%s failed; its writes were taken back.", action.name, exc_info=error)
            return No(StepReason.FAILED)


def done(tx: EngineTx, owner: Owner, step: StepRow, made: Made, rows: list[Touched]) -> bool:
    """Write that a step happened, with its result and the records it made or touched."""
    written = tx.one(
        "steps.done",
        org=owner.org, plan=owner.plan, position=step.position,
        result=record.result_text(made, rows), now=instant_text(tx.now()),
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
            change = NotStarted().not_made(no.reason)
            record.apply(tx, owner.org, owner.plan, owner.epoch, step.position, change, no.detail)

    await core.transact("not_made", work)
    return Lost()
