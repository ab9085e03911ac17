"""The other letters: a reminder and a receipt, with the figures of the books and nobody's headers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from facturas_letters import AT, HEADERS, INVOICE, KEY, body_of, named, read
from facturas_world import DUE, TODAY

from semel.errors import NotDone
from semel_facturas.books.payments import Payment
from semel_facturas.letters import Locale
from semel_facturas.mail import WIRE
from semel_facturas.message import remind, thank

pytestmark = pytest.mark.no_store

pytestmark = pytest.mark.no_store

OWED = replace(INVOICE, paid=Decimal("1000.00"))
PAYMENT = Payment(
    org=OWED.org, id="id-3", invoice=OWED, amount=Decimal("1000.00"), day=TODAY,
    method=None, version=1, created_at=AT,
)  # fmt: skip
TO = {"key": KEY, "recipient": "otra@correo.example", "at": AT}


def letters(invoice=OWED, **options):
    given = TO | options
    return [remind(invoice, **given), thank(replace(PAYMENT, invoice=invoice), **given)]


def test_the_headers_are_those_of_the_step_and_the_address_is_the_one_given():
    for letter, title in zip(
        letters(),
        ["Recordatorio de pago de Carmona Estudio", "Pago recibido por Carmona Estudio"],
        strict=True,
    ):
        message = read(letter)
        assert message.keys() == HEADERS
        assert message["From"] == "Carmona Estudio <facturas@carmona-demo.example>"
        assert message["To"] == "María Carmona <otra@correo.example>"
        assert message["Subject"] == title
        assert message["Date"] == "Mon, 19 Oct 2026 08:00:05 +0000"
        assert message["Message-ID"] == f"<{KEY}@carmona-demo.example>"
        assert WIRE.fullmatch(letter)
    assert letters() == letters()


def test_a_reminder_says_what_is_outstanding_and_until_when():
    assert (
        body_of(remind(OWED, **TO))
        == """\
Hola, María Carmona:

Te recordamos el pago de la factura 2026-0001. Quedan 30 días para que venza.

Total: 3.575,68 €
Pendiente: 2.575,68 €
Vencimiento: 18/11/2026

De: Carmona Estudio, NIF B12345674, Calle del Ejemplo 1

Si ya la has pagado, no hagas caso de este mensaje.

Documento de demostración, sin validez fiscal.
"""
    )


@pytest.mark.parametrize(
    ("days", "es", "en"),
    [
        (-2, "Quedan 2 días para que venza.", "It is due in 2 days."),
        (-1, "Queda 1 día para que venza.", "It is due in 1 day."),
        (0, "Vence hoy.", "It is due today."),
        (1, "Venció hace 1 día.", "It was due 1 day ago."),
        (6, "Venció hace 6 días.", "It was due 6 days ago."),
    ],
)
def test_a_reminder_counts_the_days_on_the_issuers_calendar(days, es, en):
    # 23:30 UTC is the next day in Madrid.
    at = datetime(DUE.year, DUE.month, DUE.day, 23, 30, tzinfo=UTC) + timedelta(days=days - 1)
    locales: list[tuple[Locale, str]] = [("es", es), ("en", en)]
    for locale, said in locales:
        assert f" 2026-0001. {said}\n" in body_of(remind(OWED, **(TO | {"at": at}), locale=locale))


@pytest.mark.parametrize(
    ("paid", "es", "en"),
    [
        ("1000.00", "Quedan por pagar 2.575,68 €.", "Still to be paid: 2.575,68 €."),
        ("3575.68", "La factura queda pagada.", "The invoice is paid."),
        ("3575.78", "con 0,10 € a tu favor.", "with 0,10 € in your favour."),
    ],
)
def test_a_receipt_says_what_arrived_and_what_is_left(paid, es, en):
    payment = replace(PAYMENT, invoice=replace(OWED, paid=Decimal(paid)))
    spanish, english = body_of(thank(payment, **TO)), body_of(thank(payment, **TO, locale="en"))
    assert (
        "Hemos recibido tu pago de 1.000,00 €, del 19/10/2026, por la factura 2026-0001." in spanish
    )
    assert "We have received your payment of 1.000,00 €, made on 19/10/2026, for invoice" in english
    assert es in spanish
    assert en in english
    assert "sin validez fiscal" in spanish
    assert "without fiscal validity" in english


@pytest.mark.parametrize("bad", ["\r\nBcc: otro@nadie.example", "\n", "\0", "\u2028", "=?utf-8?q?x?="], ids=ascii)  # fmt: skip
def test_x10_what_would_break_a_header_is_refused(bad):
    for broken in (named(customer=f"María{bad}"), named(issuer=f"Carmona{bad}Estudio")):
        with pytest.raises(NotDone):
            remind(broken, **TO)
        with pytest.raises(NotDone):
            thank(replace(PAYMENT, invoice=broken), **TO)
    for option in ("recipient", "key"):
        for write in (remind, lambda invoice, **to: thank(PAYMENT, **to)):
            with pytest.raises(NotDone):
                write(OWED, **(TO | {option: f"a@b.example{bad}"}))


def test_a_draft_is_not_written_about():
    for lacking in ({"number": None}, {"issue_date": None}):
        draft = replace(OWED, **lacking)
        with pytest.raises(NotDone, match="issued invoice"):
            remind(draft, **TO)
        with pytest.raises(NotDone, match="issued invoice"):
            thank(replace(PAYMENT, invoice=draft), **TO)
