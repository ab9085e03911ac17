"""Who looks afterwards: what happened in the world against what the books say, by class of effect.

A plan may end short of its last step only where its class of effect allows it:

    local           never
    opaque          in doubt, when something was sent: nobody but a person can know
    keyed           in doubt only when it was sent as often as it may be
    checked         not done, when everything sent has settled and is not there; in doubt only
                    where nobody knows that the sender is dead
    checked_void    not done, when it was closed after as many sends; never in doubt

A plan that three owners in a row have died of may end anywhere, in words that are true. Where a
person looks, answers and has the rest done, nothing may be left open at all.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from histories import wrong

import stores
from semel.domain.doubt import SENDS_MAX
from semel.runtime.sweep import STALL_MAX
from semel.testing.crash import Verdict


class Row(tuple[Any, ...]):
    """A row by place and by name, from either database."""

    __slots__ = ()
    names: Sequence[str] = ()

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self.names.index(key) if isinstance(key, str) else key)


@dataclass(frozen=True)
class Patience:
    """What the person of a scenario does when a plan has ended short of its last step."""

    answers: bool = False
    """They look at the world and say truly what became of a step in doubt."""
    retries: bool = False
    """They have done what is left."""
    settles: bool = True
    """Whether it ever becomes known here that a killed sender is dead."""


def rows(path: Path, sql: str, *values: object) -> list[Row]:
    if stores.named(path.absolute()) is None:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as books:
            return _read(books.execute(sql, values))
    with stores.connected(path) as books:
        return _read(books.execute(sql.replace("?", "%s"), values or None))


def _read(cursor: Any) -> list[Row]:
    named = type("Read", (Row,), {"names": [column[0] for column in cursor.description]})
    return [named(row) for row in cursor.fetchall()]


def judged(
    db: Path,
    happened: Mapping[int, int],
    patience: Patience,
    kind: str = "plan",
    message: str = "m-1",
) -> Verdict:
    """Compare what is said of the only plan of its kind with what happened.

    Args:
        db: the database.
        happened: how often each step's effect is in the world, by position.
        patience: what the person did about what was left open.
        kind: which plan.
        message: of which message.
    """
    duplicates = [f"{kind}: step {p} happened {n} times" for p, n in happened.items() if n > 1]
    of_message = "SELECT * FROM semel_plans WHERE kind = ? AND message = ?"
    plans = rows(db, of_message, kind, message)
    if len(plans) != 1:
        lost = f"there are {len(plans)} plans of the kind {kind}"
        return Verdict(tuple(duplicates), (), (lost,))
    plan = plans[0]
    if plan["state"] != "ended":
        return Verdict(tuple(duplicates), (), (f"{kind}: it is {plan['state']} for ever",))
    of_plan = "SELECT * FROM {} WHERE plan = ? ORDER BY 1, 2, 3"
    steps = rows(db, of_plan.format("semel_steps"), plan["plan"])
    sends = rows(db, of_plan.format("semel_attempts"), plan["plan"])
    events = rows(db, of_plan.format("semel_events"), plan["plan"])
    false = [*_untrue(steps, happened), *_reason(plan, steps), *_told(plan, steps, events)]
    # What the models' table of transitions does not allow, whatever came of it.
    false += wrong(events, steps, plan)
    lost = []
    for step in steps:
        if step["state"] != "done":
            mine = [one for one in sends if one["position"] == step["position"]]
            why = _left(plan, step, mine, patience)
            if why is not None:
                lost.append(f"{kind}: step {step['position']} ({step['effect']}) {why}")
            break
    return Verdict(
        tuple(duplicates), tuple(f"{kind}: {sentence}" for sentence in false), tuple(lost)
    )


def together(*verdicts: Verdict) -> Verdict:
    return Verdict(
        tuple(sentence for one in verdicts for sentence in one.duplicates),
        tuple(sentence for one in verdicts for sentence in one.false),
        tuple(sentence for one in verdicts for sentence in one.lost),
    )


def _untrue(steps: Sequence[Row], happened: Mapping[int, int]) -> list[str]:
    """What is said of a step and is not so."""
    found = []
    for step in steps:
        position, state, count = step["position"], step["state"], happened[step["position"]]
        if state == "done" and count == 0:
            found.append(f"step {position} is said to be done and did not happen")
        if state in {"not_done", "waiting"} and count:
            found.append(f"step {position} is said to be {state} and happened")
        if state in {"started", "waiting"}:
            found.append(f"step {position} is said to be {state} in a plan that has ended")
    return found


def _reason(plan: Row, steps: Sequence[Row]) -> list[str]:
    """Why the plan is said to have ended, against its own steps."""
    states = {step["state"] for step in steps}
    fits = {
        "finished": states == {"done"},
        "in_doubt": "in_doubt" in states,
        "failed": "not_done" in states and "in_doubt" not in states,
        "cancelled": "not_done" in states and plan["cancelled_at"] is not None,
        "expired": states == {"not_done"},
    }
    reason = plan["reason"]
    return [] if fits.get(reason) else [f"it is said to have {reason}, of steps that are {states}"]


def _told(plan: Row, steps: Sequence[Row], events: Sequence[Row]) -> list[str]:
    """What the plan's own history contradicts."""
    found = []
    for step in steps:
        said = [one for one in events if one["kind"] == "step_done"]
        times = sum(one["position"] == step["position"] for one in said)
        if times != (step["state"] == "done"):
            found.append(f"step {step['position']} is said to have been done {times} times")
    if any(one["kind"] == "contradicted" for one in events):
        found.append("what was said not to have happened did")
    stop = next((one for one in events if one["kind"] == "cancel_pressed"), None)
    if stop is not None and plan["cancelled_at"]:
        after = [one for one in events if one["seq"] > stop["seq"]]
        sent = any(one["kind"] in {"step_started", "step_resent"} for one in after)
        done = [one["position"] for one in after if one["kind"] == "step_done"]
        if sent or any(position > (stop["position"] or 0) for position in done):
            found.append("a step began after the plan was said to be stopped")
    return found


def _left(plan: Row, step: Row, sends: Sequence[Row], patience: Patience) -> str | None:
    """Why a plan may not be left at this step for ever; None when it may."""
    mine = [one for one in sends if one["round"] == step["round"]]
    outcomes = {one["outcome"] for one in mine}
    open_ = bool(outcomes & {None, "unknown"})
    # Whatever has killed three owners in a row is not tried a fourth time.
    given_up = plan["stall"] >= STALL_MAX
    often = len(mine) >= SENDS_MAX or given_up
    if plan["reason"] in {"cancelled", "expired"} and step["state"] == "not_done":
        return None
    match step["effect"], step["state"]:
        case "opaque", "in_doubt" if open_ and not patience.answers:
            return None
        case "keyed", "in_doubt" if open_ and often and not patience.answers:
            return None
        case "checked", "in_doubt" if open_ and not patience.settles:
            return None
        case "checked", "not_done" if outcomes == {"absent"} and not patience.retries:
            return None
        case "checked_void", "not_done" if outcomes == {"void"} and often and not patience.retries:
            return None
        case "local", "not_done" if given_up and step["reason"] == "crashed":
            return None
    return f"is left {step['state']} for ever, its {len(mine)} sends {outcomes}"
