"""Tax ids: real people's are taken, wrong ones are told apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semel_facturas.books.taxid import Wrong, check

pytestmark = pytest.mark.no_store

pytestmark = pytest.mark.no_store


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("12345678Z", "12345678Z"),
        ("X1234567L", "X1234567L"),
        ("Y1234567X", "Y1234567X"),
        ("Z1234567R", "Z1234567R"),
        ("K1234567L", "K1234567L"),
        ("L1234567L", "L1234567L"),
        ("M1234567L", "M1234567L"),
        ("12345678-z", "12345678Z"),
        (" es b-58378431 ", "B58378431"),
        ("A28015865", "A28015865"),
        ("W0184081H", "W0184081H"),
        ("89890001K", "89890001K"),
    ],
)
def test_b47_a_right_id_is_taken_in_upper_case_without_separators(text, id):
    assert check(text) == id


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("12345678A", Wrong.CONTROL),
        ("X1234567T", Wrong.CONTROL),
        ("B12345678", Wrong.CONTROL),
        ("911111111H", Wrong.LENGTH),
        ("8911111111H", Wrong.LENGTH),
        ("1234567Z", Wrong.LENGTH),
        ("", Wrong.LENGTH),
        ("1234A678Z", Wrong.FORMAT),
        ("I1234567L", Wrong.FORMAT),
        ("1234567\nL", Wrong.FORMAT),
        ("«1234567Z", Wrong.FORMAT),
    ],
)
def test_b47_a_wrong_id_is_refused_with_what_is_wrong(text, wrong):
    assert check(text) is wrong


@given(st.text() | st.from_regex(r"[0-9A-Z][0-9]{7}[0-9A-Z\n]"))
def test_any_text_is_either_normal_or_told_apart(text):
    result = check(text)
    if not isinstance(result, Wrong):
        assert len(result) == 9
        assert result.isascii()
        assert result.isalnum()
        assert check(result) == result == result.upper()
