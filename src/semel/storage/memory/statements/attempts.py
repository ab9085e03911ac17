"""Statements on attempts; ``attempts.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import insert as _insert
from semel.storage.memory.rows import named, ordered, pick
from semel.storage.memory.schema import ATTEMPTS
from semel.storage.memory.tables import Tables


def open(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Who sends what and until when."""
    _insert(t, ATTEMPTS, p, opened_at=p["now"], detail=None)
    return []


def close(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """How an attempt ended."""
    sent = named(t, ATTEMPTS, p)
    if sent is None or not _is_open(sent):
        return []
    returned_at = p["returned_at"] if sent["returned_at"] is None else sent["returned_at"]
    changes = {"outcome": p["outcome"], "detail": p["detail"], "returned_at": returned_at}
    return pick(t[ATTEMPTS].update(sent, **changes), "id")


def of_step(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The attempts of a step, in order."""
    rows = t[ATTEMPTS].find("of_step", p["org"], p["plan"], p["position"])
    return ordered(rows, "opened_at", "id")


def of_plan(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The attempts of a plan, step by step."""
    rows = t[ATTEMPTS].find("of_plan", p["org"], p["plan"])
    return ordered(rows, "position", "opened_at", "id")


def _is_open(row: Row) -> bool:
    return row["outcome"] in (None, "unknown")
