"""Confirm: one person's yes, taken and committed together with the plan's start.

The yes is on disk before the first handler runs. Before it is taken everything is rehearsed again:
what is no longer as shown makes a new question instead of a run.
"""

import json
from collections.abc import Sequence

from semel.domain.action import Action, Risk
from semel.domain.canonical import compact
from semel.domain.consent import (
    Confirmation,
    Difference,
    differences,
    expiry,
    plan_digest,
    seal_plan,
)
from semel.domain.plan import Owner, PlanReason, StepRow, Who
from semel.domain.reply import typed_words
from semel.domain.report import Ask, Outcome, Refusal
from semel.facts import JSON, Count, instant_text, read_facts
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.begin import matches
from semel.runtime.core import Core
from semel.runtime.dismiss import dismiss_stored
from semel.runtime.draft import ask
from semel.runtime.later import same
from semel.runtime.look import Stored, reload
from semel.runtime.press import Edited, Pressed, take_question
from semel.runtime.rehearse import Rehearsal, Scene, rehearse


def take(
    core: Core,
    tx: EngineTx,
    who: Who,
    stored: Stored,
    question: Confirmation,
    words: str | None,
    /,
) -> Pressed | Outcome:
    """Take a yes that was judged good; the plan then runs."""
    plan = stored.plan
    # The steps' risks are sealed with them; the plan's own may only add to the highest of them.
    risk = max(plan.risk, *(step.risk for step in stored.steps))
    if risk is Risk.TYPED and not typed_words(words or "", count_of(stored.steps)):
        record.event(tx, plan.org, plan.plan, "rejected", reason="words")
        return look.refused(core, Refusal.WORDS, plan.plan, str(count_of(stored.steps)))
    rehearsal = _rehearse_again(core, tx, who, stored)
    if rehearsal is None or rehearsal.problems or rehearsal.questions:
        dismiss_stored(tx, stored, PlanReason.STALE, "stale", "cannot be previewed any more")
        return look.outcome(core, reload(tx, stored))
    if rehearsal.forbidden is not None:
        record.event(tx, plan.org, plan.plan, "rejected", reason="forbidden")
        return look.refused(core, Refusal.FORBIDDEN, plan.plan, rehearsal.forbidden)
    changed = changes(stored.steps, rehearsal.scenes)
    if changed is not None:
        return _ask_again(core, tx, stored, rehearsal, changed)
    taken = take_question(tx, who, question)
    epoch = tx.one(
        "plans.press",
        org=who.org, plan=plan.plan, version=question.version, owner=core.host.identity,
        resume_after=core.resume_after(tx.now()),
    )  # fmt: skip
    if not taken or epoch is None:
        raise Edited(plan.plan)
    record.event(tx, plan.org, plan.plan, "confirmed", person=who.person, version=plan.version)
    owner = Owner(plan.org, plan.plan, int(str(epoch["epoch"])))
    return Pressed(reload(tx, stored), owner)


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


def changes(steps: Sequence[StepRow], scenes: Sequence[Scene]) -> list[Difference] | None:
    """What is no longer as it was shown; None when everything is.

    Args:
        steps: steps as they were shown.
        scenes: the same steps, rehearsed now.
    """
    found: list[Difference] = []
    different = False
    for step, scene in zip(steps, scenes, strict=True):
        now = scene.row()
        if as_shown(step, now):
            continue
        different = True
        shown = read_facts(json.loads(step.preview))
        found += differences(step.position, shown, scene.seen.preview.facts)
    return found if different else None


def as_shown(step: StepRow, now: StepRow) -> bool:
    """Whether a step rehearsed *now* is covered by a yes to what was shown of it."""
    return (
        now.facts_digest == step.facts_digest
        and now.risk <= step.risk
        and same(step.later, now.later)
        and matches(now.similar) <= matches(step.similar)
    )


def reshow(tx: EngineTx, org: str, plan: str, row: StepRow, changed: Sequence[Difference]) -> None:
    """Write a step's preview as it is now, with what was shown before beside it."""
    lines: list[JSON] = [one.plain() for one in changed if one.position == row.position]
    tx.run(
        "steps.reshow",
        org=org, plan=plan, position=row.position, preview=row.preview,
        facts_digest=row.facts_digest, risk=int(row.risk), action_version=row.action_version,
        later=row.later, similar=row.similar, changed=compact(lines) if lines else None,
    )  # fmt: skip


def _ask_again(
    core: Core, tx: EngineTx, stored: Stored, rehearsal: Rehearsal, changed: list[Difference]
) -> Ask:
    """The facts changed: the same plan asks again, as a new version with a new token."""
    plan, now = stored.plan, instant_text(tx.now())
    rows = [scene.row() for scene in rehearsal.scenes]
    for row in rows:
        reshow(tx, plan.org, plan.plan, row, changed)
    digest, kid = plan_digest(plan.org, plan.plan, rows), core.keys.newest
    tx.run("confirmations.revoke", org=plan.org, plan=plan.plan, now=now)
    tx.run(
        "plans.requestion",
        org=plan.org, plan=plan.plan, version=plan.version, digest=digest, kid=kid,
        risk=int(max(plan.risk, rehearsal.risk)),
        seal=seal_plan(core.keys, kid, plan.who, plan.plan, digest, plan.terms),
        expires_at=expiry(now),
    )  # fmt: skip
    record.event(tx, plan.org, plan.plan, "changed", facts=[d.name for d in changed])
    again = reload(tx, stored)
    token = ask(core, tx, again)
    return Ask(
        view=look.view(core, again),
        token=token,
        again=True,
        changed=tuple(changed),
        speaker=core.speaker,
    )
