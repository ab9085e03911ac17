"""Run: the loop that brings a plan from its yes to its end, one move after the other.

A Local step is one transaction: owner check, permission, facts, effect and record. An outside step
is three: its mark (durable before the first byte leaves), the send, and what the send proved.
"""

from semel.domain.plan import Owner, PlanReason, PlanRow, StepReason, StepRow
from semel.domain.progress import Resolve, Rest, Start, Stop, next_move
from semel.domain.step import is_local
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.begin import Going, Lost, No, fail
from semel.runtime.core import Core
from semel.runtime.local import local
from semel.runtime.outside import doubt, outside


async def run(core: Core, owner: Owner) -> None:
    """Bring a plan to its end as its owner; what is stored always says how far it got."""
    while True:
        stored = await core.read(lambda tx: look.load(tx, owner.org, owner.plan))
        if stored is None or stored.plan.epoch != owner.epoch:
            return
        move = next_move(stored.plan.state, stored.steps)
        match move:
            case Rest():
                return
            case Stop(reason):
                await core.transact("stop", lambda tx: _stop(tx, owner, reason))
                return
            case Resolve(step, last):
                # A proof may come in first; then nothing is in doubt, and the next look says so.
                await core.transact("doubt", lambda tx: doubt(tx, owner, step, last))
            case Start(step, last):
                if isinstance(await _start(core, owner, stored.plan, step, last), Lost):
                    return


async def _start(core: Core, owner: Owner, plan: PlanRow, step: StepRow, last: bool) -> Going:
    action = core.catalog.get(step.action)
    if action is None:
        return await fail(core, owner, step, No(StepReason.FAILED))
    if is_local(step.effect):
        return await local(core, owner, action, step, last)
    return await outside(core, owner, plan, action, step, last)


def _stop(tx: EngineTx, owner: Owner, reason: PlanReason) -> None:
    record.end(tx, owner.org, owner.plan, owner.epoch, reason)
