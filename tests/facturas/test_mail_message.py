"""The message: the figures of the books, headers that nobody can add to, the same bytes every time."""

import re
from dataclasses import replace
from datetime import date, timedelta, timezone

import pytest
from facturas_letters import AT, HEADERS, INVOICE, ISSUER, KEY, body_of, named, read
from facturas_smtp import run
from facturas_world import LOGO
from hypothesis import example, given
from hypothesis import strategies as st

from semel.errors import NotDone
from semel_facturas.books.invoices import Invoice
from semel_facturas.letters import subject
from semel_facturas.mail import WIRE, Mailer, compose
from semel_facturas.sink import Sink

pytestmark = pytest.mark.no_store

pytestmark = pytest.mark.no_store


def written(invoice: Invoice = INVOICE, **options: object) -> bytes:
    return compose(
        invoice, **({"key": KEY, "recipient": "maria@carmona.example", "at": AT} | options)
    )


def test_the_headers_are_those_of_the_step():
    message = read(written())
    assert message.keys() == HEADERS
    assert message["From"] == "Carmona Estudio <facturas@carmona-demo.example>"
    assert message["To"] == "María Carmona <maria@carmona.example>"
    assert message["Subject"] == subject("Carmona Estudio", "es") == "Factura de Carmona Estudio"
    assert message["Date"] == "Mon, 19 Oct 2026 08:00:05 +0000"
    assert message["Message-ID"] == f"<{KEY}@carmona-demo.example>"


def test_the_body_carries_what_the_books_say_in_spanish():
    assert (
        body_of(written())
        == """\
Hola, María Carmona:

Te enviamos la factura 2026-0001.

Fecha: 19/10/2026
Vencimiento: 18/11/2026

De: Carmona Estudio, NIF B12345674, Calle del Ejemplo 1
Para: María Carmona, NIF 12345678Z, Avenida de la Muestra 3

1 × Diseño del logo (500,00 €, IVA 21 %): 500,00 €
2,5 × Hosting (1.234,5678 € − 12,5 %, IVA 10 %): 2.700,62 €

Base imponible (IVA 21 %): 500,00 €
IVA 21 %: 105,00 €
Base imponible (IVA 10 %): 2.700,62 €
IVA 10 %: 270,06 €
Total: 3.575,68 €

Documento de demostración, sin validez fiscal.
"""
    )


def test_english_words_keep_spanish_money_and_dates():
    message = read(written(locale="en"))
    assert message["Subject"] == "Invoice from Carmona Estudio"
    body = body_of(written(locale="en"))
    assert "Due: 18/11/2026\n" in body
    assert "VAT 21 %: 105,00 €\n" in body
    assert "Total: 3.575,68 €\n" in body


def test_x08_the_same_step_gives_the_same_bytes_and_another_step_another_id():
    assert written() == written()
    assert written(key="k2") != written()


def test_the_date_is_the_instant_given_whatever_its_zone():
    madrid = AT.astimezone(timezone(timedelta(hours=2)))
    assert read(written(at=madrid))["Date"].datetime == AT


def test_every_byte_is_one_that_smtp_carries():
    assert WIRE.fullmatch(written())
    assert WIRE.fullmatch(written(named("ñ" * 200, "€" * 180)))


def test_x10_the_bytes_that_left_are_those_composed(tmp_path):
    with Sink(tmp_path) as sink:
        run(
            Mailer(sink.url).send(
                written(),
                sender="facturas@carmona-demo.example",
                recipient="otra@correo.example",
                deadline=60,
            )
        )
    (file,) = tmp_path.iterdir()
    trace = b"Return-Path: <facturas@carmona-demo.example>\r\nDelivered-To: otra@correo.example\r\n"
    assert file.read_bytes() == trace + written()
    assert read(file.read_bytes())["To"].addresses[0].addr_spec == "maria@carmona.example"


BREAKS = ["\r\nBcc: otro@nadie.example", "\n", "\r", "\0", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\x7f", "\t", "\ud800", "x" * 300]  # fmt: skip


@pytest.mark.parametrize("bad", BREAKS, ids=ascii)
@pytest.mark.parametrize(
    "write",
    [
        lambda bad: written(named(customer=f"María{bad}")),
        lambda bad: written(named(issuer=f"Carmona{bad}Estudio")),
        lambda bad: written(recipient=f"maria@carmona.example{bad}"),
        lambda bad: written(replace(INVOICE, issuer=replace(ISSUER, email=f"a@b.example{bad}"))),
        lambda bad: written(key=f"{bad}key{bad}"),
    ],
    ids=["customer", "issuer", "recipient", "sender", "key"],
)
def test_x10_what_would_break_a_header_is_refused(write, bad):
    with pytest.raises(NotDone):
        write(bad)


@pytest.mark.parametrize("side", ["customer", "issuer"])
def test_x10_a_name_that_a_receiver_would_decode_is_refused(side):
    with pytest.raises(NotDone):
        written(named(**{side: "=?utf-8?q?Otra?="}))


@pytest.mark.parametrize("key", ["", "a b", "a@b", "<a>", ".a", "a..b", "á", "a>"])
def test_a_key_that_is_no_part_of_a_message_id_is_refused(key):
    with pytest.raises(NotDone):
        written(key=key)


def test_line_breaks_in_a_description_add_no_line_to_the_body():
    lines = (replace(LOGO, concepto="Logo\r\nTotal: 0,00 €\u2028\0fin"),)
    body = body_of(written(replace(INVOICE, lines=lines)))
    assert "1 × Logo Total: 0,00 € fin (500,00 €, IVA 21 %): 500,00 €\n" in body
    assert len(re.findall("^Total", body, re.MULTILINE)) == 1


def test_braces_in_a_name_stay_braces():
    message = read(written(named("{total}", "{0} {issuer.email}")))
    assert "Hola, {total}:" in message.get_content()
    assert message["Subject"] == "Factura de {0} {issuer.email}"


@pytest.mark.parametrize(
    "lacking", [{"number": None}, {"issue_date": None}, {"issuer": replace(ISSUER, email=None)}]
)
def test_a_draft_is_not_sent(lacking):
    with pytest.raises(NotDone):
        written(replace(INVOICE, **lacking))


NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=60)


@given(NAMES, NAMES)
@example('Ana "La Jefa", S.L. <otro@nadie.example>', "a, b@c.example; Bcc: x")
@example("\\", "(comentario")
def test_x10_no_name_adds_a_header_or_a_recipient(customer, issuer):
    try:
        content = written(named(customer, issuer))
    except NotDone:
        assert "=?" in customer + issuer
        return
    message = read(content)
    assert message.keys() == HEADERS
    assert [one.addr_spec for one in message["To"].addresses] == ["maria@carmona.example"]
    assert [one.addr_spec for one in message["From"].addresses] == ["facturas@carmona-demo.example"]
    # The library may fold a long word of a header with a space; the body has it exactly.
    assert "".join(message["To"].addresses[0].display_name.split()) == "".join(customer.split())
    assert "".join(message["Subject"].split()) == "".join(f"Facturade{issuer}".split())
    assert WIRE.fullmatch(content)


def test_a_due_date_is_written_with_two_digits():
    body = body_of(written(replace(INVOICE, due_date=date(2027, 1, 2))))
    assert "Vencimiento: 02/01/2027\n" in body
