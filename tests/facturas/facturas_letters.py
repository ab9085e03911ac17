"""An invoice to write letters about, and ways to read them."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

from facturas_world import DUE, LOGO, ORG, TODAY

from semel_facturas.books.invoices import Invoice, Party
from semel_facturas.books.money import Line, totals

AT = datetime(2026, 10, 19, 8, 0, 5, tzinfo=UTC)
KEY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
LINES = (
    LOGO,
    Line("Hosting", Decimal("2.5"), Decimal("1234.5678"), Decimal("12.5"), Decimal(10)),
)
MARIA = Party("María Carmona", "12345678Z", "Avenida de la Muestra 3", "maria@carmona.example")
ISSUER = Party(
    "Carmona Estudio", "B12345674", "Calle del Ejemplo 1", "facturas@carmona-demo.example"
)
INVOICE = Invoice(
    org=ORG,
    id="id-1",
    contact="id-2",
    state="issued",
    version=2,
    issuer=ISSUER,
    customer=MARIA,
    lines=LINES,
    totals=totals(LINES),
    series="2026",
    number="2026-0001",
    issue_date=TODAY,
    due_date=DUE,
    created_at=AT,
    paid=Decimal("0.00"),
    contact_email="maria@carmona.example",
    zone="Europe/Madrid",
)
HEADERS = ["From", "To", "Subject", "Date", "Message-ID", "Content-Type", "Content-Transfer-Encoding", "MIME-Version"]  # fmt: skip


def read(content: bytes) -> EmailMessage:
    message = message_from_bytes(content, policy=SMTP)
    assert isinstance(message, EmailMessage)
    return message


def body_of(content: bytes) -> str:
    return read(content).get_content().replace("\r\n", "\n")


def named(customer: str = "María", issuer: str = "Carmona Estudio") -> Invoice:
    return replace(
        INVOICE, customer=replace(MARIA, name=customer), issuer=replace(ISSUER, name=issuer)
    )
