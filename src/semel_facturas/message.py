"""The messages about an invoice, and what may stand in a header or an envelope.

Text that people wrote never becomes a header, an address or a line of its own: it is refused in a
header and kept on its line in the body.
"""

import re
from datetime import date, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from semel import NotDone

from .books.instants import day_of
from .books.invoices import Invoice
from .books.payments import Payment
from .books.writing import ATOM, address, breaks
from .letters import (
    RECEIPT_SUBJECT,
    REMINDER_SUBJECT,
    Locale,
    invoice_letter,
    receipt_letter,
    reminder_letter,
    subject,
)

DOT_ATOM = re.compile(rf"{ATOM}(\.{ATOM})*")
HEADER_LENGTH = 200
"""Far more than a name needs, far less than the 998 octets of a line (RFC 5322 2.1.1)."""


def compose(
    invoice: Invoice, *, key: str, recipient: str, at: datetime, locale: Locale = "es"
) -> bytes:
    """Write the message that carries an issued invoice; equal arguments give equal bytes.

    *key* names the step, and so the message: sent again it has the same Message-ID (RFC 5322
    3.6.4), and a receiver can drop or show the copy.

    Raises:
        NotDone: the invoice is a draft, or a value must not become part of a header.
    """
    number, issue_date = _issued(invoice)
    body = invoice_letter(invoice, number, issue_date, locale)
    return _message(invoice, recipient, subject(invoice.issuer.name, locale), body, key, at)


def remind(
    invoice: Invoice, *, key: str, recipient: str, at: datetime, locale: Locale = "es"
) -> bytes:
    """Write the message that reminds of an invoice's payment; *at* is the day it counts from.

    Raises:
        NotDone: as for :func:`compose`.
    """
    number, _ = _issued(invoice)
    title = REMINDER_SUBJECT[locale].format(issuer=invoice.issuer.name)
    body = reminder_letter(invoice, number, day_of(at, invoice.zone), locale)
    return _message(invoice, recipient, title, body, key, at)


def thank(
    payment: Payment, *, key: str, recipient: str, at: datetime, locale: Locale = "es"
) -> bytes:
    """Write the message that tells a customer that a payment has arrived.

    Raises:
        NotDone: as for :func:`compose`.
    """
    invoice = payment.invoice
    number, _ = _issued(invoice)
    title = RECEIPT_SUBJECT[locale].format(issuer=invoice.issuer.name)
    body = receipt_letter(payment, number, locale)
    return _message(invoice, recipient, title, body, key, at)


def header(value: str) -> str:
    """*value* with its spaces tidied, if it may become part of a header.

    A line break would begin another header; some libraries break lines at other characters too, so
    every control character, separator and lone surrogate is refused. ``=?`` would be decoded by
    the receiver into a text that nobody has seen (RFC 2047).

    Raises:
        NotDone: it may not.
    """
    if any(map(breaks, value)):
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


def _issued(invoice: Invoice) -> tuple[str, date]:
    if invoice.number is None or invoice.issue_date is None:
        raise NotDone(
            {
                "es": "Solo se escribe al cliente sobre una factura ya emitida.",
                "en": "A customer is only written to about an issued invoice.",
            }
        )
    return invoice.number, invoice.issue_date


def _message(
    invoice: Invoice, recipient: str, title: str, body: str, key: str, at: datetime
) -> bytes:
    """A message from an invoice's issuer to its customer; the key is its Message-ID."""
    sender = address(invoice.issuer.email or "")
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
    message["Subject"] = header(title)
    message["Date"] = format_datetime(at)
    message["Message-ID"] = f"<{key}@{sender.rpartition('@')[2]}>"
    # Without an encoding of its own the library would choose by content, 8-bit among others.
    message.set_content(body, cte="quoted-printable")
    return message.as_bytes()
