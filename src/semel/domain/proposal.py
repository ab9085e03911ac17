"""Reading what a model wrote: strict JSON, small and shallow, before anything else looks at it.

JSON readers differ on duplicate names, NaN and big numbers (RFC 8259, sections 4 and 6): what one
of them shows and another runs must not differ, so all of that is refused here.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any, cast

from semel.domain.canonical import SAFE_INTEGER
from semel.domain.plan import STEPS_MAX
from semel.domain.report import Problem
from semel.facts import JSON

BYTES_MAX = 1024 * 1024
"""A plan of ten steps is a few kilobytes; a megabyte is refused before it is looked at."""

DEPTH_MAX = 32
NODES_MAX = 20_000

NUMBER_MAX = 100
"""Characters of a number: an exact one has at most 40, and readers are slow at thousands."""

# Strings are skipped whole, so that a bracket in somebody's words does not count. Possessive (++):
# a string that never ends is read once, not again from each of its quotes.
TOKENS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]|,', re.DOTALL)
HALF = re.compile(r"[\ud800-\udfff]")


class Malformed(ValueError):
    """The text is no plan; ``code`` says why."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


class Exact(Decimal):
    """A number with a fraction or an exponent as it was written, until a field's type reads it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Read:
    """The steps of a proposal as ``(action, input)``, and what is wrong with it."""

    steps: tuple[tuple[str, JSON], ...] = ()
    problems: tuple[Problem, ...] = ()


def read(proposal: object) -> Read:
    """Read a proposal strictly.

    Args:
        proposal: JSON text, bytes in UTF-8, or the object a framework already parsed:
            ``{"steps": [{"action": …, "input": {…}}, …]}``; a bare list of steps will do.
    """
    try:
        return _steps(loaded(proposal))
    except Malformed as no:
        return Read(problems=(Problem(no.code, "", no.detail),))
    except Exception as no:  # noqa: BLE001 - an object of a framework may raise anything as it is read
        return Read(problems=(Problem("not_json", "", type(no).__name__),))


def loaded(proposal: object) -> JSON:
    """JSON as strictly read as a proposal is: no name twice, no NaN, nothing deep or endless.

    Args:
        proposal: JSON text, bytes in UTF-8, or an object that a framework has parsed.

    Raises:
        Malformed: it is none.
    """
    if isinstance(proposal, bytes | bytearray):
        if len(proposal) > BYTES_MAX:
            raise Malformed("too_long")
        try:
            proposal = bytes(proposal).decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("not_utf8") from None
    if isinstance(proposal, str):
        return _parse(proposal)
    return _copied(proposal)


def _parse(text: str) -> JSON:
    if len(text) > BYTES_MAX:
        raise Malformed("too_long")
    depth = marks = 0
    for token in TOKENS.finditer(text):
        mark = text[token.start()]
        depth += mark in "[{"
        depth -= mark in "]}"
        if depth > DEPTH_MAX:
            raise Malformed("too_deep")
        # Every opening is a value and every comma has one before it, so this is never too strict.
        marks += mark in "[{,"
        if marks > 2 * NODES_MAX:
            raise Malformed("too_long")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_decimal,
            parse_int=_integer,
            parse_constant=_constant,
        )
    except (json.JSONDecodeError, RecursionError) as no:
        raise Malformed("not_json", str(no)[:200]) from None
    return _copied(value)


def _object(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise Malformed("duplicate_name", name[:100])
        members[name] = value
    return members


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > SAFE_INTEGER:
        raise Malformed("number_too_large", digits[:40])
    return int(digits)


def _decimal(digits: str) -> Exact:
    if len(digits) > NUMBER_MAX:
        raise Malformed("number_too_large", digits[:40])
    return Exact(digits)


def _constant(name: str) -> JSON:
    raise Malformed("not_a_number", name)


def _copied(value: object) -> JSON:
    """A copy that holds only what JSON knows, checked for depth and size as it is made.

    It is made level by level, each object or list at once.
    """
    whole: list[Any] = [value]
    level: list[Any] = [whole]
    texts: list[str] = []
    nodes = 1
    for _ in range(DEPTH_MAX + 1):
        inner: list[Any] = []
        for holder in level:
            for place, item in holder.items() if type(holder) is dict else enumerate(holder):
                known = item if type(item) in _KNOWN else _plain(item)
                if type(known) is str:
                    texts.append(known)
                elif type(known) in _HOLDERS:
                    nodes += len(known)
                    if nodes > NODES_MAX:
                        raise Malformed("too_long")
                    known = known.copy()
                    if type(known) is dict:
                        known = known if _TEXT.issuperset(map(type, known)) else _named(known)
                        texts += known
                    inner.append(known)
                if known is not item:
                    holder[place] = known
        if not inner:
            _check(texts)
            return cast("JSON", whole[0])
        level = inner
    raise Malformed("too_deep")


_TEXT = frozenset({str})
_HOLDERS = frozenset({dict, list})
_KNOWN = _TEXT | _HOLDERS


def _named(members: Mapping[object, object]) -> dict[str, object]:
    """An object whose names are text of Python's own."""
    # It may say one name without end, which would be a single member.
    pairs = list(islice(members.items(), NODES_MAX + 1))
    if len(pairs) > NODES_MAX:
        raise Malformed("too_long")
    return {_text(name): item for name, item in pairs}


