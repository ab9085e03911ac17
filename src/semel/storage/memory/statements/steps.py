"""Statements on steps; ``steps.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import insert as _insert
from semel.storage.memory.rows import named, ordered, pick, picked
from semel.storage.memory.schema import STEPS
from semel.storage.memory.tables import Tables

_LATER_ON = ("reason", "detail", "changed", "resolution", "resolved_by")


def insert(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A step with what was shown of it."""
    _insert(t, STEPS, p, round=1, **dict.fromkeys(_LATER_ON))
    return []


def of_plan(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """All steps of a plan, in order."""
    return ordered(t[STEPS].find("of_plan", p["org"], p["plan"]), "position")


def reshow(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A step's preview as it is now."""
    shown = "preview", "facts_digest", "risk", "action_version", "later", "similar", "changed"
    return _move(t, p, "waiting", "not_done", **{column: p[column] for column in shown})


def reset(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What was not done waits again, in the plan's new round."""
    nothing = dict.fromkeys((*_LATER_ON, "started_at", "ended_at"))
    return _move_all(t, p, "not_done", state="waiting", round=p["round"], **nothing)


def remark(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A step in doubt is sent once more because a person says so."""
    said = {"resolution": p["resolution"], "resolved_by": p["resolved_by"]}
    return _move(t, p, "in_doubt", state="started", ended_at=None, **said)


def answered(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What a person said of a step."""
    said = {"resolution": p["resolution"], "resolved_by": p["resolved_by"]}
    step = named(t, STEPS, p)
    return pick(step and t[STEPS].update(step, **said), "position")


def unreferred(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A later step cannot be done, since nobody knows what an earlier one made."""
    step = named(t, STEPS, p, state="not_done", reason="not_reached")
    return pick(step and t[STEPS].update(step, reason="unknown_reference"), "position")


def mark(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """An outside step is about to leave."""
    return _move(t, p, "waiting", state="started", started_at=p["now"])


def done(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A step happened."""
    step = named(t, STEPS, p)
    begun = step["started_at"] if step and step["started_at"] is not None else p["now"]
    ended = {"result": p["result"], "ended_at": p["now"], "started_at": begun}
    states = "waiting", "started", "in_doubt"
    return _move(t, p, *states, state="done", reason=None, detail=None, **ended)


def not_done(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A step did not happen, with its proof."""
    why = {"reason": p["reason"], "detail": p["detail"], "ended_at": p["now"]}
    return _move(t, p, "waiting", "started", "in_doubt", state="not_done", **why)


def lose(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """An outside step that may have been sent in the time that a restored copy has lost."""
    step = named(t, STEPS, p)
    if step is None or step["effect"] == "local":
        return []
    begun = p["now"] if step["started_at"] is None else step["started_at"]
    states = "waiting", "started"
    return _move(t, p, *states, state="in_doubt", started_at=begun, ended_at=p["now"])


def doubt(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A step may have happened and nothing proves it."""
    return _move(t, p, "started", state="in_doubt", detail=p["detail"], ended_at=p["now"])


def not_reached(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What comes after the step that ended the plan was not done."""
    return _move_all(t, p, "waiting", state="not_done", reason=p["reason"], ended_at=p["now"])


def _move(t: Tables, p: Mapping[str, Value], *states: str, **changes: Value) -> list[Row]:
    """Change a step that is in one of *states*; any other is left alone."""
    step = named(t, STEPS, p)
    if step is None or step["state"] not in states:
        return []
    return pick(t[STEPS].update(step, **changes), "position")


def _move_all(t: Tables, p: Mapping[str, Value], state: str, /, **changes: Value) -> list[Row]:
    """Change every step of a plan that is in *state*."""
    steps = [row for row in of_plan(t, p) if row["state"] == state]
    return picked([t[STEPS].update(row, **changes) for row in steps], "position")
