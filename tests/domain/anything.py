"""Values that a handler could return, of which not one may stop its step from being recorded."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from itertools import count, repeat
from typing import Any

from semel.domain.canonical import RESULT_BYTES
from semel.facts import Fact, Text


def spring(*_: object, **__: object) -> Any:
    raise ZeroDivisionError


class Unspeakable:
    __str__ = __repr__ = __iter__ = __len__ = __getattr__ = spring


class Spring(type):
    """A metaclass that answers for its classes."""

    __name__ = property(spring)  # type: ignore[assignment]  # hostile on purpose
    __str__ = __repr__ = __call__ = spring


class Nameless(metaclass=Spring):
    pass


class Classless:
    __class__ = property(spring)  # type: ignore[assignment]  # hostile on purpose


class RaisingItems(dict):
    items = spring


class RaisingList(list):
    def __iter__(self) -> Iterator[Any]:
        raise MemoryError


class EndlessList(list):
    def __iter__(self) -> Iterator[Any]:
        return repeat(0)


class EndlessNames(dict):
    def items(self) -> Any:
        return ((f"n{number}", number) for number in count())


class EndlessName(dict):
    def items(self) -> Any:
        return repeat(("a", 1))


class Bottomless(Mapping):
    def __getitem__(self, name: str) -> "Bottomless":
        return Bottomless()

    def __iter__(self) -> Iterator[str]:
        return iter("a")

    def __len__(self) -> int:
        return 1


class RaisingFact(Fact):
    plain = spring


class OwnFact(Fact):
    def plain(self) -> Any:
        return [self]


@dataclass
class Looped:
    itself: Any = None
    numbers: list[float] = field(default_factory=list)


class Raising:
    @property
    def __dataclass_fields__(self) -> Any:
        raise ZeroDivisionError


class TrickText(str):
    __slots__ = ()
    encode = spring


class TrickInt(int):
    __abs__ = spring


def lying() -> Any:
    return type("Liar", (), {"__class__": property(lambda self: dict)})()


def looped() -> Looped:
    loop = Looped()
    loop.itself = [loop]
    return loop


def enum_of_bytes() -> Any:
    return Enum("Colour", {"RED": b"red"}).RED


def circle() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["self"] = [value]
    return value


def deep(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def shared(depth: int) -> list[Any]:
    """A small object that stands for 2^depth values."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value, value]
    return value


AHEAD = timezone(timedelta(hours=1))
BEHIND = timezone(timedelta(hours=-1))
NAIVE = datetime(2026, 10, 19, tzinfo=UTC).replace(tzinfo=None)

ANYTHING: dict[str, Callable[[], object]] = {
    "a float": lambda: 1.5,
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "a complex number": lambda: 1j,
    "a number beyond 2^53": lambda: 2**53,
    "a number of ten thousand digits": lambda: 10**10_000,
    "a Decimal that is not a number": lambda: Decimal("NaN"),
    "a Decimal that signals": lambda: Decimal("sNaN"),
    "a Decimal of a gigabyte": lambda: Decimal("1E+999999999"),
    "a Decimal of as much nothing": lambda: Decimal("0E-999999999"),
    "bytes": lambda: b"%PDF",
    "a bytearray": lambda: bytearray(b"x"),
    "a view of memory": lambda: memoryview(b"x"),
    "bytes inside": lambda: {"pdf": [b"%PDF"]},
    "an instant without a zone": lambda: NAIVE,
    "an instant before the calendar": lambda: datetime.min.replace(tzinfo=AHEAD),
    "an instant after the calendar": lambda: datetime.max.replace(tzinfo=BEHIND),
    "a length of time": timedelta,
    "half a character": lambda: "a\ud83d",
    "half a character in a name": lambda: {"\udc00": 1},
    "a fact of half a character": lambda: Text("\ud83d"),
    "a fact of an object": lambda: Text(object()),
    "a fact that raises": RaisingFact,
    "a fact of itself": OwnFact,
    "an object": object,
    "an object that cannot be shown": Unspeakable,
    "an object whose class will not say its name": lambda: type.__call__(Nameless),
    "an object that will not say its class": Classless,
    "an object that says it is another": lying,
    "a class": lambda: Unspeakable,
    "a class that will not say its name": lambda: Nameless,
    "a class of values": lambda: Looped,
    "a function": lambda: spring,
    "a set": lambda: {1},
    "a range": lambda: range(3),
    "a generator": lambda: (number for number in range(3)),
    "a generator without end": count,
    "names that are no text": lambda: {1: "a"},
    "a name that is nothing": lambda: {None: 1},
    "a name of two": lambda: {("a", "b"): 1},
    "two names of one spelling": lambda: {"\u00e9": 1, "e\u0301": 2},
    "items() that raises": lambda: RaisingItems(a=1),
    "__iter__ that raises": lambda: RaisingList([1]),
    "a list without end": EndlessList,
    "names without end": EndlessNames,
    "one name without end": EndlessName,
    "levels without end": Bottomless,
    "a hundred thousand levels": lambda: deep(100_000),
    "a circle": circle,
    "a circle of values": looped,
    "one list in a billion places": lambda: shared(30),
    "values that raise": Raising,
    "an enumeration of bytes": enum_of_bytes,
    "text whose own methods raise": lambda: TrickText("x"),
    "a number whose own methods raise": lambda: TrickInt(3),
    "a class with a long name": type("Ñ" * 300, (), {}),
    "text that is a byte too long": lambda: "x" * (RESULT_BYTES - 1),
    "a hundred megabytes of text": lambda: "x" * 100_000_000,
    "a hundred megabytes in one fact": lambda: Text("x" * 100_000_000),
    "a megabyte in a thousand texts": lambda: ["x" * 1000] * 1000,
    "a million numbers": lambda: [7] * 1_000_000,
}
