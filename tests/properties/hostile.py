"""Objects that a careless framework, or somebody with intent, could hand over as a plan."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from itertools import count, repeat
from typing import Any


class Trap(Exception):
    """Raised by what should not have been called, or by what had to be."""


def spring(*_: object, **__: object) -> Any:
    raise Trap


class RaisingItems(dict):
    items = __iter__ = __getitem__ = keys = spring


class RaisingMapping(Mapping):
    __getitem__ = __iter__ = __len__ = spring


class RaisingList(list):
    __iter__ = __len__ = __getitem__ = spring


class EndlessList(list):
    def __iter__(self) -> Iterator[Any]:
        return repeat(None)


class EndlessSame(dict):
    """One name for ever."""

    def items(self) -> Any:
        return repeat(("a", 1))


class EndlessNames(dict):
    def items(self) -> Any:
        return ((f"n{number}", number) for number in count())


class Bottomless(Mapping):
    """There is always one more level."""

    def __getitem__(self, name: str) -> "Bottomless":
        return Bottomless()

    def __iter__(self) -> Iterator[str]:
        return iter(("a",))

    def __len__(self) -> int:
        return 1


class OddItems(dict):
    """Its members are no pairs."""

    def items(self) -> Any:
        return [("a", "b", "c"), "x", 5]


class TrickText(str):
    """Text whose own methods are traps."""

    __slots__ = ()
    __str__ = __repr__ = __len__ = __iter__ = encode = strip = startswith = spring
    __eq__ = __lt__ = __format__ = spring
    __hash__ = spring


class TrickInt(int):
    __abs__ = __neg__ = __str__ = __repr__ = __int__ = __index__ = __lt__ = __gt__ = __eq__ = spring
    __hash__ = spring


class TrickFloat(float):
    __abs__ = __neg__ = __str__ = __repr__ = __float__ = __lt__ = __gt__ = __eq__ = spring
    __hash__ = spring


class TrickDecimal(Decimal):
    __abs__ = __neg__ = __str__ = __repr__ = __lt__ = __gt__ = __eq__ = spring
    is_finite = adjusted = as_tuple = spring
    __hash__ = spring


class Mute:
    """Everything about it raises, even what class it is."""

    __class__ = property(spring)  # type: ignore[assignment]  # hostile on purpose
    __str__ = __repr__ = __iter__ = __len__ = __getattr__ = spring


def liar(claimed: type) -> object:
    """An object that says it is an instance of *claimed*."""
    return type("Liar", (), {"__class__": property(lambda self: claimed)})()


def circle_of_lists() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


def circle_of_objects() -> dict[str, Any]:
    circle: dict[str, Any] = {}
    circle["input"] = {"inner": [circle]}
    return circle


def shared(depth: int) -> list[Any]:
    """A small object that stands for 2^depth values: each list holds the one before it twice."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value, value]
    return value


def deep(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


class Iterable:
    def __iter__(self) -> Iterator[int]:
        return count()


HOSTILE: dict[str, Callable[[], object]] = {
    "items() that raises": RaisingItems,
    "a mapping that raises": RaisingMapping,
    "__iter__ that raises": RaisingList,
    "a list without end": EndlessList,
    "one name without end": EndlessSame,
    "names without end": EndlessNames,
    "levels without end": Bottomless,
    "members that are no pairs": lambda: OddItems(a=1),
    "a circle of lists": circle_of_lists,
    "a circle of objects": circle_of_objects,
    "one list in a billion places": lambda: shared(31),
    "ten thousand levels": lambda: deep(10_000),
    "an object that raises whatever is asked": Mute,
    "a liar: object": lambda: liar(dict),
    "a liar: list": lambda: liar(list),
    "a liar: text": lambda: liar(str),
    "a liar: bytes": lambda: liar(bytes),
    "a liar: number": lambda: liar(int),
    "a liar: float": lambda: liar(float),
    "a liar: Decimal": lambda: liar(Decimal),
    "a liar: truth value": lambda: liar(bool),
    "a generator without end": count,
    "an iterable without end": Iterable,
    "a set": lambda: {1, 2},
    "bytes inside": lambda: [b"x"],
    "a view of memory": lambda: memoryview(b"[]"),
    "a class": lambda: dict,
    "a function": lambda: spring,
    "a complex number": lambda: 1j,
    "nothing": lambda: None,
    "an object": object,
    "names that are no text": lambda: {1: "a"},
    "a name that is nothing": lambda: {None: "a"},
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("-inf"),
    "a signalling NaN": lambda: Decimal("sNaN"),
    "a Decimal of a gigabyte": lambda: Decimal("1E+999999999"),
    "a Decimal next to nothing": lambda: Decimal("1E-999999999"),
    "a zero with an exponent": lambda: Decimal("0E+999999999"),
    "a Decimal of ten thousand digits": lambda: Decimal("1." + "1" * 10_000),
    "an integer of ten thousand digits": lambda: 10**10_000,
    "a float beyond 10^30": lambda: 1e300,
    "half a character": lambda: "\ud83d",
    "half a character in a name": lambda: {"\udc00": 1},
}
