"""Facts as text: one form in every language, and templates in which only names are special."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semel.facts import Count, Date, Email, Fact, Instant, Money, Text
from semel.words.figures import clock, day_and_time, fill, lacks, put, show

NINE = datetime(2026, 11, 13, 8, 0, tzinfo=UTC)
patient = settings(deadline=None)  # what is shown is tested here, not how fast


@pytest.mark.parametrize(
    ("fact", "shown"),
    [
        (Money(Decimal(605)), "605,00 €"),
        (Money(Decimal("1234.5")), "1.234,50 €"),
        (Money(Decimal("1234567.89")), "1.234.567,89 €"),
        (Money(Decimal("-605.00")), "-605,00 €"),
        (Money(Decimal("-0.00")), "0,00 €"),
        (Money(Decimal("0.05")), "0,05 €"),
        (Money(Decimal(12), "USD"), "12,00 USD"),
        (Money(Decimal(1200), "JPY"), "1.200 JPY"),
        (Date(date(2026, 11, 18)), "18/11/2026"),
        (Date(date(31, 1, 2)), "02/01/0031"),
        (Instant(NINE), "13/11/2026 09:00"),
        (Instant(NINE, "America/Bogota"), "13/11/2026 03:00"),
        (Instant(NINE, "Marte/Olympus"), "13/11/2026 08:00 UTC"),
        (Instant(NINE, "../../etc/passwd"), "13/11/2026 08:00 UTC"),
        (Count(14), "14"),
        (Count(-3), "-3"),
        (Email("maria@carmona.example"), "maria@carmona.example"),
        (Email("maria@cаrmona.example"), "maria@xn--crmona-3nf.example"),
        (Text("María\nCarmona"), "María Carmona"),
        (Text("logo» de «María"), "logo› de ‹María"),
        (Text("2026-0001", volatile=True), "2026-0001"),
    ],
)
def test_a_fact_is_shown_in_one_form(fact: Fact, shown: str) -> None:
    assert show(fact) == shown


def test_a_moment_that_no_zone_can_hold_is_shown_in_its_own_offset() -> None:
    last = datetime(9999, 12, 31, 23, 30, tzinfo=timezone(timedelta(0)))
    assert show(Instant(last)) == "31/12/9999 23:30 UTC"


def test_something_that_is_no_kind_of_fact_is_the_programmers_mistake() -> None:
    with pytest.raises(TypeError):
        show(Fact())


def test_the_clock_is_the_persons() -> None:
    assert clock("2026-10-19T10:41:00.000000Z", "Europe/Madrid") == "12:41"
    assert clock("2026-10-19T10:41:00.000000Z", "America/Bogota") == "05:41"
    assert clock("2026-10-19T10:41:00.000000Z", "Marte/Olympus") == "10:41 UTC"


def test_a_day_is_the_persons_too() -> None:
    late = "2026-11-13T23:30:00.000000Z"
    assert day_and_time(late, "Europe/Madrid") == ("14/11/2026", "00:30")
    assert day_and_time(late, "America/Bogota") == ("13/11/2026", "18:30")
    assert day_and_time(late, "Marte/Olympus") == ("13/11/2026", "23:30 UTC")


def test_a_template_says_whether_it_lacks_a_fact() -> None:
    assert lacks("{a} {b}", {"a": Count(1)})
    assert not lacks("{a} {0} {a.b} {}", {"a": Count(1)})


def test_a_template_is_filled_by_name_and_by_nothing_else() -> None:
    facts: dict[str, Fact] = {"total": Money(Decimal(605)), "número": Text("2026-0001")}
    assert fill("Factura {número}: {total}", facts) == "Factura 2026-0001: 605,00 €"
    assert fill("{falta} {total.__class__} {total!r} {total:>9} {0} {}", facts) == (
        "{falta} {total.__class__} {total!r} {total:>9} {0} {}"
    )
    assert fill("{{total}}", facts) == "{605,00 €}"


def test_a_brace_in_somebodys_text_is_text() -> None:
    facts: dict[str, Fact] = {"nombre": Text("{total}"), "total": Money(Decimal(605))}
    assert fill("{nombre}: {total}", facts) == "{total}: 605,00 €"
    assert put("{a}{b}", {"a": "{b}", "b": "x"}) == "{b}x"
    assert put("100 % {a} %s {b}", {"a": "5 %", "b": "%d"}) == "100 % 5 % %s %d"


amounts = st.decimals(-(10**12), 10**12, allow_nan=False, allow_infinity=False, places=2)


@patient
@given(amounts)
def test_an_amount_reads_back_as_itself(amount: Decimal) -> None:
    shown = show(Money(amount))
    number, unit = shown.rsplit(" ", 1)
    assert unit == "€"
    assert Decimal(number.replace(".", "").replace(",", ".")) == amount


@patient
@given(st.text(max_size=200), amounts)
def test_no_text_beside_an_amount_changes_it(text: str, amount: Decimal) -> None:
    facts: dict[str, Fact] = {"quién": Text(text), "total": Money(amount)}
    filled = fill("Para {quién}: {total}", facts)
    assert filled.endswith(f": {show(Money(amount))}")
    assert len(filled.splitlines()) == 1
