"""Inputs: read strictly into their types, stored as written, pointed into, never changed."""

import json
from datetime import date
from decimal import Decimal

import pytest
from declared_actions import CATALOG, GOOD

from semel.catalog import ERRORS_MAX, Parsed
from semel.domain.resolution import Pointer
from semel.inputs import pointers, spell


def parsed(given, name="thing.make"):
    found = CATALOG.parse(name, given, "steps[1]")
    assert isinstance(found, Parsed), found
    return found


def problems(given, name="thing.make"):
    found = CATALOG.parse(name, given, "steps[1]")
    assert isinstance(found, list), found
    return [(problem.code, problem.where) for problem in found]


def test_an_input_is_stored_as_written_and_read_back_as_it_was():
    step = parsed({**GOOD, "name": "Mari\u0301a", "day": "2026-11-18", "price": Decimal("500.0")})
    stored = {"by_name": {}, "day": "2026-11-18", "inner": {"of": None, "price": "1"}, "many": [],
              "name": "Mari\u0301a", "note": "–", "price": "500", "thing": None}  # fmt: skip
    assert json.loads(step.stored) == stored
    assert list(json.loads(step.stored)) == sorted(stored)
    assert step.canonical == stored | {"name": "María"}
    loaded = CATALOG.load("thing.make", step.stored)
    assert loaded is not step.input
    assert spell(loaded) == spell(step.input)
    assert (loaded.day, loaded.price) == (date(2026, 11, 18), Decimal(500))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [("missing_field", "steps[1].input.name"), ("missing_field", "steps[1].input.price")]),
        ({**GOOD, "clave": 1}, [("unknown_field", "steps[1].input.clave")]),
        ({**GOOD, "many": [{}, {"x": 1}]}, [("unknown_field", "steps[1].input.many.1.x")]),
        ({**GOOD, "name": 5}, [("bad_value", "steps[1].input.name")]),
        ({**GOOD, "name": ""}, [("bad_value", "steps[1].input.name")]),
        ({**GOOD, "name": "x" * 501}, [("bad_value", "steps[1].input.name")]),
        ({**GOOD, "thing": ""}, [("bad_value", "steps[1].input.thing")]),
        ({**GOOD, "thing": "x" * 201}, [("bad_value", "steps[1].input.thing")]),
        ({**GOOD, "price": "5e2"}, [("bad_value", "steps[1].input.price")]),
        ({**GOOD, "price": "1" * 41}, [("bad_value", "steps[1].input.price")]),
        ({**GOOD, "price": True}, [("bad_value", "steps[1].input.price")]),
        ([], [("input_not_object", "steps[1].input")]),
        (None, [("input_not_object", "steps[1].input")]),
        ("name", [("input_not_object", "steps[1].input")]),
        ({**GOOD, "by_name": {"é": "a", "e\u0301": "b"}}, [("not_canonical", "steps[1].input")]),
    ],
    ids=lambda value: str(value)[:50],
)
def test_what_is_wrong_with_an_input_is_said_by_field(given, expected):
    assert problems(given) == expected


def test_an_unknown_action_and_a_thousand_errors_are_one_problem_each():
    assert problems(GOOD, "thing.sell") == [("unknown_action", "steps[1]")]
    some = {f"f{number}": 1 for number in range(ERRORS_MAX)}
    assert len(problems({**GOOD, **some})) == 20
    assert problems({**GOOD, **some, "one more": 1}) == [("bad_value", "steps[1].input")]


def test_every_reference_is_found_with_its_path_and_kind():
    step = parsed({**GOOD, "thing": "$1", "inner": {"of": "t-1"}, "many": [{}, {"of": "$2"}],
                   "by_name": {"a.b": "t-2"}, "note": "$3"})  # fmt: skip
    assert [pointer for pointer, _ in pointers(step.input)] == [
        Pointer("thing", "thing", "$1"), Pointer("inner.of", "thing", "t-1"),
        Pointer("many.1.of", "thing", "$2"), Pointer("by_name.a.b", "thing", "t-2"),
    ]  # fmt: skip


def test_an_input_and_what_is_shared_between_inputs_cannot_be_changed():
    step = parsed(GOOD)
    with pytest.raises(ValueError, match="frozen"):
        step.input.name = "Web"
    with pytest.raises(ValueError, match="frozen"):
        step.input.inner.price = Decimal(2)
    step.input.many.append("x")
    assert parsed(GOOD).input.many == []


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (1, "1"), ("1", "1"), ("1.00", "1.00"), (" 1 ", "1"), ("-0", "-0"), ("007", "7"),
        (Decimal("1E+2"), "1E+2"), (Decimal("0.30"), "0.30"), ("33.333333", "33.333333"),
        ("9007199254740993", "9007199254740993"), ("1" * 40, "1" * 40), ("0." + "1" * 38, "0." + "1" * 38),
    ],
)  # fmt: skip
def test_an_exact_number_is_read_digit_by_digit(written, read):
    price = parsed({**GOOD, "price": written}).input.price
    assert isinstance(price, Decimal)
    assert str(price) == read


@pytest.mark.parametrize(
    "written",
    [True, False, None, 1.0, [], {}, "", " ", "-", ".", "5.", ".5", "+5", "--5", "5-", "1e2", "1E2",
     "NaN", "sNaN", "Infinity", "-inf", "1_000", "1,5", "1 000", "0x1F", "٣", "５", "²", "½", "1\n2",
     "1" * 41, Decimal("NaN"), Decimal("Infinity"), Decimal("1." + "1" * 40)],
    ids=repr,
)  # fmt: skip
def test_what_is_no_exact_number_is_refused(written):
    assert problems({**GOOD, "price": written}) == [("bad_value", "steps[1].input.price")]
