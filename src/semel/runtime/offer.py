"""Offers: what a person may do about a plan that has ended, derived when it is shown.

A retry is the same plan again from its last done step, with what is left previewed anew; an undo
is a plan of its own. Both carry the plan's epoch and are taken by one UPDATE that moves it, so
they exclude each other, and an old one is worth nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from semel.domain.action import Risk
from semel.domain.consent import (
    Confirmation,
    Question,
    expiry,
    plan_digest,
    seal_plan,
    token_of,
    undo_expiry,
)
from semel.domain.plan import (
    Owner,
    PlanKind,
    PlanReason,
    PlanState,
    StepReason,
    StepRow,
    StepState,
    Who,
)
from semel.domain.reply import typed_words
from semel.domain.report import Outcome, Refusal
from semel.errors import Bug
from semel.facts import JSON, instant_text
from semel.ports import EngineTx
from semel.runtime import look, record, undo
from semel.runtime.begin import made_so_far
from semel.runtime.confirm import actions_of, as_shown, changes, count_of, reshow
from semel.runtime.core import Core, log
from semel.runtime.draft import put
from semel.runtime.invoke import Forbidden, context, permit
from semel.runtime.look import Stored, reload
from semel.runtime.press import Edited, Pressed, take_question
from semel.runtime.rehearse import rehearse

RETRIED = frozenset({PlanReason.FAILED, PlanReason.STALE})
"""Ends after which what is left may be done after all."""


@dataclass(frozen=True, slots=True)
class Offered:
    """An ended plan as its person sees it, with the tokens of what may be done about it."""

    stored: Stored
    retry: str | None = field(default=None, repr=False)
    undo: str | None = field(default=None, repr=False)
    undo_until: str | None = None


def _left(stored: Stored) -> list[StepRow]:
    return [step for step in stored.steps if step.state is not StepState.DONE]


def _may_be_retried(stored: Stored) -> bool:
    plan, left = stored.plan, _left(stored)
    return (
        plan.state is PlanState.ENDED
        and plan.reason in RETRIED
        and plan.undone_by is None
        and bool(left)
        and all(step.state is StepState.NOT_DONE for step in left)
        and all(step.reason is not StepReason.UNKNOWN_REFERENCE for step in left)
        # After a fence a step may have happened whose steps before are not done.
        and left[0].position + len(left) == len(stored.steps) + 1
    )


def _is_lost(tx: EngineTx, stored: Stored) -> bool:
    """Whether what is left may have been sent in the time that a restored copy has lost.

    A plan that had ended before may have been retried then; what the fence has ended, a person has
    answered for since.
    """
    row = tx.one("database.find") if look.leaves(stored) else None
    fenced_at = row and row["fenced_at"]
    return fenced_at is not None and (stored.plan.ended_at or "") < str(fenced_at)


async def offered(core: Core, who: Who, stored: Stored) -> Offered:
    """What may be done about an ended plan, for its bound person's session only."""
    plan = stored.plan
    worth = _may_be_retried(stored) or undo.is_undoable(core, stored)
    if not worth or not look.is_bound(plan, who) or core.draining:
        return Offered(stored)
    try:
        return await core.transact("offer", lambda tx: _offer(core, tx, stored))
    except Exception as no:  # noqa: BLE001 - what ran has run, and its answer needs no offer
        log.warning("What is left of a plan cannot be offered.", exc_info=no)
        return Offered(stored)


def _offer(core: Core, tx: EngineTx, seen: Stored) -> Offered:
    stored = look.lock(tx, seen.plan.org, seen.plan.plan)
    if stored is None:
        raise Bug(f"{seen.plan.plan} is gone.")
    if stored.plan.state is not PlanState.ENDED:
        return Offered(stored)
    open_ = _may_be_retried(stored) and not _is_lost(tx, stored)
    again = _shown_anew(core, tx, stored) if open_ else None
    stored = again or stored
    retry = None
    if again is not None:
        retry = _token(core, tx, again, Question.RETRY, expiry(again.now))
    until = undo_expiry(stored.plan.ended_at or stored.now)
    if until <= stored.now or not undo.may_be_undone(core, tx, stored):
        return Offered(stored, retry)
    return Offered(stored, retry, _token(core, tx, stored, Question.UNDO, until), until)


def _token(
    core: Core, tx: EngineTx, stored: Stored, question: Question, expires_at: str
) -> str | None:
    """The token of the standing offer, or of a new one when none stands."""
    plan = stored.plan
    row = tx.one("confirmations.live", org=plan.org, plan=plan.plan, question=str(question))
    if row is not None:
        standing = look.confirmation(row)
        same = standing.version, standing.epoch, standing.digest
        if same == (plan.version, plan.epoch, plan.digest) and standing.expires_at > stored.now:
            token = token_of(core.keys, standing)
            if token is not None:
                return token
    return put(core, tx, stored, question, expires_at)


