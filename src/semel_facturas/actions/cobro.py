"""Payments: recording one, and telling the customer that it has arrived."""

from datetime import date
from decimal import Decimal

from semel import (
    CONFIRM,
    SAFE,
    Action,
    Ctx,
    Input,
    Line,
    Local,
    Made,
    NotDone,
    Number,
    Preview,
    Ref,
    Risk,
)
from semel.facts import JSON, Date, Email, Fact, Money, Text
from semel_facturas.actions.correo import BY_MAIL, Post, hand_over, no_address, recipient
from semel_facturas.actions.kinds import Cobro, Factura
from semel_facturas.actions.left import Left
from semel_facturas.actions.names import named
from semel_facturas.actions.today import issuer, language, now_text, today
from semel_facturas.books import payments
from semel_facturas.books.instants import day_of
from semel_facturas.books.invoices import Invoice, held_invoice
from semel_facturas.message import thank


class NuevoCobro(Input):
    """What a payment needs; without an amount it is what is outstanding, and its day is today."""

    factura: Ref[Factura]
    importe: Number | None = None
    fecha: date | None = None
    medio: Line | None = None
    avisar_cliente: bool = False


class UnCobro(Input):
    """One payment."""

    cobro: Ref[Cobro]


class AvisarCobro(Action, name="cobro.avisar", effect=BY_MAIL, allow="facturas.enviar"):
    """E-mail the customer that a payment of theirs has arrived. It cannot be called back."""

    will = {
        "es": "Avisar a {para} de que ha llegado su pago de {importe} de la factura {numero}",
        "en": "Tell {para} that the payment of {importe} of invoice {numero} has arrived",
    }
    did = {
        "es": "Avisado {para} de su pago de {importe} de la factura {numero}",
        "en": "{para} told of the payment of {importe} of invoice {numero}",
    }
    names = named("para", "numero", "importe", "pendiente")
    Input = UnCobro

    def __init__(self, post: Post) -> None:
        self.post = post

    def risk(self, i: UnCobro, ctx: Ctx) -> Risk:
        """It leaves for good."""
        return CONFIRM

    def preview(self, i: UnCobro, ctx: Ctx) -> Preview:
        """To whom, how much, and what is left of the invoice."""
        payment = i.cobro.row
        invoice = payment.invoice
        if (ask := no_address(invoice)) is not None:
            return Preview(missing=[ask])
        return Preview(
            para=Email(recipient(invoice)),
            # The invoice is the payment's own for good; in one plan it may be numbered only later.
            numero=Text(invoice.number or "", volatile=True),
            importe=Money(payment.amount),
            pendiente=Money(invoice.outstanding),
        )

    async def prepare(self, i: UnCobro, ctx: Ctx) -> bytes:
        """Write the message; nothing has left yet."""
        payment = i.cobro.row
        return thank(
            payment,
            key=ctx.key,
            recipient=recipient(payment.invoice),
            at=ctx.now,
            locale=language(ctx),
        )

    async def run(self, i: UnCobro, ctx: Ctx, prepared: bytes) -> Made:
        """Hand the message over."""
        return await hand_over(self.post, prepared, i.cobro.row.invoice, ctx)


class RegistrarCobro(
    Action, name="factura.registrar_cobro", effect=Local(), makes=Cobro, allow="cobros.escribir"
):
    """Record that an issued invoice was paid: by default all that is outstanding, today.

    With avisar_cliente the customer is e-mailed, and then it cannot be undone.
    """

    will = {
        "es": "Registrar un cobro de {importe} de la factura {numero}, del {fecha}; quedan "
        "{pendiente} por cobrar",
        "en": "Record a payment of {importe} of invoice {numero}, made on {fecha}; {pendiente} "
        "outstanding",
    }
    did = {
        "es": "Cobro de {importe} de la factura {numero} registrado; quedan {pendiente} por cobrar",
        "en": "Payment of {importe} of invoice {numero} recorded; {pendiente} outstanding",
    }
    names = named("importe", "numero", "fecha", "pendiente", "medio")
    Input = NuevoCobro

    def risk(self, i: NuevoCobro, ctx: Ctx) -> Risk:
        """More than is owed or the same once more today is asked about; a letter asks by itself."""
        invoice, amount = self._paying(i, ctx)
        here, zone = today(ctx), issuer(ctx).zone
        again = any(
            one.amount == amount and day_of(one.created_at, zone) == here
            for one in payments.payments_of(ctx.tx, invoice)
        )
        return CONFIRM if amount > invoice.outstanding or again else SAFE

    def preview(self, i: NuevoCobro, ctx: Ctx) -> Preview:
        """How much, of what, and what is then left."""
        invoice, amount = self._paying(i, ctx)
        facts: dict[str, Fact] = {} if i.medio is None else {"medio": Text(i.medio)}
        return Preview(
            missing=(),
            importe=Money(amount),
            # An invoice that is issued in the same plan may get another number than it shows here.
            numero=Text(invoice.number or "", volatile=True),
            fecha=Date(i.fecha or today(ctx)),
            pendiente=Money(invoice.outstanding - amount),
            **facts,
        )

    def run(self, i: NuevoCobro, ctx: Ctx) -> Made:
        """Write it; the letter is a plan of its own, since what has left cannot be taken back."""
        invoice, amount = self._paying(i, ctx)
        made = payments.record_payment(
            ctx.tx,
            invoice,
            ctx.new_id(),
            amount=amount,
            day=i.fecha or today(ctx),
            today=today(ctx),
            method=i.medio,
            now=now_text(ctx),
        )
        if i.avisar_cliente:
            ctx.later(AvisarCobro, {"cobro": made.id}, not_before=ctx.now)
            return Made(made)
        return Made(made, undo=Left(id=made.id).model_dump())

    def undo(self, data: JSON, ctx: Ctx) -> Made:
        """Take the payment out of the sum again; it is kept, as removed."""
        made = payments.payment(ctx.tx, ctx.org, Left.model_validate(data).id)
        if made is None:
            raise NotDone(payments.CHANGED)
        return Made(payments.remove_payment(ctx.tx, made, now_text(ctx)))

    def _paying(self, i: NuevoCobro, ctx: Ctx) -> tuple[Invoice, Decimal]:
        """The invoice, held, and how much is paid: somebody may be paying it at this moment."""
        invoice = i.factura.row
        invoice = held_invoice(ctx.tx, invoice.org, invoice.id) or invoice
        return invoice, invoice.outstanding if i.importe is None else i.importe
