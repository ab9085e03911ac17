"""Reading a plan back: as a view for words, as an outcome, and whole for the person."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias, cast

from semel.domain.canonical import compact
from semel.domain.consent import Confirmation, Difference, Question, token_of
from semel.domain.doubt import Attempt
from semel.domain.plan import (
    PlanKind,
    PlanReason,
    PlanRow,
    PlanState,
    StepRow,
    StepState,
    Who,
)
from semel.domain.report import (
    Ask,
    Because,
    LaterView,
    Outcome,
    PlanView,
    Refusal,
    Refused,
    Report,
    Running,
    StepView,
)
from semel.domain.step import is_local
from semel.errors import Bug
from semel.facts import JSON, Fact, instant_text, read_facts, store_facts
from semel.ports import EngineTx, Row
from semel.runtime.core import Core
from semel.runtime.gone import doubted, hosts_gone
from semel.runtime.invoke import context
from semel.runtime.stored import Result, by_of, facts_of, listed, match_of, result_of

SUPERSEDED = "superseded"
"""The event of a plan whose place a newer one took."""

DECIDE = "semel.decide"
"""The permission to look at and decide about other people's plans."""


Shown: TypeAlias = tuple[Mapping[str, Fact], Result]
"""What a step's preview showed and what the step answered, as reading both back gives them."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A plan and its steps, read in one transaction."""

    plan: PlanRow
    steps: tuple[StepRow, ...]
    now: str
    sends: Mapping[int, tuple[Attempt, ...]] = field(default_factory=dict)
    """The sends of the steps that are in doubt, by position."""
    gone: Mapping[str, str] = field(default_factory=dict)
    """Where a step is in doubt: which hosts are gone by somebody's word, and up to when."""
    newer: str | None = None
    """The plan that took the place of one which never ran."""
    shown: Mapping[int, Shown] = field(default_factory=dict)
    """What has just been written of steps, by position."""

    @property
    def began(self) -> bool:
        """Whether any step was begun."""
        return self.plan.at > 0


def load(tx: EngineTx, org: str, plan: str) -> Stored | None:
    """Read a plan and its steps; None when there is none of that number."""
    return _read(tx, "plans.find", org, plan)


def lock(tx: EngineTx, org: str, plan: str) -> Stored | None:
    """Read a plan that this transaction is going to change; others wait until it has ended."""
    return _read(tx, "plans.lock", org, plan)


def _read(tx: EngineTx, statement: str, org: str, plan: str) -> Stored | None:
    # A number may be anything that a model or a URL holds; a plan's is ASCII, without a NUL.
    known = plan.isascii() and plan.isprintable()
    if not known:
        return None
    of = {"org": org, "plan": plan}
    # The steps are read by a later statement than the one that may wait for the plan's row.
    plans, rows = tx.each((statement, of), ("steps.of_plan", of))
    if not plans:
        return None
    steps = tuple(StepRow.read(step) for step in rows)
    sends = {
        step.position: attempts_of(tx, org, plan, step.position)
        for step in steps
        if step.state is StepState.IN_DOUBT
    }
    gone = hosts_gone(tx) if sends else {}
    itself = PlanRow.read(plans[0])
    newer = _newer(tx, org, plan) if itself.reason is PlanReason.SUPERSEDED else None
    return Stored(itself, steps, instant_text(tx.now()), sends, gone, newer)


def _newer(tx: EngineTx, org: str, plan: str) -> str | None:
    """Which plan took a plan's place, as its own events tell."""
    bodies = [
        str(event["body"])
        for event in tx.all("events.of_plan", org=org, plan=plan)
        if event["kind"] == SUPERSEDED
    ]
    return by_of(bodies[0]) if bodies else None


def reload(tx: EngineTx, stored: Stored) -> Stored:
    """A plan that is there and that this transaction has locked, as it is by now."""
    again = load(tx, stored.plan.org, stored.plan.plan)
    if again is None:
        raise Bug(f"{stored.plan.plan} is gone.")
    return again


def attempts_of(tx: EngineTx, org: str, plan: str, position: int) -> tuple[Attempt, ...]:
    """The sends of a step, in order."""
    rows = tx.all("attempts.of_step", org=org, plan=plan, position=position)
    return tuple(Attempt.read(row) for row in rows)


def may_decide(core: Core, tx: EngineTx, who: Who) -> bool:
    """Whether a person may look at and decide about other people's plans."""
    return core.allow(context(core, tx.app, who, "", 0, 1, tx.now()), DECIDE, []) is True


def may_look(core: Core, tx: EngineTx, who: Who, plan: PlanRow) -> bool:
    """Whether a person may see a plan: their own, or everybody's when they may decide."""
    return plan.org == who.org and (plan.person == who.person or may_decide(core, tx, who))


