"""Statements on plans; ``plans.sql`` says why each is there."""

from collections.abc import Mapping
from typing import cast

from semel.ports import Row, Value
from semel.storage.memory.rows import before, first, ordered, pick
from semel.storage.memory.rows import insert as _insert
from semel.storage.memory.schema import PLANS, STEPS
from semel.storage.memory.tables import Tables


def insert(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A plan enters asking, running or already ended."""
    _insert(t, PLANS, p, version=1, round=1, stall=0, cancelled_at=None, created_at=p["now"])
    return []


def find(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A plan as it is."""
    return pick(t[PLANS].get(p["org"], p["plan"]))


def pending(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The one question that a bare yes of this person would answer."""
    return t[PLANS].find("one_pending", p["org"], p["person"], p["conversation"])


def of_message(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The plans that one message has led to."""
    slot = p["org"], p["person"], p["conversation"], p["message"]
    rows = ordered(t[PLANS].find("of_message", *slot), "plan")
    return [row for found in rows for row in pick(found, "plan", "state", "reason", "at")]


def listed(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The plans that a person may look at, newest first."""
    person = p["person"]
    rows = [r for r in t[PLANS].find("of_org", p["org"]) if person in (None, r["person"])]
    return first(ordered(rows, "-plan"), p["limit"])


def everywhere(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Every organization's plans, newest first."""
    rows = first(ordered(t[PLANS].all(), "-plan"), p["limit"])
    return [row for found in rows for row in pick(found, "org", "plan")]


def whose(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The organization of a plan's number."""
    return [row for found in t[PLANS].find("number", p["plan"]) for row in pick(found, "org")]


def requestion(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The same plan asks again, as its next version."""
    plan = _asking(t, p)
    if plan is None or not isinstance(p["version"], int) or plan["version"] != p["version"]:
        return []
    asked = {column: p[column] for column in ("digest", "seal", "kid", "expires_at", "risk")}
    return pick(t[PLANS].update(plan, version=p["version"] + 1, **asked), "version")


def press(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The yes, taken once."""
    plan = _asking(t, p)
    if plan is None or plan["version"] != p["version"] or plan["cancelled_at"] is not None:
        return []
    return pick(_owned_by(t, p, plan, state="running"), "epoch")


def start(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Begin a step: by the owner, in order, after the step before is done."""
    plan, position = _own(t, p), p["position"]
    if plan is None or plan["cancelled_at"] is not None or not isinstance(position, int):
        return []
    last = t[STEPS].get(p["org"], p["plan"], position - 1)
    if plan["at"] != position - 1 or (position != 1 and (last is None or last["state"] != "done")):
        return []
    begun = t[PLANS].update(plan, at=position, resume_after=p["resume_after"], stall=0)
    return pick(begun, "at")


def own(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The plan, for its owner."""
    return pick(_own(t, p))


def stop(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """End a running plan as its owner."""
    plan = _own(t, p)
    return pick(plan and _ended(t, p, plan, resume_after=None, owner=None), "plan")


def prove(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A late proof corrects why a plan ended."""
    plan = t[PLANS].get(p["org"], p["plan"])
    if plan is None or plan["state"] != "ended" or plan["reason"] != "in_doubt":
        return []
    return pick(t[PLANS].update(plan, reason=p["reason"], epoch=_next(plan, "epoch")), "plan")


def dismiss(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A question that will not be answered."""
    plan = _asking(t, p)
    cancelled_at = p["now"] if p["reason"] == "cancelled" else None
    return pick(plan and _ended(t, p, plan, cancelled_at=cancelled_at), "plan")


def running(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Running plans, the one that may be taken over first at the head."""
    rows = first(ordered(t[PLANS].find("due"), "resume_after", "org", "plan"), p["limit"])
    columns = "org", "plan", "epoch", "owner", "resume_after", "stall"
    return [row for found in rows for row in pick(found, *columns)]


def take_over(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Take a plan from the owner that was seen."""
    plan = _own(t, p)
    return pick(plan and _owned_by(t, p, plan, stall=_next(plan, "stall")), "epoch", "stall")


def unanswered(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Questions whose time has passed."""
    late = [row for row in t[PLANS].find("unanswered") if before(row["expires_at"], p["now"])]
    rows = first(ordered(late, "expires_at", "org", "plan"), p["limit"])
    return [row for found in rows for row in pick(found, "org", "plan")]


def _asking(t: Tables, p: Mapping[str, Value]) -> Row | None:
    plan = t[PLANS].get(p["org"], p["plan"])
    return plan if plan is not None and plan["state"] == "asking" else None


def _own(t: Tables, p: Mapping[str, Value]) -> Row | None:
    plan = t[PLANS].get(p["org"], p["plan"])
    if plan is None or plan["state"] != "running" or plan["epoch"] != p["epoch"]:
        return None
    return plan


def _owned_by(t: Tables, p: Mapping[str, Value], plan: Row, **changes: Value) -> Row:
    owner = {"owner": p["owner"], "resume_after": p["resume_after"]}
    return t[PLANS].update(plan, epoch=_next(plan, "epoch"), **owner, **changes)


def _ended(t: Tables, p: Mapping[str, Value], plan: Row, **changes: Value) -> Row:
    return t[PLANS].update(plan, state="ended", reason=p["reason"], ended_at=p["now"], **changes)


def _next(row: Row, column: str) -> int:
    return cast("int", row[column]) + 1
