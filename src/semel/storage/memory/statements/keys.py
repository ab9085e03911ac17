"""Statements on keys; ``keys.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import named, ordered, pick
from semel.storage.memory.schema import KEYS
from semel.storage.memory.tables import Tables


def insert(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Own a request, or get no row."""
    key = {"org": p["org"], "key": p["key"], "layer": p["layer"], "plan": p["plan"]}
    return pick(t[KEYS].insert_new(key), "plan")


def find(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The plan that a request already led to."""
    return pick(named(t, KEYS, p), "plan")


def of_plan(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The requests that led to a plan."""
    return ordered(t[KEYS].find("of_plan", p["org"], p["plan"]), "key")


def move(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Point the key elsewhere, from the plan that was read."""
    row = named(t, KEYS, p, plan=p["old"])
    return pick(row and t[KEYS].update(row, plan=p["plan"]), "plan")


def hold(_: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Keep others from the same: the only writer does that already."""
    return [] if None in (p["org"], p["key"]) else [{"held": 1}]
