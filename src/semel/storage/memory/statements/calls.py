"""Statements on calls; ``calls.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import insert as _insert
from semel.storage.memory.rows import named, pick
from semel.storage.memory.schema import CALLS
from semel.storage.memory.tables import Tables


def find(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What the call with this key came to."""
    return pick(named(t, CALLS, p), "result")


def insert(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The value of a call, in the transaction that made it."""
    _insert(t, CALLS, p, created_at=p["now"])
    return []
