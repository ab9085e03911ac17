"""What must hold of a schedule, whatever went wrong in it; told apart from the engine's own words.

The judge knows what landed outside and when, what every commit said, what every person was told,
and what is in the tables at the end, when nothing is on its way any more.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from agreement import _chain, _plan_and_steps, _sends, _steps_and_events
from histories import wrong as not_allowed
from memory_pedidos import NOTAS
from sim_history import Said, Told
from sim_prepared import OUTSIDE

from semel.domain.doubt import SENDS_MAX, Attempt, settled
from semel.facts import instant_text
from semel.runtime.history import Detail
from semel.runtime.sweep import STALL_MAX
from semel.storage.memory.schema import ATTEMPTS, CONFIRMATIONS, EFFECTS, EVENTS, PLANS, STEPS

Place = tuple[str, int]
WRITTEN = 100.0
"""Seconds within which a proof is written, its lost COMMITs and an absent database included."""


@dataclass
class Case:
    """The tables of a schedule at its end, by plan and by step."""

    schedule: Any
    plans: dict[str, dict[str, Any]]
    steps: dict[Place, dict[str, Any]]
    sends: dict[Place, list[dict[str, Any]]]
    events: dict[str, list[dict[str, Any]]]
    excused: set[Place] = field(default_factory=set)


def judge(schedule: Any) -> int:
    """Say what is wrong with a schedule to itself; how often only its clock was to blame."""
    tables = schedule.site.store._tables
    sends, events = defaultdict(list), defaultdict(list)
    for row in tables[ATTEMPTS].all():
        sends[row["plan"], row["position"]].append(row)
    for row in sorted(tables[EVENTS].all(), key=lambda row: row["seq"]):
        events[row["plan"]].append(row)
    case = Case(
        schedule,
        {row["plan"]: row for row in tables[PLANS].all()},
        {(row["plan"], row["position"]): row for row in tables[STEPS].all()},
        sends,
        events,
    )
    parts = [_said, _landed, _proofs, _local, _answers, _cancelled, _offers, _yes, _story]
    if schedule.live:
        parts.append(_doubts)
    for part in parts:
        for what in part(case):
            schedule.wrong(what)
    return len(case.excused)


def _landed(case: Case) -> Iterator[str]:
    """Nothing left without a mark, and no step happened twice, except by a person's own word."""
    places = {row["key"]: place for place, rows in case.sends.items() for row in rows}
    counts: Counter[Place] = Counter()
    for at, plan, position in case.schedule.history.strangers:
        yield f"step {position} of {plan} was begun by an earlier owner, at {at:.3f}"
    for one in OUTSIDE.sendings:
        place = places.get(one.key)
        if place is None:
            yield f"{one.action} was sent under {one.key[:8]}, which no mark names"
        elif one.landed_at is not None:
            counts[place] += 1
    for place, count in counts.items():
        again = sum(
            event["kind"] == "possible_duplicate" and event["position"] == place[1]
            for event in case.events[place[0]]
        )
        if count > 1 + again and place not in case.excused:
            yield f"step {place[1]} of {place[0]} happened {count} times"


def _proofs(case: Case) -> Iterator[str]:
    """A proof that came back to a process is written soon, unless something befalls the process."""
    for one in OUTSIDE.sendings:
        until = one.told_at + WRITTEN
        disturbed = any(start <= until and end >= one.told_at for start, end in one.by.disturbed)
        if one.told != "made" or disturbed:
            continue
        for (plan, position), rows in case.sends.items():
            if one.key in {row["key"] for row in rows}:
                history = case.schedule.history.said[plan]
                states = [said.steps[position - 1][0] for said in history if said.at <= until]
                if states[-1] in {"started", "in_doubt"}:
                    yield f"the proof of step {position} of {plan} that came back was not written"


def _local(case: Case) -> Iterator[str]:
    """A Local step happened if and only if it is done: each version of a record has its step."""
    tables = case.schedule.site.store._tables
    touched: Counter[str] = Counter()
    for row in tables[EFFECTS].all():
        if case.steps[row["plan"], row["position"]]["state"] != "done":
            yield f"step {row['position']} of {row['plan']} left a record and is not done"
        touched[row["id"]] += 1
    for row in tables[NOTAS].all():
        first = row["id"] == case.schedule.world.note
        changes = row["version"] - (1 + case.schedule.edits if first else 0)
        if changes != touched[row["id"]]:
            yield f"a record was changed {changes} times, and {touched[row['id']]} steps did it"
    done = sum(row["effect"] == "local" and row["state"] == "done" for row in case.steps.values())
    if done != touched.total():
        yield f"{done} Local steps are done, and records know {touched.total()}"


