"""Dismiss: a question that will not be answered with a yes ends its plan, and nothing has run."""

from semel.domain.plan import PlanReason, StepReason
from semel.facts import instant_text
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.look import Stored


def dismiss_stored(tx: EngineTx, stored: Stored, reason: PlanReason, kind: str, why: str) -> bool:
    """End an asking plan without running it; nothing happens to one that is not asking."""
    plan, now = stored.plan, instant_text(tx.now())
    gone = tx.one("plans.dismiss", org=plan.org, plan=plan.plan, reason=str(reason), now=now)
    if gone is None:
        return False
    undone = {
        PlanReason.CANCELLED: StepReason.CANCELLED,
        PlanReason.STALE: StepReason.STALE,
    }.get(reason, StepReason.NOT_REACHED)
    tx.run("confirmations.revoke", org=plan.org, plan=plan.plan, now=now)
    tx.run("steps.not_reached", org=plan.org, plan=plan.plan, reason=str(undone), now=now)
    record.event(tx, plan.org, plan.plan, kind, why=why)
    return True


def dismiss(tx: EngineTx, org: str, plan: str, reason: PlanReason, why: str) -> Stored | None:
    """End a plan that still asks; the plan as it is then, or None when there is none."""
    stored = look.lock(tx, org, plan)
    if stored is None:
        return None
    if reason is PlanReason.EXPIRED and not look.expired(tx, stored):
        # It was put anew since somebody saw that its time had passed.
        return stored
    dismiss_stored(tx, stored, reason, str(reason), why)
    return look.load(tx, org, plan)
