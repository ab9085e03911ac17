"""Statements on events; ``events.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import insert, named, ordered, pick
from semel.storage.memory.schema import EVENTS, PLANS
from semel.storage.memory.tables import Tables


def last(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Where the plan's chain ends."""
    chain = of_plan(t, p)
    return pick(chain[-1], "seq", "digest") if chain else []


def append(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """One event, in the transaction of the change it describes."""
    insert(t, EVENTS, p)
    return []


def of_plan(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The life of a plan."""
    return ordered(t[EVENTS].find("of_plan", p["org"], p["plan"]), "seq")


def head(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Where the plan's chain ends by now, signed."""
    plan = named(t, PLANS, p)
    return pick(plan and t[PLANS].update(plan, head=p["head"]), "plan")
