"""What a handler may answer, from plain to hostile: made of a record of its step."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from pedidos import Row

from semel import Made
from semel.facts import Count, Date, Email, Instant, Money, Text

HUNDRED = 100_000_000
HALF = "\ud83d"


class Hostile:
    """An object that answers nothing that is asked of it."""

    def __str__(self):
        raise RuntimeError("str")

    def __repr__(self):
        raise RuntimeError("repr")

    def __eq__(self, other):
        raise RuntimeError("eq")

    def __hash__(self):
        raise RuntimeError("hash")

    def __bool__(self):
        raise RuntimeError("bool")

    def __len__(self):
        raise RuntimeError("len")

    def __iter__(self):
        raise RuntimeError("iter")

    def __getattr__(self, name):
        raise RuntimeError(name)


class Ends:
    """An object that would end the process when it is looked at."""

    @property
    def __class__(self):
        raise SystemExit(3)

    def __getattr__(self, name):
        raise KeyboardInterrupt(name)


class NoName(type):
    @property
    def __name__(cls):
        raise RuntimeError("name")


class Nameless(metaclass=NoName):
    pass


class Words(str):
    """Text that will not be written."""

    __slots__ = ()

    def encode(self, *how: Any) -> bytes:
        raise RuntimeError("encode")

    def __str__(self):
        raise RuntimeError("str")

    def __format__(self, how):
        raise RuntimeError("format")


class Whole(int):
    """A number that will not be written."""

    def __abs__(self):
        raise RuntimeError("abs")

    def __str__(self):
        raise RuntimeError("str")

    __repr__ = __index__ = __int__ = __str__


class Endless(dict):
    """An object without an end."""

    def items(self):
        return ((str(number), number) for number in itertools.count())


class Colour(Enum):
    RED = HALF


@dataclass
class Deep:
    """A value that holds another of itself wherever one looks."""

    @property
    def deeper(self) -> "Deep":
        return Deep()

    __dataclass_fields__ = {"deeper": field()}


class Further(Text):
    """A fact of the application's own kind."""


class More(Made):
    """An answer of the application's own kind."""

    def __init__(self, *rows: object, **facts: Any) -> None:
        super().__init__(*rows, **facts)
        self.more = Hostile()


class Closed(Made):
    """An answer that cannot be read."""

    __slots__ = ()

    @property
    def facts(self):
        raise RuntimeError("facts")

    @facts.setter
    def facts(self, value):
        pass

    undo = id = rows = facts


class Claims:
    """It says that it is an answer, and is none."""

    @property
    def __class__(self):
        return Made


def changed(made: Made, **parts: Any) -> Made:
    """An answer whose parts were written over."""
    for name, part in parts.items():
        setattr(made, name, part)
    return made


def nested(depth: int, put: Callable[[Any], Any]) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = put(value)
    return value


def circle() -> list[Any]:
    found: list[Any] = []
    found.append({"again": found})
    return found


def amount(text: str) -> Money:
    money = Money(Decimal(1))
    object.__setattr__(money, "amount", Decimal(text))
    return money


def endless() -> Iterator[str]:
    while True:
        yield "x"


def n(fact: Any) -> Callable[[Row], Made]:
    return lambda row: Made(row, n=fact)


def undo(data: Any) -> Callable[[Row], Made]:
    return lambda row: Made(row, undo=data, n=Text("1"))


