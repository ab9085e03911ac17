"""Reading what a model wrote: strict JSON, small and shallow, before anything else looks at it.

JSON readers differ on duplicate names, NaN and big numbers (RFC 8259, sections 4 and 6): what one
of them shows and another runs must not differ, so all of that is refused here.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

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
    """A copy that holds only what JSON knows, checked for depth and size as it is made."""
    return _Copy().of(value, 0)


class _Copy:
    def __init__(self) -> None:
        self.nodes = 0
        self.characters = 0

    def of(self, value: object, depth: int) -> JSON:
        self.nodes += 1
        if depth >= DEPTH_MAX and isinstance(value, Mapping | list | tuple):
            raise Malformed("too_deep")
        if self.nodes > NODES_MAX:
            raise Malformed("too_long")
        # First what there is most of.
        if type(value) is str:
            return self.text(value)
        if type(value) is dict:
            return self.members(cast("dict[object, object]", value), depth)
        if value is None or value is True or value is False:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int):
            whole = int.__int__(value)
            if abs(whole) > SAFE_INTEGER:
                raise Malformed("number_too_large")
            return whole
        if isinstance(value, float | Decimal):
            return self.number(value)
        if isinstance(value, Mapping):
            return self.members(value, depth)
        if isinstance(value, list | tuple):
            return [self.of(item, depth + 1) for item in value]
        raise Malformed("not_json", type(value).__name__)

    def members(self, value: Mapping[object, object], depth: int) -> JSON:
        copied: dict[str, JSON] = {}
        for name, item in value.items():
            plain = self.text(name) if type(name) is str else self.name(name)
            copied[plain] = self.of(item, depth + 1)
        return copied

    def text(self, value: str) -> str:
        # A subclass's own methods may do anything.
        plain = value if type(value) is str else str.__str__(value)
        self.characters += len(plain)
        if self.characters > BYTES_MAX:
            raise Malformed("too_long")
        if not plain.isascii() and HALF.search(plain):
            raise Malformed("half_character")
        return plain

    def name(self, value: object) -> str:
        if not isinstance(value, str):
            raise Malformed("not_json", type(value).__name__)
        return self.text(value)

    def number(self, value: float | Decimal) -> JSON:
        # A float is read by its shortest decimal text; the field's type decides whether it fits.
        exact = Exact(value if isinstance(value, Decimal) else float.__repr__(value))
        if not exact.is_finite():
            raise Malformed("not_a_number", str(exact)[:40])
        if abs(exact.adjusted()) > 30 or len(str(exact)) > NUMBER_MAX:
            raise Malformed("number_too_large", str(exact)[:40])
        return cast("JSON", exact)  # an exact number on its way to a typed field, never stored


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
        where = f"steps[{index}]"
        if (
            not isinstance(step, dict)
            or not isinstance(step.get("action"), str)
            or "input" not in step
        ):
            problems.append(Problem("step_shape", where))
            continue
        extra = sorted(set(step) - {"action", "input"})
        problems += [Problem("unknown_field", f"{where}.{name[:100]}") for name in extra[:20]]
        steps.append((str(step["action"]), step["input"]))
    return Read(tuple(steps), tuple(problems))
