"""What a step may be given: strict inputs, exact numbers, and references to records.

With ``catalog`` the only modules of the core that import pydantic.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Generic, cast, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    StringConstraints,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema
from typing_extensions import TypeVar

from semel.domain.action import Kind
from semel.domain.canonical import NotCanonical
from semel.domain.proposal import Exact
from semel.domain.resolution import Pointer
from semel.errors import CatalogError

R = TypeVar("R")
K_co = TypeVar("K_co", bound=Kind[Any], covariant=True, default=Kind[Any])


class Input(BaseModel):
    """What a step is given. Unknown fields are refused, and so is a change of a parsed one."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_max_length=10_000)


class Ref(Generic[K_co]):
    """A field that takes a record: its id, or ``$1`` for what step 1 makes.

    ``ref.row`` is the record, this organization's and fresh, when a handler sees the input.
    """

    __slots__ = ("_row", "id", "kind")

    def __init__(self, kind: type[Kind[Any]], id: str) -> None:
        self.kind = kind
        self.id = id
        self._row: object = None

    @property
    def row(self: "Ref[Kind[R]]") -> R:
        """The record that the reference stands for."""
        return cast("R", self._row)

    def bind(self, id: str, row: object) -> None:
        """Give the reference its record, before a handler sees it."""
        self.id = id
        self._row = row

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        kinds = get_args(source)
        if not kinds or not hasattr(kinds[0], "name"):
            raise CatalogError("A reference names its kind: Ref[Factura].")
        kind = cast("type[Kind[Any]]", kinds[0])

        def parse(value: str) -> Ref[Any]:
            return cls(kind, value)

        return core_schema.no_info_after_validator_function(
            parse,
            core_schema.str_schema(min_length=1, max_length=200, strict=True),
            metadata={"kind": kind.name},
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        kind = schema.get("metadata", {}).get("kind", "record")
        return {
            "type": "string",
            "description": f"Id of a {kind}, or $n for what step n of this plan makes.",
        }


DIGITS_MAX = 40
"""Characters of an exact number: amounts of this world have a dozen."""


def _decimal(value: object) -> object:
    """Read an exact number: a JSON number or plain decimal text, never a truth value."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise PydanticCustomError("decimal", "an exact number is expected, such as 500 or 33.3333")
    text = value if isinstance(value, str) else str(value)
    plain = text.strip()
    if len(plain) > DIGITS_MAX:
        raise PydanticCustomError("decimal", "an exact number of at most 40 characters is expected")
    # Decimal() itself would take underscores, exponents and the digits of every script.
    if isinstance(value, str) and not _plain_decimal(plain):
        raise PydanticCustomError("decimal", "an exact number is expected, such as 500 or 33.3333")
    return Decimal(plain)


def _plain_decimal(text: str) -> bool:
    whole, _, fraction = text.removeprefix("-").partition(".")
    parts = (whole, fraction) if "." in text else (whole,)
    return all(part.isascii() and part.isdigit() for part in parts)


Number = Annotated[
    Decimal,
    BeforeValidator(_decimal),
    WithJsonSchema({"type": ["string", "number"], "description": "An exact decimal number."}),
]
"""An exact number: ``1``, ``1.0``, ``"1"`` and ``"1.00"`` mean the same; a float's noise, true,
NaN and exponents in text are refused."""

Line = Annotated[str, StringConstraints(strip_whitespace=False, min_length=1, max_length=500)]
"""One line of a person's words, kept as it was written."""


def pointers(value: object, path: str = "") -> Iterator[tuple[Pointer, "Ref[Any]"]]:
    """Every reference inside an input, with its path."""
    if isinstance(value, str):  # what there is most of; below is the slow way to find that out
        return
    if isinstance(value, Ref):
        yield Pointer(path, value.kind.name, value.id), value
    elif isinstance(value, BaseModel):
        for name in _fields(type(value)):
            item = getattr(value, name)
            if not isinstance(item, str):
                yield from pointers(item, f"{path}.{name}".lstrip("."))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from pointers(item, f"{path}.{index}".lstrip("."))
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from pointers(item, f"{path}.{name}".lstrip("."))


@lru_cache(1000)
def _fields(model: type[BaseModel]) -> tuple[str, ...]:
    """The names of a model's fields, which it looks up anew each time that it is asked."""
    return tuple(model.model_fields)


def spell(value: object) -> object:
    """An input as plain values, with references as their text.

    Raises:
        NotCanonical: a number that no type has read; as text it would be the same as that text.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Exact):
        raise NotCanonical(f"No type says how the number {value} is spelled; declare a Number.")
    if isinstance(value, Ref):
        return value.id
    if isinstance(value, BaseModel):
        return {name: spell(getattr(value, name)) for name in _fields(type(value))}
    if isinstance(value, list | tuple):
        return [spell(item) for item in value]
    if isinstance(value, Mapping):
        return {name: spell(item) for name, item in value.items()}
    return value
