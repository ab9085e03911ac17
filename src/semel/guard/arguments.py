"""What a call of a function means: its arguments by the signature, in one spelling, and its keys.

Positional and keyword are equal, defaults are filled in, and a value is read as its annotation
says where there is one, as a framework's own schema would have: ``"12.50"`` for a ``Decimal`` is
``Decimal("12.5")``. What has no single spelling is refused with a sentence and never made text of:
``str()`` of an object holds its address, and would be another key each time.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import time, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias, cast

from pydantic import BaseModel, ValidationError

from semel.domain.canonical import NotCanonical, compact, jcs, jcs_of_easy, normal
from semel.errors import CatalogError
from semel.facts import JSON
from semel.guard.hints import are_as_given, hints_of, readers

LABEL = "semel.guard.v1"

TX, KEY = "tx", "idempotency_key"
"""Keywords that the guard itself gives to a function that has them; they are no part of the key."""

Meaning: TypeAlias = "JSON | Mapping[str, JSON]"

SHOWN_BYTES = 4096
"""Of arguments that are kept for sentences: names, addresses and figures, not a document."""

DEPTH_MAX = 64
"""Levels of an argument; what is deeper holds itself."""


class Bound(NamedTuple):
    """The arguments of one call."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    named: Mapping[str, object]
    """Every argument by its parameter."""
    spelled: Mapping[str, JSON]
    """What identifies the intent."""
    meaning: bytes
    """The same in its canonical bytes (RFC 8785)."""

    @property
    def shown(self) -> str:
        """The arguments as JSON for sentences; ``{}`` when they are too large."""
        named, meant = self.named, self.spelled
        if len(self.meaning) <= SHOWN_BYTES and (named is meant or named.keys() == meant.keys()):
            # All of them identify the intent, so they are spelled already.
            return self.meaning.decode()
        shown: dict[str, JSON] = {}
        for name, value in named.items():
            with suppress(NotCanonical):
                shown[name] = meant[name] if name in meant else spelled(value)
        text = compact(shown)
        return text if len(text.encode()) <= SHOWN_BYTES else "{}"


