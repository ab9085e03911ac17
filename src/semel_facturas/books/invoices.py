"""Invoices: a draft may change, an issued invoice never does (RD 1619/2012 arts. 6 and 15)."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from semel import Bug, NotDone, Row, Tx
from semel.facts import instant_text

from . import rows
from .contacts import Contact
from .money import EXACT, Line, Totals, totals

LACKS = {
    "customer.nif": ("el NIF del cliente", "the customer's tax id"),
    "customer.address": ("la dirección del cliente", "the customer's address"),
    "issuer.nif": ("el NIF propio", "the issuer's tax id"),
    "issuer.address": ("la dirección propia", "the issuer's address"),
    "exemption": ("el motivo de la exención", "the reason of the exemption"),
}
CHANGED = {
    "es": "El borrador ha cambiado desde que se leyó; no se ha emitido.",
    "en": "The draft changed after it was read; it was not issued.",
}


@dataclass(frozen=True, slots=True)
class Party:
    """One side of an invoice: as the books know it for a draft, as it was when issued after."""

    name: str
    nif: str | None
    address: str | None
    email: str | None


@dataclass(frozen=True, slots=True)
class Invoice:
    """An invoice; *number*, *series* and *issue_date* are None until it is issued."""

    org: str
    id: str
    contact: str
    state: str
    version: int
    issuer: Party
    customer: Party
    lines: tuple[Line, ...]
    totals: Totals
    series: str | None
    number: str | None
    issue_date: date | None
    due_date: date
    created_at: datetime
    paid: Decimal
    contact_email: str | None
    """Where a message about it goes: the address that the contact has now."""
    zone: str
    """The issuer's time zone."""

    @property
    def outstanding(self) -> Decimal:
        """The total less what was paid; below zero when more was paid."""
        return EXACT.subtract(self.totals.total, self.paid)

    @property
    def settled(self) -> bool:
        """Whether nothing of it is left to be paid."""
        return self.outstanding <= 0


def invoice(tx: Tx, org: str, id: str) -> Invoice | None:
    """The invoice of this organization, or None."""
    row = tx.one("invoices.get", org=org, invoice=id)
    return None if row is None else _read(tx, row)


def held_invoice(tx: Tx, org: str, id: str) -> Invoice | None:
    """The invoice, which stays as it is, with what is paid of it, until the transaction ends.

    Whoever decides by what is outstanding holds it first. It cannot be held in a read.
    """
    tx.one("invoices.hold", org=org, invoice=id)
    return invoice(tx, org, id)


def invoices_numbered(tx: Tx, org: str, number: str) -> list[Invoice]:
    """The issued invoices with *number*, such as ``2026-0001``: none or one."""
    return [_read(tx, row) for row in tx.all("invoices.numbered", org=org, number=number.strip())]


def invoices_alike(tx: Tx, contact: Contact, total: Decimal, since: datetime) -> list[Invoice]:
    """Drafts and issued invoices of *contact* with this total, made since then.

    The contact is held, so that nobody writes another one until the transaction ends.
    """
    tx.one("contacts.hold", org=contact.org, contact=contact.id)
    found = tx.all(
        "invoices.alike",
        org=contact.org,
        contact=contact.id,
        total=str(total),
        since=instant_text(since),
    )
    return [_read(tx, row) for row in found]


def unpaid_of(tx: Tx, contact: Contact) -> list[Invoice]:
    """The issued invoices of *contact*, which is held, of which something is outstanding."""
    tx.one("contacts.hold", org=contact.org, contact=contact.id)
    found = tx.all("invoices.issued_to", org=contact.org, contact=contact.id)
    return [one for one in (_read(tx, row) for row in found) if not one.settled]


def series_of(issue_date: date) -> str:
    """The series of an invoice issued on *issue_date*: its year."""
    return f"{issue_date.year:04d}"


def missing_to_issue(draft: Invoice) -> tuple[str, ...]:
    """What RD 1619/2012 art. 6.1 wants on an invoice and *draft* lacks, in the order to ask.

    Tax ids and addresses of both sides (6.1.d and e), and the reason of an exemption (6.1.j), which
    these books cannot hold yet: a line at 0 % is therefore never issued.
    """
    lacks = {
        "customer.nif": not draft.customer.nif,
        "customer.address": not draft.customer.address,
        "issuer.nif": not draft.issuer.nif,
        "issuer.address": not draft.issuer.address,
        "exemption": any(line.iva.is_zero() for line in draft.lines),
    }
    return tuple(what for what, lacking in lacks.items() if lacking)


