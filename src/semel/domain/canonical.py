"""One spelling for one meaning, and the digests taken over it.

Values are normalised by type, then written by RFC 8785 (JCS), then hashed with SHA-256. The scheme
is specified in ``docs/keys.md``, with vectors; changing it means a new version label.
"""

import json
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from types import NoneType
from typing import Any, TypeAlias, TypeVar, cast
from uuid import UUID

import orjson
import rfc8785

from semel.facts import JSON, Fact, decimal_text, instant_text

T = TypeVar("T")

SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON implementation reads exactly (RFC 8785, section 3.2.2.3)."""

RESULT_BYTES = 256 * 1024
"""Cap of a stored result: a page of facts is a few kilobytes, and a record must always fit."""


Lists: TypeAlias = "str | int | Sequence[Lists] | None"
"""Text, whole numbers, and lists of them."""


class NotCanonical(ValueError):
    """A value has no single spelling; the message says which and why."""


class Room:
    """How many values may still be spelled: one that holds itself in two places has no end."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self) -> None:
        """Make room for one value more."""
        self._left -= 1
        if self._left < 0:
            raise NotCanonical("There are too many values in it.")


def normal(value: object, room: Room | None = None) -> JSON:
    """*value* in its one spelling, by type; text becomes NFC (for keys, never for storage).

    Args:
        value: what is spelled.
        room: for values from anywhere; what was read from a plan is small already.

    Raises:
        NotCanonical: no type says how the value is spelled (a float, bytes, a naive instant, …).
    """
    if room is not None:
        room.take()
    # First what there is most of.
    if type(value) is str:
        return _text(value)
    if type(value) is dict:
        return _object(cast("dict[object, object]", value), room)
    if type(value) is list:
        return [normal(item, room) for item in cast("list[object]", value)]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return normal(value.value, room)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        if abs(value) > SAFE_INTEGER:
            raise NotCanonical(f"The number {value} is beyond 2^53; write it as text.")
        return value
    return _composed(value, room)


def _composed(value: object, room: Room | None) -> JSON:
    if isinstance(value, Decimal):
        return _spelled(decimal_text, value)
    if isinstance(value, datetime):
        return _spelled(instant_text, value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Fact):
        return normal(value.plain(), room)
    if isinstance(value, Mapping):
        return _object(value, room)
    if isinstance(value, list | tuple):
        return [normal(item, room) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: normal(getattr(value, field.name), room) for field in fields(value)}
    raise NotCanonical(f"A {type(value).__name__} has no canonical form; declare a type for it.")


def _text(value: str) -> str:
    if type(value) is str and value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        raise NotCanonical("The text holds half a character (a lone surrogate).") from None
    return unicodedata.normalize("NFC", value)


def _spelled(spell: Callable[[T], str], value: T) -> str:
    try:
        return spell(value)
    except ValueError as no:
        raise NotCanonical(str(no)) from no


def _object(value: Mapping[object, object], room: Room | None) -> JSON:
    members: dict[str, JSON] = {}
    for name, member in value.items():
        if not isinstance(name, str):
            raise NotCanonical("The names of an object are text.")
        spelled = _text(name)
        if spelled in members:
            raise NotCanonical("Two names of an object differ only in how an accent is written.")
        members[spelled] = normal(member, room)
    return members


def jcs(value: JSON) -> bytes:
    """RFC 8785: the canonical bytes of a JSON value."""
    if _is_plain(value):
        # What has no fractions and only ASCII names has one spelling, and orjson's is quicker.
        try:
            return orjson.dumps(value, option=_PLAIN)
        except TypeError:
            pass  # half a character or a number beyond 2^53, of which the other one says why not
    return rfc8785.dumps(cast("Any", value))


def jcs_of_easy(values: Mapping[str, object]) -> bytes | None:
    """RFC 8785 of an object whose names are in ASCII, as its caller knows; None if more is in it.

    More than None, truths, integers that are read exactly, and text in ASCII.
    """
    if not _EASY.issuperset(map(type, values.values())):
        return None
    try:
        text = orjson.dumps(values, option=_PLAIN)
    except TypeError:
        return None
    return text if text.isascii() else None


