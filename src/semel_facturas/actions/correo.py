"""E-mails to a customer: the invoice itself, and what all of them have in common."""

from typing import Protocol

from semel import CONFIRM, Action, Ctx, Made, Missing, NotDone, Opaque, Preview, Risk
from semel.facts import Email, Money, Text
from semel_facturas.actions.factura import UnaFactura
from semel_facturas.actions.names import named
from semel_facturas.actions.today import language
from semel_facturas.books.invoices import Invoice
from semel_facturas.message import compose

BY_MAIL = Opaque(deadline=30, delivery_bound=60)
"""One conversation with a mail server; RFC 5321 allows minutes, a person does not wait them. After
a minute more a message that was handed over has been taken or never will be: our server is the next
hop, and it queues or refuses at once."""

DRAFT = {
    "es": "Es un borrador: antes hay que emitirlo.",
    "en": "It is a draft: it has to be issued first.",
}


class Post(Protocol):
    """Carries e-mails; each call is one send, without retries."""

    async def send(self, message: bytes, *, sender: str, recipient: str, deadline: float) -> str:
        """Hand a message over; the server's reply."""


def within(action: Action, deadline: float) -> None:
    """Give an e-mail's conversation another limit, in seconds, than the usual thirty."""
    vars(action)["effect"] = Opaque(deadline=deadline, delivery_bound=BY_MAIL.delivery_bound)


def no_address(invoice: Invoice) -> Missing | None:
    """The question for an address, when the customer's contact has none at present."""
    if invoice.contact_email:
        return None
    name = invoice.customer.name
    return Missing(
        "email",
        of=name,
        ask={
            "es": f"¿A qué dirección de email le escribo a {name}?",
            "en": f"At which e-mail address do I write to {name}?",
        },
    )


def recipient(invoice: Invoice) -> str:
    """Where a message about an invoice goes: the address that the contact has now."""
    return invoice.contact_email or ""


async def hand_over(post: Post, message: bytes, invoice: Invoice, ctx: Ctx) -> Made:
    """Hand a message about an invoice over, once; only the server's reply proves it was taken."""
    sender = invoice.issuer.email or ""
    await post.send(message, sender=sender, recipient=recipient(invoice), deadline=ctx.deadline)
    return Made(id=f"{ctx.key}@{sender.rpartition('@')[2]}")


class Enviar(Action, name="factura.enviar", effect=BY_MAIL, allow="facturas.enviar"):
    """E-mail an issued invoice to its customer. It cannot be called back."""

    will = {
        "es": "Enviar la factura por email a {para}",
        "en": "E-mail the invoice to {para}",
    }
    did = {
        "es": "Factura {numero} enviada a {para}",
        "en": "Invoice {numero} e-mailed to {para}",
    }
    question = will
    button = {"es": "Enviar", "en": "Send"}
    names = named("para", "numero", "total")
    Input = UnaFactura

    def __init__(self, post: Post) -> None:
        self.post = post

    def risk(self, i: UnaFactura, ctx: Ctx) -> Risk:
        """It leaves for good."""
        return CONFIRM

    def preview(self, i: UnaFactura, ctx: Ctx) -> Preview:
        """To whom, whole; the number may still be another's by the time it is sent."""
        invoice = i.factura.row
        if (ask := no_address(invoice)) is not None:
            return Preview(missing=[ask])
        if invoice.number is None:
            raise NotDone(DRAFT)
        return Preview(
            para=Email(recipient(invoice)),
            numero=Text(invoice.number, volatile=True),
            total=Money(invoice.totals.total),
        )

    async def prepare(self, i: UnaFactura, ctx: Ctx) -> bytes:
        """Write the message; nothing has left yet."""
        invoice = i.factura.row
        return compose(
            invoice,
            key=ctx.key,
            recipient=recipient(invoice),
            at=ctx.now,
            locale=language(ctx),
        )

    async def run(self, i: UnaFactura, ctx: Ctx, prepared: bytes) -> Made:
        """Hand the message over."""
        return await hand_over(self.post, prepared, i.factura.row, ctx)