def issue(tx: Tx, org: str, invoice: Invoice, issue_date: date, now: str) -> Invoice:
    """Give a draft the next number of its series and freeze it.

    Numbers of a series follow each other without a gap and in the order of their dates (RD
    1619/2012 art. 6.1.a). So the number comes from a counter row that the UPDATE itself locks, in
    the caller's transaction: a rollback gives it back, and nobody can have taken the next one.

    Raises:
        NotDone: it is no draft, it changed since *invoice* was read, something is missing, or the
            series already has a later date. Nothing was taken.
    """
    # The contact's data is frozen into the invoice: it is held, and read after that.
    tx.one("contacts.hold", org=org, contact=invoice.contact)
    tx.one("invoices.hold", org=org, invoice=invoice.id)
    draft = _again(tx, org, invoice.id)
    _may_be_issued(draft, invoice.version, issue_date)
    series = series_of(issue_date)
    seq = _take_number(tx, org, series, issue_date)
    changed = tx.run(
        "invoices.issue",
        org=org,
        invoice=draft.id,
        version=draft.version,
        series=series,
        seq=seq,
        number=f"{series}-{seq:04d}",
        issue_date=issue_date.isoformat(),
        now=now,
        **_frozen("issuer", draft.issuer),
        **_frozen("customer", draft.customer),
    )
    if changed != 1:
        raise NotDone(CHANGED)
    return _again(tx, org, draft.id)


def _may_be_issued(draft: Invoice, version: int, issue_date: date) -> None:
    if draft.state != "draft":
        raise NotDone(
            {
                "es": f"La factura {draft.number} ya está emitida.",
                "en": f"Invoice {draft.number} is already issued.",
            }
        )
    if draft.version != version:
        raise NotDone(CHANGED)
    if missing := missing_to_issue(draft):
        raise NotDone(
            {
                "es": f"No se puede emitir: falta {', '.join(LACKS[one][0] for one in missing)}.",
                "en": f"It cannot be issued without {', '.join(LACKS[one][1] for one in missing)}.",
            }
        )
    if draft.due_date < issue_date:
        raise NotDone(
            {
                "es": f"El borrador vencía el {draft.due_date:%d/%m/%Y}, antes de emitirse.",
                "en": f"The draft was due on {draft.due_date:%d/%m/%Y}, before it is issued.",
            }
        )


def _take_number(tx: Tx, org: str, series: str, issue_date: date) -> int:
    tx.run("invoices.open_series", org=org, series=series)
    row = tx.one("invoices.take_number", org=org, series=series, issue_date=issue_date.isoformat())
    if row is None:
        raise NotDone(
            {
                "es": f"La serie {series} ya tiene una factura posterior al "
                f"{issue_date:%d/%m/%Y}: o acaba de empezar otro día, o el reloj se ha atrasado. "
                "No se ha emitido nada.",
                "en": f"Series {series} already has an invoice dated after "
                f"{issue_date:%d/%m/%Y}: either another day has just begun, or the clock has moved "
                "back. Nothing was issued.",
            }
        )
    return rows.whole(row, "seq")


def _frozen(side: str, party: Party) -> dict[str, str | None]:
    return {
        f"{side}_name": party.name,
        f"{side}_nif": party.nif,
        f"{side}_address": party.address,
        f"{side}_email": party.email,
    }


def _again(tx: Tx, org: str, id: str) -> Invoice:
    found = invoice(tx, org, id)
    if found is None:
        raise NotDone({"es": "El borrador ya no existe.", "en": "The draft exists no more."})
    return found


def _read(tx: Tx, row: Row) -> Invoice:
    org, id = rows.text(row, "org"), rows.text(row, "invoice")
    lines = tuple(_line(line) for line in tx.all("invoices.lines", org=org, invoice=id))
    figures = totals(lines)
    stored = tuple(rows.decimal(row, column) for column in ("base", "vat", "total"))
    if stored != (figures.base, figures.vat, figures.total):
        raise Bug(f"The stored totals of invoice {id} are not those of its lines.")
    due = rows.day(row, "due_date")
    if due is None:
        raise Bug(f"Invoice {id} has no due date.")
    return Invoice(
        org=org,
        id=id,
        contact=rows.text(row, "contact"),
        state=rows.text(row, "state"),
        version=rows.whole(row, "version"),
        issuer=_party(row, "issuer"),
        customer=_party(row, "customer"),
        lines=lines,
        totals=figures,
        series=rows.maybe(row, "series"),
        number=rows.maybe(row, "number"),
        issue_date=rows.day(row, "issue_date"),
        due_date=due,
        created_at=rows.instant(row, "created_at"),
        paid=Decimal(rows.whole(row, "paid_cents")).scaleb(-2, EXACT),
        contact_email=rows.maybe(row, "contact_email"),
        zone=rows.text(row, "zone"),
    )


def _party(row: Row, side: str) -> Party:
    return Party(
        name=rows.text(row, f"{side}_name"),
        nif=rows.maybe(row, f"{side}_nif"),
        address=rows.maybe(row, f"{side}_address"),
        email=rows.maybe(row, f"{side}_email"),
    )


def _line(row: Row) -> Line:
    return Line(
        concepto=rows.text(row, "concepto"),
        cantidad=rows.decimal(row, "cantidad"),
        precio=rows.decimal(row, "precio"),
        descuento=rows.decimal(row, "descuento"),
        iva=rows.decimal(row, "iva"),
    )
