"""What an assistant looks up in the books: it decides nothing by it, and holds nothing."""

from decimal import Decimal

from semel import Tx

from . import rows
from .contacts import Contact, contacts_named
from .expenses import Expense, expenses_of
from .invoices import Invoice, invoice

FOUND_MAX = 20
"""Records in one answer: more of them is a list that a model copies out instead of asking which."""

LOOKED_AT = 500
"""Newest invoices that are looked through: an answer waits for it, and older ones have a number."""


def contacts(tx: Tx, org: str, name: str) -> list[Contact]:
    """The contacts whose name has these words at its beginning."""
    return contacts_named(tx, org, name)


def invoices(tx: Tx, org: str, *, number: str = "", contact: str = "") -> list[Invoice]:
    """The newest invoices and drafts, of a number or a customer where one is given."""
    named = {one.name for one in contacts_named(tx, org, contact)} if contact.strip() else None
    found = [
        rows.text(row, "invoice")
        for row in tx.all("assistant.invoices", org=org, limit=LOOKED_AT)
        if not number.strip() or rows.maybe(row, "number") == number.strip()
        if named is None or rows.text(row, "customer_name") in named
    ]
    return _whole(tx, org, found[: FOUND_MAX + 1])


def unpaid(tx: Tx, org: str) -> list[Invoice]:
    """The issued invoices of which something is not paid yet, the one that is due first first."""
    found = [
        rows.text(row, "invoice") for row in tx.all("assistant.issued", org=org, limit=LOOKED_AT)
    ]
    return [one for one in _whole(tx, org, found) if not one.settled][: FOUND_MAX + 1]


def expenses(tx: Tx, org: str, words: str) -> list[Expense]:
    """The newest expenses that have these words in their concept or their supplier."""
    wanted = words.casefold().strip()
    found = [
        one
        for one in reversed(expenses_of(tx, org))
        if wanted in f"{one.concepto} {one.proveedor or ''}".casefold()
    ]
    return found[: FOUND_MAX + 1]


def outstanding(found: list[Invoice]) -> Decimal:
    """What is left to be paid of these invoices."""
    return sum((one.outstanding for one in found), Decimal(0))


def _whole(tx: Tx, org: str, ids: list[str]) -> list[Invoice]:
    return [one for id in ids if (one := invoice(tx, org, id)) is not None]
