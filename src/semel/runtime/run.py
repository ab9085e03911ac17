"""Run: the loop that brings a plan from its yes to its end, one move after the other.

A Local step is one transaction: owner check, permission, facts, effect and record. An outside step
is three: its mark (durable before the first byte leaves), the send, and what the send proved.
"""

import asyncio

from semel.domain.plan import Owner, PlanReason, PlanRow, StepReason, StepRow
from semel.domain.progress import Resolve, Rest, Start, Stop, next_move
from semel.domain.step import is_local, name_of
from semel.errors import CommitUnknown, Unreachable
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.begin import Going, Lost, No, fail
from semel.runtime.core import Core, log
from semel.runtime.local import local
from semel.runtime.outside import outside
from semel.runtime.resolve import resolve

AWAY_SECONDS = (0.1, 0.5, 2.0, 5.0, 5.0)
"""Pauses while the database is away, before the plan is left to a sweep; it is all stored."""


async def run(core: Core, owner: Owner) -> None:
    """Bring a plan to its end as its owner; what is stored always says how far it got.

    While the database is away nothing is lost but time: each move begins from what is stored.
    """
    pauses = iter(AWAY_SECONDS)
    while True:
        try:
            if await _move(core, owner):
                return
        except (Unreachable, CommitUnknown) as no:
            pause = next(pauses, None)
            if pause is None or core.draining:
                raise
            log.warning("%s waits for its database.", owner.plan, exc_info=no)
            await asyncio.sleep(pause)
        else:
            pauses = iter(AWAY_SECONDS)


async def _move(core: Core, owner: Owner) -> bool:
    """Make a plan's next move; True when there is nothing more to do here."""
    stored = await core.look(lambda tx: look.load(tx, owner.org, owner.plan))
    if stored is None or stored.plan.epoch != owner.epoch:
        return True
    plan = stored.plan
    match next_move(plan.state, stored.steps, cancelled=plan.cancelled_at is not None):
        case Rest():
            return True
        case Stop(reason):
            await core.transact("stop", lambda tx: _stop(tx, owner, reason))
            return True
        case Resolve(step) | Start(step) if not is_local(step.effect) and await core.closed():
            # It stays as it is until something may be sent again; the sweeps leave it alone.
            await core.transact("release", lambda tx: _hand_on(tx, owner))
            return True
        case Resolve(step, last):
            # Whatever comes of it is stored, and the next look goes on from there.
            await resolve(core, owner, plan, step, last)
        case Start() if core.draining:
            await core.transact("release", lambda tx: _hand_on(tx, owner))
            return True
        case Start(step, last):
            return isinstance(await _start(core, owner, plan, step, last), Lost)
    return False


async def _start(core: Core, owner: Owner, plan: PlanRow, step: StepRow, last: bool) -> Going:
    action = core.catalog.get(step.action)
    if action is None or name_of(action.effect) != step.effect:
        # What was confirmed was another kind of effect, with another promise.
        return await fail(core, owner, step, No(StepReason.FAILED))
    if is_local(step.effect):
        return await local(core, owner, action, step, last)
    return await outside(core, owner, plan, action, step, last)


def _stop(tx: EngineTx, owner: Owner, reason: PlanReason) -> None:
    record.end(tx, owner.org, owner.plan, owner.epoch, reason)


def _hand_on(tx: EngineTx, owner: Owner) -> None:
    record.hand_on(tx, owner.org, owner.plan, owner.epoch)
