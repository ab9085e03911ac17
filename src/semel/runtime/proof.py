"""What a send proved, written at once and alone; and a doubt, written with the plan's end.

A proof that a step happened counts whatever the epoch, even when the plan has ended meanwhile; the
plan's reason is then corrected in the same commit, and its earlier offers are worth nothing.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from semel.domain.action import Action, Made
from semel.domain.doubt import open_ones, settles_at
from semel.domain.plan import Owner, PlanReason, PlanState, StepRow, StepState
from semel.domain.step import Started
from semel.errors import Bug, NotDone, Unreachable
from semel.facts import instant_text
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.begin import Going, Lost, done, kept
from semel.runtime.core import Core, log
from semel.runtime.look import Stored
from semel.runtime.result import Touched, touched

INSIST_SECONDS = (0.1, 0.5, 2.0, 5.0)
"""Pauses between tries to record a proof while the database cannot be reached: a proof in hand is
worth waiting for; without it a person would have to find out."""

LOOK_SECONDS = 60.0
"""Between two looks at a doubt that the other side may end: it is not in a hurry any more."""


@dataclass(frozen=True, slots=True)
class Send:
    """One send: whose, which step of which plan, and its own id; None for a look afterwards.

    Args:
        owner: the right to run its plan.
        action: what is done.
        step: the step.
        last: whether it is the plan's last one.
        id: its own id.
        age: seconds since it was marked, by the clocks of this process.
    """

    owner: Owner
    action: Action
    step: StepRow
    last: bool
    id: str | None
    age: Callable[[], float] = field(default=lambda: 0.0, compare=False, repr=False)


async def insist(core: Core, name: str, work: Any) -> Going:
    """Run a transaction that writes a proof, again and again while the database is away."""
    for pause in INSIST_SECONDS:
        try:
            return cast("Going", await core.transact(name, work))
        except Unreachable as no:
            log.warning("What a send proved could not be written yet.", exc_info=no)
            await asyncio.sleep(pause)
    return cast("Going", await core.transact(name, work))


def _before(tx: EngineTx, owner: Owner) -> Stored:
    """The plan, its row locked before anything of its steps is read."""
    stored = look.lock(tx, owner.org, owner.plan)
    if stored is None:
        raise Bug(f"{owner.plan} is gone.")
    return stored


def close(
    tx: EngineTx, send: Send, outcome: str, detail: str | None = None, *, came_back: bool = True
) -> bool:
    """Write how a send ended, and when its call came back; False when its end was known before."""
    if send.id is None:
        return True
    owner = send.owner
    closed = tx.run(
        "attempts.close",
        org=owner.org, plan=owner.plan, position=send.step.position, id=send.id,
        outcome=outcome, detail=detail,
        returned_at=instant_text(tx.now()) if came_back else None,
    )  # fmt: skip
    return closed > 0


def made(tx: EngineTx, send: Send, answer: Made) -> Going:
    """A proof is a proof, whatever the epoch: the step is done."""
    owner, step = send.owner, send.step
    before = _before(tx, owner)
    news = close(tx, send, "made")
    _contradict(tx, before, send, news=news)
    plan = before.plan
    ours = plan.state is PlanState.RUNNING and plan.epoch == owner.epoch
    if not done(tx, owner, step, answer, _rows(send, answer)):
        # Another proof of it came first, or one that it did not happen.
        return None if ours else Lost()
    change = Started(send.last, cancelled=plan.cancelled_at is not None).made()
    if ours:
        if change.ends is None:
            return None
        record.end(tx, owner.org, owner.plan, owner.epoch, change.ends)
        return Lost()
    correct(tx, before, step.position)
    return Lost()


def _contradict(tx: EngineTx, before: Stored, send: Send, *, news: bool) -> None:
    """Say it when what a proof is of was taken for not done: nothing takes that back.

    A step may be done by now, in another round: then it has happened twice.
    """
    owner, position = send.owner, send.step.position
    denied = before.steps[position - 1].state is StepState.NOT_DONE
    if not denied and not news:
        sends = look.attempts_of(tx, owner.org, owner.plan, position)
        denied = any(one.id == send.id and one.outcome != "made" for one in sends)
    if denied:
        record.event(tx, owner.org, owner.plan, "contradicted", position)
        log.error("%s: %s happened after all.", owner.plan, send.action.name)


def _rows(send: Send, answer: Made) -> list[Touched]:
    """The records of an outside step; reading them is user code, and may not stop the record."""
    try:
        return touched(send.step.position, send.action.makes, answer)
    except BaseException:  # noqa: BLE001 - the step happened, so its record must stand
        log.exception("%s happened; its records could not be read.", send.action.name)
        return []


def refused(tx: EngineTx, send: Send, no: NotDone) -> Going:
    """A definite refusal: not done, unless another send of the step is still open."""
    owner, step = send.owner, send.step
    before = _before(tx, owner)
    why = kept(no.says(before.plan.locale))
    if not close(tx, send, "refused", why):
        # It was known that it never arrives: this says nothing of what is being tried since.
        return None
    others = open_ones(look.attempts_of(tx, owner.org, owner.plan, step.position))
    if others and before.plan.state is PlanState.RUNNING:
        # It proves nothing about the others: the step is resolved by its effect like any doubt.
        return None
    machine = Started(send.last, len(others), cancelled=before.plan.cancelled_at is not None)
    change = machine.refused()
    written = record.apply(tx, owner.org, owner.plan, owner.epoch, step.position, change, why)
    if written and before.plan.state is PlanState.ENDED and change.state is StepState.NOT_DONE:
        correct(tx, before, step.position)
    return Lost()


def returned(core: Core, tx: EngineTx, send: Send) -> Going:
    """The send came back without a proof; its sender is known to be through with it."""
    before = _before(tx, send.owner)
    close(tx, send, "unknown")
    if before.plan.state is PlanState.ENDED:
        look_again(core, tx, before, send.step.position)
        return Lost()
    return None


def doubt(core: Core, tx: EngineTx, owner: Owner, step: StepRow, last: bool) -> Going:
    """A step may have happened: it and its plan's end are one commit, and a person is told."""
    if tx.one("plans.own", org=owner.org, plan=owner.plan, epoch=owner.epoch):
        change = Started(last).in_doubt()
        after = _look_after(core, tx, owner.org, owner.plan, step)
        record.apply(
            tx, owner.org, owner.plan, owner.epoch, step.position, change, look_after=after
        )
    return Lost()


