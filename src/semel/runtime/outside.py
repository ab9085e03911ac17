"""An outside step: its mark on disk before the first byte leaves, one send, and what it proved.

There is no way back from the mark to "not started": a proof that it happened counts whatever the
epoch, a definite refusal counts when it was the only send, and everything else is a doubt.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, cast

from semel.domain.action import Action, Ctx, Made, Opaque
from semel.domain.plan import Owner, PlanReason, PlanRow, PlanState, StepRow
from semel.domain.step import Change, NotStarted, Started
from semel.errors import Bug, NotDone, Unreachable
from semel.facts import instant_text
from semel.ports import EngineTx
from semel.runtime import look, points, record
from semel.runtime.begin import DETAIL_MAX, Going, Lost, checked, done, fail, own, said
from semel.runtime.core import PREPARE_SECONDS, Core, log
from semel.runtime.invoke import Given, for_outside
from semel.runtime.record import Touched, touched

INSIST_SECONDS = (0.1, 0.5, 2.0, 5.0)
"""Pauses between tries to record a proof while the database cannot be reached: a proof in hand is
worth waiting for; without it a person would have to find out."""


@dataclass(frozen=True, slots=True)
class Marked:
    """An outside step's mark is on disk: it may be sent, once, under this attempt's id."""

    id: str


@dataclass(frozen=True, slots=True)
class Sending:
    """One send: whose, which step of which plan, under which mark."""

    owner: Owner
    action: Action
    step: StepRow
    last: bool
    mark: Marked


async def outside(
    core: Core, owner: Owner, plan: PlanRow, action: Action, step: StepRow, last: bool
) -> Going:
    """Prepare, mark and send an outside step; the plan goes on here when it is proven done."""
    limit = cast("Opaque", action.effect).deadline
    try:
        given, ctx = await core.read(lambda tx: _frozen(core, tx, plan, action, step, limit))
        prepared = await _prepare(action, given, ctx)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - nothing has left yet, whatever it was
        return await fail(core, owner, step, said(error, action, plan.locale))
    marked = await core.transact("mark", lambda tx: _mark(core, tx, owner, action, step, limit))
    if not isinstance(marked, Marked):
        return marked
    sending = Sending(owner, action, step, last, marked)
    return await _send(core, sending, given, ctx, prepared)


def _frozen(
    core: Core, tx: EngineTx, plan: PlanRow, action: Action, step: StepRow, limit: float
) -> tuple[Given, Ctx[Any]]:
    """Facts and rows for preparing and sending, from one snapshot; the mark looks once more."""
    given, ctx = checked(core, tx, plan, action, step)
    return given, for_outside(ctx, limit)


async def _prepare(action: Action, given: Given, ctx: Ctx[Any]) -> object:
    prepare = getattr(action, "prepare", None)
    if prepare is None:
        return None
    points.reach("prepare:before")
    async with asyncio.timeout(PREPARE_SECONDS):
        prepared: object = await prepare(given.input, ctx)
    points.reach("prepare:after")
    return prepared


def _mark(
    core: Core, tx: EngineTx, owner: Owner, action: Action, step: StepRow, limit: float
) -> Marked | Lost:
    """Begin an outside step: from this commit on only proof counts."""
    plan = own(core, tx, owner, step, limit)
    if plan is None:
        return Lost()
    try:
        checked(core, tx, plan, action, step)
    except BaseException as error:  # noqa: BLE001 - nothing has left yet, whatever it was
        no = said(error, action, plan.locale)
        change = NotStarted().not_made(no.reason)
        record.apply(tx, owner.org, owner.plan, owner.epoch, step.position, change, no.detail)
        return Lost()
    now = tx.now()
    at = instant_text(now)
    marked = Marked(core.new_id(now))
    if tx.one("steps.mark", org=owner.org, plan=owner.plan, position=step.position, now=at) is None:
        raise Bug(f"Step {step.position} of {owner.plan} was waiting and could not be marked.")
    tx.run(
        "attempts.open",
        org=owner.org, plan=owner.plan, position=step.position, id=marked.id, round=plan.round,
        epoch=owner.epoch, sent_by=core.host.identity, now=at, deadline_at=core.later(now, limit),
        request_digest=step.facts_digest, outcome=None, returned_at=None,
    )  # fmt: skip
    record.event(tx, owner.org, owner.plan, "step_started", step.position, attempt=marked.id)
    return marked


async def _send(
    core: Core, sending: Sending, given: Given, ctx: Ctx[Any], prepared: object
) -> Going:
    """Send once, wait until the deadline, and record what that proved."""
    task = asyncio.create_task(_call(sending.action, given, ctx, prepared))
    try:
        await asyncio.wait({task}, timeout=ctx.deadline)
    except asyncio.CancelledError:
        # This process is being stopped in mid-send: whether it arrived is not known here.
        task.cancel()
        await _insist(
            core, "doubt", lambda tx: doubt(tx, sending.owner, sending.step, sending.last)
        )
        raise
    if task.done():
        return await _conclude(core, sending, task)
    # Giving up waiting is not the end of the send: its proof may still come, and counts then.
    task.cancel()
    await _insist(core, "doubt", lambda tx: doubt(tx, sending.owner, sending.step, sending.last))
    core.spawn(_late(core, sending, task))
    return Lost()


async def _call(action: Action, given: Given, ctx: Ctx[Any], prepared: object) -> Made:
    run = cast("Any", action).run
    points.reach("send:before")
    try:
        if hasattr(action, "prepare"):
            made = await run(given.input, ctx, prepared)
        else:
            made = await run(given.input, ctx)
    except SystemExit as no:
        raise Bug(f"{action.name}: run() wanted to end the process.") from no
    points.reach("send:after")
    if not isinstance(made, Made):
        raise Bug(f"{action.name}: run() returns Made.")
    return made


async def _late(core: Core, sending: Sending, task: "asyncio.Task[Made]") -> None:
    await asyncio.wait({task})
    await _conclude(core, sending, task)


async def _conclude(core: Core, sending: Sending, task: "asyncio.Task[Made]") -> Going:
    """Record what a send that came back has proved."""
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is None:
        made = task.result()
        return await _insist(core, "made", lambda tx: _made(tx, sending, made))
    if isinstance(error, NotDone):
        no = error
        return await _insist(core, "not_made", lambda tx: _refused(tx, sending, no))
    log.error("%s: it is not known whether it happened.", sending.action.name, exc_info=error)
    return await _insist(core, "returned", lambda tx: _returned(tx, sending))


async def _insist(core: Core, name: str, work: Any) -> Going:
    for pause in INSIST_SECONDS:
        try:
            return cast("Going", await core.transact(name, work))
        except Unreachable as no:
            log.warning("What a send proved could not be written yet.", exc_info=no)
            await asyncio.sleep(pause)
    return cast("Going", await core.transact(name, work))


def _close(tx: EngineTx, sending: Sending, outcome: str, detail: str | None) -> None:
    owner, step = sending.owner, sending.step
    tx.run(
        "attempts.close",
        org=owner.org, plan=owner.plan, position=step.position, id=sending.mark.id,
        outcome=outcome, detail=detail, returned_at=instant_text(tx.now()),
    )  # fmt: skip


def _made(tx: EngineTx, sending: Sending, made: Made) -> Going:
    """A proof is a proof, whatever the epoch: the step is done."""
    owner, step = sending.owner, sending.step
    before = look.load(tx, owner.org, owner.plan)
    if before is None:
        raise Bug(f"{owner.plan} is gone.")
    _close(tx, sending, "made", None)
    done(tx, owner, step, made, _rows(sending, made))
    change = Started(sending.last).made()
    if before.plan.state is PlanState.RUNNING and before.plan.epoch == owner.epoch:
        if change.ends is not None:
            record.end(tx, owner.org, owner.plan, owner.epoch, change.ends)
        return None
    _correct(tx, sending, change.ends or PlanReason.FAILED)
    return Lost()


def _rows(sending: Sending, made: Made) -> list[Touched]:
    """The records of an outside step; reading them is user code, and may not stop the record."""
    try:
        return touched(sending.step.position, sending.action.makes, made)
    except Exception:  # noqa: BLE001 - the step happened, so its record must stand
        log.exception("%s happened; its records could not be read.", sending.action.name)
        return []


def _refused(tx: EngineTx, sending: Sending, no: NotDone) -> Going:
    """A definite refusal: not done, unless another send of the step is still open."""
    owner, step = sending.owner, sending.step
    before = look.load(tx, owner.org, owner.plan)
    if before is None:
        raise Bug(f"{owner.plan} is gone.")
    why = no.says(before.plan.locale)[:DETAIL_MAX]
    _close(tx, sending, "refused", why)
    others = tx.one(
        "attempts.others_open",
        org=owner.org, plan=owner.plan, position=step.position, id=sending.mark.id,
    )  # fmt: skip
    change = Started(sending.last, int(str(others["n"])) if others else 0).refused()
    record.apply(tx, owner.org, owner.plan, owner.epoch, step.position, change, why)
    if before.plan.state is PlanState.ENDED and change.ends is PlanReason.FAILED:
        _correct(tx, sending, PlanReason.FAILED)
    return Lost()


def _correct(tx: EngineTx, sending: Sending, reason: PlanReason) -> None:
    """A late proof corrects why the plan ended, and makes its old epoch worthless."""
    owner = sending.owner
    if tx.one("plans.prove", org=owner.org, plan=owner.plan, reason=str(reason)):
        record.event(tx, owner.org, owner.plan, "proved_late", sending.step.position)


def _returned(tx: EngineTx, sending: Sending) -> Going:
    """The send came back without a proof: in doubt, and its sender is known to be through."""
    _close(tx, sending, "unknown", None)
    return doubt(tx, sending.owner, sending.step, sending.last)


def doubt(tx: EngineTx, owner: Owner, step: StepRow, last: bool) -> Going:
    """A step may have happened: it and its plan's end are one commit, and a person is told."""
    if tx.one("plans.own", org=owner.org, plan=owner.plan, epoch=owner.epoch):
        change: Change = Started(last).in_doubt()
        record.apply(tx, owner.org, owner.plan, owner.epoch, step.position, change)
    return Lost()
