"""Resolve: a step that was started and has no proof, brought to one by what its effect allows.

    Opaque          nobody can be asked: in doubt
    Keyed           the same bytes under the same key again, while the other side remembers it
    Checked         look: what is found is done; "not there" counts only once everything is settled
    Checked(void)   close every open send, then look: done, or not there for certain and run anew

A started step is never simply run again. The same looks serve the run, a take-over, the sweep that
comes back to a doubt, and a person who presses "look again".
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from semel.domain.action import Action, Ctx, Made
from semel.domain.doubt import SENDS_MAX, Attempt, lost, open_ones, settled, window_open
from semel.domain.effect import Checked, Keyed
from semel.domain.plan import Owner, PlanRow, StepRow, StepState
from semel.domain.step import Started, bounds, name_of
from semel.errors import Bug, StorageError
from semel.ports import EngineTx
from semel.runtime import look, points, record
from semel.runtime.begin import Going, Lost, intact, is_open
from semel.runtime.core import Core, log
from semel.runtime.invoke import context, for_outside
from semel.runtime.look import Stored
from semel.runtime.outside import Request, first_instant, opened, prepared, sent
from semel.runtime.proof import Send, correct, doubt, insist, look_again, made

RESEND_SECONDS = (0.2, 1.0)
"""Pauses before a step's second and third send: the other side may be starting anew."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a look at the other side gave: what was made, or for certain nothing, or no answer."""

    made: Made | None = None
    answered: bool = True


async def resolve(core: Core, owner: Owner, plan: PlanRow, step: StepRow, last: bool) -> Going:
    """Bring a started step to a proof, or to a doubt that a person is told of."""
    sends = await core.read(lambda tx: look.attempts_of(tx, owner.org, owner.plan, step.position))
    action = core.catalog.get(step.action)
    # An action that is gone, or is another kind of thing by now, cannot be asked about what it was.
    if action is not None and name_of(action.effect) == step.effect:
        match action.effect:
            case Keyed() if plan.cancelled_at is None:
                going = await _again(core, owner, plan, action, step, last, sends)
                if not isinstance(going, _Doubt):
                    return going
            case Checked(void=True) if not lost(sends):
                return await _void(core, owner, plan, action, step, last, sends)
            case Checked():
                found = await look_outside(core, plan, action, step, sends)
                if found.made is not None:
                    answer, send = found.made, Send(owner, action, step, last, None)
                    return await insist(core, "made", lambda tx: made(tx, send, answer))
    return await insist(core, "doubt", lambda tx: doubt(core, tx, owner, step, last))


@dataclass(frozen=True, slots=True)
class _Doubt:
    """There is nothing left to try."""


async def _again(
    core: Core,
    owner: Owner,
    plan: PlanRow,
    action: Action,
    step: StepRow,
    last: bool,
    sends: Sequence[Attempt],
) -> Going | _Doubt:
    """Send the same bytes under the same key once more, while the other side remembers it."""
    effect = cast("Keyed", action.effect)
    mine = [send for send in sends if send.round == plan.round]
    if not mine or len(mine) >= SENDS_MAX:
        return _Doubt()
    await asyncio.sleep(RESEND_SECONDS[len(mine) - 1])
    id_ = core.new_id()
    try:
        now = first_instant(mine[0].opened_at)
        request = await prepared(core, plan, action, step, id_, now)
    except StorageError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - what cannot be sent again is a doubt
        log.warning("%s cannot be sent again.", action.name, exc_info=error)
        return _Doubt()
    if not request.digest or request.digest != mine[0].request_digest:
        log.warning("%s would send something else this time.", action.name)
        return _Doubt()

    def work(tx: EngineTx) -> Send | Lost | _Doubt:
        if not window_open(effect, mine[0].opened_at, tx.now(), clock_since(tx)):
            return _Doubt()
        return _resend(core, tx, owner, request, step, last, id_)

    send = await core.transact(
        "resend", work, lambda tx: is_open(tx, owner.org, owner.plan, step.position, id_)
    )
    return await sent(core, send, request) if isinstance(send, Send) else send


def clock_since(tx: EngineTx) -> str | None:
    """From when the database's clock is that of its present server; None when it always was."""
    row = tx.one("database.find")
    since = row and row["timeline_since"]
    return str(since) if since else None


def _resend(
    core: Core, tx: EngineTx, owner: Owner, request: Request, step: StepRow, last: bool, id_: str
) -> Send | Lost:
    """Mark one more send of a started step: by its owner, and never after a cancel."""
    limit, _ = bounds(request.given.action.effect)
    plan = intact(core, tx, owner, step)
    again = plan and tx.one(
        "plans.resend",
        org=owner.org, plan=owner.plan, epoch=owner.epoch, position=step.position,
        resume_after=core.resume_after(tx.now(), limit),
    )  # fmt: skip
    if plan is None or again is None:
        return Lost()
    return opened(core, tx, owner, plan, request, step, last, id_, "step_resent")


async def look_outside(
    core: Core, plan: PlanRow, action: Action, step: StepRow, sends: Sequence[Attempt]
) -> Found:
    """Ask the other side; where it can, close every open send first."""
    effect = cast("Checked", action.effect)
    now = await core.read(lambda tx: tx.now())
    ctx = context(core, None, plan.who, plan.plan, step.position, plan.round, now)
    keys = list(dict.fromkeys(send.key for send in open_ones(sends)))
    try:
        async with asyncio.timeout(effect.deadline):
            return await _asked(cast("Any", action), keys, for_outside(ctx, effect.deadline))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - no answer is an answer here
        log.warning("%s could not be looked at.", action.name, exc_info=error)
        return Found(answered=False)


