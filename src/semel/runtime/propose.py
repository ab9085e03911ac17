"""Propose: from what a model wrote to a plan that asks, or has already run, in one transaction.

The key goes in first: of equal calls the second waits for the first one's COMMIT and then reads its
plan. Then the slot's older plan is taken, then everything is rehearsed; so no lock of an older plan
is ever asked for while host rows are held.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from semel.catalog import Parsed
from semel.domain import key, proposal, resolution
from semel.domain.action import Risk
from semel.domain.canonical import NotCanonical
from semel.domain.effect import Local
from semel.domain.plan import PROPOSALS_MAX, PlanReason, PlanState, StepReason, Who
from semel.domain.report import Because, Invalid, Outcome, Problem, Refusal
from semel.errors import Bug, Conflict, TimeLimit
from semel.facts import JSON, instant_text
from semel.inputs import pointers
from semel.ports import EngineTx, Found, Row
from semel.runtime import look, record
from semel.runtime.core import WRITES, Core, log
from semel.runtime.draft import Draft, Proposed
from semel.runtime.rehearse import Broken, Rehearsal, rehearse

ID_MAX = 500
"""Characters of an id that a channel gives: theirs are dozens."""

SENTENCE_MAX = 10_000
"""Characters of a person's words that are kept with the plan."""


class Abandoned(Exception):
    """The transaction is taken back and this is what the caller is told."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(type(outcome).__name__)
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class Call:
    """A proposal after parsing: who asks for what, and its key."""

    who: Who
    message: str
    sentence: str | None
    steps: tuple[Parsed, ...]
    key: str


def parse(core: Core, who: Who, message: str, sentence: str | None, raw: object) -> Call | Invalid:
    """Read what a model wrote; or everything that is wrong with it."""
    read = proposal.read(raw)
    problems = list(read.problems)
    if any(len(part) > ID_MAX for part in (who.org, who.person, who.conversation, message)):
        problems.append(Problem("too_long"))
    steps: list[Parsed] = []
    for index, (name, given) in enumerate(read.steps, start=1):
        parsed = core.catalog.parse(name, given, f"steps[{index}]")
        if isinstance(parsed, Parsed):
            steps.append(parsed)
        else:
            problems.extend(parsed)
    if not problems:
        problems = _references(steps)
    if problems:
        return Invalid(problems=tuple(problems), speaker=core.speaker)
    canonical: JSON = [[step.name, step.canonical] for step in steps]
    try:
        derived = key.act_key(who.org, who.person, who.conversation, message, canonical)
    except NotCanonical as no:
        problem = Problem("not_canonical", "", str(no))
        return Invalid(problems=(problem,), speaker=core.speaker)
    return Call(who, message, _short(sentence), tuple(steps), derived)


def _short(sentence: str | None) -> str | None:
    """A person's words as they are kept: whole characters, and no book."""
    if sentence is None:
        return None
    whole = sentence[:SENTENCE_MAX].encode("utf-8", "replace").decode("utf-8")
    return whole.replace("\0", "\ufffd")


def _references(steps: Sequence[Parsed]) -> list[Problem]:
    makes = [step.action.makes.name if step.action.makes else None for step in steps]
    problems: list[Problem] = []
    for position, step in enumerate(steps, start=1):
        for pointer, _ in pointers(step.input):
            fault = resolution.check(position, pointer, makes)
            if fault is not None:
                where = f"steps[{position}].input.{pointer.path}"
                problems.append(Problem(str(fault), where, pointer.text))
    return problems


async def propose(core: Core, call: Call) -> Proposed | Outcome:
    """Find the plan that this call already led to, or rehearse it and keep what came out."""
    if core.store.closed is not None and not _stays(call):
        # What this call has led to is told all the same.
        found = await _led_to(core, call)
        if found is not None:
            return found
        if await core.closed() is not None:
            return look.refused(core, Refusal.SENDS_OFF)
    plan = f"p_{core.new_id()}"

    def work(tx: EngineTx) -> Proposed:
        return _propose(core, tx, call, plan)

    def kept(tx: EngineTx) -> bool:
        return _kept(tx, call, plan)

    try:
        mine = {"org": call.who.org, "key": call.key}
        value = await core.unless("keys.find", mine, "propose", work, kept)
        if isinstance(value, Found):
            led = await _led_to(core, call)
            value = await core.transact("propose", work, kept) if led is None else led
    except Abandoned as no:
        return no.outcome
    except (Broken, Conflict, TimeLimit) as no:
        log.error("A proposal could not be previewed.", exc_info=no)
        return look.refused(core, Refusal.BROKEN)
    return value


async def _led_to(core: Core, call: Call) -> Proposed | None:
    """What this call has led to, unless that gave way to a newer plan."""
    found = await core.look(lambda tx: _found(core, tx, call))
    return None if found is None or look.superseded(found.stored) else found


def _stays(call: Call) -> bool:
    """Whether nothing of a call goes outside."""
    return all(isinstance(step.action.effect, Local) for step in call.steps)


