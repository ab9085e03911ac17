"""A small input that fits an action, made from the schema of its ``Input``."""

from collections.abc import Mapping
from typing import Any, cast

from semel.facts import JSON

TEXTS = {
    "date": "2026-10-19",
    "date-time": "2026-10-19T10:00:00Z",
    "time": "10:00:00",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
"""A text of each format that a schema may ask for."""


class NoExample(Exception):
    """No input can be made up for this action; the argument says what stands in the way."""


def example(schema: Mapping[str, Any]) -> dict[str, JSON]:
    """An input of the fields that have to be given, each as small as it may be.

    Raises:
        NoExample: a field refers to a record, or has a rule that the schema does not spell out.
    """
    return cast("dict[str, JSON]", _value(schema, schema.get("$defs", {}), "its input"))


def _value(schema: Mapping[str, Any], shared: Mapping[str, Any], where: str) -> JSON:
    if "$ref" in schema:
        return _value(shared[schema["$ref"].rpartition("/")[2]], shared, where)
    if "anyOf" in schema:
        return _value(schema["anyOf"][0], shared, where)
    if "const" in schema or "enum" in schema:
        return cast("JSON", schema.get("const", [*schema.get("enum", []), None][0]))
    kind = schema.get("type")
    # An exact number may be written as text or as a number.
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            fields = schema.get("properties", {})
            given = [name for name in fields if name in schema.get("required", [])]
            return {name: _value(fields[name], shared, name) for name in given}
        case "array":
            return [_value(schema["items"], shared, where)] * int(schema.get("minItems", 0))
        case "boolean":
            return False
        case "integer":
            return int(max(schema.get("minimum", 1), schema.get("exclusiveMinimum", 0) + 1))
        case "string":
            return _text(schema, where, exact=isinstance(kind, list))
    raise NoExample(f"{where} is of a kind that none can be made up for")


def _text(schema: Mapping[str, Any], where: str, *, exact: bool) -> str:
    if schema.get("description", "").startswith("Id of a "):
        raise NoExample(f"{where} refers to a record")
    if "pattern" in schema:
        raise NoExample(f"{where} has a pattern")
    if exact:
        return "1"
    return TEXTS.get(str(schema.get("format")), "a" * int(schema.get("minLength", 1)))
