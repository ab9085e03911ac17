"""Press: a token is judged, and what it stands for is taken, in one transaction.

A yes, a retry and an undo are three kinds of question with one judge: what was edited, is somebody
else's, has been used or has outlived its time opens nothing, and a mismatch consumes nothing.
"""

from dataclasses import dataclass, replace
from typing import Protocol

from semel.domain.consent import (
    Confirmation,
    Question,
    Verdict,
    judge,
    plan_digest,
    plan_intact,
    token_hash,
    token_of,
)
from semel.domain.plan import Owner, PlanReason, PlanState, StepState, Who
from semel.domain.report import Outcome, Refusal
from semel.errors import Bug, Conflict, TimeLimit
from semel.facts import instant_text
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.core import Core, log
from semel.runtime.dismiss import dismiss_stored
from semel.runtime.look import Stored
from semel.runtime.rehearse import Broken


class Edited(Exception):
    """A plan that was judged good contradicts itself: somebody went round the program."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """A question that was answered, now or before; with an owner, the plan is ours to run."""

    stored: Stored
    owner: Owner | None = None
    replayed: bool = False


class Take(Protocol):
    """Takes a question that was judged good."""

    def __call__(
        self,
        core: Core,
        tx: EngineTx,
        who: Who,
        stored: Stored,
        question: Confirmation,
        words: str | None,
        /,
    ) -> Pressed | Outcome:
        """Take it, in one commit with what follows from it; or say why not."""


async def press(
    core: Core,
    who: Who,
    token: str,
    question: Question,
    take: Take,
    words: str | None = None,
    plan: str | None = None,
) -> Pressed | Outcome:
    """Judge a token and take what it stands for.

    Args:
        core: the engine's parts.
        who: who presents it, and where.
        token: what the button carried.
        question: what they want it for; kinds never mix.
        take: what takes a good one.
        words: the typed words, for plans that ask for them.
        plan: the plan that it has to be of, where the channel names one: of another it opens and
            leaves nothing.
    """
    if not isinstance(token, str):
        # A channel may hand over whatever it was sent; what is no text was never a token.
        return look.refused(core, Refusal.NOT_FOUND)
    press_ = core.new_id()
    await core.closed()
    try:
        return await core.transact(
            str(question),
            lambda tx: _press(core, tx, who, token, question, take, words, plan, press_),
            lambda tx: _asked(tx, who, token, press_)[1],
        )
    except Edited as no:
        log.error("A plan's rows contradict each other.", exc_info=no)
        return look.refused(core, Refusal.TAMPERED)
    except (Broken, Conflict, TimeLimit) as no:
        log.error("A plan could not be previewed again at its yes.", exc_info=no)
        return look.refused(core, Refusal.BROKEN)


def _press(
    core: Core,
    tx: EngineTx,
    who: Who,
    token: str,
    kind: Question,
    take: Take,
    words: str | None,
    plan: str | None,
    press_: str,
) -> Pressed | Outcome:
    found, _ = _asked(tx, who, token, press_)
    if found is None:
        return look.refused(core, Refusal.NOT_FOUND)
    stored, question = found
    if plan is not None and plan != question.plan:
        return look.refused(core, Refusal.NOT_FOUND)
    verdict = _verdict(core, who, stored, question, token, kind)
    sends = kind is not Question.UNDO and look.leaves(stored)
    if verdict is Verdict.GOOD and sends and core.store.closed is not None:
        # The yes is not taken: it may be given when something can come of it.
        return look.refused(core, Refusal.SENDS_OFF, question.plan)
    if verdict is Verdict.GOOD:
        return take(core, tx, who, stored, replace(question, press=press_), words)
    return _no(core, tx, stored, question, verdict)


def _asked(
    tx: EngineTx, who: Who, token: str, press_: str
) -> tuple[tuple[Stored, Confirmation] | None, bool]:
    """The question of a token and its plan, locked; and whether this very press has used it."""
    row = tx.one("confirmations.by_token", org=who.org, token_hash=token_hash(token))
    if row is None:
        return None, False
    stored = look.lock(tx, who.org, str(row["plan"]))
    # What was read before the lock may have been used while this press waited for it.
    row = tx.one("confirmations.by_token", org=who.org, token_hash=token_hash(token))
    if stored is None or row is None:
        raise Bug("A question's plan is not there.")
    question = look.confirmation(row)
    return (stored, question), question.press == press_


def _no(
    core: Core, tx: EngineTx, stored: Stored, question: Confirmation, verdict: Verdict
) -> Pressed | Outcome:
    """What a token is answered that opens nothing."""
    confirm = question.question is Question.CONFIRM
    match verdict:
        case Verdict.USED if question.question is Question.UNDO and not stored.plan.undone_by:
            # It was pressed and changed nothing, so there is no outcome to show for it.
            return look.refused(core, Refusal.REVOKED, question.plan)
        case Verdict.USED:
            return Pressed(_outcome_of(tx, stored, question.question), replayed=True)
        case Verdict.MISMATCH:
            # Nothing is consumed, and to this person the token does not exist.
            _rejected(tx, question, Verdict.MISMATCH)
            return look.refused(core, Refusal.NOT_FOUND)
        case Verdict.TAMPERED if stored.plan.state is not PlanState.ASKING:
            # What has run has run: it is not said to have been stopped because of a later edit.
            _rejected(tx, question, Verdict.TAMPERED)
            return Pressed(stored, replayed=True)
        case Verdict.TAMPERED:
            dismiss_stored(tx, stored, PlanReason.REFUSED, "rejected", str(Verdict.TAMPERED))
            return look.refused(core, Refusal.TAMPERED, question.plan)
        case Verdict.EXPIRED if not confirm:
            _rejected(tx, question, Verdict.EXPIRED)
            return look.refused(core, Refusal.OFFER_EXPIRED, question.plan)
        case Verdict.EXPIRED if (
            question.revoked_at is None or stored.plan.reason is PlanReason.EXPIRED
        ):
            # An older question that has expired takes nothing from the one that stands now; and a
            # sweep may have been first.
            if not dismiss_stored(tx, stored, PlanReason.EXPIRED, "expired", str(verdict)):
                _rejected(tx, question, verdict)
            return look.refused(core, Refusal.EXPIRED, question.plan)
        case _:
            _rejected(tx, question, verdict)
            return look.refused(core, Refusal.REVOKED, question.plan)


def _verdict(
    core: Core, who: Who, stored: Stored, question: Confirmation, token: str, kind: Question
) -> Verdict:
    shown = plan_digest(who.org, question.plan, stored.steps)
    verdict = judge(question, core.keys, who, kind, shown, stored.now)
    if (question.person, question.conversation) != (who.person, who.conversation):
        return Verdict.MISMATCH
    if verdict is not Verdict.GOOD:
        return verdict
    if not _as_put(core, stored, question, token):
        return Verdict.TAMPERED
    # An offer of an earlier epoch is old, not forged: something was decided since.
    moved = stored.plan.epoch != question.epoch
    return Verdict.REVOKED if kind is not Question.CONFIRM and moved else Verdict.GOOD


def _as_put(core: Core, stored: Stored, question: Confirmation, token: str) -> bool:
    """Whether the plan's own rows still say what the question's MAC says.

    The MAC does not cover the token's hash: moved to another question, it opens nothing there.
    """
    plan = stored.plan
    same = (plan.person, plan.conversation, plan.version, plan.digest) == (
        question.person,
        question.conversation,
        question.version,
        question.digest,
    )
    if question.question is Question.CONFIRM:
        untouched = all(s.state is StepState.WAITING and s.result is None for s in stored.steps)
        same = same and untouched and plan.state is PlanState.ASKING
    intact = plan_intact(core.keys, plan, stored.steps)
    return same and intact and token == token_of(core.keys, question)


def _outcome_of(tx: EngineTx, stored: Stored, kind: Question) -> Stored:
    """What came of a question that was used: of an undo, the plan that took it back."""
    by = stored.plan.undone_by
    if kind is not Question.UNDO or by is None:
        return stored
    return look.load(tx, stored.plan.org, by) or stored


def _rejected(tx: EngineTx, question: Confirmation, verdict: Verdict) -> None:
    record.event(tx, question.org, question.plan, "rejected", reason=str(verdict))


def take_question(tx: EngineTx, who: Who, question: Confirmation) -> bool:
    """Use a question; False when somebody else has."""
    taken = tx.one(
        "confirmations.take",
        org=who.org, id=question.id, plan=question.plan, question=str(question.question),
        person=who.person, conversation=who.conversation, version=question.version,
        epoch=question.epoch, now=instant_text(tx.now()), press=question.press,
    )  # fmt: skip
    return taken is not None