def _shown_anew(core: Core, tx: EngineTx, stored: Stored) -> Stored | None:
    """The plan with what is left of it previewed as of now; None when it cannot be done."""
    plan, left = stored.plan, _left(stored)
    if plan.kind is PlanKind.UNDO:
        return stored if undo.may_go_on(core, tx, stored, left) else None
    actions = actions_of(core, left)
    if actions is None:
        return None
    with tx.savepoint() as world:
        rehearsal = rehearse(
            core, tx, plan.who, plan.plan, actions, plan.round + 1,
            made_so_far(tx, plan.org, plan.plan), left[0].position,
        )  # fmt: skip
        world.roll_back()
    if not rehearsal.good:
        return None
    changed = changes(left, rehearsal.scenes)
    if changed is None:
        return stored
    rows = [scene.row() for scene in rehearsal.scenes]
    shown = {
        row.position: row for step, row in zip(left, rows, strict=True) if not as_shown(step, row)
    }
    for row in shown.values():
        reshow(tx, plan.org, plan.plan, row, changed)
    steps = [_with_preview(step, shown.get(step.position)) for step in stored.steps]
    digest, kid = plan_digest(plan.org, plan.plan, steps), core.keys.newest
    # What was put of the older figures stands no more: its digest is of what nobody is shown now.
    tx.run("confirmations.revoke", org=plan.org, plan=plan.plan, now=instant_text(tx.now()))
    tx.run(
        "plans.offer",
        org=plan.org, plan=plan.plan, epoch=plan.epoch, version=plan.version, digest=digest,
        kid=kid, seal=seal_plan(core.keys, kid, plan.who, plan.plan, digest, plan.terms),
    )  # fmt: skip
    names: list[JSON] = [one.name for one in changed]
    record.event(tx, plan.org, plan.plan, "changed", facts=names)
    return reload(tx, stored)


def _with_preview(step: StepRow, now: StepRow | None) -> StepRow:
    if now is None:
        return step
    return step._replace(
        preview=now.preview,
        facts_digest=now.facts_digest,
        risk=now.risk,
        action_version=now.action_version,
        later=now.later,
        similar=now.similar,
    )


def take_retry(
    core: Core,
    tx: EngineTx,
    who: Who,
    stored: Stored,
    question: Confirmation,
    words: str | None,
    /,
) -> Pressed | Outcome:
    """Take a retry that was judged good: the same plan in a new round, without what is done."""
    plan, left = stored.plan, _left(stored)
    if not _may_be_retried(stored) or _is_lost(tx, stored):
        return look.refused(core, Refusal.REVOKED, plan.plan)
    if max(step.risk for step in left) is Risk.TYPED:
        count = count_of(left)
        if not typed_words(words or "", count):
            record.event(tx, plan.org, plan.plan, "rejected", reason="words")
            return look.refused(core, Refusal.WORDS, plan.plan, str(count))
    done = len(stored.steps) - len(left)
    taken = take_question(tx, who, question)
    epoch = tx.one(
        "plans.retry",
        org=plan.org, plan=plan.plan, epoch=question.epoch, version=question.version, at=done,
        owner=core.host.identity, resume_after=core.resume_after(tx.now()),
    )  # fmt: skip
    if not taken or epoch is None:
        raise Edited(plan.plan)
    tx.run("steps.reset", org=plan.org, plan=plan.plan, round=plan.round + 1)
    tx.run("confirmations.revoke", org=plan.org, plan=plan.plan, now=instant_text(tx.now()))
    record.event(tx, plan.org, plan.plan, "retried", person=who.person, round=plan.round + 1)
    owner = Owner(plan.org, plan.plan, int(str(epoch["epoch"])))
    return Pressed(reload(tx, stored), owner)


def take_undo(
    core: Core,
    tx: EngineTx,
    who: Who,
    stored: Stored,
    question: Confirmation,
    words: str | None,
    /,
) -> Pressed | Outcome:
    """Take an undo that was judged good: a plan of its own, which runs at once."""
    del words
    plan = stored.plan
    if not undo.may_be_undone(core, tx, stored):
        return look.refused(core, Refusal.REVOKED, plan.plan)
    try:
        _permitted(core, tx, stored)
    except Forbidden as no:
        record.event(tx, plan.org, plan.plan, "rejected", reason="forbidden")
        return look.refused(core, Refusal.FORBIDDEN, plan.plan, str(no))
    taken = take_question(tx, who, question)
    tx.run("confirmations.revoke", org=plan.org, plan=plan.plan, now=instant_text(tx.now()))
    begun = undo.begin(core, tx, stored)
    if not taken or begun is None:
        raise Edited(plan.plan)
    undoing, owner = begun
    return Pressed(undoing, owner)


def _permitted(core: Core, tx: EngineTx, stored: Stored) -> None:
    """Whether the person may still do what is to be taken back; each step asks once more."""
    plan = stored.plan
    done: Sequence[StepRow] = [s for s in stored.steps if s.state is StepState.DONE]
    for step in done:
        action = core.catalog.get(step.action)
        ctx = context(core, tx.app, plan.who, plan.plan, step.position, plan.round, tx.now())
        if action is not None:
            permit(core, action, (), ctx)
