"""Organizations, the issuers of invoices, and the people who act for them."""

from dataclasses import dataclass
from decimal import Decimal

from semel import Tx

from . import rows


@dataclass(frozen=True, slots=True)
class Organization:
    """An issuer. What is None is asked for before an invoice is issued."""

    id: str
    name: str
    nif: str | None
    address: str | None
    email: str
    zone: str
    default_vat: Decimal | None


def organization(tx: Tx, org: str) -> Organization | None:
    """The organization, or None."""
    row = tx.one("organizations.get", org=org)
    if row is None:
        return None
    vat = rows.maybe(row, "default_vat")
    return Organization(
        id=rows.text(row, "org"),
        name=rows.text(row, "name"),
        nif=rows.maybe(row, "nif"),
        address=rows.maybe(row, "address"),
        email=rows.text(row, "email"),
        zone=rows.text(row, "zone"),
        default_vat=None if vat is None else Decimal(vat),
    )


def role(tx: Tx, org: str, person: str) -> str | None:
    """``propietario``, ``admin``, ``gestor`` or ``asesor``; None for a stranger."""
    row = tx.one("organizations.role", org=org, person=person)
    return None if row is None else rows.text(row, "role")


def locale(tx: Tx, org: str, person: str) -> str | None:
    """The language that a person reads; None for a stranger."""
    row = tx.one("organizations.locale", org=org, person=person)
    return None if row is None else rows.text(row, "locale")


@dataclass(frozen=True, slots=True)
class Seat:
    """Who somebody is in an organization, as of now."""

    role: str
    locale: str
    organization: str
    email: str
    zone: str


def seat(tx: Tx, org: str, person: str) -> Seat | None:
    """Role and language of a person with the organization's name; None for a stranger."""
    row = tx.one("organizations.seat", org=org, person=person)
    if row is None:
        return None
    return Seat(
        role=rows.text(row, "role"),
        locale=rows.text(row, "locale"),
        organization=rows.text(row, "name"),
        email=rows.text(row, "email"),
        zone=rows.text(row, "zone"),
    )
