"""Invoices: draft, issue, e-mail (RD 1619/2012)."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal, Protocol

from pydantic import Field

from semel import (
    CONFIRM,
    SAFE,
    Action,
    Ctx,
    Input,
    Line,
    Local,
    Made,
    Missing,
    NotDone,
    Number,
    Opaque,
    Preview,
    Ref,
    Risk,
)
from semel.facts import Date, Email, Money, Text
from semel_facturas.actions.kinds import Contacto, Factura
from semel_facturas.actions.today import issuer, now_text, today
from semel_facturas.books import contacts, invoices
from semel_facturas.books import money as arithmetic
from semel_facturas.books.invoices import Invoice
from semel_facturas.mail import compose

MAIL_SECONDS = 30.0
"""One conversation with a mail server; RFC 5321 allows minutes, a person does not wait them."""

DELIVERY_SECONDS = 60.0
"""After which a message that was handed over has been taken or never will be: our server is the
next hop, and it queues or refuses at once."""


class Post(Protocol):
    """Carries e-mails; each call is one send, without retries."""

    async def send(self, message: bytes, *, sender: str, recipient: str, deadline: float) -> str:
        """Hand a message over; the server's reply."""


class Linea(Input):
    """A line of a draft. Prices are without VAT; percentages are written as numbers."""

    concepto: Line
    precio: Number
    cantidad: Number = Decimal(1)
    descuento: Number = Decimal(0)
    iva: Number | None = None


class Borrador(Input):
    """What a draft needs; the due date comes from the contact's terms unless it is given."""

    contacto: Ref[Contacto]
    lineas: Annotated[list[Linea], Field(min_length=1, max_length=50)]
    vencimiento: date | None = None


class UnaFactura(Input):
    """One invoice."""

    factura: Ref[Factura]


class CrearBorrador(
    Action, name="factura.crear_borrador", effect=Local(), makes=Factura, allow="facturas.crear"
):
    """Write a draft invoice for a contact: lines with price before VAT. It takes no number."""

    will = {
        "es": "Borrador para {cliente}: «{concepto}», {base} + IVA {iva} = {total}, vence {vence}",
        "en": "Draft for {cliente}: “{concepto}”, {base} + VAT {iva} = {total}, due {vence}",
    }
    did = {
        "es": "Borrador para {cliente} por {total}",
        "en": "Draft for {cliente} of {total}",
    }
    Input = Borrador

    def risk(self, i: Borrador, ctx: Ctx) -> Risk:
        """A draft can be thrown away."""
        return SAFE

    def preview(self, i: Borrador, ctx: Ctx) -> Preview:
        """The same arithmetic as the books', and what is missing."""
        contact = i.contacto.row
        due = i.vencimiento or contacts.due_date(today(ctx), contact)
        missing = []
        if due is None:
            missing.append(
                Missing(
                    "vencimiento",
                    of=contact.name,
                    ask={
                        "es": f"¿A cuántos días vence la factura de {contact.name}? "
                        "Lo legal si no hay pacto son 30.",
                        "en": f"In how many days is the invoice for {contact.name} due? "
                        "Without an agreement the law says 30.",
                    },
                    stand_in=today(ctx),
                    choices=("30",),
                )
            )
        if any(line.iva is None for line in i.lineas) and issuer(ctx).default_vat is None:
            missing.append(
                Missing(
                    "iva",
                    ask={
                        "es": "¿Qué tipo de IVA llevan las líneas?",
                        "en": "Which VAT rate applies?",
                    },
                    choices=("21", "10", "4"),
                )
            )
            return Preview(missing=missing)
        if due is not None and due < today(ctx):
            raise NotDone(
                {
                    "es": f"El vencimiento {due:%d/%m/%Y} ya ha pasado.",
                    "en": f"The due date {due:%d/%m/%Y} has passed.",
                }
            )
        figures = arithmetic.totals(self._lines(i, ctx))
        return Preview(
            missing=missing,
            cliente=Text(contact.name),
            concepto=Text(", ".join(line.concepto for line in i.lineas)),
            base=Money(figures.base),
            iva=Money(figures.vat),
            total=Money(figures.total),
            vence=Date(due or today(ctx)),
        )

    def run(self, i: Borrador, ctx: Ctx) -> Made:
        """Write the draft."""
        contact = i.contacto.row
        due = i.vencimiento or contacts.due_date(today(ctx), contact)
        if due is None:
            raise NotDone({"es": "Falta el vencimiento.", "en": "The due date is missing."})
        draft = invoices.create_draft(
            ctx.tx,
            ctx.org,
            ctx.new_id(),
            contact=contact,
            lines=self._lines(i, ctx),
            due_date=due,
            now=now_text(ctx),
        )
        return Made(draft)

    def _lines(self, i: Borrador, ctx: Ctx) -> tuple[arithmetic.Line, ...]:
        usual = issuer(ctx).default_vat
        if usual is None and any(line.iva is None for line in i.lineas):
            raise NotDone({"es": "Falta el tipo de IVA.", "en": "The VAT rate is missing."})
        return tuple(
            arithmetic.Line(
                line.concepto,
                line.cantidad,
                line.precio,
                line.descuento,
                line.iva if line.iva is not None else usual or Decimal(0),
            )
            for line in i.lineas
        )


