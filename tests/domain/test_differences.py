"""The figures of a step: what of them a yes covers, and what has changed since."""

import json
from dataclasses import replace
from datetime import UTC
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semel.domain.consent import (
    Difference,
    RefFact,
    differences,
    facts_digest,
    later_digest,
)
from semel.facts import EXPONENT, Count, Date, Email, Instant, Money, Text, store_facts

TOTAL, NUMBER = Money(Decimal("605.00")), Text("2026-0001", volatile=True)
REF = RefFact("factura", "factura", "F-1", "3")


def digest_of(facts=None, refs=(REF,), position=1, version=1):
    facts = {"total": TOTAL, "numero": NUMBER} if facts is None else facts
    return facts_digest("o-1", "p_1", position, version, store_facts(facts), refs)


def test_the_facts_digest_covers_what_is_material():
    whole = digest_of()
    others = {
        digest_of({"total": Money(Decimal("605.01")), "numero": NUMBER}),
        digest_of({"total": Money(Decimal(605), "JPY"), "numero": NUMBER}),
        digest_of({"total": Text("605.00"), "numero": NUMBER}),
        digest_of({"suma": TOTAL, "numero": NUMBER}),
        digest_of({"total": TOTAL, "numero": NUMBER, "n": Count(1)}),
        digest_of({}),
        digest_of(refs=()),
        digest_of(refs=(replace(REF, version="4"),)),
        digest_of(refs=(replace(REF, version=None),)),
        digest_of(refs=(replace(REF, id="F-2"),)),
        digest_of(refs=(replace(REF, kind="contacto"),)),
        digest_of(refs=(replace(REF, path="otra"),)),
        digest_of(refs=(REF, REF)),
        digest_of(position=2),
        digest_of(version=2),
    }
    assert len(others) == 15
    assert whole not in others


def test_what_is_volatile_is_no_part_of_the_facts_digest():
    assert digest_of({"total": TOTAL, "numero": Text("2026-0007", volatile=True)}) == digest_of()
    assert digest_of({"total": TOTAL}) == digest_of()
    assert digest_of({"numero": NUMBER, "total": Money(Decimal("605.0"))}) == digest_of()
    # Said of one that was material, it is a change.
    assert digest_of({"total": Money(Decimal(605), volatile=True)}) != digest_of()


def test_the_differences_are_the_material_facts_that_changed_by_name():
    shown = {"b": Count(1), "a": TOTAL, "same": Count(2), "n": NUMBER, "gone": Text("x")}
    now = {
        "b": Count(2), "a": TOTAL, "same": Count(2), "n": Text("2026-0002", volatile=True),
        "new": Text("y"), "v": Text("z", volatile=True),
    }  # fmt: skip
    assert differences(3, shown, now) == [
        Difference(3, "b", Count(1), Count(2)),
        Difference(3, "gone", Text("x"), None),
        Difference(3, "new", None, Text("y")),
    ]
    assert differences(1, shown, shown) == []
    turned = differences(1, {"n": NUMBER}, {"n": Text("2026-0001")})
    assert [difference.name for difference in turned] == ["n"]


def later_of(action="factura.recordar", version=1, when=None, given=None, facts=None, refs=(REF,)):
    when = ["2026-11-13T08:00:00.000000Z", None, "paid"] if when is None else when
    facts = {"total": TOTAL, "numero": NUMBER} if facts is None else facts
    given = {"dias": "5"} if given is None else given
    return later_digest(action, version, when, given, store_facts(facts), refs)


def test_the_digest_of_a_later_step_covers_what_when_unless_and_with_what():
    others = {
        later_of(action="factura.enviar"),
        later_of(version=2),
        later_of(when=["2026-11-13T08:00:00.000001Z", None, "paid"]),
        later_of(when=["2026-11-13T08:00:00.000000Z", "2026-11-14T08:00:00.000000Z", "paid"]),
        later_of(when=["2026-11-13T08:00:00.000000Z", None, None]),
        later_of(when=["2026-11-13T08:00:00.000000Z", "paid", None]),
        later_of(when=[]),
        later_of(given={"dias": "6"}),
        later_of(given={"dias": 5}),
        later_of(given={}),
        later_of(facts={"total": Money(Decimal("605.01"))}),
        later_of(facts={"suma": TOTAL}),
        later_of(facts={}),
        later_of(refs=()),
        later_of(refs=(replace(REF, id="$1", version=None),)),
        later_of(refs=(replace(REF, version="4"),)),
        later_of(refs=(REF, REF)),
    }
    assert len(others) == 17
    assert later_of() not in others
    assert later_of() == later_of()
    assert later_of() != digest_of()


def test_what_is_volatile_is_no_part_of_a_later_steps_digest():
    assert later_of(facts={"total": TOTAL}) == later_of()
    assert later_of(facts={"total": replace(TOTAL, volatile=True)}) == later_of(facts={})


