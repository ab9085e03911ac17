"""Facts: exact values, one text for one meaning, and the way through storage and back."""

import decimal
import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semel.facts import (
    EXPONENT,
    NAMES,
    Count,
    Date,
    Email,
    Fact,
    Instant,
    Money,
    Text,
    decimal_text,
    instant_text,
    read_facts,
    read_instant,
    store_facts,
)

REPEATABLE = settings(derandomize=True, deadline=None, database=None)
MADRID = ZoneInfo("Europe/Madrid")
FACTS = {
    "total": Money(Decimal("605.00")),
    "yen": Money(Decimal(605), "JPY"),
    "due": Date(date(2026, 11, 18)),
    "at": Instant(datetime(2026, 11, 13, 9, 0, tzinfo=MADRID)),
    "to": Email("maria@carmona.example"),
    "count": Count(3),
    "number": Text("2026-0001", volatile=True),
}


@pytest.mark.parametrize(
    ("text", "decimals", "plain"),
    [
        ("1", None, "1"),
        ("1.0", None, "1"),
        ("1.50", None, "1.5"),
        ("100", None, "100"),
        ("1E+2", None, "100"),
        ("1E-7", None, "0.0000001"),
        ("-0", None, "0"),
        ("-0.00", None, "0"),
        ("0E+3", None, "0"),
        ("-0E+3", None, "0"),
        ("0E-3", None, "0"),
        ("-1.10", None, "-1.1"),
        ("605", 2, "605.00"),
        ("605.1", 2, "605.10"),
        ("-0.00", 2, "0.00"),
        ("0E+9", 2, "0.00"),
        ("6E+2", 0, "600"),
        ("123456789012345678901234567890.12", 2, "123456789012345678901234567890.12"),
    ],
)
def test_a_decimal_has_one_plain_text(text, decimals, plain):
    assert decimal_text(Decimal(text), decimals) == plain


@pytest.mark.parametrize(
    ("text", "decimals"),
    [
        ("NaN", None),
        ("sNaN", None),
        ("Infinity", 2),
        ("-Infinity", None),
        ("0.001", 2),
        ("1.5", 0),
        # A gigabyte in plain notation each.
        ("1E+999999999", None),
        ("1E-999999999", None),
        ("0E-999999999", None),
        ("1E+1001", None),
    ],
)
def test_what_is_not_finite_or_has_more_digits_is_refused(text, decimals):
    with pytest.raises(ValueError):
        decimal_text(Decimal(text), decimals)


def test_an_amount_does_not_depend_on_the_contexts_of_the_process():
    amount = Decimal("123456789012.34")
    with decimal.localcontext() as context:
        context.prec = 3
        context.rounding = decimal.ROUND_UP
        assert Money(amount).plain() == ["123456789012.34", "EUR"]
        with pytest.raises(ValueError):
            Money(Decimal("0.005"))


@pytest.mark.parametrize(
    ("amount", "currency"),
    [
        (Decimal("0.005"), "EUR"),
        (Decimal("0.5"), "JPY"),
        (Decimal(1), "QQQ"),
        (Decimal(1), "eur"),
        (Decimal("NaN"), "EUR"),
        (Decimal("1E+70"), "EUR"),
        (Decimal("1E+999999999"), "EUR"),
        (Decimal("0E-999999999"), "EUR"),
    ],
)
def test_money_that_its_currency_does_not_have_is_refused_when_it_is_made(amount, currency):
    with pytest.raises(ValueError):
        Money(amount, currency)


@pytest.mark.parametrize("amount", [1.1, 1, "1.10", True, None])
def test_an_amount_that_is_no_decimal_is_refused(amount):
    with pytest.raises(TypeError):
        Money(amount)


@REPEATABLE
@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=2, min_value=-(10**12), max_value=10**12
    )
)
def test_equal_amounts_have_equal_text_however_they_are_written(amount):
    spelled = [amount, amount.normalize(), Decimal(f"{amount}0"), Decimal(f"{amount:E}")]
    assert len({json.dumps(Money(each).plain()) for each in spelled}) == 1
    (text, _) = Money(amount).plain()
    assert Decimal(text) == amount


def test_every_currency_that_is_known_has_its_decimals():
    assert {currency: Money(Decimal(0), currency).plain()[0] for currency in EXPONENT} == {
        "EUR": "0.00", "USD": "0.00", "GBP": "0.00", "CHF": "0.00", "JPY": "0"
    }  # fmt: skip


