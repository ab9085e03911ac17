"""The value of a guarded function: kept as JSON for whoever asks again, and read back as it was.

Nothing may raise between an effect and its record, so whatever a function returns is written down;
what is no JSON, or too large, is written as exactly that, and only a repeat misses it.
"""

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

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
        adapter = _adapter(function)
        self._plain = adapter.serializer.to_python
        self._read = adapter.validator.validate_python
        self._is_one = adapter.validator.isinstance_python

    def text(self, value: object) -> str:
        """The record of a value. It never raises."""
        try:
            # What is of its type has nothing to be warned of, and to ask for that costs as much as
            # all the rest.
            fits = self._is_one(value, strict=True)
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


def _adapter(function: Callable[..., Any]) -> TypeAdapter[Any]:
    try:
        hint = get_type_hints(function, include_extras=True).get("return", Any)
        return TypeAdapter(Any if hint in {None, inspect.Signature.empty} else hint)
    except (NameError, TypeError, PydanticSchemaGenerationError, PydanticUserError):
        return TypeAdapter(Any)
