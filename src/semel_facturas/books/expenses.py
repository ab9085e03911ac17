"""Expenses."""

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from semel import NotDone, Row, Tx

from . import money, rows

CHANGED = {
    "es": "El gasto ha cambiado desde que se leyó; no se ha tocado.",
    "en": "The expense changed after it was read; it was left as it is.",
}


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
    deleted: bool = False


def expense(tx: Tx, org: str, id: str, *, deleted: bool = False) -> Expense | None:
    """The expense of this organization, or None; a deleted one only when *deleted* says so."""
    row = tx.one("expenses.get", org=org, expense=id, deleted=int(deleted))
    return None if row is None else _read(row)


def held_expense(tx: Tx, org: str, id: str) -> Expense | None:
    """The expense, deleted or not, which stays as it is until the transaction ends; or None."""
    tx.one("expenses.hold", org=org, expense=id)
    return expense(tx, org, id, deleted=True)


def expenses_of(tx: Tx, org: str) -> list[Expense]:
    """The expenses of this organization that are not deleted, in order of date, then id."""
    return [_read(row) for row in tx.all("expenses.all", org=org)]


def newest_expenses(tx: Tx, org: str, limit: int) -> list[Expense]:
    """The newest expenses that are not deleted, the newest first."""
    return [_read(row) for row in tx.all("board.expenses", org=org, limit=limit)]


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


def delete_expense(tx: Tx, expense: Expense, now: str) -> Expense:
    """Take an expense out of the books; it is kept, as deleted, to be brought back.

    Raises:
        NotDone: it changed since it was read, or is deleted already.
    """
    deleted = tx.run(
        "expenses.delete", org=expense.org, expense=expense.id, version=expense.version, now=now
    )
    if deleted != 1:
        raise NotDone(CHANGED)
    return replace(expense, version=expense.version + 1, deleted=True)


def restore_expense(tx: Tx, expense: Expense) -> Expense:
    """Bring a deleted expense back.

    Raises:
        NotDone: it changed since it was read, or is no longer deleted.
    """
    back = tx.run("expenses.restore", org=expense.org, expense=expense.id, version=expense.version)
    if back != 1:
        raise NotDone(CHANGED)
    return replace(expense, version=expense.version + 1, deleted=False)


def _read(row: Row) -> Expense:
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
        deleted=row["deleted_at"] is not None,
    )
