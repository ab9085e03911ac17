"""The registered actions: their inputs, schemas, and checks at import.

The only module of the core that imports pydantic: what a model writes is parsed here, strictly,
into an action's own ``Input``.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Generic, cast, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema
from typing_extensions import TypeVar

from semel.domain.action import LANGUAGES, Action, Kind, Local
from semel.domain.canonical import NotCanonical, compact, normal
from semel.domain.report import Problem
from semel.domain.resolution import Pointer
from semel.errors import CatalogError
from semel.facts import JSON

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


def _decimal(value: object) -> object:
    """Read an exact number: a JSON number or plain decimal text, never a truth value."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise PydanticCustomError("decimal", "an exact number is expected, such as 500 or 33.3333")
    text = value if isinstance(value, str) else str(value)
    plain = text.strip()
    # Decimal() itself would take underscores, exponents and the digits of every script.
    if isinstance(value, str) and not _plain_decimal(plain):
        raise PydanticCustomError("decimal", "an exact number is expected, such as 500 or 33.3333")
    return Decimal(plain)


def _plain_decimal(text: str) -> bool:
    whole, _, fraction = text.removeprefix("-").partition(".")
    parts = (whole, fraction) if "." in text else (whole,)
    return all(part.isascii() and part.isdigit() for part in parts) and len(text) <= 40


Number = Annotated[
    Decimal,
    BeforeValidator(_decimal),
    WithJsonSchema({"type": ["string", "number"], "description": "An exact decimal number."}),
]
"""An exact number: ``1``, ``1.0``, ``"1"`` and ``"1.00"`` mean the same; a float's noise, true,
NaN and exponents in text are refused."""

Line = Annotated[str, StringConstraints(strip_whitespace=False, min_length=1, max_length=500)]
"""One line of a person's words, kept as it was written."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A step of a proposal after parsing."""

    action: Action
    input: Input
    stored: str
    canonical: JSON

    @property
    def name(self) -> str:
        """The action's name."""
        return self.action.name


def pointers(value: object, path: str = "") -> Iterator[tuple[Pointer, "Ref[Any]"]]:
    """Every reference inside an input, with its path."""
    if isinstance(value, Ref):
        yield Pointer(path, value.kind.name, value.id), value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from pointers(getattr(value, name), f"{path}.{name}".lstrip("."))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from pointers(item, f"{path}.{index}".lstrip("."))
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from pointers(item, f"{path}.{name}".lstrip("."))