class Arguments:
    """How a function is called.

    Args:
        tool: the tool's name, for sentences.
        function: what is guarded.
        identity: the parameters that identify the intent, or a function of the same arguments that
            returns what does; None for all of them.

    Raises:
        CatalogError: *identity* names a parameter that the function does not have.
    """

    def __init__(
        self,
        tool: str,
        function: Callable[..., Any],
        identity: Sequence[str] | Callable[..., Any] | None = None,
    ) -> None:
        self._tool = tool
        signature = inspect.signature(function)
        self.takes_tx = _given_by_guard(tool, signature, TX)
        self.takes_key = _given_by_guard(tool, signature, KEY)
        mine = [p for name, p in signature.parameters.items() if name not in {TX, KEY}]
        self.signature = signature.replace(parameters=mine)
        self._identity = identity if callable(identity) else None
        self._names = None if identity is None or callable(identity) else frozenset(identity)
        unknown = sorted((self._names or frozenset()) - {parameter.name for parameter in mine})
        if unknown:
            raise CatalogError(
                f"{tool}: identity= names {unknown[0]}, which is no parameter of it."
            )
        hints = hints_of(function)
        self._types = readers([parameter.name for parameter in mine], hints)
        both = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self._plain = None
        if all(parameter.kind is both for parameter in mine):
            self._plain = tuple(parameter.name for parameter in mine)
        # As most are called: nothing is read or spelled otherwise than it is given.
        self._as_given = identity is None and are_as_given(self._plain, hints)
        self._kept = frozenset(self._plain or ())
        self._defaults = {p.name: p.default for p in mine if p.default is not p.empty}

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Bound:
        """Bind a call's arguments.

        Raises:
            TypeError: it cannot be called like that; as Python says it.
            NotCanonical: a value has no single spelling, and which.
        """
        plain = self._plain
        if plain is not None and not kwargs and len(args) == len(plain):
            named = dict(zip(plain, args, strict=True))
        else:
            named = self._named(args, kwargs)
        meaning = jcs_of_easy(named) if self._as_given else None
        if meaning is not None:
            return Bound(args, kwargs, named, named, meaning)
        if self._identity is not None:
            meant = {"identity": self._spelled("identity", self._identity(*args, **kwargs))}
        else:
            meant = {
                name: self._spelled(name, self._read(name, value))
                for name, value in named.items()
                if self._names is None or name in self._names
            }
        return Bound(args, kwargs, named, meant, jcs(meant))

    def _named(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by name, in the order of the signature."""
        plain = self._plain
        if plain is not None and len(args) <= len(plain) and kwargs.keys() <= self._kept:
            # As Python binds what has no * and no /, at a fifth of what asking for it costs.
            found = {**self._defaults, **dict(zip(plain, args, strict=False)), **kwargs}
            if len(found) == len(plain) and kwargs.keys().isdisjoint(plain[: len(args)]):
                return found
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments

    def _read(self, name: str, value: object) -> object:
        """A value as its annotation says; what does not fit is the function's own to refuse."""
        read = self._types.get(name)
        if read is None:
            return value
        try:
            return read(value)
        except (ValidationError, TypeError, ValueError):
            return value

    def _spelled(self, name: str, value: object) -> JSON:
        try:
            return spelled(value)
        except NotCanonical as no:
            raise NotCanonical(
                f"{self._tool}: {name} has no single spelling, so nobody could tell a repeat: {no}"
                " Nothing was done. Give it a type that has one, or say with identity= which"
                " parameters tell one intent from another."
            ) from no


def keys(session: str, message: str | None, tool: str, meaning: Meaning) -> tuple[str, str]:
    """The key of a call, and that of its intent, whichever message it is asked for in."""
    spelled = jcs(cast("JSON", meaning))
    return call_key(session, message, tool, spelled), intent_key(session, tool, spelled)


def intent_key(session: str, tool: str, meaning: bytes) -> str:
    """The key of an intent, whichever message it is asked for in."""
    return _digest(_begun("intent", session, tool), meaning)


def call_key(session: str, message: str | None, tool: str, meaning: bytes) -> str:
    """The key of a call.

    SHA-256 in hex over an array, so that no two ways to cut a text collide.

    Args:
        session: the conversation.
        message: the person's message, where it is known.
        tool: the tool's name.
        meaning: the canonical bytes of what identifies the intent.
    """
    # Without a message the conversation itself is where a repeat is one.
    return _digest(_begun("call", session, message, tool), meaning)


def _digest(begun: bytes, meaning: bytes) -> str:
    """SHA-256 in hex over an array, of which the last part is spelled already."""
    return sha256(b"%s,%s]" % (begun, meaning)).hexdigest()


@lru_cache(maxsize=1024)
def _begun(*parts: str | None) -> bytes:
    """How the array ``[label, *parts, …]`` begins; a turn's calls of a tool have it in common."""
    return jcs([LABEL, *parts])[:-1]


def spelled(value: object, depth: int = DEPTH_MAX) -> JSON:
    """A value of a call in its one spelling.

    Beside what a plan may hold: fractions as RFC 8785 writes them (``1.0`` is ``1``), sets in the
    order of their members' spellings, bytes by their digest, pydantic models by their fields, times
    and spans of time.

    Raises:
        NotCanonical: no type says how it is spelled.
    """
    if value is None or type(value) is bool or (type(value) is str and value.isascii()):
        return cast("JSON", value)
    if depth <= 0:
        raise NotCanonical("It is too deep, or holds itself.")
    below = depth - 1
    if type(value) is float:
        return _fraction(value)
    if type(value) is list or isinstance(value, list | tuple):
        return [spelled(one, below) for one in cast("Iterable[object]", value)]
    if isinstance(value, Mapping):
        return _mapping(value, below)
    return _one(value, below)


def _one(value: object, below: int) -> JSON:
    if isinstance(value, BaseModel):
        return _mapping({name: getattr(value, name) for name in type(value).model_fields}, below)
    if is_dataclass(value) and not isinstance(value, type):
        return _mapping({one.name: getattr(value, one.name) for one in fields(value)}, below)
    if isinstance(value, set | frozenset):
        return cast("JSON", sorted((spelled(one, below) for one in value), key=jcs))
    if isinstance(value, bytes):
        return {"sha256": sha256(value).hexdigest()}
    if isinstance(value, time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return {"microseconds": value // timedelta(microseconds=1)}
    return normal(value)


def _fraction(value: float) -> JSON:
    if not math.isfinite(value):
        raise NotCanonical(f"{value} is no number.")
    if value.is_integer() and abs(value) < 2**53:
        return int(value)
    # RFC 8785 says how a fraction is written; nothing else here has any.
    return cast("JSON", value)


def _mapping(value: Mapping[Any, object], below: int) -> JSON:
    members: dict[str, JSON] = {}
    for name, member in value.items():
        text = normal(name)
        if not isinstance(text, str):
            raise NotCanonical("The names of an object are text.")
        if text in members:
            raise NotCanonical("Two names of an object differ only in how an accent is written.")
        members[text] = spelled(member, below)
    return members


def _given_by_guard(tool: str, signature: inspect.Signature, name: str) -> bool:
    parameter = signature.parameters.get(name)
    if parameter is None:
        return False
    if parameter.kind not in {parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD}:
        raise CatalogError(f"{tool}: {name} is given by the guard, as a keyword.")
    return True
