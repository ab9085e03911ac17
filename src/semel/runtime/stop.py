"""Stop: a person takes a plan back before it has run, or stops what is left of it while it runs.

Cancel and every step's start change the same row of the plan, so the answer is exact: a step that
has begun ends, and no later one begins.
"""

from semel.domain.plan import PlanReason, PlanState, Who
from semel.domain.progress import Stop, next_move
from semel.domain.report import Outcome, Refusal
from semel.facts import instant_text
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.core import Core
from semel.runtime.dismiss import dismiss_stored
from semel.runtime.due import end_waiting
from semel.runtime.look import Stored, reload


async def cancel(core: Core, who: Who, plan: str) -> Stored | Outcome:
    """Stop a plan of this person, or of another one for whom they may decide.

    Returns:
        The plan as it is then. One that has ended is left as it is.
    """
    return await core.transact("cancel", lambda tx: _cancel(core, tx, who, plan))


def _cancel(core: Core, tx: EngineTx, who: Who, number: str) -> Stored | Outcome:
    stored = look.lock(tx, who.org, number)
    if stored is None or not look.may_look(core, tx, who, stored.plan):
        return look.refused(core, Refusal.NOT_FOUND)
    plan = stored.plan
    if plan.state is PlanState.ASKING:
        dismiss_stored(tx, stored, PlanReason.CANCELLED, "cancelled", f"by {who.person}")
    elif plan.waits:
        end_waiting(tx, plan.org, plan.plan)
    elif plan.state is PlanState.RUNNING and plan.cancelled_at is None:
        _stop(tx, stored, who)
    return reload(tx, stored)


def _stop(tx: EngineTx, stored: Stored, who: Who) -> None:
    """Mark a running plan; it ends at once unless a step of it is on its way."""
    plan = stored.plan
    marked = tx.one(
        "plans.cancel", org=plan.org, plan=plan.plan, epoch=plan.epoch, now=instant_text(tx.now())
    )
    if marked is None:
        return
    at = int(str(marked["at"]))
    record.event(tx, plan.org, plan.plan, "cancel_pressed", at or None, person=who.person)
    # A proof from an earlier owner may have been the last step's: then nothing was stopped.
    move = next_move(plan.state, stored.steps, cancelled=True)
    if isinstance(move, Stop):
        record.end(tx, plan.org, plan.plan, plan.epoch, move.reason)