def jcs_of_lists(value: Lists) -> bytes:
    """RFC 8785 of what holds no object, of which it says no more than orjson does."""
    try:
        return orjson.dumps(value, option=_PLAIN)
    except TypeError:
        return rfc8785.dumps(cast("Any", value))  # which says why not


def is_whole(text: str) -> bool:
    """Whether a text holds no half of a surrogate pair, which no database and no JSON keeps."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def are_easy(values: Collection[object]) -> bool:
    """Whether all are None, whole text, or integers that every JSON implementation reads exactly.

    It is told of all at once, without a step of Python for each.
    """
    if not _STORED.issuperset(map(type, values)):
        return False
    try:
        orjson.dumps([*values], option=_PLAIN)
    except TypeError:
        return False
    return True


_STORED = frozenset({str, NoneType, int})
_EASY = frozenset({str, bool, NoneType, int})
_NAMES = frozenset({str})


def _is_plain(value: Any) -> bool:
    """Whether there is nothing in *value* of which RFC 8785 says more than orjson does.

    Of lists and objects that hold no others it is told without a step of Python for each value.
    """
    kind = type(value)
    if kind is dict:
        if not _NAMES.issuperset(map(type, value)) or not "".join(value).isascii():
            return False
        value = value.values()
    elif kind is not list:
        return kind in _EASY
    if _EASY.issuperset(map(type, value)):
        return True
    return all(map(_is_plain, [item for item in value if type(item) not in _EASY]))


def spelled(value: Any) -> bytes | None:
    """The canonical bytes of what stands in its one spelling, as all does that is of ASCII alone.

    It may be None of what stands so too: :func:`normal` gives the same again.
    """
    try:
        text = orjson.dumps(value, option=_PLAIN) if _is_plain(value) else None
    except TypeError:
        return None
    return text if text is not None and text.isascii() else None


def digest(label: str, *parts: JSON) -> str:
    """SHA-256 in hex over ``[label, *parts]``: an array, so that no two splits of text collide."""
    return sha256(jcs([label, *parts])).hexdigest()


def digest_of_lists(label: str, *parts: Lists) -> str:
    """The same over parts that hold no object."""
    return sha256(jcs_of_lists([label, *parts])).hexdigest()


def sha256_text(text: str) -> str:
    """SHA-256 in hex of the text as it is stored, byte for byte."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sha256_compact(value: Any) -> str:
    """SHA-256 in hex of JSON as it is stored, without the text in between where that can be."""
    try:
        return sha256(orjson.dumps(value, option=_ORDERED)).hexdigest()
    except TypeError:
        return sha256_text(_COMPACT.encode(value))


def compact(value: JSON) -> str:
    """JSON as it is stored: names in order, no spaces, readable letters."""
    try:
        return orjson.dumps(value, option=_ORDERED).decode()
    except TypeError:
        # Half a character or a number of 64 bits and more: the same text, at seven times the cost.
        return _COMPACT.encode(value)


_ORDERED = (
    orjson.OPT_SORT_KEYS
    # What is no JSON is refused here as json refuses it.
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)
_PLAIN = _ORDERED | orjson.OPT_STRICT_INTEGER
_COMPACT = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def kept(text: str) -> Any:
    """What :func:`compact` wrote, read back.

    Raises:
        ValueError: it is no JSON.
    """
    return orjson.loads(text)


def total(value: object, cap: int = RESULT_BYTES) -> str:
    """JSON text of anything, without ever raising: nothing may fail between effect and record.

    What cannot be written, or holds more values than *cap*, becomes ``{"unserializable": type}``;
    what is too long ``{"too_large": bytes}``.
    """
    try:
        # Not by orjson: it holds room for eight times a text, which may be of any size here.
        text = _COMPACT.encode(normal(value, Room(cap)))
        size = len(text.encode())
    except Exception:  # noqa: BLE001 - a hostile value may raise anything, and the record must stand
        # A metaclass may answer for __name__ as it likes; the class itself knows its own.
        name: str = type.__dict__["__name__"].__get__(type(value))
        return compact({"unserializable": name[:80].encode().decode("ascii", "replace")})
    return text if size <= cap else compact({"too_large": size})


def blank(parts: Iterable[JSON]) -> bool:
    """Whether any part of a key is missing: such a key is refused, never hashed."""
    return any(part is None or (isinstance(part, str) and not part.strip()) for part in parts)