def test_an_instant_is_the_same_text_from_every_zone():
    at = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    zones = [UTC, MADRID, timezone(timedelta(hours=-3)), ZoneInfo("Asia/Kolkata")]
    assert {instant_text(at.astimezone(zone)) for zone in zones} == {"2026-10-25T00:30:00.000000Z"}


def test_the_hour_that_comes_twice_is_two_instants():
    first = datetime(2026, 10, 25, 2, 30, tzinfo=MADRID)
    assert instant_text(first) != instant_text(first.replace(fold=1))


def test_an_instant_without_a_zone_is_refused():
    with pytest.raises(ValueError):
        instant_text(datetime(2026, 10, 19))  # noqa: DTZ001 - that is the case
    with pytest.raises(ValueError):
        Instant(datetime(2026, 10, 19)).plain()  # noqa: DTZ001 - as above


@REPEATABLE
@given(st.datetimes(max_value=datetime(9999, 12, 31)))  # noqa: DTZ001 - a bound of naive ones
def test_the_text_of_instants_sorts_as_they_do_and_reads_back(naive):
    at = naive.replace(tzinfo=UTC)
    later = at + timedelta(microseconds=1)
    assert read_instant(instant_text(at)) == at
    assert instant_text(at) < instant_text(later)


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000000Z"),
        (datetime(999, 12, 31, 23, 59, 59, 1, tzinfo=UTC), "0999-12-31T23:59:59.000001Z"),
        (datetime.max.replace(tzinfo=UTC), "9999-12-31T23:59:59.999999Z"),
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=-1))), "0001-01-01T01:00:00.000000Z"),
    ],
)
def test_an_instant_of_any_year_has_four_digits_for_it(at, text):
    assert instant_text(at) == text
    assert read_instant(text) == at


@pytest.mark.parametrize(
    "text",
    [
        "2026-10-19T08:00:00Z",
        "2026-10-19T08:00:00.000000+00:00",
        "2026-W43-1T08:00:00.000000Z",
        "2026-10-19 08:00:00.000000Z",
        "2026-10-19T24:00:00.000000Z",
        "2026-10-19T08:00:00.000000",
        "",
    ],
)
def test_an_instant_that_is_written_otherwise_is_refused(text):
    with pytest.raises(ValueError):
        read_instant(text)


def test_an_instant_outside_the_calendar_of_utc_is_refused():
    for at, hours in [(datetime.min, 1), (datetime.max, -1)]:  # noqa: DTZ901 - with a zone below
        with pytest.raises(ValueError, match="outside the calendar"):
            instant_text(at.replace(tzinfo=timezone(timedelta(hours=hours))))


def test_facts_read_back_as_they_were_stored():
    stored = store_facts(FACTS)
    assert read_facts(json.loads(json.dumps(stored))) == FACTS
    assert stored["number"] == {"type": "text", "value": "2026-0001", "volatile": True}
    assert "volatile" not in stored["total"]


def test_every_kind_of_fact_has_a_name_and_is_in_this_test():
    assert {type(fact) for fact in FACTS.values()} == set(NAMES.values())


@pytest.mark.parametrize(
    "stored",
    [
        None, [], "text", {"a": None}, {"a": []}, {"a": {}}, {"a": {"type": "text"}},
        {"a": {"type": "text", "value": 5}}, {"a": {"type": "count", "value": "5"}},
        {"a": {"type": "money", "value": ["605.00"]}},
        {"a": {"type": "money", "value": ["605.001", "EUR"]}},
        {"a": {"type": "money", "value": ["605.00", "QQQ"]}},
        {"a": {"type": "money", "value": ["much", "EUR"]}},
        {"a": {"type": "date", "value": "2026-02-30"}},
        {"a": {"type": "instant", "value": ["yesterday", "Europe/Madrid"]}},
        {"a": {"type": "unknown", "value": 1}},
    ],
)  # fmt: skip
def test_what_are_no_stored_facts_is_refused_as_a_value(stored):
    with pytest.raises(ValueError):
        read_facts(stored)


def test_a_fact_of_no_kind_is_refused_when_it_is_stored():
    class Odd(Fact):
        pass

    with pytest.raises(TypeError):
        Odd().plain()
    for fact in (Odd(), "text", None, 5):
        with pytest.raises((KeyError, TypeError)):
            store_facts({"a": fact})


def test_a_fact_cannot_be_changed():
    with pytest.raises((AttributeError, TypeError)):
        FACTS["total"].amount = Decimal(1)
