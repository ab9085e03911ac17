"""The registered actions: their inputs and schemas.

What a model writes is parsed here, strictly, into an action's own ``Input``.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from pydantic import ValidationError
from pydantic.json_schema import models_json_schema

from semel.declared import check
from semel.domain.action import Action, Words, wording_of
from semel.domain.canonical import NotCanonical, compact, normal, spelled
from semel.domain.report import Problem
from semel.errors import CatalogError
from semel.facts import JSON
from semel.inputs import Input, spell

ERRORS_MAX = 1000
"""Errors of an input that are told apart; whoever wrote more has not read the schema."""


class Parsed(NamedTuple):
    """A step of a proposal after parsing."""

    action: Action
    input: Input
    stored: str
    canonical: JSON

    @property
    def name(self) -> str:
        """The action's name."""
        return self.action.name


class Said(NamedTuple):
    """What an action declares to be said of it; of one that is no longer here, nothing."""

    will: Words
    did: Words
    wording: Mapping[str, Words]
    undoable: bool


NOTHING = Said({}, {}, {}, undoable=False)


class Catalog:
    """The actions of an application, checked against what they declare."""

    def __init__(self, actions: Iterable[Action]) -> None:
        self._actions: dict[str, Action] = {}
        self._said: dict[str, Said] = {}
        for action in actions:
            check(action)
            if action.name in self._actions:
                raise CatalogError(f"{action.name}: two actions have this name.")
            self._actions[action.name] = action
            self._said[action.name] = _said(action)

    def __iter__(self) -> Iterator[Action]:
        return iter(self._actions.values())

    def get(self, name: str) -> Action | None:
        """The action of that name, or None."""
        return self._actions.get(name)

    def said(self, name: str) -> Said:
        """What is said of the action of that name, which may have happened and be gone by now."""
        return self._said.get(name, NOTHING)

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
            plain: Any = spell(parsed)
            text = spelled(plain)
            if text is not None:
                return Parsed(action, parsed, text.decode(), plain)
            return Parsed(action, parsed, compact(_stored(plain)), normal(plain))
        except ValidationError as no:
            if no.error_count() > ERRORS_MAX:
                return [Problem("bad_value", f"{where}.input", f"{no.error_count()} errors")]
            return [_problem(where, error) for error in no.errors(include_url=False)][:20]
        except NotCanonical as no:
            return [Problem("not_canonical", f"{where}.input", str(no))]

    def load(self, name: str, stored: str) -> Input:
        """A fresh input from its stored text; a handler may do with it what it likes."""
        action = self._actions[name]
        return _input_of(action).model_validate_json(stored)

    def schema(self) -> dict[str, JSON]:
        """JSON Schema of a plan: what the one tool takes."""
        # Together, for a reference inside an input is read from the root of the whole schema.
        given, shared = models_json_schema([(_input_of(action), "validation") for action in self])
        steps: list[JSON] = [
            {
                "type": "object",
                "description": inspect.getdoc(action) or "",
                "properties": {
                    "action": {"const": action.name},
                    "input": cast("JSON", given[_input_of(action), "validation"]),
                },
                "required": ["action", "input"],
                "additionalProperties": False,
            }
            for action in self
        ]
        return {
            "type": "object",
            "properties": {
                "steps": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 10,
                    # An engine may have no action and serve `once` alone; then nothing is a step.
                    "items": {"anyOf": steps} if steps else False,
                }
            },
            "required": ["steps"],
            "additionalProperties": False,
            "$defs": cast("JSON", shared.get("$defs", {})),
        }


def _stored(value: object) -> Any:
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


def _said(action: Any) -> Said:
    undoable = callable(getattr(action, "undo", None))
    return Said(action.will, action.did, wording_of(action), undoable=undoable)


def _input_of(action: Any) -> type[Input]:
    given: type[Input] = action.Input  # checked at import
    return given
