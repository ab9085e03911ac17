"""Keys: over arrays, never over joined text; and the ids that are made beside them."""

import re
from itertools import product
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semel.domain.canonical import NotCanonical
from semel.domain.key import Layer, act_key, key, later_key, send_key, step_key, uuid7

REPEATABLE = settings(derandomize=True, deadline=None, database=None)
PLAN = [["nota.crear", {"texto": "Logo"}]]
PARTS = ["o-1", "ana", "c-1", "m-1", PLAN]


def test_a_key_is_the_same_for_the_same_parts_and_another_for_each_other_part():
    keys = {act_key(*PARTS), act_key(*PARTS)}
    assert len(keys) == 1
    for number in range(4):
        keys.add(act_key(*[*PARTS[:number], f"{PARTS[number]}x", *PARTS[number + 1 :]]))
    keys.add(act_key(*PARTS[:4], [["nota.crear", {"texto": "Web"}]]))
    keys.add(act_key(*PARTS[:4], [["nota.otra", {"texto": "Logo"}]]))
    assert len(keys) == 7
    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in keys)


def test_parts_that_change_places_are_other_parts():
    assert act_key("a", "b", "c", "d", PLAN) != act_key("b", "a", "c", "d", PLAN)
    assert act_key("a", "b", "c", "d", PLAN) != act_key("a", "b", "d", "c", PLAN)


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u00a0", "\u3000", None])
@pytest.mark.parametrize("number", range(4))
def test_a_missing_or_blank_part_is_refused_never_hashed(number, blank):
    with pytest.raises(NotCanonical):
        act_key(*[*PARTS[:number], blank, *PARTS[number + 1 :]])


@pytest.mark.parametrize("part", ["\ud83d", 1.5, b"x", object(), float("nan")])
def test_a_part_that_has_no_spelling_is_refused(part):
    with pytest.raises(NotCanonical):
        act_key("o-1", part, "c-1", "m-1", PLAN)


def test_the_same_text_in_other_letters_of_unicode_is_one_part():
    assert act_key("o", "Mari\u0301a", "c", "m", PLAN) == act_key("o", "María", "c", "m", PLAN)


SEPARATORS = ":/|,;\"'\\[]{}\0\x1f \u2028"


@REPEATABLE
@given(st.text("ab" + SEPARATORS, min_size=4, max_size=12), st.data())
def test_no_two_splits_of_one_text_over_the_parts_share_a_key(text, data):
    cuts = st.lists(st.integers(0, len(text)), min_size=3, max_size=3).map(sorted)
    one, two = data.draw(cuts), data.draw(cuts)

    def split(cut):
        return [text[a:b] for a, b in zip([0, *cut], [*cut, len(text)], strict=True)]

    first, second = split(one), split(two)
    if any(not part.strip() for part in (*first, *second)):
        return
    assert (act_key(*first, PLAN) == act_key(*second, PLAN)) == (first == second)


def test_every_split_of_one_short_text_has_a_key_of_its_own():
    text = "o1:u:x:y"
    splits = [
        (text[:a], text[a:b], text[b:c], text[c:])
        for a, b, c in product(range(1, len(text)), repeat=3)
        if a < b < c
    ]
    assert len({act_key(*split, PLAN) for split in splits}) == len(splits) > 30


def test_a_key_of_another_layer_or_shape_is_another():
    assert key(Layer.ACT, "o", "a") != key("req", "o", "a")
    assert key(Layer.ACT, "o", "a", "b") != key(Layer.ACT, "o", ["a", "b"])
    assert key(Layer.ACT, "o", 1) != key(Layer.ACT, "o", "1")


def test_a_steps_key_is_stable_and_its_own():
    keys = {
        step_key(org, plan, position, round_)
        for org, plan, position, round_ in product(["o-1", "o-2"], ["p_1", "p_2"], [1, 2], [1, 2])
    }
    assert len(keys) == 16
    assert step_key("o-1", "p_1", 1, 1) in keys
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in keys)


INSTANT = "2026-11-13T08:00:00.000000Z"
LATER = ["o-1", "factura.recordar", {"factura": "F-1", "dias": "5"}, INSTANT]


