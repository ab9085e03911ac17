"""The offline planner: every spelling of an amount and of a day is the same amount and day."""

from datetime import date
from decimal import Decimal

import pytest
from facturas_planner import lines
from hypothesis import given, settings
from hypothesis import strategies as st

from semel_facturas.grammar import ENGLISH, SPANISH, amount, tokens

pytestmark = pytest.mark.no_store

pytestmark = pytest.mark.no_store

anything = settings(deadline=None, max_examples=300)  # what it reads is tested here, not how fast
cents = st.integers(min_value=1, max_value=99_999_999)


def spelled(value: Decimal, thousands: str, decimal: str) -> str:
    return f"{value:,.2f}".replace(",", "t").replace(".", decimal).replace("t", thousands)


@anything
@given(cents)
def test_every_spelling_of_an_amount_is_the_same_number(number):
    value = Decimal(number) / 100
    spellings = [
        spelled(value, *marks) for marks in (".,", ",.", ("", ","), ("", "."), ("", "'"), ".'")
    ]
    if value == int(value):
        spellings.append(str(int(value)))
    for spelling in spellings:
        for language in (SPANISH, ENGLISH):
            assert amount(spelling, language.thousands) == value, spelling


@anything
@given(
    cents,
    st.sampled_from(["{} €", "{}€", "€{}", "€ {}", "{} euros", "{} EUR", "EUR {}", "{}\u00a0€"]),
)
def test_every_way_to_write_euros_is_the_same_price(number, money):
    value = Decimal(number) / 100
    for marks in (".,", ",.", ("", ",")):
        said = money.format(spelled(value, *marks))
        assert (
            lines(f"Haz una factura a Acme Studio por el logo, {said} + IVA")[0]["precio"]
            == f"{value:.2f}"
        )
        assert (
            lines(f"Invoice Acme Studio for the logo, {said} plus VAT")[0]["precio"]
            == f"{value:.2f}"
        )


@pytest.mark.parametrize(
    ("spelling", "spanish", "english"),
    [
        ("1.234", Decimal(1234), None),
        ("1,234", None, Decimal(1234)),
        ("1.234.567", Decimal(1234567), Decimal(1234567)),
        ("12.34.56", None, None),
        ("1.2345", None, None),
        ("0.123", None, None),
        ("1.234,567", None, None),
        ("1234567890", None, None),
    ],
)
def test_a_number_that_may_be_two_numbers_is_none(spelling, spanish, english):
    assert amount(spelling, SPANISH.thousands) == spanish
    assert amount(spelling, ENGLISH.thousands) == english


@pytest.mark.parametrize(
    "text", ["12/11/2026", "12-11-2026", "2026-11-12", "12 de noviembre", "12 nov 2026", "ayer"]
)
def test_a_day_is_one_token(text):
    (token,) = tokens(text, SPANISH, date(2026, 11, 13))
    assert token.day == date(2026, 11, 12)


@pytest.mark.parametrize(
    "text", ["November 12, 2026", "12th of November", "yesterday", "12/11/2026"]
)
def test_a_day_in_english_is_one_token_and_the_day_comes_first(text):
    (token,) = tokens(text, ENGLISH, date(2026, 11, 13))
    assert token.day == date(2026, 11, 12)
