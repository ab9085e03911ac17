"""Contacts: whom an organization invoices."""

import unicodedata
from dataclasses import dataclass
from datetime import date, timedelta

from semel import NotDone, Row, Tx

from . import rows, taxid

WRONG = {
    taxid.Wrong.LENGTH: ("la longitud", "its length"),
    taxid.Wrong.FORMAT: ("el formato", "its format"),
    taxid.Wrong.CONTROL: ("la letra o el dígito de control", "its control character"),
}


@dataclass(frozen=True, slots=True)
class Contact:
    """A customer. What is None was never said, and nothing is assumed in its place."""

    org: str
    id: str
    name: str
    nif: str | None
    address: str | None
    email: str | None
    payment_days: int | None
    version: int


def contact(tx: Tx, org: str, id: str) -> Contact | None:
    """The contact of this organization, or None."""
    row = tx.one("contacts.get", org=org, contact=id)
    return None if row is None else _read(row)


def contacts_named(tx: Tx, org: str, name: str) -> list[Contact]:
    """The contacts whose name begins with the words of *name*, in the order of their names.

    Words are compared whole, without accents or case: «maria» finds «María Carmona», «mar» does
    not. It is done here because SQLite's LIKE knows neither accents nor words.
    """
    wanted = _words(name)
    if not wanted:
        return []
    found = [_read(row) for row in tx.all("contacts.all", org=org)]
    return [one for one in found if _words(one.name)[: len(wanted)] == wanted]


def create_contact(
    tx: Tx,
    org: str,
    id: str,
    *,
    name: str,
    now: str,
    nif: str | None = None,
    address: str | None = None,
    email: str | None = None,
    payment_days: int | None = None,
) -> Contact:
    """Write a contact down.

    Raises:
        NotDone: the tax id is not correct, or the name is empty.
    """
    if not name.strip():
        raise NotDone({"es": "Un contacto necesita un nombre.", "en": "A contact needs a name."})
    checked = None if nif is None else taxid.check(nif)
    if isinstance(checked, taxid.Wrong):
        es, en = WRONG[checked]
        raise NotDone(
            {
                "es": f"El NIF {nif} no es correcto: falla {es}.",
                "en": f"The tax id {nif} is not correct: {en} is wrong.",
            }
        )
    made = Contact(org, id, name.strip(), checked, address, email, payment_days, version=1)
    tx.run(
        "contacts.add",
        org=org,
        contact=id,
        name=made.name,
        nif=made.nif,
        address=address,
        email=email,
        payment_days=payment_days,
        now=now,
    )
    return made


def due_date(start: date, contact: Contact) -> date | None:
    """*start* plus the contact's payment days; None without agreed terms, which are asked for.

    No weekend moves it: the law has no such rule (Ley 3/2004 art. 4 counts calendar days).
    """
    if contact.payment_days is None:
        return None
    return start + timedelta(days=contact.payment_days)


def _words(name: str) -> list[str]:
    letters = unicodedata.normalize("NFKD", name)
    return "".join(one for one in letters if not unicodedata.combining(one)).casefold().split()


def _read(row: Row) -> Contact:
    days = row["payment_days"]
    return Contact(
        org=rows.text(row, "org"),
        id=rows.text(row, "contact"),
        name=rows.text(row, "name"),
        nif=rows.maybe(row, "nif"),
        address=rows.maybe(row, "address"),
        email=rows.maybe(row, "email"),
        payment_days=None if days is None else rows.whole(row, "payment_days"),
        version=rows.whole(row, "version"),
    )