ASK = {
    "customer.nif": {
        "es": "¿Cuál es el NIF de {name}? Hace falta para emitir.",
        "en": "What is the tax id of {name}? It is needed to issue.",
    },
    "customer.address": {
        "es": "¿Cuál es la dirección de {name}? Hace falta para emitir.",
        "en": "What is the address of {name}? It is needed to issue.",
    },
    "issuer.nif": {
        "es": "¿Cuál es vuestro NIF? Hace falta para emitir.",
        "en": "What is your own tax id? It is needed to issue.",
    },
    "issuer.address": {
        "es": "¿Cuál es vuestra dirección? Hace falta para emitir.",
        "en": "What is your own address? It is needed to issue.",
    },
    "exemption": {
        "es": "Una línea va al 0 %: ¿por qué está exenta?",
        "en": "A line has 0 %: why is it exempt?",
    },
}


class Emitir(Action, name="factura.emitir", effect=Local(), makes=Factura, allow="facturas.emitir"):
    """Give a draft the next number of its series. It cannot be undone, only rectified."""

    will = {
        "es": "Emitir el borrador por {total} con el siguiente número de la serie {serie}",
        "en": "Issue the draft for {total} with the next number of series {serie}",
    }
    did = {"es": "Factura {numero} emitida", "en": "Invoice {numero} issued"}
    Input = UnaFactura

    def risk(self, i: UnaFactura, ctx: Ctx) -> Risk:
        """A number once given is given."""
        return CONFIRM

    def preview(self, i: UnaFactura, ctx: Ctx) -> Preview:
        """What is issued, and what the law wants on it and is not known."""
        draft = i.factura.row
        missing = [
            Missing(
                lacking,
                of=draft.customer.name,
                ask={
                    locale: text.format(name=draft.customer.name)
                    for locale, text in ASK[lacking].items()
                },
            )
            for lacking in invoices.missing_to_issue(draft)
        ]
        return Preview(
            missing=missing,
            total=Money(draft.totals.total),
            serie=Text(invoices.series_of(today(ctx))),
        )

    def run(self, i: UnaFactura, ctx: Ctx) -> Made:
        """Number, frozen invoice and this step's record are one commit."""
        issued = invoices.issue(ctx.tx, ctx.org, i.factura.row, today(ctx), now_text(ctx))
        return Made(issued, numero=Text(issued.number or ""))


class Enviar(
    Action,
    name="factura.enviar",
    effect=Opaque(deadline=MAIL_SECONDS, delivery_bound=DELIVERY_SECONDS),
    allow="facturas.enviar",
):
    """E-mail an issued invoice to its customer. It cannot be called back."""

    will = {
        "es": "Enviar la factura por email a {para}",
        "en": "E-mail the invoice to {para}",
    }
    did = {
        "es": "Factura {numero} enviada a {para}",
        "en": "Invoice {numero} e-mailed to {para}",
    }
    Input = UnaFactura

    def __init__(self, post: Post) -> None:
        self.post = post

    def risk(self, i: UnaFactura, ctx: Ctx) -> Risk:
        """It leaves for good."""
        return CONFIRM

    def preview(self, i: UnaFactura, ctx: Ctx) -> Preview:
        """To whom, whole; the number may still be another's by the time it is sent."""
        invoice = i.factura.row
        if not invoice.customer.email:
            name = invoice.customer.name
            return Preview(
                missing=[
                    Missing(
                        "email",
                        of=name,
                        ask={
                            "es": f"¿A qué dirección de email se la envío a {name}?",
                            "en": f"To which e-mail address of {name} do I send it?",
                        },
                    )
                ]
            )
        if invoice.number is None:
            raise NotDone(
                {
                    "es": "Es un borrador: hay que emitirlo antes de enviarlo.",
                    "en": "It is a draft: it has to be issued before it is sent.",
                }
            )
        return Preview(
            para=Email(invoice.customer.email),
            numero=Text(invoice.number, volatile=True),
            total=Money(invoice.totals.total),
        )

    async def prepare(self, i: UnaFactura, ctx: Ctx) -> bytes:
        """Write the message; nothing has left yet."""
        invoice = i.factura.row
        locale: Literal["es", "en"] = "es" if ctx.locale == "es" else "en"
        return compose(invoice, key=ctx.key, recipient=_address(invoice), at=ctx.now, locale=locale)

    async def run(self, i: UnaFactura, ctx: Ctx, prepared: bytes) -> Made:
        """Hand the message over, once; only the server's reply proves that it took it."""
        invoice = i.factura.row
        sender = invoice.issuer.email or ""
        await self.post.send(
            prepared, sender=sender, recipient=_address(invoice), deadline=ctx.deadline
        )
        return Made(id=f"{ctx.key}@{sender.rpartition('@')[2]}")


def _address(invoice: Invoice) -> str:
    return invoice.customer.email or ""
