"""Answer: what a person says of a step that may have happened.

"It happened" is taken at any time. "It did not happen" counts only once nothing of it can still
arrive, and only from a card that was drawn after that. Before, "send again anyway" is a person's
own decision, in typed words, and is on record as a possible duplicate.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from semel.domain.action import Action, Made
from semel.domain.canonical import is_whole
from semel.domain.doubt import (
    Answer,
    DidNot,
    Happened,
    LookAgain,
    SendAnyway,
    settled,
    window_open,
)
from semel.domain.effect import Keyed
from semel.domain.plan import Owner, PlanRow, Resolution, StepRow, StepState, Who
from semel.domain.reply import send_again_words
from semel.domain.report import Outcome, Refusal
from semel.domain.step import Started, name_of
from semel.errors import Bug, NotDone, StorageError
from semel.facts import JSON, instant_text, read_instant
from semel.inputs import pointers
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.begin import done, intact, is_open, said
from semel.runtime.core import Core, log
from semel.runtime.invoke import context
from semel.runtime.look import Stored, reload
from semel.runtime.outside import Request, opened, prepared, sent
from semel.runtime.proof import Send, correct
from semel.runtime.resolve import gone, look_into
from semel.runtime.result import Touched, touched

DID_NOT = "answer.did_not"
"""Why a step is not done: a person says so, and nothing of it could arrive any more."""

ID_MAX = 200
"""Characters of an id that a person may type; what is longer is of no record."""


@dataclass(frozen=True, slots=True)
class Again:
    """A step that is sent once more on a person's word; the run goes on from there."""

    stored: Stored
    owner: Owner
    send: Callable[[], Any]


async def answer(
    core: Core, who: Who, number: str, position: int, given: Answer
) -> Stored | Again | Outcome:
    """Take a person's answer about a step in doubt; the plan as it is then."""
    found = await core.read(lambda tx: _found(core, tx, who, number, position))
    if not isinstance(found, Stored):
        return found
    match given:
        # In a copy that was put back the epoch of a card of the lost time may come once more.
        case LookAgain() | SendAnyway() | DidNot() if await core.closed() is not None:
            return look.refused(core, Refusal.SENDS_OFF, number)
        case LookAgain():
            return await look_into(core, who.org, number) or found
        case Happened(id=id_):
            return await core.transact(
                "answer",
                lambda tx: _happened(core, tx, who, found, position, id_),
                lambda tx: _is_said(tx, who, found, position, Resolution.HAPPENED),
            )
        case DidNot():
            return await core.transact(
                "answer",
                lambda tx: _did_not(core, tx, who, found, position, given),
                lambda tx: _is_said(tx, who, found, position, Resolution.DID_NOT),
            )
        case SendAnyway(words):
            return await _send_anyway(core, who, found, position, words)


def _found(core: Core, tx: EngineTx, who: Who, number: str, position: int) -> Stored | Outcome:
    stored = look.load(tx, who.org, number)
    if stored is None or not look.may_look(core, tx, who, stored.plan):
        return look.refused(core, Refusal.NOT_FOUND)
    if not 1 <= position <= len(stored.steps):
        return look.refused(core, Refusal.NOT_IN_DOUBT, number)
    if stored.steps[position - 1].state is not StepState.IN_DOUBT:
        # Answered before, or proven meanwhile: the same press again reads what came of it.
        answered = stored.steps[position - 1].resolution is not None
        if answered or not stored.sends:
            return look.outcome(core, stored, replayed=True)
        return look.refused(core, Refusal.NOT_IN_DOUBT, number)
    return stored


def _still(tx: EngineTx, seen: Stored, position: int) -> Stored | None:
    """The plan, if it is in the very doubt that the person was shown."""
    again = look.lock(tx, seen.plan.org, seen.plan.plan)
    if again is None:
        raise Bug(f"{seen.plan.plan} is gone.")
    same = again.plan.epoch == seen.plan.epoch
    return again if same and again.steps[position - 1].state is StepState.IN_DOUBT else None


def _is_said(tx: EngineTx, who: Who, seen: Stored, position: int, resolution: Resolution) -> bool:
    """Whether this person's answer stands already: it says the same as the one that was lost."""
    stored = look.lock(tx, seen.plan.org, seen.plan.plan)
    step = stored.steps[position - 1] if stored is not None else None
    return step is not None and (step.resolution, step.resolved_by) == (resolution, who.person)


def _answered(
    tx: EngineTx, who: Who, plan: PlanRow, position: int, resolution: Resolution, **body: JSON
) -> None:
    tx.run(
        "steps.answered",
        org=plan.org, plan=plan.plan, position=position, resolution=str(resolution),
        resolved_by=who.person,
    )  # fmt: skip
    record.event(
        tx, plan.org, plan.plan, "answered", position, after=None, at=None,
        answer=str(resolution), person=who.person, **body,
    )  # fmt: skip


def _happened(
    core: Core, tx: EngineTx, who: Who, seen: Stored, position: int, id_: str | None
) -> Stored | Outcome:
    stored = _still(tx, seen, position)
    if stored is None:
        return look.outcome(core, reload(tx, seen), replayed=True)
    plan, step = stored.plan, stored.steps[position - 1]
    rows = _records(core, tx, plan, step, id_)
    if rows is None:
        return look.refused(core, Refusal.UNKNOWN_RECORD, plan.plan)
    done(tx, Owner(plan.org, plan.plan, plan.epoch), step, Made(id=id_), rows)
    _answered(tx, who, plan, position, Resolution.HAPPENED, id=id_)
    if not rows:
        for later in _referring(core, stored, position):
            tx.run("steps.unreferred", org=plan.org, plan=plan.plan, position=later)
    correct(tx, stored, position)
    return reload(tx, stored)


