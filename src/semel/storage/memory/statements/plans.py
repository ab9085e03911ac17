"""Statements that find plans or put a question; ``plans.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import after, before, distinct, first, named, ordered, pick, picked
from semel.storage.memory.rows import insert as _insert
from semel.storage.memory.schema import (
    ATTEMPTS,
    CONFIRMATIONS,
    EFFECTS,
    EVENTS,
    KEYS,
    PLANS,
    STEPS,
)
from semel.storage.memory.tables import Tables

_BORN: Mapping[str, Value] = {
    "version": 1,
    "round": 1,
    "stall": 0,
    "undone_by": None,
    "cancelled_at": None,
    "look_after": None,
}


def insert(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A plan enters asking, running or already ended."""
    _insert(t, PLANS, p, **_BORN, created_at=p["now"])
    return []


def find(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A plan as it is."""
    return pick(named(t, PLANS, p))


def lock(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A plan as it stays until this transaction ends."""
    return find(t, p)


def pending(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The one question that a bare yes of this person would answer."""
    return t[PLANS].find("one_pending", p["org"], p["person"], p["conversation"])


def of_message(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The plans that one message has led to."""
    slot = p["org"], p["person"], p["conversation"], p["message"]
    rows = [row for row in t[PLANS].find("of_message", *slot) if row["kind"] == "plan"]
    return picked(ordered(rows, "plan"), "plan", "state", "reason", "at")


def of_slot(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What goes on in a conversation, newest first."""
    rows = [row for row in _slot(t, p) if row["kind"] != "later"]
    return picked(first(ordered(rows, "-plan"), p["limit"]), "plan")


def running_in(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The actions of what is being done in a conversation."""
    plans = [r for r in _slot(t, p) if r["state"] == "running" and r["kind"] == "plan"]
    steps = [step for r in plans for step in t[STEPS].find("of_plan", r["org"], r["plan"])]
    return distinct(steps, "action")


def children(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The plans that a plan's steps have written for later."""
    rows = [r for r in t[PLANS].find("children", p["org"], p["plan"]) if r["kind"] == "later"]
    return ordered(rows, "not_before", "plan")


def listed(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The plans that a person may look at, newest first."""
    person = p["person"]
    rows = [r for r in t[PLANS].find("of_org", p["org"]) if person in (None, r["person"])]
    return first(ordered(rows, "-plan"), p["limit"])


def everywhere(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Every organization's plans, newest first."""
    return picked(first(ordered(t[PLANS].all(), "-plan"), p["limit"]), "org", "plan")


def lost(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Plans of which something is left and that are not there themselves."""
    del p
    tables = (STEPS, ATTEMPTS, CONFIRMATIONS, KEYS, EVENTS, EFFECTS)
    left = [row for schema in tables for row in t[schema].all()]
    left += [{**row, "plan": row["parent"]} for row in t[PLANS].all() if row["parent"] is not None]
    return distinct([row for row in left if named(t, PLANS, row) is None], "org", "plan")


def whose(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The organization of a plan's number."""
    return picked(t[PLANS].find("plan_number", p["plan"]), "org")


def requestion(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The same plan asks again, as its next version."""
    plan = named(t, PLANS, p, state="asking", version=p["version"])
    if plan is None:
        return []
    asked = {column: p[column] for column in ("digest", "seal", "kid", "expires_at", "risk")}
    return pick(t[PLANS].update(plan, version=after(plan, "version"), **asked), "version")


def dismiss(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A question that will not be answered."""
    plan = named(t, PLANS, p, state="asking")
    if plan is None:
        return []
    ended = {"state": "ended", "reason": p["reason"], "ended_at": p["now"]}
    cancelled_at = p["now"] if p["reason"] == "cancelled" else None
    return pick(t[PLANS].update(plan, **ended, cancelled_at=cancelled_at), "plan")


def doubts(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Plans in doubt at which it is time to look again."""
    due = [row for row in t[PLANS].find("doubts") if before(row["look_after"], p["now"])]
    rows = first(ordered(due, "look_after", "org", "plan"), p["limit"])
    return picked(rows, "org", "plan", "epoch")


def waiting_about(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Later plans about a record that nobody has begun."""
    about = t[PLANS].find("waiting_about", p["org"], p["subject_kind"], p["subject_id"])
    waiting = [row for row in about if row["at"] == 0]
    return picked(ordered(waiting, "plan"), "org", "plan")


def running(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Running plans that are somebody's or whose day has come, the oldest first."""
    due = [
        row
        for row in t[PLANS].find("due")
        if row["owner"] is not None or before(row["resume_after"], p["now"])
    ]
    rows = first(ordered(due, "resume_after", "org", "plan"), p["limit"])
    return picked(rows, "org", "plan", "epoch", "owner", "resume_after", "stall")


def unanswered(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Questions whose time has passed."""
    late = [row for row in t[PLANS].find("unanswered") if before(row["expires_at"], p["now"])]
    return picked(first(ordered(late, "expires_at", "org", "plan"), p["limit"]), "org", "plan")


def page(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Plans in the order of their numbers."""
    after_, rows = p["after"], t[PLANS].all()
    found = [row for row in rows if isinstance(after_, str) and str(row["plan"]) > after_]
    return picked(first(ordered(found, "plan"), p["limit"]), "org", "plan", "state", "reason")


def _slot(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    return t[PLANS].find("of_slot", p["org"], p["person"], p["conversation"])
