"""Confirm: one person's yes, judged, taken and committed together with the plan's start.

The yes is on disk before the first handler runs. Before it is taken everything is rehearsed again:
what is no longer as shown makes a new question instead of a run.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from semel.domain.action import Action, Risk
from semel.domain.consent import (
    Confirmation,
    Difference,
    Question,
    Verdict,
    differences,
    expiry,
    judge,
    plan_digest,
    plan_intact,
    seal_plan,
    token_hash,
    token_of,
)
from semel.domain.plan import (
    Owner,
    PlanReason,
    PlanState,
    StepReason,
    StepRow,
    StepState,
    Who,
)
from semel.domain.reply import typed_words
from semel.domain.report import Ask, Outcome, Refusal
from semel.errors import Bug, Conflict, TimeLimit
from semel.facts import Count, instant_text, read_facts
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.core import Core, log
from semel.runtime.draft import ask
from semel.runtime.look import Stored
from semel.runtime.rehearse import Broken, Rehearsal, rehearse


class Edited(Exception):
    """A plan that was judged good contradicts itself: somebody went round the program."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """A yes that was taken, now or before; with an owner, the plan is this process's to run."""

    stored: Stored
    owner: Owner | None = None
    replayed: bool = False


async def press(core: Core, who: Who, token: str, words: str | None) -> Pressed | Outcome:
    """Judge and take a token; words are for plans that ask for typed ones."""
    if not isinstance(token, str):
        # A channel may hand over whatever it was sent; what is no text was never a token.
        return look.refused(core, Refusal.NOT_FOUND)
    try:
        return await core.transact("confirm", lambda tx: _press(core, tx, who, token, words))
    except Edited as no:
        log.error("A plan's rows contradict each other.", exc_info=no)
        return look.refused(core, Refusal.TAMPERED)
    except (Broken, Conflict, TimeLimit) as no:
        log.error("A plan could not be previewed again at its yes.", exc_info=no)
        return look.refused(core, Refusal.BROKEN)


def _press(core: Core, tx: EngineTx, who: Who, token: str, words: str | None) -> Pressed | Outcome:
    row = tx.one("confirmations.by_token", org=who.org, token_hash=token_hash(token))
    if row is None:
        return look.refused(core, Refusal.NOT_FOUND)
    question = look.confirmation(row)
    stored = look.load(tx, who.org, question.plan)
    if stored is None:
        raise Bug(f"{question.plan} has a question and is not there.")
    now = instant_text(tx.now())
    shown = plan_digest(who.org, question.plan, stored.steps)
    verdict = judge(question, core.keys, who, Question.CONFIRM, shown, now)
    if (question.person, question.conversation) != (who.person, who.conversation):
        verdict = Verdict.MISMATCH
    if verdict is Verdict.GOOD and not _as_asked(core, stored, question, token):
        verdict = Verdict.TAMPERED
    match verdict:
        case Verdict.GOOD:
            return _take(core, tx, who, stored, question, words)
        case Verdict.USED:
            return Pressed(stored, replayed=True)
        case Verdict.MISMATCH:
            # Nothing is consumed, and to this person the token does not exist.
            record.event(tx, who.org, question.plan, "rejected", reason=str(verdict))
            return look.refused(core, Refusal.NOT_FOUND)
        case Verdict.TAMPERED if stored.plan.state is not PlanState.ASKING:
            # What has run has run: it is not said to have been stopped because of a later edit.
            record.event(tx, who.org, question.plan, "rejected", reason=str(verdict))
            return Pressed(stored, replayed=True)
        case Verdict.TAMPERED:
            _dismiss(tx, stored, PlanReason.REFUSED, "rejected", str(verdict))
            return look.refused(core, Refusal.TAMPERED, question.plan)
        case Verdict.EXPIRED:
            _dismiss(tx, stored, PlanReason.EXPIRED, "expired", str(verdict))
            return look.refused(core, Refusal.EXPIRED, question.plan)
        case Verdict.REVOKED:
            record.event(tx, who.org, question.plan, "rejected", reason=str(verdict))
            return look.refused(core, Refusal.REVOKED, question.plan)


def _as_asked(core: Core, stored: Stored, question: Confirmation, token: str) -> bool:
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
    untouched = all(s.state is StepState.WAITING and s.result is None for s in stored.steps)
    intact = plan_intact(core.keys, plan.kid, plan.org, plan.plan, plan.seal, stored.steps)
    own = token == token_of(core.keys, question)
    return plan.state is PlanState.ASKING and same and untouched and intact and own


