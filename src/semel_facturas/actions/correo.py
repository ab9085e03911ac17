"""E-mailing an issued invoice."""

from typing import Literal, Protocol

from semel import CONFIRM, Action, Ctx, Made, Missing, NotDone, Opaque, Preview, Risk
from semel.facts import Email, Money, Text
from semel_facturas.actions.factura import UnaFactura
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