# --- Differences that are stored ------------------------------------------------------------

AMOUNTS = st.sampled_from(sorted(EXPONENT)).flatmap(
    lambda currency: st.builds(
        Money,
        st.integers(-(10**12), 10**12).map(lambda n: Decimal(n).scaleb(-EXPONENT[currency])),
        st.just(currency),
        volatile=st.booleans(),
    )
)
FACTS = st.one_of(
    AMOUNTS,
    st.builds(Date, st.dates(), volatile=st.booleans()),
    st.builds(Instant, st.datetimes(timezones=st.just(UTC)), st.text(max_size=9)),
    st.builds(Email, st.text(max_size=9), volatile=st.booleans()),
    st.builds(Count, st.integers(-(2**53) + 1, 2**53 - 1), volatile=st.booleans()),
    st.builds(Text, st.text(max_size=9), volatile=st.booleans()),
)


@given(st.integers(1, 10), st.text(max_size=9), st.none() | FACTS, st.none() | FACTS)
def test_a_difference_is_read_as_it_was_stored(position, name, shown, now):
    difference = Difference(position, name, shown, now)
    stored = json.loads(json.dumps(difference.plain()))
    assert Difference.read(position, stored) == difference


def test_a_difference_is_stored_as_its_name_what_was_shown_and_what_is():
    assert Difference(2, "total", TOTAL, None).plain() == [
        "total", {"type": "money", "value": ["605.00", "EUR"]}, None
    ]  # fmt: skip
    # A fact that is nothing or zero is still a fact.
    for empty in (Text(""), Email(""), Count(0), Money(Decimal(0))):
        there = Difference(1, "x", empty, None)
        assert there.plain()[1] is not None
        assert Difference.read(1, there.plain()) == there
        assert Difference.read(1, Difference(1, "x", None, empty).plain()).now == empty


GOOD = {"type": "text", "value": "x"}


@pytest.mark.parametrize(
    "stored",
    [
        None, True, 5, "", "abc", [], {}, ["a"], ["a", None], ["a", None, None, None],
        [["a"], None, None], [None, GOOD, GOOD], [5, GOOD, GOOD], [{}, GOOD, GOOD],
        {"name": "a", "shown": GOOD, "now": GOOD}, {0: "a", 1: GOOD, 2: GOOD},
        *(
            each
            for bad in (
                False, 0, "", "x", [], {}, [GOOD], {"type": "text"}, {"value": "x"},
                {"type": "text", "value": 5}, {"type": "text", "value": None},
                {"type": ["text"], "value": "x"}, {"type": None, "value": "x"},
                {"type": "Text", "value": "x"}, {"type": "fact", "value": "x"},
                {"type": "count", "value": "5"}, {"type": "count", "value": 1.5},
                {"type": "date", "value": "2026-02-30"}, {"type": "date", "value": "\ud800"},
                {"type": "date", "value": "tomorrow"}, {"type": "date", "value": 20261118},
                {"type": "instant", "value": "2026-11-13T08:00:00.000000Z"},
                {"type": "instant", "value": ["2026-11-13", "Europe/Madrid"]},
                {"type": "instant", "value": ["2026-11-13T08:00:00.000000Z", None]},
                {"type": "money", "value": "605.00"}, {"type": "money", "value": ["605.00"]},
                {"type": "money", "value": [605, "EUR"]},
                {"type": "money", "value": ["605.001", "EUR"]},
                {"type": "money", "value": ["605.00", "QQQ"]},
                *(
                    {"type": "money", "value": [amount, "EUR"]}
                    for amount in (
                        "", " ", "abc", "6,05", "0x1", "NaN", "sNaN", "-Infinity", "1E+999999999",
                        "1E+99999999999999999999", "9" * 5000, "\ud800",
                    )
                ),
            )
            for each in (["a", bad, GOOD], ["a", GOOD, bad], ["a", None, bad])
        ),
    ],
    ids=lambda stored: ascii(stored)[:70],
)  # fmt: skip
def test_what_is_no_stored_difference_is_refused_as_a_value(stored):
    with pytest.raises(ValueError):
        Difference.read(1, stored)


SCRAPS = st.sampled_from(
    ["text", "money", "date", "instant", "count", "email", "EUR", "605.00", "2026-11-18", "abc",
     "2026-11-13T08:00:00.000000Z", "NaN", "1e9", "", 0, 5, True, None]
)  # fmt: skip
PIECES = st.recursive(
    SCRAPS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.fixed_dictionaries({"type": SCRAPS, "value": inner}, optional={"volatile": inner}),
    ),
    max_leaves=8,
)


@given(st.lists(PIECES, min_size=3, max_size=3) | PIECES)
def test_whatever_is_stored_is_a_difference_or_no_value_and_nothing_else(stored):
    try:
        difference = Difference.read(1, stored)
    except ValueError:
        return
    assert Difference.read(1, json.loads(json.dumps(difference.plain()))) == difference