def _take(
    core: Core, tx: EngineTx, who: Who, stored: Stored, question: Confirmation, words: str | None
) -> Pressed | Outcome:
    plan = stored.plan
    # The steps' risks are sealed with them; the plan's own may only add to the highest of them.
    risk = max(plan.risk, *(step.risk for step in stored.steps))
    if risk is Risk.TYPED and not typed_words(words or "", count_of(stored.steps)):
        record.event(tx, plan.org, plan.plan, "rejected", reason="words")
        return look.refused(core, Refusal.WORDS, plan.plan, str(count_of(stored.steps)))
    rehearsal = _rehearse_again(core, tx, who, stored)
    if rehearsal is None or rehearsal.problems or rehearsal.questions:
        _dismiss(tx, stored, PlanReason.STALE, "stale", "cannot be previewed any more")
        return look.outcome(core, _reload(tx, stored))
    if rehearsal.forbidden is not None:
        record.event(tx, plan.org, plan.plan, "rejected", reason="forbidden")
        return look.refused(core, Refusal.FORBIDDEN, plan.plan, rehearsal.forbidden)
    changed = _changed(stored.steps, rehearsal)
    if changed is not None:
        return _ask_again(core, tx, stored, rehearsal, changed)
    now = tx.now()
    taken = tx.one(
        "confirmations.take",
        org=who.org, id=question.id, question=str(question.question), person=who.person,
        conversation=who.conversation, version=plan.version, now=instant_text(now),
    )  # fmt: skip
    epoch = tx.one(
        "plans.press",
        org=who.org, plan=plan.plan, version=question.version, owner=core.host.identity,
        resume_after=core.resume_after(now),
    )  # fmt: skip
    if taken is None or epoch is None:
        raise Edited(plan.plan)
    record.event(tx, plan.org, plan.plan, "confirmed", person=who.person, version=plan.version)
    owner = Owner(plan.org, plan.plan, int(str(epoch["epoch"])))
    return Pressed(_reload(tx, stored), owner)


def count_of(steps: Sequence[StepRow]) -> int:
    """How many records the typed words have to name: the first count that a typed step showed."""
    for step in steps:
        if step.risk is Risk.TYPED:
            for fact in read_facts(json.loads(step.preview)).values():
                if isinstance(fact, Count):
                    return fact.number
    return 0


def actions_of(core: Core, steps: Sequence[StepRow]) -> list[tuple[Action, str]] | None:
    """The registered actions of stored steps, or None when this program lacks one."""
    found = [(core.catalog.get(step.action), step.input) for step in steps]
    known = [(action, stored) for action, stored in found if action is not None]
    return known if len(known) == len(found) else None


def _rehearse_again(core: Core, tx: EngineTx, who: Who, stored: Stored) -> Rehearsal | None:
    actions = actions_of(core, stored.steps)
    if actions is None:
        return None
    with tx.savepoint() as world:
        rehearsal = rehearse(core, tx, who, stored.plan.plan, actions, stored.plan.round)
        world.roll_back()
    return rehearsal


def _changed(steps: Sequence[StepRow], rehearsal: Rehearsal) -> list[Difference] | None:
    """What is no longer as it was shown; None when everything is."""
    found: list[Difference] = []
    same = True
    for step, scene in zip(steps, rehearsal.scenes, strict=True):
        now = scene.row()
        if now.facts_digest != step.facts_digest or now.risk > step.risk:
            same = False
            shown = read_facts(json.loads(step.preview))
            found += differences(step.position, shown, scene.seen.preview.facts)
    return None if same else found


def _ask_again(
    core: Core, tx: EngineTx, stored: Stored, rehearsal: Rehearsal, changed: list[Difference]
) -> Ask:
    """The facts changed: the same plan asks again, as a new version with a new token."""
    plan, now = stored.plan, instant_text(tx.now())
    rows = [scene.row() for scene in rehearsal.scenes]
    for row in rows:
        tx.run(
            "steps.reshow",
            org=plan.org, plan=plan.plan, position=row.position, preview=row.preview,
            facts_digest=row.facts_digest, risk=int(row.risk), action_version=row.action_version,
        )  # fmt: skip
    digest, kid = plan_digest(plan.org, plan.plan, rows), core.keys.newest
    tx.run("confirmations.revoke", org=plan.org, plan=plan.plan, now=now)
    tx.run(
        "plans.requestion",
        org=plan.org, plan=plan.plan, version=plan.version, digest=digest, kid=kid,
        risk=int(max(plan.risk, rehearsal.risk)),
        seal=seal_plan(core.keys, kid, plan.org, plan.plan, digest), expires_at=expiry(now),
    )  # fmt: skip
    record.event(tx, plan.org, plan.plan, "changed", facts=[d.name for d in changed])
    again = _reload(tx, stored)
    token = ask(core, tx, again)
    return Ask(
        view=look.view(core, again),
        token=token,
        again=True,
        changed=tuple(changed),
        speaker=core.speaker,
    )


def _reload(tx: EngineTx, stored: Stored) -> Stored:
    again = look.load(tx, stored.plan.org, stored.plan.plan)
    if again is None:
        raise Bug(f"{stored.plan.plan} is gone.")
    return again


def _dismiss(tx: EngineTx, stored: Stored, reason: PlanReason, kind: str, why: str) -> bool:
    """End an asking plan without running it; nothing happens to one that is not asking."""
    plan, now = stored.plan, instant_text(tx.now())
    gone = tx.one("plans.dismiss", org=plan.org, plan=plan.plan, reason=str(reason), now=now)
    if gone is None:
        return False
    undone = {
        PlanReason.CANCELLED: StepReason.CANCELLED,
        PlanReason.STALE: StepReason.STALE,
    }.get(reason, StepReason.NOT_REACHED)
    tx.run("confirmations.revoke", org=plan.org, plan=plan.plan, now=now)
    tx.run("steps.not_reached", org=plan.org, plan=plan.plan, reason=str(undone), now=now)
    record.event(tx, plan.org, plan.plan, kind, why=why)
    return True


def dismiss(tx: EngineTx, org: str, plan: str, reason: PlanReason, why: str) -> Stored | None:
    """End a plan that still asks; the plan as it is then, or None when there is none."""
    stored = look.load(tx, org, plan)
    if stored is None:
        return None
    _dismiss(tx, stored, reason, str(reason), why)
    return look.load(tx, org, plan)