def test_a_later_key_is_one_for_each_action_input_and_instant():
    keys = {
        later_key(*LATER),
        later_key("o-2", *LATER[1:]),
        later_key("o-1", "factura.enviar", *LATER[2:]),
        later_key(*LATER[:2], {"factura": "F-2", "dias": "5"}, INSTANT),
        later_key(*LATER[:2], {"factura": "F-1", "dias": "6"}, INSTANT),
        later_key(*LATER[:2], {"factura": "F-1"}, INSTANT),
        later_key(*LATER[:2], {}, INSTANT),
        later_key(*LATER[:3], "2026-11-13T08:00:00.000001Z"),
    }
    assert len(keys) == 8
    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in keys)
    # It is planned once, however its input is written and whoever's message it is of.
    assert later_key(*LATER[:2], {"dias": "5", "factura": "F-1"}, INSTANT) == later_key(*LATER)
    assert later_key("o", "a", {"n": "Mari\u0301a"}, INSTANT) == later_key(
        "o", "a", {"n": "María"}, INSTANT
    )


@pytest.mark.parametrize("blank", ["", " ", "\u00a0", None])
@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_later_key_with_a_missing_part_is_refused(number, blank):
    with pytest.raises(NotCanonical):
        later_key(*[*LATER[:number], blank, *LATER[number + 1 :]])


def test_a_later_key_is_no_key_of_a_message():
    """The layers share one table, so not even equal parts may meet in it."""
    assert [str(layer) for layer in Layer] == ["act", "later"]
    parts = ["o-1", "a", "b", "c", PLAN]
    assert len({key(layer, *parts) for layer in Layer}) == len(Layer)
    assert act_key(*parts) == key(Layer.ACT, *parts)
    assert later_key(*LATER) == key(Layer.LATER, *LATER)
    assert later_key(*LATER) != key(Layer.ACT, *LATER)


@REPEATABLE
@given(st.text("ab" + SEPARATORS, min_size=2, max_size=9), st.data())
def test_no_two_splits_of_one_text_share_a_later_key(text, data):
    one, two = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))
    first, second = (text[:one], text[one:]), (text[:two], text[two:])
    if any(not part.strip() for part in (*first, *second)):
        return
    equal = later_key(*first, {}, INSTANT) == later_key(*second, {}, INSTANT)
    assert equal == (first == second)


def test_a_send_has_a_key_of_its_own_where_each_can_be_closed_by_itself():
    steps = [
        step_key("o-1", "p_1", position, round_) for position, round_ in product([1, 2], [1, 2])
    ]
    sends = {send_key(step, attempt) for step, attempt in product(steps, ["a-1", "a-2", "a-3"])}
    assert len(sends) == 12
    assert sends.isdisjoint(steps)
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in sends)
    assert send_key(steps[0], "a-1") in sends
    # No letter moves from the step's key to the send's id.
    assert send_key("a", "b-1") != send_key("ab", "-1")
    assert send_key("a", "b") != send_key("b", "a")


@REPEATABLE
@given(st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=10))
def test_an_id_is_a_uuid_of_version_seven_with_its_time_in_front(milliseconds, random):
    text = uuid7(milliseconds, random)
    value = UUID(text)
    assert str(value) == text
    assert (value.version, value.variant) == (7, "specified in RFC 4122")
    assert value.int >> 80 == milliseconds
    # 74 bits are left to chance: 12 after the version, 62 after the variant.
    chance = int.from_bytes(random, "big")
    assert value.int & (2**62 - 1) == chance & (2**62 - 1)
    assert value.int >> 64 & 0xFFF == chance >> 64 & 0xFFF


def test_ids_sort_by_the_time_they_were_made():
    ids = [uuid7(at, bytes([255 - at % 256] * 10)) for at in range(1_000, 3_000, 7)]
    assert ids == sorted(ids)


@REPEATABLE
@given(
    st.tuples(st.integers(0, 2**48 - 1), st.integers(0, 2**48 - 1)),
    st.binary(min_size=10, max_size=10),
    st.binary(min_size=10, max_size=10),
)
def test_an_id_that_was_made_later_sorts_later_whatever_chance_says(times, one, two):
    earlier, later = sorted(times)
    assert (uuid7(earlier, one) < uuid7(later, two)) or earlier == later


def test_a_time_beyond_its_48_bits_does_not_reach_the_version():
    assert UUID(uuid7(2**48 + 5, b"\xff" * 10)).version == 7
    assert uuid7(2**48 + 5, b"\xff" * 10) == uuid7(5, b"\xff" * 10)


def test_the_example_of_rfc_9562_is_an_id_of_ours():
    # Appendix A.6: 2022-02-22 19:22:22 UTC, rand_a CC3, rand_b 18C4DC0C0C07398F.
    chance = 0xCC3 << 64 | 0x18C4DC0C0C07398F
    text = uuid7(0x017F22E279B0, chance.to_bytes(10, "big"))
    assert text == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