def _spell(value: object) -> object:
    """An input as plain values, with references as their text."""
    if isinstance(value, Ref):
        return value.id
    if isinstance(value, BaseModel):
        return {name: _spell(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, list | tuple):
        return [_spell(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _spell(item) for name, item in value.items()}
    return value


class Catalog:
    """The actions of an application, checked against what they declare."""

    def __init__(self, actions: Iterable[Action]) -> None:
        self._actions: dict[str, Action] = {}
        for action in actions:
            _check(action)
            if action.name in self._actions:
                raise CatalogError(f"{action.name}: two actions have this name.")
            self._actions[action.name] = action
        if not self._actions:
            raise CatalogError("An engine needs at least one action.")

    def __iter__(self) -> Iterator[Action]:
        return iter(self._actions.values())

    def get(self, name: str) -> Action | None:
        """The action of that name, or None."""
        return self._actions.get(name)

    def parse(self, name: str, raw: JSON, where: str) -> Parsed | list[Problem]:
        """Parse a step's input; or everything that is wrong with it.

        Args:
            name: the action's name as the model wrote it.
            raw: the input, already read strictly.
            where: how problems name the step, ``steps[1]``.
        """
        action = self.get(name)
        if action is None:
            return [Problem("unknown_action", where, name)]
        if not isinstance(raw, dict):
            return [Problem("input_not_object", f"{where}.input", name)]
        try:
            parsed = _input_of(action).model_validate(raw)
            spelled = _spell(parsed)
            return Parsed(action, parsed, compact(cast("JSON", _stored(spelled))), normal(spelled))
        except ValidationError as no:
            return [_problem(where, error) for error in no.errors(include_url=False)][:20]
        except NotCanonical as no:
            return [Problem("not_canonical", f"{where}.input", str(no))]

    def load(self, name: str, stored: str) -> Input:
        """A fresh input from its stored text; a handler may do with it what it likes."""
        action = self._actions[name]
        return _input_of(action).model_validate_json(stored)

    def schema(self) -> dict[str, JSON]:
        """JSON Schema of a plan: what the one tool takes."""
        steps: list[JSON] = [
            {
                "type": "object",
                "description": inspect.getdoc(action) or "",
                "properties": {
                    "action": {"const": action.name},
                    "input": cast("JSON", _input_of(action).model_json_schema()),
                },
                "required": ["action", "input"],
                "additionalProperties": False,
            }
            for action in self
        ]
        return {
            "type": "object",
            "properties": {
                "steps": {"type": "array", "minItems": 1, "maxItems": 10, "items": {"anyOf": steps}}
            },
            "required": ["steps"],
            "additionalProperties": False,
        }


def _stored(value: object) -> object:
    """What is stored: the person's text byte for byte, everything else in its one spelling."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {name: _stored(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_stored(item) for item in value]
    return normal(value)


def _problem(where: str, error: Any) -> Problem:
    path = ".".join(str(part) for part in error["loc"])
    code = {
        "extra_forbidden": "unknown_field",
        "missing": "missing_field",
    }.get(str(error["type"]), "bad_value")
    return Problem(code, f"{where}.input.{path}" if path else f"{where}.input", str(error["msg"]))


def _input_of(action: Action) -> type[Input]:
    return cast("type[Input]", action.Input)  # type: ignore[attr-defined]  # checked at import


def _check(action: Action) -> None:
    """What an action declares and what methods it has must agree."""
    name = getattr(action, "name", None)
    if not isinstance(name, str) or not name:
        raise CatalogError(f"{type(action).__name__} has no name: class X(Action, name='…').")
    if not inspect.getdoc(type(action)) or type(action).__doc__ is None:
        raise CatalogError(f"{name}: the docstring is what a model reads; it has none.")
    for words in ("will", "did"):
        sentences = getattr(action, words, None)
        if not isinstance(sentences, Mapping) or set(sentences) != set(LANGUAGES):
            raise CatalogError(f"{name}: {words} needs a sentence in each of {LANGUAGES}.")
    given = getattr(action, "Input", None)
    if not (isinstance(given, type) and issubclass(given, Input)):
        raise CatalogError(f"{name}: Input is a subclass of semel.Input.")
    for method in ("preview", "run"):
        if not callable(getattr(action, method, None)):
            raise CatalogError(f"{name}: it has no {method}().")
    _check_effect(name, action)
    if action.makes is not None:
        _check_kind(name, action.makes)
    for field in given.model_fields.values():
        for kind in _kinds_in(field.annotation):
            _check_kind(name, kind)


def _check_effect(name: str, action: Action) -> None:
    run = action.run  # type: ignore[attr-defined]  # its presence was just checked
    if isinstance(action.effect, Local):
        if inspect.iscoroutinefunction(run):
            raise CatalogError(
                f"{name}: a Local action runs inside a transaction, so run() is a plain function."
            )
        if hasattr(action, "prepare"):
            raise CatalogError(f"{name}: a Local action has nothing to prepare.")
        return
    if not inspect.iscoroutinefunction(run):
        raise CatalogError(f"{name}: an action with an outside effect has an async run().")
    prepare = getattr(action, "prepare", None)
    if prepare is not None and not inspect.iscoroutinefunction(prepare):
        raise CatalogError(f"{name}: prepare() is async.")
    wanted = 3 if prepare is not None else 2
    if len(inspect.signature(run).parameters) != wanted:
        takes = "(i, ctx, prepared)" if prepare is not None else "(i, ctx)"
        raise CatalogError(f"{name}: run takes {takes}.")


def _check_kind(name: str, kind: type[Kind[Any]]) -> None:
    if not getattr(kind, "name", ""):
        raise CatalogError(f"{name}: {kind.__name__} has no name: class X(Kind[Row], name='…').")
    for method in ("find", "key", "version", "label"):
        if not callable(getattr(kind, method, None)):
            raise CatalogError(f"{name}: the kind {kind.name} has no {method}().")


def _kinds_in(annotation: Any) -> Iterator[type[Kind[Any]]]:
    if getattr(annotation, "__origin__", None) is Ref:
        yield cast("type[Kind[Any]]", get_args(annotation)[0])
        return
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for field in annotation.model_fields.values():
            yield from _kinds_in(field.annotation)
        return
    for part in get_args(annotation):
        yield from _kinds_in(part)
