"""What a person sees of the books at a glance: lists that are cut, and sums that are not."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from semel import Bug, Row, Tx

from . import rows
from .contacts import Contact, all_contacts
from .expenses import Expense, newest_expenses
from .invoices import series_of
from .money import EXACT, added


@dataclass(frozen=True, slots=True)
class InvoiceLine:
    """An invoice or a draft as a line of a list; *number* and *issued* are None for a draft."""

    id: str
    contact: str
    number: str | None
    issued: date | None
    due: date
    customer: str
    concept: str
    more: int
    """How many further lines it has."""
    total: Decimal
    paid: Decimal

    @property
    def outstanding(self) -> Decimal:
        """The total less what was paid; below zero when more was paid."""
        return EXACT.subtract(self.total, self.paid)


@dataclass(frozen=True, slots=True)
class PaymentLine:
    """A payment as a line of a list."""

    id: str
    amount: Decimal
    day: date
    method: str | None
    number: str
    customer: str


@dataclass(frozen=True, slots=True)
class Owed:
    """What one customer still owes, and how much of it is late."""

    amount: Decimal
    late: Decimal
    invoices: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many there are of each."""

    invoices: int
    contacts: int
    expenses: int
    payments: int


@dataclass(frozen=True, slots=True)
class Board:
    """The books of an organization at a glance, as they are on *today*."""

    today: date
    invoices: tuple[InvoiceLine, ...]
    contacts: tuple[Contact, ...]
    expenses: tuple[Expense, ...]
    payments: tuple[PaymentLine, ...]
    owed: Mapping[str, Owed]
    """By contact; who owes nothing is not there."""
    collected: Decimal
    """Since the first of the month."""
    spent: Decimal
    """Since the first of the month, VAT included."""
    counts: Counts
    next_number: str

    @property
    def outstanding(self) -> Decimal:
        """What all customers owe together."""
        return added(one.amount for one in self.owed.values())

    @property
    def late(self) -> Decimal:
        """What of it should have been paid before today."""
        return added(one.late for one in self.owed.values())

    @property
    def last_issued(self) -> InvoiceLine | None:
        """The invoice that was issued last, of those that are listed."""
        return next((one for one in self.invoices if one.number), None)

    @property
    def last_unpaid(self) -> InvoiceLine | None:
        """The last issued one of which something is outstanding, of those that are listed."""
        issued = (one for one in self.invoices if one.number)
        return next((one for one in issued if one.outstanding > 0), None)

    @property
    def unpaid(self) -> int:
        """How many invoices are not paid in full."""
        return sum(one.invoices for one in self.owed.values())


def board(tx: Tx, org: str, today: date, limit: int) -> Board:
    """Read the books at a glance: the newest *limit* of each list, and sums over everything."""
    month = {"org": org, "since": today.replace(day=1).isoformat()}
    counts = _one(tx, "board.counts", org=org)
    return Board(
        today=today,
        invoices=tuple(map(_invoice, tx.all("board.invoices", org=org, limit=limit))),
        contacts=tuple(all_contacts(tx, org)[:limit]),
        expenses=tuple(newest_expenses(tx, org, limit)),
        payments=tuple(map(_payment, tx.all("board.payments", org=org, limit=limit))),
        owed=_owed(tx.all("board.issued", org=org), today),
        collected=_euros(_one(tx, "board.collected", **month)),
        spent=_euros(_one(tx, "board.spent", **month)),
        counts=Counts(*(rows.whole(counts, name) for name in Counts.__slots__)),
        next_number=_next(tx, org, today),
    )


def _owed(found: list[Row], today: date) -> dict[str, Owed]:
    """What each contact owes; what was paid in excess of one invoice takes nothing off another."""
    nothing = Owed(added(()), added(()), 0)
    owed: dict[str, Owed] = {}
    for row in found:
        amount = EXACT.subtract(rows.decimal(row, "total"), _cents(row, "paid_cents"))
        if amount <= 0:
            continue
        contact = rows.text(row, "contact")
        before = owed.get(contact, nothing)
        late = amount if rows.text(row, "due_date") < today.isoformat() else added(())
        owed[contact] = Owed(
            amount=EXACT.add(before.amount, amount),
            late=EXACT.add(before.late, late),
            invoices=before.invoices + 1,
        )
    return owed


def _next(tx: Tx, org: str, today: date) -> str:
    series = series_of(today)
    row = tx.one("board.next_number", org=org, series=series)
    return f"{series}-{1 if row is None else rows.whole(row, 'next'):04d}"


def _invoice(row: Row) -> InvoiceLine:
    due = rows.day(row, "due_date")
    if due is None:
        raise Bug("An invoice has no due date.")
    return InvoiceLine(
        id=rows.text(row, "invoice"),
        contact=rows.text(row, "contact"),
        number=rows.maybe(row, "number"),
        issued=rows.day(row, "issue_date"),
        due=due,
        customer=rows.text(row, "customer_name"),
        concept=rows.text(row, "concepto"),
        more=rows.whole(row, "lines") - 1,
        total=rows.decimal(row, "total"),
        paid=_cents(row, "paid_cents"),
    )


def _payment(row: Row) -> PaymentLine:
    return PaymentLine(
        id=rows.text(row, "payment"),
        amount=rows.decimal(row, "importe"),
        day=date.fromisoformat(rows.text(row, "fecha")),
        method=rows.maybe(row, "medio"),
        number=rows.text(row, "number"),
        customer=rows.text(row, "customer_name"),
    )


def _one(tx: Tx, statement: str, **params: str) -> Row:
    row = tx.one(statement, **params)
    if row is None:
        raise Bug(f"{statement} gave no row.")
    return row


def _euros(row: Row) -> Decimal:
    return _cents(row, "cents")


def _cents(row: Row, column: str) -> Decimal:
    return Decimal(rows.whole(row, column)).scaleb(-2, EXACT)
