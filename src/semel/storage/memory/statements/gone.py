"""Statements on hosts that are gone for good; ``gone.sql`` says why each is there."""

from collections.abc import Mapping

from semel.ports import Row, Value
from semel.storage.memory.itself import GONE
from semel.storage.memory.rows import ordered, pick
from semel.storage.memory.tables import Tables


def insert(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Somebody says that a host is gone; said twice at one instant it is said once."""
    row = {"host": p["host"], "at": p["now"], "said_by": p["said_by"]}
    return pick(t[GONE].insert_new(row), "host")


def latest(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """Up to when each host's senders count as dead."""
    del p
    found: dict[Value, Value] = {}
    for row in ordered(t[GONE].all(), "host", "at"):
        found[row["host"]] = row["at"]
    return [{"host": host, "at": at} for host, at in found.items()]
