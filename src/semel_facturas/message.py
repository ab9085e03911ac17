"""The message that carries an invoice, and what may stand in a header or an envelope.

Text that people wrote never becomes a header, an address or a line of its own: it is refused in a
header and kept on its line in the body.
"""

import re
import unicodedata
from datetime import date, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Literal, TypeAlias

from semel import NotDone

from .books.invoices import Invoice, Party
from .books.money import Line, decimal_comma, euros, percent

Locale: TypeAlias = Literal["es", "en"]

# A dot-atom on both sides, RFC 5322 3.2.3 and 3.4.1: no quoting, no comments, no other alphabets.
ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
DOT_ATOM = re.compile(rf"{ATOM}(\.{ATOM})*")
ADDRESS = re.compile(rf"{ATOM}(\.{ATOM})*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
ADDRESS_LENGTH = 254
"""RFC 5321 4.5.3.1.3: a path has at most 256 octets, two of them the brackets."""
HEADER_LENGTH = 200
"""Far more than a name needs, far less than the 998 octets of a line (RFC 5322 2.1.1)."""

SUBJECT: dict[Locale, str] = {"es": "Factura de {issuer}", "en": "Invoice from {issuer}"}
NIF: dict[Locale, str] = {"es": "NIF", "en": "Tax id"}
VAT: dict[Locale, str] = {"es": "IVA", "en": "VAT"}
BASE: dict[Locale, str] = {"es": "Base imponible", "en": "Taxable base"}
BODY: dict[Locale, str] = {
    "es": """Hola, {name}:

Te enviamos la factura {number}.

Fecha: {issued}
Vencimiento: {due}

De: {issuer}
Para: {customer}

{lines}

{rates}
Total: {total}

Documento de demostración, sin validez fiscal.
""",
    "en": """Hello, {name}:

Please find below invoice {number}.

Date: {issued}
Due: {due}

From: {issuer}
To: {customer}

{lines}

{rates}
Total: {total}

Demonstration document, without fiscal validity.
""",
}


def subject(issuer: str, locale: Locale) -> str:
    """The subject of an invoice's message, as a preview may show it."""
    return SUBJECT[locale].format(issuer=issuer)


def compose(
    invoice: Invoice, *, key: str, recipient: str, at: datetime, locale: Locale = "es"
) -> bytes:
    """Write the message that carries an issued invoice; equal arguments give equal bytes.

    *key* names the step, and so the message: sent again it has the same Message-ID (RFC 5322
    3.6.4), and a receiver can drop or show the copy.

    Raises:
        NotDone: the invoice is a draft, or a value must not become part of a header.
    """
    if invoice.number is None or invoice.issue_date is None or invoice.issuer.email is None:
        raise NotDone(
            {
                "es": "Solo se envía una factura ya emitida.",
                "en": "Only an issued invoice can be sent.",
            }
        )
    sender = address(invoice.issuer.email)
    if not DOT_ATOM.fullmatch(key) or len(key) > HEADER_LENGTH:
        raise NotDone(
            {
                "es": "La clave del paso no puede formar parte de un Message-ID.",
                "en": "The key of the step cannot be part of a Message-ID.",
            }
        )
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(header(invoice.issuer.name), addr_spec=sender)
    message["To"] = Address(header(invoice.customer.name), addr_spec=address(recipient))
    message["Subject"] = header(subject(invoice.issuer.name, locale))
    message["Date"] = format_datetime(at)
    message["Message-ID"] = f"<{key}@{sender.rpartition('@')[2]}>"
    # Without an encoding of its own the library would choose by content, 8-bit among others.
    body = _body(invoice, invoice.number, invoice.issue_date, locale)
    message.set_content(body, cte="quoted-printable")
    return message.as_bytes()


def address(text: str) -> str:
    """*text* if it is a plain address; nothing but an address can then reach the envelope.

    Raises:
        NotDone: it is not.
    """
    if len(text) > ADDRESS_LENGTH or not ADDRESS.fullmatch(text):
        shown = one_line(text)[:ADDRESS_LENGTH]
        raise NotDone(
            {
                "es": f"«{shown}» no es una dirección de correo.",
                "en": f"“{shown}” is not an e-mail address.",
            }
        )
    return text


def header(value: str) -> str:
    """*value* with its spaces tidied, if it may become part of a header.

    A line break would begin another header; some libraries break lines at other characters too, so
    every control character, separator and lone surrogate is refused. ``=?`` would be decoded by
    the receiver into a text that nobody has seen (RFC 2047).

    Raises:
        NotDone: it may not.
    """
    if any(map(_breaks, value)):
        raise NotDone(
            {
                "es": "Un nombre lleva un salto de línea u otro carácter de control.",
                "en": "A name contains a line break or another control character.",
            }
        )
    if "=?" in value or len(value) > HEADER_LENGTH:
        raise NotDone(
            {
                "es": "Un nombre no puede ir en la cabecera de un correo.",
                "en": "A name cannot stand in the header of an e-mail.",
            }
        )
    return " ".join(value.split())


def one_line(text: str) -> str:
    """*text* from outside on one line, without control characters."""
    return " ".join("".join(" " if _breaks(one) else one for one in text).split())


def _breaks(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}


def _body(invoice: Invoice, number: str, issue_date: date, locale: Locale) -> str:
    rates = [
        f"{BASE[locale]} ({VAT[locale]} {percent(rate.iva)}): {euros(rate.base)}\n"
        f"{VAT[locale]} {percent(rate.iva)}: {euros(rate.vat)}"
        for rate in invoice.totals.rates
    ]
    return BODY[locale].format(
        name=one_line(invoice.customer.name),
        number=number,
        issued=f"{issue_date:%d/%m/%Y}",
        due=f"{invoice.due_date:%d/%m/%Y}",
        issuer=_party(invoice.issuer, locale),
        customer=_party(invoice.customer, locale),
        lines="\n".join(_line(line, locale) for line in invoice.lines),
        rates="\n".join(rates),
        total=euros(invoice.totals.total),
    )


def _party(party: Party, locale: Locale) -> str:
    known = (party.name, party.nif and f"{NIF[locale]} {party.nif}", party.address)
    return ", ".join(one_line(part) for part in known if part)


def _line(line: Line, locale: Locale) -> str:
    """RD 1619/2012 art. 6.1.f: description, unit price without tax, and what lowers it."""
    price = euros(line.precio)
    if not line.descuento.is_zero():
        price += f" − {percent(line.descuento)}"
    vat = f"{VAT[locale]} {percent(line.iva)}"
    count = decimal_comma(line.cantidad)
    return f"{count} × {one_line(line.concepto)} ({price}, {vat}): {euros(line.amount)}"
