"""What a step keeps as text, read back; what somebody has written over it is not shown."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias, TypeVar, cast

from semel.domain.canonical import kept
from semel.domain.report import MatchView
from semel.facts import JSON, Fact, read_facts

T = TypeVar("T")

Record: TypeAlias = tuple[str, str, str]
"""Kind, id and how it is called."""


def match_of(one: JSON) -> MatchView:
    """A record that a new one looks like, as stored with its step."""
    kind, id_, label, facts = cast("list[JSON]", one)
    return MatchView(str(kind), str(id_), str(label), read_facts(facts))


def listed(text: str | None, read: Callable[[JSON], T]) -> tuple[T, ...]:
    """A stored list, read; what somebody has written over it is not shown."""
    try:
        return tuple(read(one) for one in kept(text)) if text else ()
    except (ValueError, TypeError, LookupError, ArithmeticError):
        return ()


class Result(NamedTuple):
    """What a step answered: its facts, what the other side calls it, and its records."""

    facts: Mapping[str, Fact]
    id: str | None
    records: tuple[Record, ...]


def facts_of(text: str) -> dict[str, Fact]:
    """The facts of a stored preview; none of what somebody has written over it."""
    try:
        return read_facts(kept(text))
    except (ValueError, ArithmeticError):
        return {}


def result_of(text: str | None) -> Result:
    """A step's stored result."""
    try:
        result: JSON = None if text is None else kept(text)
    except ValueError:
        result = None
    if not isinstance(result, dict):
        return Result({}, None, ())
    try:
        facts = read_facts(result.get("facts", {}))
    except (ValueError, ArithmeticError):
        facts = {}
    return result_in(result, facts)


def result_in(parts: Mapping[str, JSON], facts: Mapping[str, Fact]) -> Result:
    """A step's result from its parts, of which the facts have been read."""
    id_ = parts.get("id")
    return Result(facts, id_ if isinstance(id_, str) else None, _records(parts.get("rows")))


def _records(rows: JSON) -> tuple[Record, ...]:
    found = []
    for row in rows if isinstance(rows, list) else ():
        match row:
            case [_, str(kind), str(id_), _, str(label)]:
                found.append((kind, id_, label))
    return tuple(found)


def by_of(body: str) -> str | None:
    """The plan that an event names as having caused it."""
    try:
        told = kept(body)
    except ValueError:
        return None
    by = told.get("by") if isinstance(told, dict) else None
    return by if isinstance(by, str) else None
