"""The arithmetic of an invoice, by the vectors it is pinned to."""

import ast
import decimal
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semel.errors import NotDone
from semel_facturas.books import money
from semel_facturas.books.money import Line, bases_including, cents, euros, percent_of, totals

pytestmark = pytest.mark.no_store

pytestmark = pytest.mark.no_store

HOSTILE = [
    decimal.Context(prec=1, rounding=decimal.ROUND_UP, traps=[]),
    decimal.Context(prec=2, rounding=decimal.ROUND_FLOOR, traps=[decimal.Inexact, decimal.Rounded]),
    decimal.Context(prec=28, rounding=decimal.ROUND_HALF_EVEN, Emax=1, Emin=0, traps=[]),
    decimal.Context(prec=5, capitals=0, clamp=1, traps=[decimal.Subnormal, decimal.FloatOperation]),
]


def line(quantity: str, price: str, discount: str = "0", vat: str = "21") -> Line:
    return Line("Algo", Decimal(quantity), Decimal(price), Decimal(discount), Decimal(vat))


# Lines, base, VAT, total.
VECTORS = [
    ([line("1", "500")], "500.00", "105.00", "605.00"),
    ([line("1", "1.07")] * 3, "3.21", "0.67", "3.88"),
    ([line("1", "1.03")] * 3, "3.09", "0.65", "3.74"),
    ([line("1", "0.50")], "0.50", "0.11", "0.61"),
    ([line("3", "33.3333")], "100.00", "21.00", "121.00"),
    ([line("2.5", "40.10", "12.5")], "87.72", "18.42", "106.14"),
    (
        [line("1", "100"), line("1", "50", vat="10"), line("1", "20", vat="4")],
        "170.00",
        "26.80",
        "196.80",
    ),
    ([line("1", "1000")], "1000.00", "210.00", "1210.00"),
    ([line("1", "100")], "100.00", "21.00", "121.00"),
    ([line("-1", "500")], "-500.00", "-105.00", "-605.00"),
    ([line("16", "348.35", "4", "22")], "5350.66", "1177.15", "6527.81"),
    ([line("1", "180.17")], "180.17", "37.84", "218.01"),
    ([], "0.00", "0.00", "0.00"),
]


@contextmanager
def ambient(context: decimal.Context) -> Iterator[None]:
    with decimal.localcontext(context):
        yield


def figures(lines: list[Line]) -> tuple[str, str, str]:
    result = totals(tuple(lines))
    return str(result.base), str(result.vat), str(result.total)


@pytest.mark.parametrize(("lines", "base", "vat", "total"), VECTORS)
def test_b46_the_pinned_vectors_hold(lines, base, vat, total):
    assert figures(lines) == (base, vat, total)


@pytest.mark.parametrize("context", HOSTILE, ids=["prec 1", "trapping", "tiny", "clamped"])
@pytest.mark.parametrize(("lines", "base", "vat", "total"), VECTORS)
def test_the_context_of_the_caller_changes_nothing(context, lines, base, vat, total):
    plain = [
        (str(one.cantidad), str(one.precio), str(one.descuento), str(one.iva)) for one in lines
    ]
    with ambient(context):
        assert figures([line(*parts) for parts in plain]) == (base, vat, total)
        assert euros(Decimal("-1234567.5")) == "-1.234.567,50 €"
        assert bases_including(Decimal("218.00"), Decimal(21)) == (
            Decimal("180.16"),
            Decimal("180.17"),
        )
        assert money.plain(Decimal("12.50")) == "12.5"


def test_b46_two_rates_are_kept_apart_with_the_highest_first():
    result = totals((line("1", "1.03", vat="10"), line("2", "1.03"), line("1", "1.03", vat="21.0")))
    parts = [(str(rate.iva), str(rate.base), str(rate.vat)) for rate in result.rates]
    assert parts == [("21", "3.09", "0.65"), ("10", "1.03", "0.10")]
    assert str(result.total) == "4.87"


def test_withholding_and_surcharge_are_a_share_of_the_base():
    assert percent_of(Decimal("1000.00"), Decimal(15)) == Decimal("150.00")
    assert percent_of(Decimal("100.00"), Decimal("5.2")) == Decimal("5.20")


