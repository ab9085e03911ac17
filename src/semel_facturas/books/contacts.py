"""Contacts: whom an organization invoices."""

import unicodedata
from dataclasses import dataclass, replace
from datetime import date, timedelta

from semel import NotDone, Row, Tx

from . import rows, taxid
from .writing import address

WRONG = {
    taxid.Wrong.LENGTH: ("la longitud", "its length"),
    taxid.Wrong.FORMAT: ("el formato", "its format"),
    taxid.Wrong.CONTROL: ("la letra o el dígito de control", "its control character"),
}
CHANGED = {
    "es": "El contacto ha cambiado desde que se leyó; no se ha tocado.",
    "en": "The contact changed after it was read; it was left as it is.",
}
PAYMENT_DAYS_MAX = 365
"""Ley 3/2004 art. 4 lets businesses agree on 60 days at most; nobody agrees on more than a year."""


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
    archived: bool = False


def contact(tx: Tx, org: str, id: str, *, archived: bool = False) -> Contact | None:
    """The contact of this organization, or None; an archived one only when *archived* says so."""
    row = tx.one("contacts.get", org=org, contact=id, archived=int(archived))
    return None if row is None else _read(row)


def held_contact(tx: Tx, org: str, id: str) -> Contact | None:
    """The contact, archived or not, which stays as it is until the transaction ends; or None.

    Whoever decides by what points at a contact holds it first. It cannot be held in a read.
    """
    tx.one("contacts.hold", org=org, contact=id)
    return contact(tx, org, id, archived=True)


def contacts_named(tx: Tx, org: str, name: str) -> list[Contact]:
    """The contacts whose name begins with the words of *name*, in the order of their names.

    Words are compared whole, without accents or case: «maria» finds «María Carmona», «mar» does
    not. It is done here because SQLite's LIKE knows neither accents nor words.
    """
    wanted = _words(name)
    if not wanted:
        return []
    return [one for one in all_contacts(tx, org) if _words(one.name)[: len(wanted)] == wanted]


def all_contacts(tx: Tx, org: str) -> list[Contact]:
    """The contacts that are not archived, in the order of their names."""
    return [_read(row) for row in tx.all("contacts.all", org=org)]


def contacts_alike(tx: Tx, contact: Contact) -> list[Contact]:
    """The other contacts with the same tax id or the same e-mail address.

    No other transaction looks for contacts that are alike until this one ends: there may be no row
    to hold, so the organization is held.
    """
    tx.one("organizations.hold", org=contact.org)
    found = tx.all("contacts.alike", org=contact.org, nif=contact.nif, email=contact.email)
    return [one for one in map(_read, found) if one.id != contact.id]


def invoices_of(tx: Tx, contact: Contact) -> int:
    """How many invoices and drafts point at a contact, which is held."""
    tx.one("contacts.hold", org=contact.org, contact=contact.id)
    row = tx.one("invoices.count_of_contact", org=contact.org, contact=contact.id)
    return 0 if row is None else rows.whole(row, "used")


def checked(contact: Contact) -> Contact:
    """A contact as the books hold it: the tax id in its normal form, no space around a name.

    Raises:
        NotDone: the name or the address is empty, the tax id or the e-mail address is none, or
            nobody has such payment terms.
    """
    if not contact.name.strip():
        raise NotDone({"es": "Un contacto necesita un nombre.", "en": "A contact needs a name."})
    if contact.address is not None and not contact.address.strip():
        raise NotDone(
            {"es": "La dirección postal está vacía.", "en": "The postal address is empty."}
        )
    nif = None if contact.nif is None else taxid.check(contact.nif)
    if isinstance(nif, taxid.Wrong):
        es, en = WRONG[nif]
        raise NotDone(
            {
                "es": f"El NIF {contact.nif} no es correcto: falla {es}.",
                "en": f"The tax id {contact.nif} is not correct: {en} is wrong.",
            }
        )
    days = contact.payment_days
    if days is not None and not 0 <= days <= PAYMENT_DAYS_MAX:
        raise NotDone(
            {
                "es": f"Un plazo de pago va de 0 a {PAYMENT_DAYS_MAX} días.",
                "en": f"Payment terms go from 0 to {PAYMENT_DAYS_MAX} days.",
            }
        )
    return replace(
        contact,
        name=contact.name.strip(),
        nif=nif,
        address=None if contact.address is None else contact.address.strip(),
        email=None if contact.email is None else address(contact.email.strip()),
    )


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
        NotDone: no contact can be like that.
    """
    made = checked(Contact(org, id, name, nif, address, email, payment_days, version=1))
    tx.run("contacts.add", org=org, contact=id, now=now, **_said(made))
    return made


def change_contact(tx: Tx, contact: Contact, after: Contact) -> Contact:
    """Give *contact* what *after* says, if it is still as it was read.

    Raises:
        NotDone: no contact can be like that, or it changed since. Nothing was written.
    """
    made = replace(checked(after), version=contact.version + 1)
    changed = tx.run(
        "contacts.change",
        org=contact.org,
        contact=contact.id,
        version=contact.version,
        **_said(made),
    )
    if changed != 1:
        raise NotDone(CHANGED)
    return made


def archive_contact(tx: Tx, contact: Contact, now: str) -> Contact:
    """Put a contact away: it is found no more and takes no new draft; its invoices stay.

    Raises:
        NotDone: it changed since it was read, or is archived already.
    """
    put_away = tx.run(
        "contacts.archive",
        org=contact.org,
        contact=contact.id,
        version=contact.version,
        now=now,
    )
    if put_away != 1:
        raise NotDone(CHANGED)
    return replace(contact, version=contact.version + 1, archived=True)


def restore_contact(tx: Tx, contact: Contact) -> Contact:
    """Bring an archived contact back.

    Raises:
        NotDone: it changed since it was read, or is no longer archived.
    """
    back = tx.run("contacts.restore", org=contact.org, contact=contact.id, version=contact.version)
    if back != 1:
        raise NotDone(CHANGED)
    return replace(contact, version=contact.version + 1, archived=False)


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


def _said(contact: Contact) -> dict[str, str | int | None]:
    return {
        "name": contact.name,
        "nif": contact.nif,
        "address": contact.address,
        "email": contact.email,
        "payment_days": contact.payment_days,
    }


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
        archived=row["archived_at"] is not None,
    )
