"""What a verb answers: a plan as it is by then, with what its person may do about it."""

from semel.domain.plan import PlanReason, PlanState, Who
from semel.domain.report import Outcome, Refusal, Report
from semel.ports import EngineTx
from semel.runtime import look, wait
from semel.runtime.core import Core
from semel.runtime.dismiss import dismiss
from semel.runtime.draft import Proposed
from semel.runtime.look import Stored
from semel.runtime.offer import offered


async def proposed(core: Core, who: Who, found: Proposed | Outcome) -> Outcome:
    """What a proposal came to, once it has ended or its wait is over."""
    if not isinstance(found, Proposed):
        return found
    stored = found.stored
    core.repeats[who.org, "call"] += not found.new
    if found.owner is not None:
        wait.start(core, found.owner)
    if found.expired:
        org, plan = stored.plan.org, stored.plan.plan
        gone = await core.transact(
            "dismiss", lambda tx: dismiss(tx, org, plan, PlanReason.EXPIRED, "unanswered")
        )
        stored = gone or stored
    if stored.plan.state is PlanState.ASKING:
        return look.outcome(core, stored, token=found.token, replayed=not found.new)
    if found.new and stored.plan.state is PlanState.ENDED:
        # It ran in the very transaction that proposed it; what it wrote for now begins now.
        wait.after(core)
    return await ended(core, who, stored, replayed=not found.new)


async def ended(core: Core, who: Who, stored: Stored, *, replayed: bool) -> Outcome:
    """A plan's outcome once it has ended or the wait is over, with what may be done about it."""
    return await with_offers(core, who, await wait.ended(core, stored), replayed=replayed)


async def with_offers(core: Core, who: Who, stored: Stored, *, replayed: bool) -> Outcome:
    """A plan's outcome as it is, with what may be done about it."""
    offer = await offered(core, who, stored)
    outcome = look.outcome(core, offer.stored, replayed=replayed)
    if not isinstance(outcome, Report):
        return outcome
    return Report(
        view=outcome.view,
        retry_token=offer.retry,
        undo_token=offer.undo,
        undo_until=offer.undo_until,
        replayed=replayed,
        speaker=core.speaker,
    )


def status(core: Core, tx: EngineTx, who: Who, plan: str) -> Stored | Outcome:
    """A plan that this person may see; to others it does not exist."""
    stored = look.load(tx, who.org, plan)
    if stored is None or not look.may_look(core, tx, who, stored.plan):
        return look.refused(core, Refusal.NOT_FOUND)
    return stored
