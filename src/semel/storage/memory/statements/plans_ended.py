"""Statements on plans that have ended: a late proof, a doubt, an offer and its taking.

``plans.sql`` says why each is there.
"""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import after, named, pick
from semel.storage.memory.schema import PLANS
from semel.storage.memory.tables import Tables


def prove(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A late proof corrects why a plan ended."""
    plan = named(t, PLANS, p, state="ended", reason="in_doubt")
    if plan is None:
        return []
    proven = {"reason": p["reason"], "epoch": after(plan, "epoch"), "look_after": None}
    return pick(t[PLANS].update(plan, **proven), "plan")


def look_again(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """When to look at a doubt next."""
    plan = _ended(t, p, reason="in_doubt")
    return pick(plan and t[PLANS].update(plan, look_after=p["look_after"]), "plan")


def offer(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What is left of an ended plan, with the figures of now."""
    plan = _ended(t, p, version=p["version"])
    if plan is None:
        return []
    shown = {column: p[column] for column in ("digest", "seal", "kid")}
    return pick(t[PLANS].update(plan, version=after(plan, "version"), **shown), "version")


def retry(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The same plan goes on after its last done step, in a new round."""
    plan = _ended(t, p, version=p["version"])
    if plan is None or plan["reason"] not in ("failed", "stale") or plan["undone_by"] is not None:
        return []
    again = {"round": after(plan, "round"), "at": p["at"], "cancelled_at": None}
    return pick(_runs(t, p, plan, **again), "epoch")


def send_again(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A person has a step in doubt sent once more."""
    plan = _ended(t, p, reason="in_doubt")
    return pick(plan and _runs(t, p, plan, look_after=None), "epoch")


def undo(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A plan is taken back once."""
    plan = _ended(t, p)
    if plan is None or plan["undone_by"] is not None or plan["reason"] == "in_doubt":
        return []
    taken = {"undone_by": p["undone_by"], "epoch": after(plan, "epoch")}
    return pick(t[PLANS].update(plan, **taken), "epoch")


def not_undone(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The undo changed nothing, so it may be offered again."""
    plan = named(t, PLANS, p, undone_by=p["undone_by"])
    return pick(plan and t[PLANS].update(plan, undone_by=None), "plan")


def fence(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What became of a plan in the time that a restored copy has lost, nobody knows."""
    plan = named(t, PLANS, p, epoch=p["epoch"])
    if plan is None or (plan["state"] == "ended" and plan["reason"] != "in_doubt"):
        return []
    at, ended_at = p["at"], plan["ended_at"]
    later = isinstance(at, int) and int(str(plan["at"])) < at
    changes = {
        "state": "ended",
        "reason": "in_doubt",
        "ended_at": p["now"] if ended_at is None else ended_at,
        "resume_after": None,
        "owner": None,
        "epoch": p["next"],
        "at": at if later else plan["at"],
        "look_after": p["look_after"],
    }
    return pick(t[PLANS].update(plan, **changes), "epoch")


def _ended(t: Tables, p: Mapping[str, Value], **where: Value) -> Row | None:
    return named(t, PLANS, p, state="ended", epoch=p["epoch"], **where)


def _runs(t: Tables, p: Mapping[str, Value], plan: Row, **changes: Value) -> Row:
    runs = {"state": "running", "reason": None, "ended_at": None, "stall": 0}
    taken = {"owner": p["owner"], "resume_after": p["resume_after"]}
    return t[PLANS].update(plan, epoch=after(plan, "epoch"), **runs, **taken, **changes)
