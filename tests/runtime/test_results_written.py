"""A step's answer as it is written: whatever of it can be kept is, and nothing of it raises."""

import json

import pytest

from semel import Made
from semel.facts import Count, Text
from semel.runtime.result import PART_BYTES, result_text

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
