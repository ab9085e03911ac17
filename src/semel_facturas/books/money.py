"""The arithmetic of an invoice.

A line is rounded to cents; VAT is computed once per rate on the summed base and rounded once, as
EN 16931 does (BR-S-09), because rounding it per line can differ by a cent. Ties go away from zero.
Every operation names its own context, so that the one of the calling thread changes nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import (
    ROUND_HALF_UP,
    Context,
    Decimal,
    DivisionByZero,
    Inexact,
    InvalidOperation,
    Overflow,
)

from semel import NotDone

CENT = Decimal("0.01")
HUNDRED = Decimal(100)
LIMIT = Decimal(1_000_000_000)
"""No quantity or price reaches this, so products of them always fit the 60 digits below."""

# Sums and products are exact or raise; only `cents` may round.
EXACT = Context(prec=60, traps=[InvalidOperation, DivisionByZero, Overflow, Inexact])
ROUNDING = Context(
    prec=60, rounding=ROUND_HALF_UP, traps=[InvalidOperation, DivisionByZero, Overflow]
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an invoice (RD 1619/2012 art. 6.1.f: description, unit price, discount).

    *descuento* and *iva* are percentages: 12.5 is 12.5 %.

    Raises:
        NotDone: no invoice can have such a line.
    """

    concepto: str
    cantidad: Decimal
    precio: Decimal
    descuento: Decimal
    iva: Decimal

    def __post_init__(self) -> None:
        if not self.concepto.strip():
            raise NotDone(
                {"es": "Una línea no tiene concepto.", "en": "A line has no description."}
            )
        _bounded("La cantidad", "The quantity", self.cantidad, decimals=4)
        _bounded("El precio", "The price", self.precio, decimals=6)
        _percentage("El descuento", "The discount", self.descuento)
        _percentage("El tipo de IVA", "The VAT rate", self.iva)

    @property
    def amount(self) -> Decimal:
        """Quantity by price less the discount, in cents."""
        gross = EXACT.multiply(self.cantidad, self.precio)
        return cents(EXACT.multiply(gross, _share(EXACT.subtract(HUNDRED, self.descuento))))


@dataclass(frozen=True, slots=True)
class Rate:
    """What one rate of VAT contributes (RD 1619/2012 art. 6.2.c: the base of each rate apart)."""

    iva: Decimal
    base: Decimal
    vat: Decimal


@dataclass(frozen=True, slots=True)
class Totals:
    """The figures of an invoice; *rates* are ordered from the highest."""

    base: Decimal
    vat: Decimal
    total: Decimal
    rates: tuple[Rate, ...]


def totals(lines: tuple[Line, ...]) -> Totals:
    """Add up *lines*, VAT once per rate."""
    bases: dict[Decimal, Decimal] = {}
    for line in lines:
        bases[line.iva] = EXACT.add(bases.get(line.iva, Decimal("0.00")), line.amount)
    rates = tuple(
        Rate(iva, base, percent_of(base, iva)) for iva, base in sorted(bases.items(), reverse=True)
    )
    base = added(rate.base for rate in rates)
    vat = added(rate.vat for rate in rates)
    return Totals(base, vat, EXACT.add(base, vat), rates)


def percent_of(amount: Decimal, rate: Decimal) -> Decimal:
    """*rate* per cent of *amount*, in cents."""
    return cents(EXACT.multiply(amount, _share(rate)))


def bases_including(total: Decimal, iva: Decimal) -> tuple[Decimal, ...]:
    """The bases that *total*, VAT included, can stand for.

    One, when some base gives exactly *total*; else the nearest below and above it: then the person
    is asked, since no document can show that total (218 € at 21 % is one).
    """
    base = cents(ROUNDING.divide(EXACT.multiply(total, HUNDRED), EXACT.add(HUNDRED, iva)))
    near = [EXACT.add(base, step) for step in (-CENT, Decimal(0), CENT)]
    reached = {base: EXACT.add(base, percent_of(base, iva)) for base in near}
    exact = [base for base in near if reached[base] == total]
    if exact:
        return (exact[0],)
    return (
        max(base for base in near if reached[base] < total),
        min(base for base in near if reached[base] > total),
    )


def added(amounts: Iterable[Decimal]) -> Decimal:
    """The sum, in cents even when there is nothing to add."""
    result = Decimal("0.00")
    for amount in amounts:
        result = EXACT.add(result, amount)
    return result


def cents(amount: Decimal) -> Decimal:
    """*amount* to two decimals, ties away from zero, never as minus zero."""
    rounded = ROUNDING.quantize(amount, CENT)
    return rounded.copy_abs() if rounded.is_zero() else rounded


def plain(number: Decimal) -> str:
    """*number* as the books write quantities, prices and rates: no exponent, no idle zeros."""
    short = EXACT.normalize(number)
    return "0" if short.is_zero() else format(short, "f")


def euros(amount: Decimal) -> str:
    """*amount* in Spanish form, ``1.234,50 €``, in every language; more decimals are kept."""
    whole, _, decimals = format(amount.copy_abs(), "f").partition(".")
    sign = "-" if amount.is_signed() and not amount.is_zero() else ""
    return f"{sign}{int(whole):,}".replace(",", ".") + f",{decimals.ljust(2, '0')} €"


def percent(number: Decimal) -> str:
    """A percentage in Spanish form, ``12,5 %``."""
    return f"{decimal_comma(number)} %"


def decimal_comma(number: Decimal) -> str:
    """A quantity in Spanish form, ``2,5``."""
    return plain(number).replace(".", ",")


def _share(rate: Decimal) -> Decimal:
    return rate.scaleb(-2, EXACT)


def _bounded(es: str, en: str, number: Decimal, *, decimals: int) -> None:
    if not number.is_finite() or number.copy_abs() >= LIMIT or number.is_zero():
        raise NotDone(
            {
                "es": f"{es} de una línea no puede ser cero ni llegar a 1.000.000.000.",
                "en": f"{en} of a line cannot be zero or reach 1.000.000.000.",
            }
        )
    _fine(es, en, number, decimals)


def _percentage(es: str, en: str, number: Decimal) -> None:
    if not number.is_finite() or number < 0 or number > HUNDRED:
        raise NotDone(
            {
                "es": f"{es} de una línea está entre 0 y 100 %.",
                "en": f"{en} of a line is between 0 and 100 %.",
            }
        )
    _fine(es, en, number, 2)


def _fine(es: str, en: str, number: Decimal, decimals: int) -> None:
    if _decimals(number) > decimals:
        raise NotDone(
            {
                "es": f"{es} de una línea tiene {decimals} decimales como mucho.",
                "en": f"{en} of a line has at most {decimals} decimals.",
            }
        )


def _decimals(number: Decimal) -> int:
    if number.is_zero():
        return 0
    _, digits, exponent = number.as_tuple()
    significant = "".join(map(str, digits)).rstrip("0")
    return len(significant) - len(digits) - int(exponent)
