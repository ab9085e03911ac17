"""Statements on what a database knows of itself; ``database.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.itself import DATABASE
from semel.storage.memory.rows import after, pick
from semel.storage.memory.tables import Tables


def find(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What the database knows of itself."""
    del p
    return pick(t[DATABASE].get(1))


def fence(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A new generation begins, unless one has begun and is not through."""
    row, now = t[DATABASE].get(1), p["now"]
    if row is None:
        begun = t[DATABASE].insert({"id": 1, "generation": 2, "fenced_at": now, "fencing": 1})
    elif row["fencing"]:
        return []
    else:
        generation = after(row, "generation")
        begun = t[DATABASE].update(row, generation=generation, fenced_at=now, fencing=1)
    return pick(begun, "generation", "fenced_at")


def fenced(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Every plan of before has been dealt with."""
    del p
    row = t[DATABASE].get(1)
    return pick(row and t[DATABASE].update(row, fencing=0), "generation")
