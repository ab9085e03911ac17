"""A field of no type: what is read from JSON keeps its own type, or is refused."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from semel import Action, Ctx, Input, Invalid, Local, Made, Number, Preview, Who
from semel.catalog import Catalog
from semel.runtime.propose import Call, parse

pytestmark = pytest.mark.no_store

ANA = Who("o-1", "ana", "c-1")


class Anything(Input):
    free: Any = None
    listed: list[Any] = []
    exact: Number = Decimal(0)
    plain: Decimal = Decimal(0)


class Note(Action, name="note.it", effect=Local(), allow="note"):
    """Write anything down."""

    will = did = {"es": "x", "en": "x"}
    Input = Anything

    def preview(self, i: Anything, ctx: Ctx) -> Preview:
        return Preview()

    def run(self, i: Anything, ctx: Ctx) -> Made:
        return Made()


@dataclass
class Parts:
    """What parsing needs of an engine."""

    catalog: Catalog
    speaker: Any = None


CORE = Parts(Catalog([Note()]))


def parsed(**given):
    return parse(CORE, ANA, "m-1", None, [{"action": "note.it", "input": given}])


def key(**given):
    call = parsed(**given)
    assert isinstance(call, Call), call
    return call.key


@pytest.mark.parametrize("number", [0.5, 1.0, -0.0, 1e10, Decimal("1.50"), 0.1 + 0.2])
def test_a_number_with_a_fraction_is_refused_where_no_type_reads_it(number):
    for given in ({"free": number}, {"free": {"a": [number]}}, {"listed": [1, number]}):
        found = parsed(**given)
        assert isinstance(found, Invalid), given
        assert [problem.code for problem in found.problems] == ["not_canonical"]
    # A type reads it, whichever it is.
    assert key(exact=number) != key(exact="7")
    assert key(plain=number) != key(plain="7")
    assert key(exact=0.5) == key(exact="0.50")


def test_a_whole_number_and_its_text_are_two_things_where_no_type_reads_them():
    values = [1, "1", True, "true", None, "null", [], {}, [1], ["1"], "0.5", 0, False, ""]
    assert len({key(free=value) for value in values}) == len(values)
    assert len({key(listed=[value]) for value in values}) == len(values)
