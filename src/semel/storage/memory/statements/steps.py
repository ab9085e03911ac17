"""Statements on steps; ``steps.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import insert as _insert
from semel.storage.memory.rows import ordered, pick
from semel.storage.memory.schema import STEPS
from semel.storage.memory.tables import Tables


def insert(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A step with what was shown of it."""
    _insert(t, STEPS, p, reason=None, detail=None)
    return []


def of_plan(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """All steps of a plan, in order."""
    return ordered(t[STEPS].find("of_plan", p["org"], p["plan"]), "position")


def reshow(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A step's preview as it is now."""
    shown = {c: p[c] for c in ("preview", "facts_digest", "risk", "action_version")}
    return _move(t, p, "waiting", **shown)


def mark(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """An outside step is about to leave."""
    return _move(t, p, "waiting", state="started", started_at=p["now"])


def done(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A step happened."""
    step = t[STEPS].get(p["org"], p["plan"], p["position"])
    begun = step["started_at"] if step and step["started_at"] is not None else p["now"]
    ended = {"result": p["result"], "ended_at": p["now"], "started_at": begun}
    states = "waiting", "started", "in_doubt"
    return _move(t, p, *states, state="done", reason=None, detail=None, **ended)


def not_done(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A step did not happen, with its proof."""
    why = {"reason": p["reason"], "detail": p["detail"], "ended_at": p["now"]}
    return _move(t, p, "waiting", "started", "in_doubt", state="not_done", **why)


def doubt(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A step may have happened and nothing proves it."""
    return _move(t, p, "started", state="in_doubt", detail=p["detail"], ended_at=p["now"])


def not_reached(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What comes after the step that ended the plan was not done."""
    why = {"reason": p["reason"], "ended_at": p["now"]}
    waiting = [row for row in of_plan(t, p) if row["state"] == "waiting"]
    changed = [t[STEPS].update(row, state="not_done", **why) for row in waiting]
    return [row for step in changed for row in pick(step, "position")]


def _move(t: Tables, p: Mapping[str, Value], *states: str, **changes: Value) -> list[Row]:
    """Change a step that is in one of *states*; any other is left alone."""
    step = t[STEPS].get(p["org"], p["plan"], p["position"])
    if step is None or step["state"] not in states:
        return []
    return pick(t[STEPS].update(step, **changes), "position")
