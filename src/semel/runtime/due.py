"""Due: what is asked of a later plan on its day, and how one that has not begun is taken back."""

from typing import Any

from semel.domain.action import Ctx
from semel.domain.plan import PlanKind, PlanRow, StepReason
from semel.facts import instant_text, read_instant
from semel.ports import EngineTx
from semel.runtime import record
from semel.runtime.invoke import ChangedSince, Given

CONDITION = "later.unless"
"""Why a later plan was not done: its condition says that it is not needed any more."""

TOO_LATE = "later.too_late"
"""Why a later plan was not done: the day has passed."""


def end_waiting(tx: EngineTx, org: str, plan: str) -> bool:
    """End a later plan that nobody has begun; False when it has begun or ended."""
    now = instant_text(tx.now())
    if tx.one("plans.end_waiting", org=org, plan=plan, now=now) is None:
        return False
    tx.run("steps.not_reached", org=org, plan=plan, reason=str(StepReason.CANCELLED), now=now)
    record.event(tx, org, plan, "taken_back")
    return True


def not_needed(plan: PlanRow, given: Given, ctx: Ctx[Any]) -> str | None:
    """Why a later plan is not done although its time has come; None when it is to be done."""
    if plan.kind is not PlanKind.LATER:
        return None
    if plan.not_after is not None and ctx.now > read_instant(plan.not_after):
        return TOO_LATE
    if plan.unless is None:
        return None
    condition = getattr(given.action, plan.unless, None)
    if condition is None:
        # The action has lost its condition since: whether it still holds cannot be known.
        raise ChangedSince(plan.unless)
    return CONDITION if condition(given.input, ctx) is True else None
