"""Statements on confirmations; ``confirmations.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import before, first, named, ordered, pick, picked
from semel.storage.memory.rows import insert as _insert
from semel.storage.memory.schema import CONFIRMATIONS
from semel.storage.memory.tables import Tables


def insert(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A question put to one person."""
    _insert(t, CONFIRMATIONS, p, created_at=p["now"], used_at=None, press=None, revoked_at=None)
    return []


def by_token(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The question that a token answers."""
    return t[CONFIRMATIONS].find("token", p["org"], p["token_hash"])


def live(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The question of a kind that stands for a plan."""
    standing = [row for row in _live(t, p) if row["question"] == p["question"]]
    return ordered(standing, "-version", "-id")[:1]


def take(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """One use, by whom and for what it was meant."""
    bound = "plan", "question", "person", "conversation", "version", "epoch"
    row = named(t, CONFIRMATIONS, p, **{column: p[column] for column in bound})
    if row is None or not _is_live(row):
        return []
    if p["now"] is None or before(row["expires_at"], p["now"]):
        return []
    return pick(t[CONFIRMATIONS].update(row, used_at=p["now"], press=p["press"]), "id")


def revoke(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """No question of this plan can be answered any more."""
    revoked = [t[CONFIRMATIONS].update(row, revoked_at=p["now"]) for row in _live(t, p)]
    return picked(revoked, "id")


def of_plan(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Every question that was put about a plan, in order."""
    return ordered(t[CONFIRMATIONS].find("of_plan", p["org"], p["plan"]), "created_at", "id")


def page(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Questions in the order of their keys, and which of them stand."""
    org, id_ = p["after_org"], p["after_id"]
    if not isinstance(org, str):
        return []
    # A pair whose first parts differ is told apart by them, whether or not the second is known.
    same = id_ if isinstance(id_, str) else None
    rows = [
        r
        for r in t[CONFIRMATIONS].all()
        if str(r["org"]) > org or (r["org"] == org and same is not None and str(r["id"]) > same)
    ]
    return [
        {"org": r["org"], "id": r["id"], "plan": r["plan"], "stands": int(_is_live(r))}
        for r in first(ordered(rows, "org", "id"), p["limit"])
    ]


def _live(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    return [r for r in t[CONFIRMATIONS].find("of_plan", p["org"], p["plan"]) if _is_live(r)]


def _is_live(row: Row) -> bool:
    return row["used_at"] is None and row["revoked_at"] is None