def _kept(tx: EngineTx, call: Call, plan: str) -> bool:
    """Whether this very proposal was kept, once whoever is in its slot has ended."""
    _hold(tx, call)
    row = tx.one("keys.find", org=call.who.org, key=call.key)
    return row is not None and row["plan"] == plan


def _hold(tx: EngineTx, call: Call) -> None:
    """Let nobody else propose what this call may meet: first in its organization, then in its slot.

    Handlers that run for real decide by what they read. On SQLite nobody else writes meanwhile; so
    where all steps are Local, and may be kept, nobody else's of this organization does here.
    """
    who = call.who
    if _stays(call):
        tx.send("keys.hold", org=who.org, key=WRITES)
    tx.send("keys.hold", org=who.org, key=f"slot {who.person} {who.conversation}")


def _found(core: Core, tx: EngineTx, call: Call) -> Proposed | None:
    row = tx.one("keys.find", org=call.who.org, key=call.key)
    if row is None:
        return None
    stored = look.load(tx, call.who.org, str(row["plan"]))
    if stored is None:
        raise Bug("A key points at a plan that is not there.")
    token = look.live_token(core, tx, call.who, stored.plan)
    return Proposed(stored, new=False, token=token, expired=look.expired(tx, stored))


def _propose(core: Core, tx: EngineTx, call: Call, plan: str) -> Proposed:
    who = call.who
    _hold(tx, call)
    slot = {"org": who.org, "person": who.person, "conversation": who.conversation}
    mine, earlier, pending, running = tx.each(
        (
            "keys.insert",
            {"org": who.org, "key": call.key, "layer": str(key.Layer.ACT), "plan": plan},
        ),
        ("plans.of_message", {**slot, "message": call.message}),
        ("plans.pending", slot),
        ("plans.running_in", slot),
    )
    at = instant_text(tx.now())
    if not mine:
        found = _found(core, tx, call)
        if found is None:
            raise Bug("A key that could not be inserted is not there.")
        if not look.superseded(found.stored):
            return found
        tx.one("keys.move", org=who.org, key=call.key, plan=plan, old=found.stored.plan.plan)
    if len(earlier) >= PROPOSALS_MAX:
        raise Abandoned(look.refused(core, Refusal.TOO_MANY))
    ran = any(row["state"] == "running" or int(str(row["at"])) > 0 for row in earlier)
    asking = _asking(tx, who, pending)
    with tx.savepoint() as world:
        rehearsal = rehearse(
            core, tx, who, plan, [(step.action, step.stored) for step in call.steps]
        )
        _stop_unless_good(core, rehearsal)
        draft = Draft(
            core, who, call.message, call.sentence, plan, at, rehearsal,
            because=tuple(_because(call, rehearsal, running, ran=ran)),
        )  # fmt: skip
        if rehearsal.immediate and not draft.because:
            return draft.keep_done(tx)
        world.roll_back()
    if draft.risk is Risk.SAFE:
        return draft.keep_running(tx)
    if asking is not None:
        supersede(tx, who.org, asking, plan)
    return draft.keep_asking(tx)


def _asking(tx: EngineTx, who: Who, pending: Sequence[Row]) -> str | None:
    """The plan whose question stands in the slot, locked: it is answered before this, or not."""
    stored = look.lock(tx, who.org, str(pending[0]["plan"])) if pending else None
    asks = stored is not None and stored.plan.state is PlanState.ASKING
    return stored.plan.plan if stored is not None and asks else None


def _because(
    call: Call, rehearsal: Rehearsal, running: Sequence[Row], *, ran: bool
) -> Iterator[Because]:
    """Why to ask, whatever the steps' own risk."""
    if rehearsal.looks_alike:
        yield Because.LOOK_ALIKE
    if ran:
        yield Because.FURTHER_PLAN
    if {row["action"] for row in running} & {step.name for step in call.steps}:
        yield Because.STILL_RUNNING


def _stop_unless_good(core: Core, rehearsal: Rehearsal) -> None:
    if rehearsal.forbidden is not None:
        raise Abandoned(look.refused(core, Refusal.FORBIDDEN, detail=rehearsal.forbidden))
    if not rehearsal.good:
        raise Abandoned(
            Invalid(
                problems=tuple(rehearsal.problems),
                questions=tuple(rehearsal.questions),
                speaker=core.speaker,
            )
        )


def supersede(tx: EngineTx, org: str, old: str, new: str) -> None:
    """A newer plan takes the slot; the older question can no longer be answered."""
    now = instant_text(tx.now())
    tx.run("plans.dismiss", org=org, plan=old, reason=str(PlanReason.SUPERSEDED), now=now)
    tx.run("confirmations.revoke", org=org, plan=old, now=now)
    tx.run("steps.not_reached", org=org, plan=old, reason=str(StepReason.NOT_REACHED), now=now)
    record.event(tx, org, old, "superseded", by=new)