async def _asked(action: Any, keys: list[str], ctx: Ctx[Any]) -> Found:
    if action.effect.void:
        points.reach("void:before")
        await action.void(keys, ctx)
        points.reach("void:after")
    points.reach("check:before")
    answer = await action.check(keys, ctx)
    points.reach("check:after")
    if answer is not None and not isinstance(answer, Made):
        raise Bug(f"{action.name}: check() returns Made or None.")
    return Found(answer)


async def _void(
    core: Core,
    owner: Owner,
    plan: PlanRow,
    action: Action,
    step: StepRow,
    last: bool,
    sends: Sequence[Attempt],
) -> Going:
    """Close what was sent; then it is found, or for certain not there and may be run anew."""
    found = await look_outside(core, plan, action, step, sends)
    if found.made is not None:
        answer, send = found.made, Send(owner, action, step, last, None)
        return await insist(core, "made", lambda tx: made(tx, send, answer))
    if not found.answered:
        return await insist(core, "doubt", lambda tx: doubt(core, tx, owner, step, last))
    mine = [send for send in sends if send.round == plan.round]
    request = None
    id_ = core.new_id()
    if plan.cancelled_at is None and len(mine) < SENDS_MAX:
        try:
            request = await prepared(core, plan, action, step, id_)
        except StorageError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - nothing of it is left outside
            log.warning("%s cannot be run anew.", action.name, exc_info=error)

    def work(tx: EngineTx) -> Send | Lost:
        if not tx.one("plans.own", org=owner.org, plan=owner.plan, epoch=owner.epoch):
            return Lost()
        gone(tx, owner.org, owner.plan, step.position, open_ones(sends), "void")
        if request is not None:
            again = _resend(core, tx, owner, request, step, last, id_)
            if isinstance(again, Send):
                return again
        now = look.load(tx, owner.org, owner.plan)
        stopped = now is not None and now.plan.cancelled_at is not None
        change = Started(last, cancelled=stopped).closed()
        record.apply(tx, owner.org, owner.plan, owner.epoch, step.position, change, "void")
        return Lost()

    anew: Send | Lost = await core.transact(
        "closed", work, lambda tx: is_open(tx, owner.org, owner.plan, step.position, id_)
    )
    if isinstance(anew, Lost) or request is None:
        return Lost()
    return await sent(core, anew, request)


def gone(
    tx: EngineTx, org: str, plan: str, position: int, sends: Sequence[Attempt], outcome: str
) -> None:
    """Write that these sends have not arrived and never will."""
    for send in sends:
        tx.run(
            "attempts.close",
            org=org, plan=plan, position=position, id=send.id, outcome=outcome, detail=None,
            returned_at=None,
        )  # fmt: skip


async def look_into(core: Core, org: str, number: str) -> Stored | None:
    """Come back to a plan in doubt: look where one can look, or note that it has settled."""
    stored = await core.read(lambda tx: look.load(tx, org, number))
    if stored is None or not stored.sends:
        return stored
    for position in stored.sends:
        await _look_at(core, stored, stored.steps[position - 1])
    return await core.read(lambda tx: look.load(tx, org, number))


async def _look_at(core: Core, stored: Stored, step: StepRow) -> None:
    action, sends = core.catalog.get(step.action), stored.sends[step.position]
    found = Found(answered=False)
    # First settled, then looked: what is looked for before may still arrive after.
    quiet = settled(sends, stored.now, core.host.is_dead, stored.gone)
    asked = action is not None and isinstance(action.effect, Checked)
    if action is not None and asked and name_of(action.effect) == step.effect:
        found = await look_outside(core, stored.plan, action, step, sends)
    await core.transact(
        "look", lambda tx: _looked(core, tx, stored, action, step, found, quiet=quiet)
    )


def _looked(
    core: Core,
    tx: EngineTx,
    stored: Stored,
    action: Action | None,
    step: StepRow,
    found: Found,
    *,
    quiet: bool,
) -> None:
    """Write what a look at a doubt gave, if it is still the doubt that was looked at."""
    plan, position = stored.plan, step.position
    again = look.lock(tx, plan.org, plan.plan)
    if again is None or again.plan.epoch != plan.epoch:
        return
    if again.steps[position - 1].state is not StepState.IN_DOUBT:
        return
    owner = Owner(plan.org, plan.plan, plan.epoch)
    if found.made is not None and action is not None:
        made(tx, Send(owner, action, step, position == len(stored.steps), None), found.made)
        return
    void = step.effect == "checked_void"
    # Under which keys the past has sent nobody knows: that nothing is there under these proves
    # nothing of it.
    final = (void or quiet) and not lost(stored.sends[position])
    if found.answered and final:
        outcome = "void" if void else "absent"
        gone(tx, plan.org, plan.plan, position, stored.sends[position], outcome)
        change = Started(last=False, cancelled=plan.cancelled_at is not None).closed()
        record.apply(tx, plan.org, plan.plan, plan.epoch, position, change, outcome)
        correct(tx, again, position)
        return
    doubts = [one for one in again.steps if one.state is StepState.IN_DOUBT]
    asked = any(one.effect in {"checked", "checked_void"} for one in doubts)
    if quiet and not asked:
        row = tx.one("plans.find", org=plan.org, plan=plan.plan)
        if row is not None and row["look_after"] is not None:
            # It settles once, however often somebody looks again.
            tx.run(
                "plans.look_again", org=plan.org, plan=plan.plan, epoch=plan.epoch, look_after=None
            )
            record.event(tx, plan.org, plan.plan, "settled", position)
        return
    look_again(core, tx, again, position)