def _said(case: Case) -> Iterator[str]:
    """What a commit said of an outside step was true when it said it, and stays true."""
    schedule = case.schedule
    for plan, history in schedule.history.said.items():
        for position in range(1, len(history[0].steps) + 1):
            sends = case.sends.get((plan, position), [])
            if case.steps[plan, position]["effect"] == "local":
                continue
            before = history[0].steps[position - 1]
            for said in history[1:]:
                now = said.steps[position - 1]
                if now[0] != before[0]:
                    yield from _became(case, plan, position, now[0], said, sends)
                before = now


def _became(
    case: Case, plan: str, position: int, state: str, said: Said, sends: list[dict[str, Any]]
) -> Iterator[str]:
    keys = {row["key"] for row in sends if row["round"] <= said.round}
    mine = [one for one in OUTSIDE.sendings if one.key in keys and one.landed_at is not None]
    landed = [one.landed_at for one in mine]
    if state == "done" and not any(at <= said.at for at in landed):
        yield f"step {position} of {plan} was said to be done at {said.at:.3f}, and was not"
    if state == "not_done" and landed:
        # Only a clock that jumped can make a moment come before its time.
        marked = min(case.schedule.history.opened.get(row["id"], 0.0) for row in sends)
        if any(marked <= at <= said.at for at in case.schedule.history.jumps):
            case.excused.add((plan, position))
        else:
            yield (
                f"step {position} of {plan} was said not to be done at {said.at:.3f}, "
                f"and happened at {landed[0]:.3f}"
            )


def _answers(case: Case) -> Iterator[str]:
    """Everybody was told a state that the plan had between the question and the answer."""
    for told in case.schedule.history.told:
        view = getattr(told.outcome, "view", None)
        if view is not None and not _was(case, told, view):
            yield f"{told.verb} was answered what {view.plan} never was, at {told.at:.3f}"
        goes_on = view is not None and view.state != "ended" and not view.cancelled
        if told.verb == "cancel" and goes_on and not _had_ended(case, told, view.plan):
            yield f"a cancel of {view.plan} was answered as if there was none"
        refused = str(getattr(told.outcome, "why", ""))
        early = "settled=False" in told.verb and not told.outcome.replayed
        if early and view is not None and "did_not" in _resolved(view):
            yield f"{told.verb} counted, from a card that was drawn too early"
        if refused in {"tampered", "broken"}:
            yield f"{told.verb} was refused as {refused}"


def _resolved(view: Any) -> list[str]:
    return [str(step.resolution) for step in view.steps if step.resolution]


def _was(case: Case, told: Told, view: Any) -> bool:
    steps = tuple([(str(s.state), None if s.reason is None else str(s.reason)) for s in view.steps])
    reason = None if view.reason is None else str(view.reason)
    seen = (str(view.state), reason, view.epoch, view.cancelled, view.undone_by, steps)
    return any(
        (said.state, said.reason, said.epoch, said.cancelled, said.undone_by, said.steps) == seen
        for said in _meanwhile(case, told, view.plan)
    )


def _had_ended(case: Case, told: Told, plan: str) -> bool:
    """Whether there was a moment at which there was nothing to cancel."""
    return any(said.state == "ended" for said in _meanwhile(case, told, plan))


def _meanwhile(case: Case, told: Told, plan: str) -> Iterator[Said]:
    """What the database said of a plan between a question and its answer."""
    history = case.schedule.history.said[plan]
    for said, until in zip(history, [*[one.at for one in history[1:]], None], strict=True):
        if said.at <= told.at and (until is None or until >= told.asked_at):
            yield said


def _cancelled(case: Case) -> Iterator[str]:
    """After a cancel no step begins and nothing is sent, except on a person's own word."""
    for plan, history in case.schedule.history.said.items():
        stopped = next((said for said in history if said.cancelled), None)
        if stopped is None:
            continue
        for said in history:
            if said.at <= stopped.at:
                continue
            for position, (was, now) in enumerate(zip(stopped.steps, said.steps, strict=True), 1):
                if was[0] == "waiting" and now[0] in {"started", "done", "in_doubt"}:
                    yield f"step {position} of {plan} began after the cancel at {stopped.at:.3f}"
        if any(event["kind"] == "possible_duplicate" for event in case.events[plan]):
            continue
        opened = case.schedule.history.opened
        for position in range(1, len(stopped.steps) + 1):
            for row in case.sends.get((plan, position), []):
                if opened.get(row["id"], 0.0) > stopped.at:
                    yield f"step {position} of {plan} was sent after the cancel"


