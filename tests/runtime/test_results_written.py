"""A step's answer as it is written: whatever of it can be kept is, and nothing of it raises."""

import json
from decimal import Decimal

import pytest

from semel import Made
from semel.facts import Count, Money, Text
from semel.runtime.result import PART_BYTES, kept_result, result_text
from semel.runtime.stored import result_of

pytestmark = pytest.mark.no_store
HALF = Text("half of a pair: \ud83d")


def facts(made: Made) -> dict:
    return json.loads(result_text(made, []))["facts"]


def test_facts_are_kept_with_their_types():
    kept = facts(Made(name=Text("ñ"), count=Count(3)))
    assert kept == {
        "name": {"type": "text", "value": "ñ"},
        "count": {"type": "count", "value": 3},
    }


def test_a_fact_that_cannot_be_kept_takes_no_other_with_it():
    kept = facts(Made(name=Text("a"), half=HALF, count=Count(3)))
    assert kept == {"name": {"type": "text", "value": "a"}, "count": {"type": "count", "value": 3}}
    assert facts(Made(half=HALF)) == {}
    assert facts(Made()) == {}


def test_a_fact_that_is_too_long_takes_no_other_with_it():
    kept = facts(Made(name=Text("a"), long=Text("x" * PART_BYTES)))
    assert kept == {"name": {"type": "text", "value": "a"}}


def test_facts_that_are_too_long_together_leave_a_mark_and_their_size():
    many = {f"part_{n}": Text("x" * 1000) for n in range(50)}
    kept = facts(Made(**many))
    assert kept.keys() == {"too_large"}
    assert kept["too_large"] > PART_BYTES


@pytest.mark.parametrize(
    "made",
    [
        Made(),
        Made(b=Text("b"), a=Text("a", volatile=True)),
        Made(total=Money(Decimal(605)), b=Count(3), a=Text("Mari\u0301a")),
        Made(b=Text("b"), half=HALF, a=Count(3), id="Mari\u0301a", undo={"id": 1}),
        Made(**{f"part_{n}": Text("x" * 1000) for n in range(50)}, id="x" * PART_BYTES),
    ],
)
def test_what_is_told_at_once_is_what_reading_it_back_tells(made):
    text, told = kept_result(made, [(1, "nota", "N-1", "3", "Mari\u0301a")])
    assert told == result_of(text)
    # In the same order, and each in the same spelling.
    assert repr(told) == repr(result_of(text))