def _plain(value: object) -> Any:
    """What is no text, object or list of Python's own, as the one that JSON knows."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        whole = int.__int__(value)
        if abs(whole) > SAFE_INTEGER:
            raise Malformed("number_too_large")
        return whole
    if isinstance(value, float | Decimal):
        return _number(value)
    if isinstance(value, Mapping):
        return _named(value)
    if isinstance(value, list | tuple):
        return list(islice(value, NODES_MAX + 1))
    raise Malformed("not_json", type(value).__name__)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Malformed("not_json", type(value).__name__)
    # A subclass's own methods may do anything.
    plain = value if type(value) is str else str.__str__(value)
    _check([plain])
    return plain


def _number(value: float | Decimal) -> Exact:
    # A float is read by its shortest decimal text; the field's type decides whether it fits.
    exact = Exact(value if isinstance(value, Decimal) else float.__repr__(value))
    if not exact.is_finite():
        raise Malformed("not_a_number", str(exact)[:40])
    if abs(exact.adjusted()) > 30 or len(str(exact)) > NUMBER_MAX:
        raise Malformed("number_too_large", str(exact)[:40])
    return exact  # on its way to a typed field, never stored


def _check(texts: list[str]) -> None:
    """Of all texts together: that they are not too long, and of whole characters."""
    if sum(map(len, texts)) > BYTES_MAX:
        raise Malformed("too_long")
    joined = "".join(texts)
    if not joined.isascii() and HALF.search(joined):
        raise Malformed("half_character")


def _steps(value: JSON) -> Read:
    if isinstance(value, dict):
        unknown = sorted(set(value) - {"steps"})
        if unknown:
            return Read(
                problems=tuple(Problem("unknown_field", name[:100]) for name in unknown[:20])
            )
        value = value.get("steps")
    if not isinstance(value, list) or not value:
        return Read(problems=(Problem("no_steps"),))
    if len(value) > STEPS_MAX:
        return Read(problems=(Problem("too_many_steps", "steps", str(len(value))),))
    steps: list[tuple[str, JSON]] = []
    problems: list[Problem] = []
    for index, step in enumerate(value, start=1):
        match step:
            case {"action": str(name), "input": given, **others}:
                steps.append((name, given))
                if others:
                    where, unknown = f"steps[{index}]", sorted(map(str, others))[:20]
                    problems += [Problem("unknown_field", f"{where}.{o[:100]}") for o in unknown]
            case _:
                problems.append(Problem("step_shape", f"steps[{index}]"))
    return Read(tuple(steps), tuple(problems))
