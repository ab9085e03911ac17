"""Statements on plans that run, by their owner or against it; ``plans.sql`` says why."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import after, named, pick
from semel.storage.memory.schema import PLANS, STEPS
from semel.storage.memory.tables import Tables


def press(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The yes, taken once."""
    plan = named(t, PLANS, p, state="asking", version=p["version"])
    if plan is None or plan["cancelled_at"] is not None:
        return []
    taken = {"owner": p["owner"], "resume_after": p["resume_after"]}
    changes = {"state": "running", "epoch": after(plan, "epoch"), **taken}
    return pick(t[PLANS].update(plan, **changes), "epoch")


def start(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Begin a step: by the owner, in order, after the step before is done."""
    plan, position = _owned(t, p), p["position"]
    if plan is None or plan["cancelled_at"] is not None or not isinstance(position, int):
        return []
    last = t[STEPS].get(p["org"], p["plan"], position - 1)
    if int(str(plan["at"])) >= position or (
        position != 1 and (last is None or last["state"] != "done")
    ):
        return []
    begun = t[PLANS].update(plan, at=position, resume_after=p["resume_after"], stall=0)
    return pick(begun, "at")


def resend(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The same step once more, by its owner."""
    plan, step = _owned(t, p), named(t, STEPS, p, state="started")
    if plan is None or plan["cancelled_at"] is not None:
        return []
    if step is None or plan["at"] != step["position"]:
        return []
    return pick(t[PLANS].update(plan, resume_after=p["resume_after"]), "at")


def release(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A process that is being stopped hands its plan on."""
    plan = _owned(t, p)
    if plan is None or plan["owner"] is None:
        return []
    return pick(t[PLANS].update(plan, resume_after=p["now"]), "plan")


def own(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The plan, for its owner."""
    return pick(_owned(t, p))


def stop(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """End a running plan as its owner."""
    plan = _owned(t, p)
    if plan is None:
        return []
    ended = {"state": "ended", "reason": p["reason"], "ended_at": p["now"]}
    free = {"resume_after": None, "owner": None, "look_after": p["look_after"]}
    return pick(t[PLANS].update(plan, **ended, **free), "plan", "kind", "parent")


def cancel(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A person stops a running plan."""
    plan = _owned(t, p)
    if plan is None or plan["cancelled_at"] is not None:
        return []
    return pick(t[PLANS].update(plan, cancelled_at=p["now"]), "at")


def take_over(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Take a plan from the owner that was seen."""
    plan = _owned(t, p)
    if plan is None:
        return []
    stall = plan["stall"] if plan["owner"] is None else after(plan, "stall")
    counts = {"epoch": after(plan, "epoch"), "stall": stall}
    taken = {"owner": p["owner"], "resume_after": p["resume_after"]}
    return pick(t[PLANS].update(plan, **counts, **taken), "epoch", "stall")


def end_waiting(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A later plan that has not begun will not come."""
    plan = named(t, PLANS, p, kind="later", state="running", at=0)
    if plan is None:
        return []
    ended = {"state": "ended", "reason": "cancelled", "ended_at": p["now"], "resume_after": None}
    void = {"cancelled_at": p["now"], "owner": None, "epoch": after(plan, "epoch")}
    return pick(t[PLANS].update(plan, **ended, **void), "plan")


def _owned(t: Tables, p: Mapping[str, Value]) -> Row | None:
    return named(t, PLANS, p, state="running", epoch=p["epoch"])
