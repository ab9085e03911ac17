"""Statements that look over many plans at once; ``figures.sql`` says why each is there."""

from collections.abc import Iterable, Mapping

from semel.ports import Row, Value
from semel.storage.memory.rows import first, ordered, picked
from semel.storage.memory.schema import CONFIRMATIONS, EFFECTS, EVENTS, PLANS, STEPS
from semel.storage.memory.shape import Schema
from semel.storage.memory.tables import Tables

_TOLD = ("rejected", "taken_over", "step_resent", "handed_on")


def unended(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What is not at its end in an organization."""
    rows = [
        row
        for row in t[PLANS].find("of_org", p["org"])
        if row["state"] != "ended" or row["reason"] == "in_doubt"
    ]
    return first(ordered(rows, "-plan"), p["limit"])


def plans(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """A page of an organization's plans, newest first."""
    person, before = p["person"], p["before"]
    rows = [
        row
        for row in t[PLANS].find("of_org", p["org"])
        if _text(row["plan"], below=before) and person in (None, row["person"])
    ]
    return first(ordered(rows, "-plan"), p["limit"])


def steps(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What the plans of a page do."""
    rows = ordered(_page(t, STEPS, p), "plan", "position")
    return picked(rows, "plan", "position", "action", "risk", "state", "preview", "similar")


def effects(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What the plans of a page have made or touched."""
    rows = ordered(_page(t, EFFECTS, p), "plan", "position", "kind", "id")
    return picked(rows, "plan", "position", "kind", "id", "label")


def yeses(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """The questions about the plans of a page that were answered."""
    used = [row for row in _page(t, CONFIRMATIONS, p) if row["used_at"] is not None]
    rows = ordered(used, "plan", "created_at", "id")
    return picked(rows, "plan", "id", "question", "person", "created_at", "used_at")


def repeats(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    """What came to the plans of a page that was not to have any effect."""
    told = [row for row in _page(t, EVENTS, p) if row["kind"] in _TOLD]
    return picked(ordered(told, "plan", "seq"), "plan", "seq", "at", "kind")


def _page(t: Tables, schema: Schema, p: Mapping[str, Value]) -> Iterable[Row]:
    org, since, before = p["org"], p["since"], p["before"]
    return [
        row
        for row in t[schema].all()
        if row["org"] == org and _text(row["plan"], since, below=before)
    ]


def _text(plan: Value, since: Value = "", *, below: Value) -> bool:
    """Whether a number is of a page; nothing is, when an end of it is not known."""
    return isinstance(since, str) and isinstance(below, str) and since <= str(plan) < below
