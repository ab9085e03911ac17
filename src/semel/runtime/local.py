"""A Local step: owner check, permission, facts, effect and record in one commit."""

from semel.domain.action import Action
from semel.domain.plan import Owner, PlanReason, StepReason, StepRow
from semel.domain.step import InTransaction
from semel.errors import Conflict, TimeLimit
from semel.ports import EngineTx
from semel.runtime import record
from semel.runtime.begin import Going, Lost, No, checked, done, fail, own, said
from semel.runtime.core import LOCAL_SECONDS, Core, log
from semel.runtime.invoke import perform
from semel.runtime.record import Begun, touched


async def local(core: Core, owner: Owner, action: Action, step: StepRow, last: bool) -> Going:
    """Run a Local step; the plan goes on here unless it failed or is somebody else's."""
    try:
        return await core.transact(
            "local", lambda tx: _local_tx(core, tx, owner, action, step, last)
        )
    except TimeLimit as no:
        return await fail(core, owner, step, No(StepReason.FAILED, str(no)))
    except Conflict as no:
        # A deferred constraint speaks at the COMMIT: everything was rolled back, that is the proof.
        log.warning("A step broke a constraint at its commit.", exc_info=no)
        return await fail(core, owner, step, No(StepReason.FAILED))


def _local_tx(
    core: Core, tx: EngineTx, owner: Owner, action: Action, step: StepRow, last: bool
) -> Going:
    plan = own(core, tx, owner, step, LOCAL_SECONDS)
    if plan is None:
        return Lost()
    machine = InTransaction(last)
    no: No | None = None
    with tx.savepoint() as world:
        try:
            given, ctx = checked(core, tx, plan, action, step)
            made = perform(given, ctx)
            rows = touched(step.position, action.makes, made)
        except BaseException as error:  # noqa: BLE001 - whatever it was, its writes are taken back
            world.roll_back()
            no = said(error, action, plan.locale)
    if no is not None:
        change = machine.not_made(no.reason)
        record.apply(tx, owner.org, owner.plan, owner.epoch, step.position, change, no.detail)
        return Lost()
    begun = Begun(owner.org, owner.plan, step.position, plan.round, owner.epoch, step.facts_digest)
    record.ran(core, tx, begun)
    done(tx, owner, step, made, rows)
    if machine.made().ends is not None:
        record.end(tx, owner.org, owner.plan, owner.epoch, PlanReason.FINISHED)
    return None
