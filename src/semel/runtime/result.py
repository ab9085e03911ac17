"""What a step answered, as it is kept: nothing may raise between an effect and its record."""

import json
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, TypeAlias, TypeVar, cast

from semel.domain.action import Kind, Made
from semel.domain.canonical import compact, kept, total
from semel.facts import JSON, Fact, plain_texts, read_facts, store_facts
from semel.runtime.stored import Result, result_in

T = TypeVar("T")

Facts: TypeAlias = tuple[dict[str, JSON], Mapping[str, Fact]]
"""Facts as they are stored, and as reading them back gives them."""

Touched = tuple[int, str, str, str, str]
"""What a step made or touched: position, kind, id, version, label."""


LABEL_MAX = 200
"""Characters of a record's label that are kept: it is for reading, not for finding."""

FACTS_MAX = 1000
"""Facts of one result that are looked at: what nobody can read is not worth the only writer."""

MARKERS = ({"unserializable"}, {"too_large"})
"""The names that stand for what could not be kept (``semel.domain.canonical.total``)."""

PART_BYTES = 32 * 1024
"""Cap of one part of a result, so that one which is too long takes no other with it."""


def touched(position: int, kind: type[Kind[object]] | None, made: Made) -> list[Touched]:
    """The records of a step's answer, each once, through the Kind that the action makes."""
    if kind is None:
        return []
    reader = cast("Any", kind())
    rows: dict[str, Touched] = {}
    for row in made.rows:
        key, version = _text(reader.key(row)), _text(reader.version(row))
        rows[key] = (position, kind.name, key, version, _text(reader.label(row))[:LABEL_MAX])
    return list(rows.values())


def _text(value: object) -> str:
    """Text that every column holds: half a character or a NUL would be refused after the effect."""
    return str(value).encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def result_text(made: Made, rows: list[Touched]) -> str:
    """A step's result as stored; it never raises, whatever the handler returned."""
    return kept_result(made, rows)[0]


def kept_result(made: Made, rows: list[Touched]) -> tuple[str, Result]:
    """A step's result as stored, and as reading that back gives it.

    What cannot be written is left out or becomes a marker, each part by itself.
    """
    nothing: Facts = ({}, {})
    facts, read = _read(lambda: _facts(made), nothing)
    parts: dict[str, JSON] = {
        "id": _part(_read(lambda: made.id if isinstance(made.id, str) else None, None)),
        "facts": facts,
        "rows": _part(rows),
        "undo": _read(lambda: _whole(made.undo), None),
    }
    # Each part has been spelled and read back, and has its cap: together they can be written.
    return compact(parts), result_in(parts, read)


def _read(read: Callable[[], T], otherwise: T) -> T:
    """A part of an answer, which may be anything: the step happened, so its record must stand."""
    try:
        return read()
    except BaseException:  # noqa: BLE001 - a hostile value may raise whatever it likes
        return otherwise


def _facts(made: Made) -> Facts:
    """The facts together, which is quicker; or, where that cannot be, each that can be kept."""
    given = dict(islice(made.facts.items(), FACTS_MAX))
    facts = _stored(given)
    if facts[0] or not given:
        return facts
    several: dict[str, JSON] = {}
    for name, fact in given.items():
        several |= _stored({name: fact})[0]
    part = cast("dict[str, JSON]", _part(several))
    return part, _read(lambda: read_facts(part), {})


def _whole(undo: object) -> JSON:
    """Undo data as it is, or none at all: half of it would take something else back."""
    if undo is None:
        return None
    part = _part(undo)
    if isinstance(part, dict) and part.keys() in MARKERS:
        # What was too much to be spelled once has perhaps no end.
        return None
    return part if json.loads(json.dumps(undo, allow_nan=False)) == part else None


def _part(part: object) -> JSON:
    if part is None or (type(part) is list and not part):
        # As most steps leave most parts; anything else is spelled and read back.
        return part
    return cast("JSON", kept(total(part, PART_BYTES)))


def _stored(facts: Mapping[str, Fact]) -> Facts:
    """Facts as stored, or nothing: one that cannot be read back takes the others with it."""
    try:
        stored = plain_texts(facts)
        if stored is not None:
            return stored, dict(sorted(facts.items()))  # in the order of the stored text
        stored = cast("dict[str, JSON]", _part(store_facts(facts)))
        return stored, read_facts(stored)
    except BaseException:  # noqa: BLE001 - the step happened, so its record must stand
        return {}, {}
