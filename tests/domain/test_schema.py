"""The schema of the one tool: it takes a good plan and no other, and says what an action does."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from declared_actions import CATALOG, GOOD

IGNORED = {"title", "description", "default", "format", "$defs"}
TYPES = {"object": dict, "array": list, "string": str, "number": int | float, "null": type(None),
         "boolean": bool, "integer": int}  # fmt: skip


def conforms(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    """JSON Schema, as much of it as the tool's schema uses; another keyword is a KeyError."""

    def also(inner, part):
        return conforms(part, inner, root)

    def typed(names):
        names = [names] if isinstance(names, str) else names
        return any(
            isinstance(value, TYPES[n]) and (n == "boolean" or value is not True) for n in names
        )

    def further(allowed):
        extra = [value[n] for n in set(value) - set(schema.get("properties", {}))]
        return not extra if allowed is False else all(also(allowed, each) for each in extra)

    checks = {
        "$ref": lambda path: also(root["$defs"][path.removeprefix("#/$defs/")], value),
        "anyOf": lambda options: any(also(option, value) for option in options),
        "const": lambda only: value == only,
        "enum": lambda some: value in some,
        "type": typed,
        "propertyNames": lambda inner: all(also(inner, name) for name in value),
        "required": lambda names: set(names) <= set(value),
        "properties": lambda known: all(also(known[n], v) for n, v in value.items() if n in known),
        "additionalProperties": further,
        "items": lambda inner: all(also(inner, item) for item in value),
        "minItems": lambda least: len(value) >= least,
        "maxItems": lambda most: len(value) <= most,
        "minLength": lambda least: len(value) >= least,
        "maxLength": lambda most: len(value) <= most,
    }
    rules = sorted(set(schema) - IGNORED, key=lambda name: name != "type")
    return all(checks[rule](schema[rule]) for rule in rules)


def plan(*given, action="thing.make"):
    return {"steps": [{"action": action, "input": each} for each in given]}


@pytest.mark.parametrize(
    ("proposal", "good"),
    [
        (plan(GOOD), True),
        (plan({**GOOD, "price": 500.5, "many": [{"of": "$1"}, {}], "inner": {"price": 1}}), True),
        (plan({**GOOD, "by_name": {"a": "t-1"}, "day": None, "thing": None}), True),
        (plan({}, {"of": "$1"}, action="thing.send"), True),
        (plan(*[GOOD] * 10), True),
        (plan(*[GOOD] * 11), False),
        (plan(), False),
        ({}, False),
        ({"steps": plan(GOOD)["steps"], "confirmed": True}, False),
        (plan({"name": "Logo"}), False),
        (plan({**GOOD, "clave": 1}), False),
        (plan({**GOOD, "inner": {"clave": 1}}), False),
        (plan({**GOOD, "many": [{"of": 5}]}), False),
        (plan({**GOOD, "price": None}), False),
        (plan({**GOOD, "price": True}), False),
        (plan({**GOOD, "name": ""}), False),
        (plan(GOOD, action="thing.sell"), False),
    ],
    ids=lambda value: str(value)[:60],
)
def test_the_schema_of_the_tool_takes_a_good_plan_and_no_other(proposal, good):
    schema = CATALOG.schema()
    assert json.loads(json.dumps(schema)) == schema
    assert conforms(proposal, schema, schema) is good


def test_the_schema_says_what_an_action_does_and_what_a_reference_takes():
    schema = CATALOG.schema()
    options = schema["properties"]["steps"]["items"]["anyOf"]
    assert [option["properties"]["action"] for option in options] == [
        {"const": "thing.make"}, {"const": "thing.send"}
    ]  # fmt: skip
    assert {option["description"] for option in options} == {"Do."}
    assert schema["$defs"]["Inner"]["properties"]["of"]["anyOf"] == [
        {"type": "string",
         "description": "Id of a thing, or $n for what step n of this plan makes."},
        {"type": "null"},
    ]  # fmt: skip
