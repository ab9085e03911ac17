"""Plans as meanings, the many ways to write each of them, and an oracle that reads them back.

A meaning is plain values: fractions, days, microseconds, text in NFD. `Field.write` spells one in
a way that chance chooses, `Field.read` says what a spelling means. Nothing here uses semel's own
normalisation, so that two plans are equal by this oracle, or by their keys, for separate reasons.
"""

import json
import unicodedata
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any
from uuid import UUID

from draws import Draw

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
ACTIONS = ["thing.make", "thing.mend"]
COLOURS = ["red", "blue", "blå"]


@dataclass(frozen=True)
class Raw:
    """A number as it stands in JSON text."""

    text: str


@dataclass(frozen=True)
class Field:
    """A type: how a meaning is drawn, how it may be written, what a writing means."""

    draw: Callable[[Draw], Any]
    write: Callable[[Draw, Any], Any]
    read: Callable[[Any], Any]


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def draw_number(d: Draw) -> Fraction:
    digits = d.pick([0, 1, 5, 50, 500, 1234567, d.below(10**6), d.below(10**14)])
    return Fraction(digits * d.pick([1, -1]), 10 ** d.pick([0, 0, 1, 2, 6]))


def plain(number: Fraction) -> str:
    """Decimal text without exponent, as short as it can be."""
    whole, part = divmod(int(abs(number) * 10**9), 10**9)
    text = f"{whole}.{part:09}".rstrip("0").rstrip(".")
    return f"-{text}" if number < 0 else text


def write_number(d: Draw, number: Fraction) -> Any:
    if number == 0:
        return d.pick([Raw("0"), Raw("-0"), Raw("-0.0"), Raw("0e5"), "0", "-0.00", "000"])
    text, shift = plain(number), d.below(7) - 2
    if d.flip():
        text = f"{text}{'' if '.' in text else '.'}{'0' * (1 + d.below(3))}"
    sign = "-" if number < 0 else ""
    written = [text, f" {text}\n", f"{sign}00{text.removeprefix('-')}", Raw(text), Raw(text)]
    return d.pick(
        [*written, Raw(f"{plain(number * Fraction(10) ** shift)}{d.pick('eE')}{-shift:+}")]
    )


def write_int(d: Draw, number: int) -> Any:
    return d.pick([Raw(f"{number}"), Raw(f"{number}.0"), Raw(f"{number * 10}e-1"), f"{number}"])


def write_text(d: Draw, text: str) -> str:
    return unicodedata.normalize(d.pick(["NFC", "NFD"]), text)


def write_instant(d: Draw, micros: int) -> str:
    minutes = d.pick([0, 0, 60, 120, 330, -210, -720, 840, 1])
    at = (EPOCH + micros * MICROSECOND).astimezone(timezone(timedelta(minutes=minutes)))
    text = at.replace(tzinfo=None).isoformat(d.pick("T "), "microseconds")
    if d.flip():
        text = text.rstrip("0").rstrip(".")
    sign, size = "-" if minutes < 0 else "+", abs(minutes)
    return (
        f"{text}Z" if minutes == 0 and d.flip() else f"{text}{sign}{size // 60:02}:{size % 60:02}"
    )


def read_instant(text: str) -> int:
    return (datetime.fromisoformat(text) - EPOCH) // MICROSECOND


def write_uuid(d: Draw, number: int) -> str:
    text = str(UUID(int=number))
    return d.pick([text, text.upper(), text.replace("-", ""), f"urn:uuid:{text}"])


def optional(field: Field) -> Field:
    return Field(
        lambda d: field.draw(d) if d.flip() else None,
        lambda d, value: None if value is None else field.write(d, value),
        lambda raw: None if raw is None else field.read(raw),
    )


def many(field: Field) -> Field:
    return Field(
        lambda d: tuple(field.draw(d) for _ in range(d.below(3))),
        lambda d, values: [field.write(d, value) for value in values],
        lambda raw: tuple(map(field.read, raw)),
    )


def named(field: Field) -> Field:
    """An object with names of its own."""
    return Field(
        lambda d: tuple(sorted({nfd(d.text(4)): field.draw(d) for _ in range(d.below(3))}.items())),
        lambda d, pairs: {write_text(d, n): field.write(d, v) for n, v in d.shuffled(pairs)},
        lambda raw: tuple(sorted((nfd(name), field.read(value)) for name, value in raw.items())),
    )


REQUIRED = object()