def confirmation(row: Row) -> Confirmation:
    """A question as stored."""
    nonce = row["nonce"]
    return Confirmation(
        org=str(row["org"]),
        id=str(row["id"]),
        nonce=nonce if isinstance(nonce, bytes) else b"",
        kid=str(row["kid"]),
        question=Question(str(row["question"])),
        plan=str(row["plan"]),
        version=int(str(row["version"])),
        epoch=int(str(row["epoch"])),
        digest=str(row["digest"]),
        person=str(row["person"]),
        conversation=str(row["conversation"]),
        expires_at=str(row["expires_at"]),
        mac=str(row["mac"]),
        press=None if row["press"] is None else str(row["press"]),
        used_at=None if row["used_at"] is None else str(row["used_at"]),
        revoked_at=None if row["revoked_at"] is None else str(row["revoked_at"]),
    )


def is_bound(plan: PlanRow, who: Who) -> bool:
    """Whether a plan's questions are this person's, in this conversation."""
    bound = plan.org, plan.person, plan.conversation
    return bound == (who.org, who.person, who.conversation)


def live_token(core: Core, tx: EngineTx, who: Who, plan: PlanRow) -> str | None:
    """The token of the standing question, for its bound person in its conversation only."""
    if not is_bound(plan, who):
        return None
    row = tx.one("confirmations.live", org=plan.org, plan=plan.plan, question=str(Question.CONFIRM))
    return token_of(core.keys, confirmation(row)) if row else None


def view(core: Core, stored: Stored) -> PlanView:
    """A plan as words need it."""
    plan = stored.plan
    return PlanView(
        plan=plan.plan,
        state=plan.state,
        reason=plan.reason,
        risk=plan.risk,
        steps=tuple(_step(core, stored, step) for step in stored.steps),
        expires_at=plan.expires_at,
        because=tuple(Because(word) for word in (plan.why or "").split()),
        kind=plan.kind,
        epoch=plan.epoch,
        cancelled=plan.cancelled_at is not None,
        due=plan.not_before if plan.waits else None,
        undone_by=plan.undone_by,
        ended_at=plan.ended_at,
        unsafe=core.store.unsafe is not None,
        sentence=plan.sentence,
        newer=stored.newer,
    )


def _step(core: Core, stored: Stored, step: StepRow) -> StepView:
    said = core.catalog.said(step.action)
    read = stored.shown.get(step.position)
    facts, (made, id_, records) = read or (facts_of(step.preview), result_of(step.result))
    undoes = stored.plan.kind is PlanKind.UNDO
    # Most steps have none of these.
    later = listed(step.later, partial(_later, core)) if step.later else ()
    similar = listed(step.similar, match_of) if step.similar else ()
    changed = listed(step.changed, partial(Difference.read, step.position)) if step.changed else ()
    sends = stored.sends.get(step.position)
    doubt = doubted(core, sends, stored.now, stored.gone) if sends else None
    return StepView(
        position=step.position,
        action=step.action,
        will=said.will,
        did=said.did,
        effect=step.effect,
        risk=step.risk,
        facts=facts,
        state=step.state,
        reason=step.reason,
        detail=step.detail,
        # What an undo's own handler answers is not what the sentence is about.
        made={} if undoes else made,
        id=id_,
        undoes=undoes,
        later=later,
        similar=similar,
        changed=changed,
        doubt=doubt,
        resolution=step.resolution,
        resolved_by=step.resolved_by,
        wording=said.wording,
        undoable=said.undoable,
        records=records,
    )


def _later(core: Core, one: JSON) -> LaterView:
    stored = cast("dict[str, JSON]", one)
    said = core.catalog.said(str(stored["action"]))
    return LaterView(said.will, read_facts(stored["facts"]), str(stored["not_before"]))


def undo_preview(step: StepRow) -> str:
    """What the card of an undo shows of a step: the figures of what it did."""
    made, _, _ = result_of(step.result)
    return compact(store_facts({**facts_of(step.preview), **made}))


def outcome(
    core: Core, stored: Stored, *, token: str | None = None, replayed: bool = False
) -> Outcome:
    """What a plan answers at present."""
    shown = view(core, stored)
    match stored.plan.state:
        case PlanState.ASKING:
            # Whoever reads the question later reads too that it is asked once more, and why.
            changed = tuple(one for step in shown.steps for one in step.changed)
            return Ask(
                view=shown,
                token=token,
                again=bool(changed),
                changed=changed,
                replayed=replayed,
                speaker=core.speaker,
            )
        case PlanState.RUNNING:
            return Running(view=shown, replayed=replayed, speaker=core.speaker)
        case PlanState.ENDED:
            return Report(view=shown, replayed=replayed, speaker=core.speaker)


def expired(tx: EngineTx, stored: Stored) -> bool:
    """Whether a plan's question has outlived its time."""
    plan = stored.plan
    return (
        plan.state is PlanState.ASKING
        and plan.expires_at is not None
        and plan.expires_at <= instant_text(tx.now())
    )


def refused(core: Core, why: Refusal, plan: str | None = None, detail: str = "") -> Refused:
    """Nothing was done, and why."""
    return Refused(why=why, plan=plan, detail=detail, speaker=core.speaker)


def leaves(stored: Stored) -> bool:
    """Whether something outside is still to be done, or is not known to be."""
    left = [step for step in stored.steps if step.state is not StepState.DONE]
    return any(not is_local(step.effect) for step in left)


def superseded(stored: Stored) -> bool:
    """Whether a newer plan took this one's place before it ran."""
    return stored.plan.reason is PlanReason.SUPERSEDED
