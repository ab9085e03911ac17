"""Statements on effects; ``effects.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import insert as _insert
from semel.storage.memory.rows import ordered
from semel.storage.memory.schema import EFFECTS
from semel.storage.memory.tables import Tables


def insert(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A record that a step made or touched."""
    _insert(t, EFFECTS, p)
    return []


def of_plan(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What a plan made or touched, in order."""
    return ordered(t[EFFECTS].find("of_plan", p["org"], p["plan"]), "position", "kind", "id")