def _records(
    core: Core, tx: EngineTx, plan: PlanRow, step: StepRow, id_: str | None
) -> list[Touched] | None:
    """The record that a step is said to have made; None when there is none of that id."""
    if id_ is None:
        return []
    if len(id_) > ID_MAX or not is_whole(id_) or "\0" in id_:
        return None
    action = core.catalog.get(step.action)
    if action is None or action.makes is None:
        return []
    ctx = context(core, tx.app, plan.who, plan.plan, step.position, plan.round, tx.now())
    try:
        with tx.savepoint():
            row = cast("Any", action.makes()).find(ctx, id_)
            return None if row is None else touched(step.position, action.makes, Made(row))
    except StorageError:
        raise
    except Exception:  # noqa: BLE001 - a person may have typed anything; nothing is recorded of it
        log.exception("%s: what was typed as an id could not be looked for.", action.name)
        return None


def _referring(core: Core, stored: Stored, position: int) -> list[int]:
    """The later steps that need what this one made."""
    found = []
    for step in stored.steps[position:]:
        if core.catalog.get(step.action) is None:
            continue
        given = core.catalog.load(step.action, step.input)
        if any(pointer.position == position for pointer, _ in pointers(given)):
            found.append(step.position)
    return found


def _did_not(
    core: Core, tx: EngineTx, who: Who, seen: Stored, position: int, card: DidNot
) -> Stored | Outcome:
    stored = _still(tx, seen, position)
    if stored is None:
        return look.outcome(core, reload(tx, seen), replayed=True)
    plan, sends = stored.plan, stored.sends[position]
    if card.epoch != plan.epoch:
        return look.refused(core, Refusal.REVOKED, plan.plan)
    if not card.settled or not settled(sends, stored.now, core.host.is_dead, stored.gone):
        return look.refused(core, Refusal.NOT_SETTLED, plan.plan)
    gone(tx, plan.org, plan.plan, position, sends, "absent")
    change = Started(last=False, cancelled=plan.cancelled_at is not None).closed()
    record.apply(tx, plan.org, plan.plan, plan.epoch, position, change, DID_NOT)
    _answered(tx, who, plan, position, Resolution.DID_NOT)
    correct(tx, stored, position)
    return reload(tx, stored)


async def _send_anyway(
    core: Core, who: Who, seen: Stored, position: int, words: str
) -> Stored | Again | Outcome:
    if not send_again_words(words):
        return look.refused(core, Refusal.SEND_WORDS, seen.plan.plan)
    step = seen.steps[position - 1]
    action = core.catalog.get(step.action)
    if action is None or name_of(action.effect) != step.effect:
        return look.refused(core, Refusal.BROKEN, seen.plan.plan)
    if any(one.state is not StepState.DONE for one in seen.steps[: position - 1]):
        # After a fence several steps are in doubt, and they are answered in their order.
        return look.refused(core, Refusal.CHANGED, seen.plan.plan)
    id_ = core.new_id()
    try:
        request = await prepared(core, seen.plan, action, step, id_, _same(action, seen, position))
    except NotDone as no:
        return look.refused(core, Refusal.CHANGED, seen.plan.plan, no.says(who.locale))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - nothing has left for it
        said(error, action, who.locale)
        return look.refused(core, Refusal.CHANGED, seen.plan.plan)
    place = seen.plan.org, seen.plan.plan, position
    return await core.transact(
        "answer",
        lambda tx: _again(core, tx, who, seen, step, request, id_),
        lambda tx: is_open(tx, *place, id_),
    )


def _same(action: Action, seen: Stored, position: int) -> datetime | None:
    """The instant to show for the same bytes as before, while the key still tells repeats apart."""
    mine = [send for send in seen.sends[position] if send.round == seen.plan.round]
    if not mine or not isinstance(action.effect, Keyed):
        return None
    first = mine[0].opened_at
    again = window_open(action.effect, first, read_instant(seen.now))
    return read_instant(first) if again else None


def _again(
    core: Core,
    tx: EngineTx,
    who: Who,
    seen: Stored,
    step: StepRow,
    request: Request,
    id_: str,
) -> Again | Outcome:
    """Take the word and mark the new send in one commit; no proof of the first is needed for it."""
    stored = _still(tx, seen, step.position)
    if stored is None:
        return look.outcome(core, reload(tx, seen), replayed=True)
    plan = stored.plan
    taken = tx.one(
        "plans.send_again",
        org=plan.org, plan=plan.plan, epoch=plan.epoch, owner=core.host.identity,
        resume_after=core.resume_after(tx.now(), request.ctx.deadline),
    )  # fmt: skip
    tx.run(
        "steps.remark",
        org=plan.org, plan=plan.plan, position=step.position,
        resolution=str(Resolution.SEND_ANYWAY), resolved_by=who.person,
    )  # fmt: skip
    owner = Owner(plan.org, plan.plan, int(str(taken["epoch"])) if taken else -1)
    current = intact(core, tx, owner, step)
    if taken is None or current is None:
        return look.refused(core, Refusal.TAMPERED, plan.plan)
    record.event(
        tx, plan.org, plan.plan, "possible_duplicate", step.position, person=who.person,
        at=instant_text(tx.now()),
    )  # fmt: skip
    last = step.position == len(stored.steps)
    send = opened(core, tx, owner, current, request, step, last, id_, "step_resent")
    return Again(reload(tx, stored), owner, lambda: _sent(core, send, request))


async def _sent(core: Core, send: Send, request: Request) -> None:
    await sent(core, send, request)
