"""The value of a guarded function: kept as JSON for whoever asks again, and read back as it was.

Nothing may raise between an effect and its record, so whatever a function returns is written down;
what is no JSON, or too large, is written as exactly that, and only a repeat misses it.
"""

import inspect
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from pydantic import PydanticSchemaGenerationError, TypeAdapter
from pydantic.errors import PydanticUserError

from semel.domain.canonical import RESULT_BYTES, compact, kept
from semel.errors import SemelError

WHOLE, LOST = "value", "lost"


class Unkept(SemelError):
    """It was done, once; what it returned could not be kept, so it cannot be returned again.

    Give the function a return type that JSON holds: text, numbers, lists, a dataclass, a model.
    """


class Values:
    """What writes and reads the values of one function, by its return annotation if it has one."""

    def __init__(self, function: Callable[..., Any]) -> None:
        hint = _hint(function)
        adapter = _adapter(hint)
        self._plain = adapter.serializer.to_python
        self._read = adapter.validator.validate_python
        self._is_one = adapter.validator.isinstance_python
        self._is_json = _is_json(hint)

    def text(self, value: object) -> str:
        """The record of a value. It never raises."""
        try:
            # What is of its type has nothing to be warned of, and to ask for that costs as much as
            # all the rest.
            fits = self._is_json and self._is_one(value, strict=True)
            plain = self._plain(value, mode="json", warnings=False if fits else "error")
            text = compact({WHOLE: plain})
            if self._read(kept(text)[WHOLE]) != value:
                text = compact({LOST: "no JSON"})
            elif len(text.encode()) > RESULT_BYTES:
                text = compact({LOST: "too large"})
        except Exception:  # noqa: BLE001 - it has happened, so its record must stand
            text = compact({LOST: "no JSON"})
        return text

    def read(self, text: str) -> Any:
        """The value of a record.

        Raises:
            Unkept: it could not be kept.
        """
        try:
            whole = kept(text)[WHOLE]
        except KeyError:
            raise Unkept from None
        return self._read(whole)

    @staticmethod
    def plain(text: str) -> Any:
        """The value as JSON, for sentences; None when it could not be kept."""
        return kept(text).get(WHOLE)


def _hint(function: Callable[..., Any]) -> Any:
    """What a function is said to return; Any where nothing, or nothing that can be read, says."""
    try:
        hint = get_type_hints(function, include_extras=True).get("return", Any)
        unsaid = hint in {None, inspect.Signature.empty}
    except (NameError, TypeError):
        return Any
    return Any if unsaid else hint


def _adapter(hint: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(hint)
    except (NameError, TypeError, PydanticSchemaGenerationError, PydanticUserError):
        return TypeAdapter(Any)


def _is_json(hint: Any) -> bool:
    """Whether a type is made of what JSON holds: to look at its values runs nobody's code."""
    if get_origin(hint) in (dict, list, Union, UnionType):
        return all(_is_json(part) for part in get_args(hint))
    return hint in (str, int, bool, NoneType)
