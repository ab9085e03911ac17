"""Drafts: invoices that are written and may still be thrown away."""

from datetime import date

from semel import Bug, NotDone, Tx

from .contacts import Contact, held_contact
from .invoices import Invoice, invoice
from .money import Line, plain, totals

CHANGED = {
    "es": "Ya no es el borrador que era: se ha emitido o cambiado. No se ha borrado.",
    "en": "It is not the draft it was: it was issued or changed. It was not deleted.",
}


def create_draft(
    tx: Tx,
    org: str,
    id: str,
    *,
    contact: Contact,
    lines: tuple[Line, ...],
    due_date: date,
    now: str,
) -> Invoice:
    """Write a draft down. It has no number and takes none.

    Raises:
        NotDone: there is no line, or the contact is archived.
    """
    if not lines:
        raise NotDone(
            {
                "es": "Un borrador necesita al menos una línea.",
                "en": "A draft needs at least one line.",
            }
        )
    # It may have been archived since it was read.
    contact = held_contact(tx, org, contact.id) or contact
    if contact.archived:
        raise NotDone(
            {
                "es": f"El contacto {contact.name} está archivado.",
                "en": f"The contact {contact.name} is archived.",
            }
        )
    figures = totals(lines)
    tx.run(
        "invoices.add",
        org=org,
        invoice=id,
        contact=contact.id,
        due_date=due_date.isoformat(),
        base=str(figures.base),
        vat=str(figures.vat),
        total=str(figures.total),
        now=now,
    )
    for position, line in enumerate(lines, start=1):
        tx.run(
            "invoices.add_line",
            org=org,
            invoice=id,
            position=position,
            concepto=line.concepto,
            cantidad=plain(line.cantidad),
            precio=plain(line.precio),
            descuento=plain(line.descuento),
            iva=plain(line.iva),
            importe=str(line.amount),
        )
    made = invoice(tx, org, id)
    if made is None:
        raise Bug(f"Draft {id} was written and is not there.")
    return made


def delete_draft(tx: Tx, draft: Invoice) -> None:
    """Throw a draft and its lines away. An issued invoice is never deleted (RD 1619/2012 art. 15).

    Raises:
        NotDone: it is not the draft that was read any more. Nothing was deleted.
    """
    tx.one("invoices.hold", org=draft.org, invoice=draft.id)
    tx.run("invoices.delete_lines", org=draft.org, invoice=draft.id, version=draft.version)
    gone = tx.run("invoices.delete_draft", org=draft.org, invoice=draft.id, version=draft.version)
    if gone != 1:
        raise NotDone(CHANGED)
