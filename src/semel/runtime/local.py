"""A Local step: owner check, permission, facts, effect and record in one commit."""

from collections.abc import Callable
from dataclasses import dataclass

from semel.domain.action import Action, Made
from semel.domain.plan import Owner, PlanKind, PlanReason, PlanRow, StepReason, StepRow
from semel.domain.step import InTransaction
from semel.errors import Busy, Conflict, TimeLimit
from semel.ports import EngineTx
from semel.runtime import later, record
from semel.runtime.begin import (
    Going,
    Lost,
    No,
    checked,
    done,
    fail,
    has_begun,
    not_begun,
    own,
    said,
)
from semel.runtime.core import LOCAL_SECONDS, WRITES, Core, log
from semel.runtime.invoke import ChangedSince, perform
from semel.runtime.record import Begun
from semel.runtime.result import Touched, touched
from semel.runtime.undo import take_back


@dataclass(frozen=True, slots=True)
class _Happened:
    """What a handler made, with the records, and what is still to be written of it."""

    made: Made
    rows: list[Touched]
    keep: Callable[[], None]


async def local(core: Core, owner: Owner, action: Action, step: StepRow, last: bool) -> Going:
    """Run a Local step; the plan goes on here unless it failed or is somebody else's."""
    try:
        return await core.transact(
            "local",
            lambda tx: _local_tx(core, tx, owner, action, step, last),
            lambda tx: has_begun(tx, owner, step),
        )
    except Busy as no:
        # Others of this organization were at work all the time; its turn comes.
        log.warning("%s waits for others.", action.name, exc_info=no)
        return None
    except TimeLimit as no:
        return await fail(core, owner, step, No(StepReason.FAILED, str(no)))
    except Conflict as no:
        # A deferred constraint speaks at the COMMIT: everything was rolled back, that is the proof.
        log.warning("A step broke a constraint at its commit.", exc_info=no)
        return await fail(core, owner, step, No(StepReason.FAILED))


def _local_tx(
    core: Core, tx: EngineTx, owner: Owner, action: Action, step: StepRow, last: bool
) -> Going:
    # First, as in a proposal: whoever holds this never waits for a plan that runs.
    tx.send("keys.hold", org=owner.org, key=WRITES)
    plan = own(core, tx, owner, step, LOCAL_SECONDS)
    if plan is None:
        return Lost()
    no: No | None = None
    with tx.savepoint() as world:
        try:
            happened = _happen(core, tx, plan, action, step)
        except BaseException as error:  # noqa: BLE001 - whatever it was, its writes are taken back
            world.roll_back()
            no = said(error, action, plan.locale)
    if no is not None:
        not_begun(tx, owner, step, no)
        return Lost()
    begun = Begun(owner.org, owner.plan, step.position, plan.round, owner.epoch, step.facts_digest)
    record.ran(core, tx, begun, tx.now())
    done(tx, owner, step, happened.made, happened.rows)
    happened.keep()
    if InTransaction(last).made().ends is not None:
        record.end(tx, owner.org, owner.plan, owner.epoch, PlanReason.FINISHED)
    return None


def _happen(core: Core, tx: EngineTx, plan: PlanRow, action: Action, step: StepRow) -> _Happened:
    """Run the handler, or the reverse of one, and compare what it plans with what was shown."""
    if plan.kind is PlanKind.UNDO:
        made = take_back(core, tx, plan, action, step)
        return _Happened(made, touched(step.position, action.makes, made), lambda: None)
    given, ctx, place = checked(core, tx, plan, action, step)
    plans = later.Plans(core, tx, plan.who, place, rehearsing=False)
    made = perform(given, ctx, plans)
    rows = touched(step.position, action.makes, made)
    missing, risk = plans.look(rows)
    if missing or risk > step.risk or not later.same(step.later, plans.text()):
        raise ChangedSince(action.name)
    return _Happened(made, rows, lambda: plans.keep(plan.plan, plan.message, plan.locale))
