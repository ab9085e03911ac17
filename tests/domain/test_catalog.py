"""The catalog: a declaration that contradicts itself is refused; the tool's schema says the rest."""

import ast
import inspect
import json
from collections.abc import Mapping
from types import new_class
from typing import Any

import pytest
from declared_actions import (
    CATALOG,
    GOOD,
    WORDS,
    Inner,
    Thing,
    action,
    outside,
    prepare,
    run,
    run_outside,
    run_prepared,
)

from semel import Action, CatalogError, Input, Kind, Opaque, Ref, catalog, declared, inputs
from semel.catalog import Catalog
from semel.domain import action as actions


def kind(without="", **declaration):
    """A kind that lacks a method, or a name."""
    methods = {part: run for part in ("find", "key", "version", "label") if part != without}
    return new_class("Odd", (Kind,), declaration, lambda space: space.update(methods))


def taking(annotation):
    return new_class(
        "Taking", (Input,), {}, lambda space: space.update(__annotations__={"x": annotation})
    )


class Nameless(Action):
    """It has no name."""


class Inherited(type(action())):
    """A subclass without a name of its own keeps the one it has."""


BAD = {
    "no name": (Nameless, "no name"),
    "no actions": (lambda: None, "at least one action"),
    "two of one name": (lambda: [action(), action()], "two actions have this name"),
    "nobody may": (lambda: action(allow=""), "who may do it"),
    "no docstring": (lambda: action(without=["__doc__"]), "docstring"),
    "an empty docstring": (lambda: action(__doc__=""), "docstring"),
    "no will": (lambda: action(without=["will"]), "will needs a sentence"),
    "no did": (lambda: action(without=["did"]), "did needs a sentence"),
    "will in one language": (lambda: action(will={"es": "Hacer"}), "will needs a sentence"),
    "did in one more": (lambda: action(did={**WORDS, "fr": "Faire"}), "did needs a sentence"),
    "will as text": (lambda: action(will="Do"), "will needs a sentence"),
    "no input": (lambda: action(without=["Input"]), "subclass of semel.Input"),
    "an input of another kind": (lambda: action(Input=dict), "subclass of semel.Input"),
    "an input that is made": (lambda: action(Input=Inner()), "subclass of semel.Input"),
    "no preview": (lambda: action(without=["preview"]), "no preview()"),
    "no run": (lambda: action(without=["run"]), "no run()"),
    "a run that is none": (lambda: action(run=5), "no run()"),
    "local and async": (lambda: action(run=run_outside), "plain function"),
    "local and prepared": (lambda: action(prepare=prepare), "nothing to prepare"),
    "outside and plain": (lambda: outside(run=run), "async run()"),
    "outside by default": (lambda: action(effect=Opaque()), "async run()"),
    "prepare that is plain": (lambda: outside(prepare=run, run=run_prepared), "prepare() is async"),
    "run without what was prepared": (lambda: outside(prepare=prepare), "(i, ctx, prepared)"),
    "run with what nobody prepares": (lambda: outside(run=run_prepared), "run takes (i, ctx)."),
    "it makes what has no name": (lambda: action(makes=kind()), "has no name"),
    **{
        f"it makes what has no {part}": (
            lambda part=part: action(makes=kind(part, name="odd")), f"has no {part}()")
        for part in ("find", "key", "version", "label")
    },
    **{
        f"it takes a reference {where}": (
            lambda wrap=wrap: action(Input=taking(wrap(kind("label", name="odd")))),
            "no label()",
        )
        for where, wrap in {
            "at once": lambda odd: Ref[odd],
            "or none": lambda odd: Ref[odd] | None,
            "in a list": lambda odd: list[Ref[odd]],
            "in an object": lambda odd: dict[str, Ref[odd]],
            "in an input inside": lambda odd: taking(Ref[odd]),
            "in a list of inputs": lambda odd: list[taking(Ref[odd])] | None,
        }.items()
    },
    "a reference to no kind": (lambda: action(Input=taking(Ref)), "names its kind"),
    "a reference to a kind without a name": (
        lambda: action(Input=taking(Ref[kind()])), "names its kind"),
}  # fmt: skip


def places(modules):
    """Where these modules raise a CatalogError: file, first and last line."""
    for module in modules:
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Raise) and "CatalogError(" in ast.unparse(node):
                yield module.__file__, node.lineno, node.end_lineno


def raised(name):
    make, says = BAD[name]
    with pytest.raises(CatalogError) as caught:
        made = make()
        Catalog(made if isinstance(made, list) else [made] if made else [])
    assert says in str(caught.value)
    assert str(caught.value).endswith(".")
    last = caught.traceback[-1]
    return str(last.path), last.lineno + 1


@pytest.mark.parametrize("name", BAD)
def test_a_declaration_that_contradicts_itself_is_refused_with_a_sentence(name):
    raised(name)


def test_every_refusal_that_there_is_has_a_case_here():
    modules = (actions, declared, catalog, inputs)
    hit = {raised(name) for name in BAD}
    missed = [
        (file, first)
        for file, first, last in places(modules)
        if not any(file == where and first <= line <= last for where, line in hit)
    ]
    assert not missed


def test_good_declarations_are_taken():
    good = [
        action("a"), action("b", makes=Thing), outside(name="c"),
        outside(name="d", prepare=prepare, run=run_prepared), outside(name="e", effect=Opaque()),
    ]  # fmt: skip
    taken = Catalog(good)
    assert [each.name for each in taken] == ["a", "b", "c", "d", "e"]
    assert taken.get("c") is good[2]
    assert taken.get("z") is None
    bare = new_class("Bare", (Action,), {"name": "f", "allow": "all"})
    assert (bare.effect, bare.makes, bare.version) == (Opaque(), None, 1)
    assert Inherited().name == "a"


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
