"""Statements on effects; ``effects.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import distinct, ordered
from semel.storage.memory.rows import insert as _insert
from semel.storage.memory.schema import EFFECTS
from semel.storage.memory.tables import Tables


def insert(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A record that a step made or touched."""
    _insert(t, EFFECTS, p)
    return []


def of_plan(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What a plan made or touched, in order."""
    return ordered(t[EFFECTS].find("of_plan", p["org"], p["plan"]), "position", "kind", "id")


def of_record(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The plans that made or touched a record, by its id or by how it is called."""
    record = p["org"], p["kind"], p["id"]
    called = {row["id"] for row in t[EFFECTS].find("labelled", *record)}
    rows = [row for id in {p["id"], *called} for row in t[EFFECTS].find("of_id", *record[:2], id)]
    return distinct(rows, "plan", "id")


def orgs_of(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The organizations that have a record of this id or name."""
    called = p["id"]
    rows = [row for row in t[EFFECTS].all() if row["kind"] == p["kind"]]
    return distinct([row for row in rows if called in (row["id"], row["label"])], "org")
