"""References: ``$n`` points backwards, at a step that makes what the field takes."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semel.domain.resolution import Fault, Pointer, check

REPEATABLE = settings(derandomize=True, deadline=None, database=None)
MAKES = ["factura", None, "contacto", "factura"]


def fault(text, position=5, kind="factura"):
    return check(position, Pointer("factura", kind, text), MAKES)


@pytest.mark.parametrize(
    ("text", "position", "kind", "expected"),
    [
        ("$1", 2, "factura", None),
        ("$4", 5, "factura", None),
        ("$3", 4, "contacto", None),
        ("$1", 1, "factura", Fault.FORWARD),
        ("$2", 1, "factura", Fault.FORWARD),
        ("$9", 5, "factura", Fault.FORWARD),
        ("$99", 5, "factura", Fault.FORWARD),
        ("$2", 3, "factura", Fault.MAKES_NOTHING),
        ("$3", 4, "factura", Fault.WRONG_KIND),
        ("$1", 4, "contacto", Fault.WRONG_KIND),
    ],
)
def test_a_pointer_is_judged_by_where_it_points(text, position, kind, expected):
    assert fault(text, position, kind) is expected


@pytest.mark.parametrize(
    "text",
    ["$", "$0", "$01", "$-1", "$+1", "$1.0", "$1e1", "$ 1", "$1 ", "$100", "$١", "$１", "$a",
     "$1\n", "$$1", "${1}", "$1.factura", "$\u200b1", "$²"],
)  # fmt: skip
def test_what_begins_like_a_reference_and_is_none_is_malformed(text):
    assert fault(text) is Fault.MALFORMED


@pytest.mark.parametrize("text", ["0198c0de", "F-1", "1", "a$1", " $1", "＄1", "\u200b$1", "#1"])
def test_anything_else_is_a_records_id(text):
    assert fault(text) is None
    assert Pointer("a", "factura", text).position is None


def test_a_pointer_knows_the_step_it_points_at():
    assert [Pointer("", "", f"${n}").position for n in (1, 10, 99)] == [1, 10, 99]


def test_every_pointer_between_four_steps_is_judged_by_place_first_and_then_by_kind():
    kinds = ["factura", "contacto", None]
    for makes in product(kinds, repeat=4):
        for position, target, takes in product(range(1, 5), range(1, 12), kinds[:2]):
            found = check(position, Pointer("x", takes, f"${target}"), makes)
            if target >= position:
                assert found is Fault.FORWARD
            elif makes[target - 1] is None:
                assert found is Fault.MAKES_NOTHING
            else:
                assert (found is None) == (makes[target - 1] == takes)
                assert found in {None, Fault.WRONG_KIND}


@REPEATABLE
@given(st.text(max_size=8), st.integers(1, 5), st.sampled_from(["factura", "contacto", "x"]))
def test_every_text_is_an_id_or_a_good_reference_or_a_fault(text, position, kind):
    found = fault(text, position, kind)
    target = Pointer("", kind, text).position
    if target is None:
        assert (found is Fault.MALFORMED) == text.startswith("$")
    elif found is None:
        assert target < position
        assert MAKES[target - 1] == kind
