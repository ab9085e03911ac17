"""Expenses."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from semel import NotDone, Tx

from . import money, rows


@dataclass(frozen=True, slots=True)
class Expense:
    """An expense; *iva* is the rate, *vat* the amount."""

    org: str
    id: str
    concepto: str
    proveedor: str | None
    fecha: date
    base: Decimal
    iva: Decimal
    vat: Decimal
    total: Decimal
    version: int


def expense(tx: Tx, org: str, id: str) -> Expense | None:
    """The expense of this organization, or None."""
    row = tx.one("expenses.get", org=org, expense=id)
    if row is None:
        return None
    return Expense(
        org=rows.text(row, "org"),
        id=rows.text(row, "expense"),
        concepto=rows.text(row, "concepto"),
        proveedor=rows.maybe(row, "proveedor"),
        fecha=date.fromisoformat(rows.text(row, "fecha")),
        base=rows.decimal(row, "base"),
        iva=rows.decimal(row, "iva"),
        vat=rows.decimal(row, "vat"),
        total=rows.decimal(row, "total"),
        version=rows.whole(row, "version"),
    )


def create_expense(
    tx: Tx,
    org: str,
    id: str,
    *,
    concepto: str,
    base: Decimal,
    iva: Decimal,
    fecha: date,
    now: str,
    proveedor: str | None = None,
) -> Expense:
    """Write an expense down. A total with VAT becomes a base by ``money.bases_including``.

    Raises:
        NotDone: no expense can have such figures.
    """
    figures = money.totals((money.Line(concepto, Decimal(1), base, Decimal(0), iva),))
    if figures.base != base:
        raise NotDone(
            {
                "es": "La base de un gasto tiene dos decimales como mucho.",
                "en": "The base of an expense has at most two decimals.",
            }
        )
    made = Expense(
        org, id, concepto, proveedor, fecha, figures.base, iva, figures.vat, figures.total, 1
    )
    tx.run(
        "expenses.add",
        org=org,
        expense=id,
        concepto=concepto,
        proveedor=proveedor,
        fecha=fecha.isoformat(),
        base=str(made.base),
        iva=money.plain(iva),
        vat=str(made.vat),
        total=str(made.total),
        now=now,
    )
    return made