def _look_after(core: Core, tx: EngineTx, org: str, plan: str, step: StepRow) -> str | None:
    """When it is worth looking at a doubt again; None when only a person can end it."""
    sends = look.attempts_of(tx, org, plan, step.position)
    settles, now = settles_at(sends), tx.now()
    if step.effect == "checked_void" or (settles is not None and settles <= instant_text(now)):
        return core.later(now, LOOK_SECONDS)
    return settles


def look_again(core: Core, tx: EngineTx, stored: Stored, position: int) -> None:
    """Set when a doubt is looked at next."""
    plan = stored.plan
    after = _look_after(core, tx, plan.org, plan.plan, stored.steps[position - 1])
    tx.run("plans.look_again", org=plan.org, plan=plan.plan, epoch=plan.epoch, look_after=after)


def correct(tx: EngineTx, before: Stored, position: int) -> None:
    """What became known late corrects why the plan ended, and makes its old epoch worthless."""
    again = look.reload(tx, before)
    plan = again.plan
    if any(step.state is StepState.IN_DOUBT for step in again.steps):
        return
    reason = PlanReason.CANCELLED if plan.cancelled_at is not None else PlanReason.FAILED
    if all(step.state is StepState.DONE for step in again.steps):
        reason = PlanReason.FINISHED
    if tx.one("plans.prove", org=plan.org, plan=plan.plan, reason=str(reason)):
        record.event(tx, plan.org, plan.plan, "proved_late", position)
