"""The quick spelling of canonical JSON is the library's, byte for byte; the rest is the library's."""

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from semel.domain.canonical import SAFE_INTEGER, jcs

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
PLAIN = st.none() | st.booleans() | st.integers(-SAFE_INTEGER, SAFE_INTEGER) | TEXTS
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_any_value_is_spelled_as_the_library_spells_it(value):
    assert jcs(value) == rfc8785.dumps(value)


@given(st.dictionaries(st.text(alphabet="a\ue000\U00010000é", max_size=3), PLAIN, max_size=6))
def test_names_are_in_the_order_of_their_utf_16(value):
    assert jcs(value) == rfc8785.dumps(value)


@pytest.mark.parametrize("value", [1.0, 0.1, 1e21, [1.5], {"a": 2.0}, -0.0, [{"a": [1e-7]}]])
def test_a_fraction_is_spelled_by_the_library(value):
    assert jcs(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    "value",
    [2**53, -(2**53), [2**60], {"a": 2**53}, "\ud800", ["\udfff"], {"a": "\ud800"}, float("nan")],
)
def test_what_the_library_refuses_is_refused(value):
    with pytest.raises(ValueError):
        rfc8785.dumps(value)
    with pytest.raises(ValueError):
        jcs(value)


@pytest.mark.parametrize("text", ["\x00\x1f\x7f\x80", '"\\/\b\f\n\r\t', "\u2028\u2029", "é", "🧾"])
def test_every_letter_is_escaped_or_not_as_the_library_does(text):
    assert jcs([text, {text: text}]) == rfc8785.dumps([text, {text: text}])