def test_a_total_that_no_base_gives_has_two_neighbours():
    below, above = bases_including(Decimal(218), Decimal(21))
    reached = [str(totals((line("1", str(base)),)).total) for base in (below, above)]
    assert reached == ["217.99", "218.01"]
    assert bases_including(Decimal(605), Decimal(21)) == (Decimal("500.00"),)
    assert bases_including(Decimal("72.59"), Decimal(21)) == (Decimal("59.99"),)


def test_minus_zero_never_appears():
    assert str(cents(Decimal("-0.001"))) == "0.00"
    assert str(totals((line("-1", "0.001"),)).total) == "0.00"
    assert euros(Decimal("-0.00")) == "0,00 €"
    assert money.plain(Decimal("-0.0")) == "0"


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("605.00", "605,00 €"),
        ("1234.5", "1.234,50 €"),
        ("-605.00", "-605,00 €"),
        ("33.3333", "33,3333 €"),
        ("1E+6", "1.000.000,00 €"),
    ],
)
def test_money_is_shown_in_spanish_form(amount, shown):
    assert euros(Decimal(amount)) == shown


@pytest.mark.parametrize(
    "parts",
    [
        ("NaN", "1"), ("sNaN", "1"), ("Infinity", "1"), ("0", "1"), ("1", "0"), ("1", "NaN"),
        ("1000000000", "1"), ("1", "-1000000000"), ("1.00001", "1"), ("1", "1.0000001"),
        ("1E-999999999", "1"), ("1E+999999999", "1"), ("1", "1", "100.5"), ("1", "1", "-1"),
        ("1", "1", "NaN"), ("1", "1", "1.234"), ("1", "1", "0", "101"), ("1", "1", "0", "Infinity"),
    ],
)  # fmt: skip
def test_a_line_that_no_invoice_can_have_is_refused(parts):
    with pytest.raises(NotDone):
        line(*parts)


def test_a_line_without_a_description_is_refused():
    with pytest.raises(NotDone):
        Line(" \n", Decimal(1), Decimal(1), Decimal(0), Decimal(21))


NUMBERS = st.decimals(min_value="-999999999", max_value="999999999", places=4).filter(bool)
PRICES = st.decimals(min_value="-999999999", max_value="999999999", places=6).filter(bool)
PERCENTAGES = st.decimals(min_value=0, max_value=100, places=2)
LINES = st.builds(
    Line, st.just("Algo"), NUMBERS, PRICES, PERCENTAGES, st.sampled_from([Decimal(rate) for rate in (21, 10, 4)]) | PERCENTAGES
)  # fmt: skip


@given(st.lists(LINES, max_size=8), st.sampled_from(HOSTILE))
def test_totals_are_the_sum_of_their_parts(lines, context):
    with ambient(context):
        result = totals(tuple(lines))
    wide = decimal.Context(prec=80, traps=[decimal.Inexact])
    with decimal.localcontext(wide):
        assert result.base == sum((one.amount for one in lines), Decimal(0))
        assert result.base == sum((rate.base for rate in result.rates), Decimal(0))
        assert result.vat == sum((rate.vat for rate in result.rates), Decimal(0))
        assert result.total == result.base + result.vat
        for rate in result.rates:
            assert abs(rate.vat - rate.base * rate.iva * Decimal("0.01")) <= Decimal("0.005")
        for one in lines:
            exact = one.cantidad * one.precio * (100 - one.descuento) * Decimal("0.01")
            assert abs(one.amount - exact) <= Decimal("0.005")
    for amount in (result.base, result.vat, result.total):
        assert amount.as_tuple().exponent == -2
        assert str(amount) != "-0.00"


@given(st.decimals(min_value="0.01", max_value="999999", places=2), PERCENTAGES)
def test_bases_of_a_total_either_give_it_or_stand_on_both_sides(total, vat):
    reached = [base + percent_of(base, vat) for base in bases_including(total, vat)]
    assert reached == [total] or (len(reached) == 2 and reached[0] < total < reached[1])


def test_the_module_knows_no_float():
    tree = ast.parse(Path(money.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
        assert not (isinstance(node, ast.Name) and node.id == "float")
        assert not isinstance(node, ast.Div)