def nested(fields: dict[str, tuple[Field, Any]]) -> Field:
    """An object of a type, whose fields have defaults; a meaning names all of them."""

    def draw(d: Draw) -> tuple[tuple[str, Any], ...]:
        return tuple(
            (name, default if default is not REQUIRED and d.below(3) == 0 else field.draw(d))
            for name, (field, default) in fields.items()
        )

    def write(d: Draw, meaning: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
        return {
            name: fields[name][0].write(d, value)
            for name, value in d.shuffled(meaning)
            # What has its default is written out or left out.
            if value != fields[name][1] or d.flip()
        }

    def read(raw: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
        assert set(raw) <= set(fields)
        return tuple(
            (name, field.read(raw[name]) if name in raw else default)
            for name, (field, default) in fields.items()
        )

    return Field(draw, write, read)


NUMBER = Field(draw_number, write_number, Fraction)
TEXT = Field(lambda d: nfd(d.text(6)), write_text, nfd)
LINE = Field(lambda d: nfd(d.text(6, least=1)), write_text, nfd)
BOOL = Field(lambda d: d.flip(), lambda d, value: value, lambda raw: raw)
INT = Field(
    lambda d: d.pick([0, 1, -1, 7, 2**49, d.below(10**6)]),
    write_int,
    lambda raw: int(Fraction(raw)),
)
DAY = Field(lambda d: date.fromordinal(739_600 + d.below(900)), lambda d, v: v.isoformat(),
            date.fromisoformat)  # fmt: skip
INSTANT = Field(lambda d: d.pick([0, 10**15, 1_792_396_800_000_000 + d.below(10**9)]),
                write_instant, read_instant)  # fmt: skip
UUID_ = Field(lambda d: d.below(2**63) << 60 | 0x7, write_uuid, lambda raw: UUID(raw).int)
COLOUR = Field(lambda d: d.pick(COLOURS), lambda d, value: value, lambda raw: raw)
# Not "$n": what a reference may point at depends on its step, so `draw_plan` puts those in.
REF = Field(lambda d: nfd(f"t-{d.text(6)}"), write_text, nfd)
SIZE = {"width": (NUMBER, Fraction(1)), "unit": (TEXT, "cm"), "exact": (BOOL, False)}
PART = {"name": (LINE, REQUIRED), "price": (NUMBER, REQUIRED), "of": (optional(REF), None)}
FIELDS = {
    "price": (NUMBER, REQUIRED),
    "name": (LINE, REQUIRED),
    "note": (TEXT, ""),
    "quantity": (NUMBER, Fraction(1)),
    "limit": (optional(NUMBER), None),
    "urgent": (BOOL, False),
    "told": (optional(BOOL), True),
    "count": (INT, 0),
    "day": (optional(DAY), None),
    "at": (optional(INSTANT), None),
    "uid": (optional(UUID_), None),
    "colour": (COLOUR, "red"),
    "thing": (optional(REF), None),
    "size": (nested(SIZE), tuple((name, default) for name, (_, default) in SIZE.items())),
    "parts": (many(nested(PART)), ()),
    "tags": (many(TEXT), ()),
    "days": (many(DAY), ()),
    "labels": (named(TEXT), ()),
}
INPUT = nested(FIELDS)

Plan = tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]


def draw_plan(d: Draw) -> Plan:
    steps = []
    for position in range(1, 1 + d.pick([1, 1, 1, 1, 2, 3])):
        given = dict(INPUT.draw(d))
        if position > 1 and d.flip():
            given["thing"] = f"${1 + d.below(position - 1)}"
        steps.append((d.pick(ACTIONS), tuple(given.items())))
    return tuple(steps)


def changed(d: Draw, plan: Plan) -> Plan:
    """The plan with one thing drawn anew: a field, an order, an action; by chance it is the same."""
    steps, at = list(plan), d.below(len(plan))
    action, given = steps[at]
    match d.below(8):
        case 0:
            return (*steps[:at], (d.pick(ACTIONS), given), *steps[at + 1 :])
        case 1:
            # Only what refers to nothing may change places.
            bare = [(name, [(n, None if n == "thing" else v) for n, v in g]) for name, g in steps]
            return tuple((name, tuple(g)) for name, g in d.shuffled(bare))
        case 2:
            turned = {n: tuple(d.shuffled(v)) for n, v in given if n in {"parts", "tags", "days"}}
            new = tuple((n, turned.get(n, v)) for n, v in given)
        case _:
            name = d.pick(list(FIELDS))
            new = tuple((n, FIELDS[n][0].draw(d) if n == name else v) for n, v in given)
    return (*steps[:at], (action, new), *steps[at + 1 :])


def write_plan(d: Draw, plan: Plan) -> Any:
    """A plan as a tree of one spelling."""
    steps = []
    for action, given in plan:
        members = {"action": action, "input": INPUT.write(d, given)}
        steps.append({name: members[name] for name in d.shuffled(list(members))})
    return {"steps": steps} if d.flip() else steps


def read_plan(text: str) -> Plan:
    """What a plan's text means: the oracle."""
    tree = json.loads(text, parse_float=Fraction)
    steps = tree["steps"] if isinstance(tree, dict) else tree
    return tuple((step["action"], INPUT.read(step["input"])) for step in steps)


def as_text(d: Draw, node: Any) -> str:
    """JSON text, with white space and escapes where they mean nothing."""
    match node:
        case Raw(text):
            return f"{space(d)}{text}{space(d)}"
        case str():
            return f"{space(d)}{quoted(d, node)}{space(d)}"
        case dict():
            members = ",".join(f"{as_text(d, n)}:{as_text(d, v)}" for n, v in node.items())
            return f"{space(d)}{{{members}{space(d)}}}"
        case list():
            return f"[{','.join(as_text(d, item) for item in node)}{space(d)}]"
    return json.dumps(node)


def space(d: Draw) -> str:
    return d.pick(["", "", "", " ", "\n", "\t\r "])


def quoted(d: Draw, text: str) -> str:
    match d.below(3):
        case 0:
            return json.dumps(text)
        case 1:
            return json.dumps(text, ensure_ascii=False)
    return f'"{"".join(letter_of(d, letter) for letter in text)}"'


def letter_of(d: Draw, letter: str) -> str:
    if letter not in '"\\' and letter >= " " and d.flip():
        return letter
    return "".join(f"\\u{unit:04{d.pick('xX')}}" for unit in units(letter))


def units(letter: str) -> list[int]:
    data = letter.encode("utf-16-be")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]


def as_object(d: Draw, node: Any) -> Any:
    """What a framework makes of the text: its own kinds of numbers, objects and lists."""
    match node:
        case Raw(text):
            if set(text) <= set("-0123456789"):
                return int(text)
            near = float(text)
            exact = Fraction(repr(near)) == Fraction(text)
            return near if exact and d.flip() else Decimal(text)
        case dict():
            made = {name: as_object(d, value) for name, value in node.items()}
            return d.pick([made, OrderedDict(made), MappingProxyType(made)])
        case list():
            return d.pick([list, tuple])(as_object(d, item) for item in node)
    return node