ANSWERS: dict[str, Callable[[Row], Any]] = {
    "nothing at all": lambda row: Made(),
    "100 MB of text": lambda row: Made(row, n=Text("x" * HUNDRED)),
    "100 MB of text to undo with": lambda row: Made(row, n=Text("1"), undo="ñ" * (HUNDRED // 2)),
    "a million numbers": lambda row: Made(row, n=Text("1"), undo=list(range(1_000_000))),
    "a hundred thousand facts": lambda row: Made(
        row, **{f"n{i}": Count(i) for i in range(100_000)}
    ),
    "a fact with a long name": lambda row: Made(row, n=Text("1"), **{"x" * 1_000_000: Text("1")}),
    "NaN to undo with": undo(float("nan")),
    "NaN in a fact": n(Count(float("nan"))),  # type: ignore[arg-type]  # that is what is odd
    "infinity in a fact": n(Count(float("-inf"))),  # type: ignore[arg-type]  # as above
    "NaN as money": lambda row: Made(row, n=amount("NaN")),
    "infinity as money": lambda row: Made(row, n=amount("-Infinity")),
    "1E+1000000 as money": lambda row: Made(row, n=amount("1E+1000000")),
    "half a character in a fact": n(Text(HALF)),
    "half a character as a name": lambda row: Made(row, **{HALF: Text("1"), "n": Text("1")}),
    "half a character as id": lambda row: Made(row, id=HALF, n=Text("1")),
    "NUL everywhere": lambda row: Made(
        replace(row, text="\0"), id="a\0b", undo={"\0": "\0"}, n=Text("\0"), **{"\0": Text("1")}
    ),
    "marks that turn text round": n(Text("\u202e\u2066\x1b[2J\x07\r\n")),
    "a circle": lambda row: Made(row, undo=circle(), n=Text("1")),
    "doubled forty times": lambda row: Made(row, undo=nested(40, lambda x: [x, x]), n=Text("1")),
    "ten thousand deep, lists": lambda row: Made(row, undo=nested(10_000, lambda x: [x])),
    "ten thousand deep, objects": lambda row: Made(row, undo=nested(10_000, lambda x: {"a": x})),
    "deeper wherever one looks": undo(Deep()),
    "a Decimal": undo(Decimal("1.50")),
    "a Decimal as a fact": n(Decimal("1.50")),
    "bytes": undo(b"\xff\x00"),
    "bytes as a fact": n(Text(b"\xff")),  # type: ignore[arg-type]  # as above
    "a set": undo({1, 2}),
    "a generator": lambda row: Made(row, undo=(x for x in "abc"), n=Text("1")),  # type: ignore[arg-type]  # as above
    "a generator without an end": lambda row: Made(row, undo=[endless()], n=Text("1")),  # type: ignore[list-item]  # as above
    "an object without an end": lambda row: Made(row, undo=Endless(), n=Text("1")),
    "an object that answers nothing": undo({"x": Hostile()}),
    "a fact that answers nothing": n(Hostile()),
    "a fact of what answers nothing": n(Text(Hostile())),  # type: ignore[arg-type]  # as above
    "an object that ends the process": undo([Ends()]),
    "a fact that ends the process": n(Ends()),
    "a fact of what ends the process": lambda row: Made(
        row,
        n=Text("1"),
        bad=Instant(Ends()),  # type: ignore[arg-type]  # as above
    ),
    "a text that is none beside one": lambda row: Made(row, n=Text("1"), bad=Text(5)),  # type: ignore[arg-type]  # as above
    "a class without a name": undo(Nameless()),
    "names that are no text": undo({1: "a", None: "b", (): "c"}),
    "text that will not be written": undo(Words("x")),
    "a fact that will not be written": n(Text(Words("x"))),
    "a number that will not be written": undo(Whole(7)),
    "a number of ten thousand digits": undo(10**10_000),
    "ten thousand digits in a fact": n(Count(10**10_000)),
    "a choice that is half a character": undo(Colour.RED),  # type: ignore[arg-type]  # as above
    "a UUID and an instant": undo([UUID(int=0), datetime(1, 1, 1)]),  # noqa: DTZ001 - as above
    "facts that are none": lambda row: Made(row, n=None, a=1, b="x", c=[], d={}),  # type: ignore[arg-type]  # as above
    "a fact of its own kind": n(Further("x")),
    "a day that is none": n(Date("2026-02-30")),  # type: ignore[arg-type]  # as above
    "an instant without a zone": n(Instant(datetime(2026, 1, 1))),  # noqa: DTZ001 - as above
    "an instant in a zone that is none": n(Instant(datetime(1, 1, 1, tzinfo=UTC), "Marte/Olimpo")),
    "an address that is none": n(Email(None)),  # type: ignore[arg-type]  # as above
    "an id that is a number": lambda row: Made(row, id=7, n=Text("1")),  # type: ignore[arg-type]  # as above
    "an id that is bytes": lambda row: Made(row, id=b"7", n=Text("1")),  # type: ignore[arg-type]  # as above
    "an id that answers nothing": lambda row: Made(row, id=Hostile(), n=Text("1")),  # type: ignore[arg-type]  # as above
    "an id that will not be written": lambda row: Made(row, id=Words("x"), n=Text("1")),
    "an id of ten megabytes": lambda row: Made(row, id="x" * 10_000_000, n=Text("1")),
    "a thousand records": lambda row: Made(
        *(replace(row, id=f"{row.id}{i}") for i in range(1000)), n=Text("1")
    ),
    "the same record a thousand times": lambda row: Made(*[row] * 1000, n=Text("1")),
    "a label of ten megabytes": lambda row: Made(replace(row, text="x" * 10_000_000)),
    "a key that is half a character": lambda row: Made(replace(row, id=HALF), n=Text("1")),
    "a version that is a number": lambda row: Made(replace(row, version=1.5), n=Text("1")),  # type: ignore[arg-type]  # as above
    "an answer of its own kind": lambda row: More(row, n=Text("1")),
    "facts written over": lambda row: changed(Made(row), facts=None),
    "facts without an end": lambda row: changed(Made(row), facts=Endless()),
    "facts that answer nothing": lambda row: changed(Made(row), facts=Hostile()),
}
"""Answers that prove that it happened: done, whatever can be kept of them."""

UNREAD: dict[str, Callable[[Row], Any]] = {
    "a record that is none": lambda row: Made(None, n=Text("1")),
    "a record that answers nothing": lambda row: Made(Hostile(), n=Text("1")),
    "a record that ends the process": lambda row: Made(Ends(), n=Text("1")),
    "a key that answers nothing": lambda row: Made(replace(row, id=Hostile()), n=Text("1")),  # type: ignore[arg-type]  # as above
    "records written over": lambda row: changed(Made(row), rows=7),
    "an answer that cannot be read": Closed,
}
"""Answers whose records cannot be read: nothing of a Local step stands, an outside one is done."""

NO_ANSWERS: dict[str, Callable[[Row], Any]] = {
    "None": lambda row: None,
    "the record": lambda row: row,
    "text": lambda row: "ok",
    "the class": lambda row: Made,
    "what answers nothing": lambda row: Hostile(),
    "what ends the process": lambda row: Ends(),
    "one that claims to be an answer": lambda row: Claims(),
    "a list of answers": lambda row: [Made(row)],
}
"""Answers that prove nothing."""
