"""Payments: what customers have paid. One is removed and recorded anew, never changed."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal

from semel import Bug, NotDone, Row, Tx

from . import rows
from .invoices import Invoice, held_invoice, invoice
from .money import LIMIT, cents, euros

CHANGED = {
    "es": "El cobro ha cambiado desde que se leyó; no se ha tocado.",
    "en": "The payment changed after it was read; it was left as it is.",
}


@dataclass(frozen=True, slots=True)
class Payment:
    """What was paid of an issued invoice; *invoice* is as it stands with this payment."""

    org: str
    id: str
    invoice: Invoice
    amount: Decimal
    day: date
    method: str | None
    version: int
    created_at: datetime
    removed: bool = False


def payment(tx: Tx, org: str, id: str, *, removed: bool = False) -> Payment | None:
    """The payment of this organization, or None; a removed one only when *removed* says so."""
    row = tx.one("payments.get", org=org, payment=id, removed=int(removed))
    if row is None:
        return None
    paid = invoice(tx, org, rows.text(row, "invoice"))
    if paid is None:
        raise Bug(f"Payment {id} is of an invoice that is not in the books.")
    return _read(row, paid)


def held_payment(tx: Tx, org: str, id: str) -> Payment | None:
    """The payment, removed or not, which stays as it is until the transaction ends; or None.

    Its invoice is held: whoever removes a payment holds that first.
    """
    found = payment(tx, org, id, removed=True)
    if found is None:
        return None
    tx.one("invoices.hold", org=org, invoice=found.invoice.id)
    return payment(tx, org, id, removed=True)


def payments_of(tx: Tx, invoice: Invoice) -> list[Payment]:
    """What was paid of an invoice, in the order in which it was recorded.

    Whoever decides by it has the invoice from ``held_invoice``.
    """
    found = tx.all("payments.of_invoice", org=invoice.org, invoice=invoice.id)
    return [_read(row, invoice) for row in found]


def check_payment(invoice: Invoice, amount: Decimal, day: date, today: date) -> None:
    """Whether this much of *invoice* can have been paid on *day*.

    Raises:
        NotDone: it is a draft or nothing of it is outstanding, the day is yet to come, or the
            amount is none.
    """
    if invoice.number is None:
        raise NotDone(
            {
                "es": "Es un borrador: hay que emitirlo antes de cobrarlo.",
                "en": "It is a draft: it has to be issued before it is paid.",
            }
        )
    if invoice.settled:
        raise NotDone(
            {
                "es": f"De la factura {invoice.number} no queda nada por cobrar.",
                "en": f"Nothing of invoice {invoice.number} is outstanding.",
            }
        )
    if day > today:
        raise NotDone(
            {
                "es": f"El {day:%d/%m/%Y} aún no ha llegado: un cobro tiene fecha de hoy o de "
                "antes.",
                "en": f"{day:%d/%m/%Y} is yet to come: a payment is of today or before.",
            }
        )
    if not 0 < amount < LIMIT or cents(amount) != amount:
        raise NotDone(
            {
                "es": f"Un cobro es mayor que cero, tiene dos decimales y no llega a "
                f"{euros(LIMIT)}.",
                "en": f"A payment is more than zero, has two decimals and is less than "
                f"{euros(LIMIT)}.",
            }
        )


def record_payment(
    tx: Tx,
    invoice: Invoice,
    id: str,
    *,
    amount: Decimal,
    day: date,
    today: date,
    now: str,
    method: str | None = None,
) -> Payment:
    """Write a payment down; more than is outstanding may be paid.

    The invoice is held, since it may have been paid after it was read.

    Raises:
        NotDone: nobody can have paid that.
    """
    invoice = held_invoice(tx, invoice.org, invoice.id) or invoice
    check_payment(invoice, amount, day, today)
    if method is not None and not method.strip():
        raise NotDone(
            {"es": "El medio de pago está vacío.", "en": "The means of payment is empty."}
        )
    tx.run(
        "payments.add",
        org=invoice.org,
        payment=id,
        invoice=invoice.id,
        importe=str(cents(amount)),
        fecha=day.isoformat(),
        medio=method,
        now=now,
    )
    made = payment(tx, invoice.org, id)
    if made is None:
        raise Bug(f"Payment {id} was written and is not there.")
    return made


def remove_payment(tx: Tx, payment: Payment, now: str) -> Payment:
    """Take a payment out of the sum of its invoice; it is kept, as removed.

    Raises:
        NotDone: it changed since it was read, or is removed already.
    """
    tx.one("invoices.hold", org=payment.org, invoice=payment.invoice.id)
    removed = tx.run(
        "payments.remove", org=payment.org, payment=payment.id, version=payment.version, now=now
    )
    if removed != 1:
        raise NotDone(CHANGED)
    found = invoice(tx, payment.org, payment.invoice.id)
    if found is None:
        raise Bug(f"Payment {payment.id} is of an invoice that is not in the books.")
    return replace(payment, invoice=found, version=payment.version + 1, removed=True)


def _read(row: Row, invoice: Invoice) -> Payment:
    return Payment(
        org=rows.text(row, "org"),
        id=rows.text(row, "payment"),
        invoice=invoice,
        amount=rows.decimal(row, "importe"),
        day=date.fromisoformat(rows.text(row, "fecha")),
        method=rows.maybe(row, "medio"),
        version=rows.whole(row, "version"),
        created_at=rows.instant(row, "created_at"),
        removed=row["removed_at"] is not None,
    )
