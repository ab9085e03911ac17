"""What the letters about an invoice say, in the language of whoever sends them.

Every line of a person's own words stays one line; figures and dates are in Spanish form.
"""

from datetime import date
from typing import Literal, TypeAlias

from .books.invoices import Invoice, Party
from .books.money import Line, decimal_comma, euros, percent
from .books.payments import Payment
from .books.writing import one_line

Locale: TypeAlias = Literal["es", "en"]

SUBJECT: dict[Locale, str] = {"es": "Factura de {issuer}", "en": "Invoice from {issuer}"}
REMINDER_SUBJECT: dict[Locale, str] = {
    "es": "Recordatorio de pago de {issuer}",
    "en": "Payment reminder from {issuer}",
}
RECEIPT_SUBJECT: dict[Locale, str] = {
    "es": "Pago recibido por {issuer}",
    "en": "Payment received by {issuer}",
}
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
REMINDER: dict[Locale, str] = {
    "es": """Hola, {name}:

Te recordamos el pago de la factura {number}. {when}

Total: {total}
Pendiente: {outstanding}
Vencimiento: {due}

De: {issuer}

Si ya la has pagado, no hagas caso de este mensaje.

Documento de demostración, sin validez fiscal.
""",
    "en": """Hello, {name}:

This is a reminder of the payment of invoice {number}. {when}

Total: {total}
Outstanding: {outstanding}
Due: {due}

From: {issuer}

If you have paid it already, please disregard this message.

Demonstration document, without fiscal validity.
""",
}
RECEIPT: dict[Locale, str] = {
    "es": """Hola, {name}:

Hemos recibido tu pago de {amount}, del {day}, por la factura {number}. Gracias.

{rest}

De: {issuer}

Documento de demostración, sin validez fiscal.
""",
    "en": """Hello, {name}:

We have received your payment of {amount}, made on {day}, for invoice {number}. Thank you.

{rest}

From: {issuer}

Demonstration document, without fiscal validity.
""",
}
# How a due date lies to a day: by its distance in days, the last for every other one.
LEFT: dict[Locale, tuple[str, str, str]] = {
    "es": ("Vence hoy.", "Queda 1 día para que venza.", "Quedan {days} días para que venza."),
    "en": ("It is due today.", "It is due in 1 day.", "It is due in {days} days."),
}
OVERDUE: dict[Locale, tuple[str, str]] = {
    "es": ("Venció hace 1 día.", "Venció hace {days} días."),
    "en": ("It was due 1 day ago.", "It was due {days} days ago."),
}
REST: dict[Locale, tuple[str, str, str]] = {
    "es": (
        "Quedan por pagar {amount}.",
        "La factura queda pagada.",
        "La factura queda pagada, con {amount} a tu favor.",
    ),
    "en": (
        "Still to be paid: {amount}.",
        "The invoice is paid.",
        "The invoice is paid, with {amount} in your favour.",
    ),
}


def subject(issuer: str, locale: Locale) -> str:
    """The subject of an invoice's letter."""
    return SUBJECT[locale].format(issuer=issuer)


def invoice_letter(invoice: Invoice, number: str, issue_date: date, locale: Locale) -> str:
    """The letter that carries an invoice, with everything that it has to say (RD 1619/2012)."""
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


def reminder_letter(invoice: Invoice, number: str, today: date, locale: Locale) -> str:
    """The letter that reminds of a payment, as read on *today*."""
    return REMINDER[locale].format(
        name=one_line(invoice.customer.name),
        number=number,
        when=_when(invoice.due_date, today, locale),
        total=euros(invoice.totals.total),
        outstanding=euros(invoice.outstanding),
        due=f"{invoice.due_date:%d/%m/%Y}",
        issuer=_party(invoice.issuer, locale),
    )


def receipt_letter(payment: Payment, number: str, locale: Locale) -> str:
    """The letter that tells a customer that a payment has arrived, and what is left."""
    left = payment.invoice.outstanding
    rest = REST[locale][0 if left > 0 else 1 if left.is_zero() else 2]
    return RECEIPT[locale].format(
        name=one_line(payment.invoice.customer.name),
        amount=euros(payment.amount),
        day=f"{payment.day:%d/%m/%Y}",
        number=number,
        rest=rest.format(amount=euros(left.copy_abs())),
        issuer=_party(payment.invoice.issuer, locale),
    )


def _when(due: date, today: date, locale: Locale) -> str:
    days = (due - today).days
    if days >= 0:
        return LEFT[locale][min(days, 2)].format(days=days)
    return OVERDUE[locale][min(-days, 2) - 1].format(days=-days)


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