def _offers(case: Case) -> Iterator[str]:
    """Retry and undo exclude each other: what is taken back stands still, and each run is new."""
    for plan, history in case.schedule.history.said.items():
        for before, now in pairwise(history):
            both = before.undone_by is not None and now.undone_by is not None
            if both and (before.state, before.steps) != (now.state, now.steps):
                yield f"{plan} went on although it was being taken back, at {now.at:.3f}"
            if before.undone_by is None and now.undone_by is not None and now.state != "ended":
                yield f"{plan} was taken back while it ran, at {now.at:.3f}"
            if before.state != "running" and now.state == "running" and now.epoch <= before.epoch:
                yield f"{plan} runs anew in the epoch of before, at {now.at:.3f}"
        by = [said.undone_by for said in history if said.undone_by is not None]
        undo = case.plans.get(by[-1]) if by else None
        if undo is not None and undo["reason"] == "finished" and history[-1].undone_by is None:
            yield f"{plan} was taken back, and does not say so"


def _yes(case: Case) -> Iterator[str]:
    """A yes that was used has begun its plan, and each question is used once."""
    for row in case.schedule.site.store._tables[CONFIRMATIONS].all():
        if row["used_at"] is None:
            continue
        kind = {"confirm": "confirmed", "retry": "retried", "undo": "undo_pressed"}[row["question"]]
        if not any(event["kind"] == kind for event in case.events[row["plan"]]):
            yield f"a {row['question']} of {row['plan']} was used, and nothing came of it"


def _story(case: Case) -> Iterator[str]:
    """Each plan's row, steps, sends and events tell one story."""
    for number, plan in case.plans.items():
        steps = [
            case.steps[number, at]
            for at in range(1, len(case.schedule.history.said[number][0].steps) + 1)
        ]
        attempts = [row for step in steps for row in case.sends.get((number, step["position"]), [])]
        detail = Detail(
            view=None, plan=plan, steps=steps, attempts=attempts, events=case.events[number]
        )  # type: ignore[arg-type]  # the view is not read
        parts = [_plan_and_steps, _steps_and_events]
        if not any(event["kind"] == "possible_duplicate" for event in case.events[number]):
            # What a person has had sent once more may have two proofs.
            parts.append(_sends)
        if case.schedule.audited:
            parts.append(_chain)
        for part in parts:
            for what in part(detail):
                yield f"{number}: {what}"
        for what in not_allowed(case.events[number], steps, plan):
            yield f"{number}: {what}"


def _doubts(case: Case) -> Iterator[str]:
    """Once nothing goes wrong any more, only what nobody can find out is still in doubt."""
    site = case.schedule.site
    now = instant_text(site.clock.now())
    for (plan, position), step in case.steps.items():
        if step["state"] != "in_doubt":
            continue
        rows, effect = case.sends.get((plan, position), []), step["effect"]
        quiet = settled([Attempt.read(row) for row in rows], now, lambda name: name in site.dead)
        where = f"step {position} of {plan} is in doubt"
        if effect == "checked_void" or (effect == "checked" and quiet):
            yield f"{where}, and could be looked at"
        if effect in {"keyed", "opaque"} and quiet and not _is_said_to_settle(case, plan):
            yield f"{where}, has settled, and nobody was told"
        if effect == "keyed" and _could_be_sent(case, plan, rows):
            yield f"{where}, and could be sent again under its key"


def _is_said_to_settle(case: Case, plan: str) -> bool:
    kinds = [event["kind"] for event in case.events[plan]]
    last = max(at for at, kind in enumerate(kinds) if kind == "step_in_doubt")
    return "settled" in kinds[last:]


def _could_be_sent(case: Case, plan: str, rows: list[dict[str, Any]]) -> bool:
    """Whether nothing stood in the way of a further send of the same bytes."""
    row, schedule = case.plans[plan], case.schedule
    sent = sum(send["round"] == row["round"] for send in rows)
    stopped = row["cancelled_at"] is not None or row["stall"] >= STALL_MAX
    another = any(event["kind"] == "possible_duplicate" for event in case.events[plan])
    clocks = schedule.back > 0 or schedule.history.jumps or schedule.faults.skewed
    return sent < SENDS_MAX and not (stopped or another or clocks or schedule.edits)
