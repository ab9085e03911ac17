"""Invoices: draft and issue (RD 1619/2012)."""

from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated

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
    Match,
    Missing,
    NotDone,
    Number,
    Preview,
    Ref,
    Risk,
    Similar,
)
from semel.facts import JSON, Date, Instant, Money, Text
from semel_facturas.actions.kinds import Contacto, Factura
from semel_facturas.actions.left import Left
from semel_facturas.actions.names import named
from semel_facturas.actions.today import issuer, language, now_text, today
from semel_facturas.books import contacts, drafts, invoices
from semel_facturas.books import money as arithmetic
from semel_facturas.books.invoices import Invoice

ALIKE_WITHIN = timedelta(minutes=10)
"""How long a repeat is likelier a slip than a second job: somebody asks again when no answer came,
and seldom invoices the same person the same amount twice in ten minutes."""

STATES = {
    "draft": {"es": "borrador", "en": "draft"},
    "issued": {"es": "emitida", "en": "issued"},
}


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
    question = {
        "es": "Crear un borrador para {cliente} por {total}",
        "en": "Create a draft for {cliente} of {total}",
    }
    button = {"es": "Crear", "en": "Create"}
    names = named(
        "cliente", "concepto", "base", "iva", "total", "vence", "numero", "creado", "estado"
    ) | {"numero": {"es": "Documento", "en": "Document"}}
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
            concepto=Text(_concept(line.concepto for line in i.lineas)),
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
        draft = drafts.create_draft(
            ctx.tx,
            ctx.org,
            ctx.new_id(),
            contact=contact,
            lines=self._lines(i, ctx),
            due_date=due,
            now=now_text(ctx),
        )
        return Made(draft, undo=Left(id=draft.id).model_dump())

    def undo(self, data: JSON, ctx: Ctx) -> Made:
        """Throw the draft away, if it is still the draft it was."""
        draft = invoices.invoice(ctx.tx, ctx.org, Left.model_validate(data).id)
        if draft is None:
            raise NotDone(drafts.CHANGED)
        drafts.delete_draft(ctx.tx, draft)
        return Made()

    def similar(self, i: Borrador, ctx: Ctx) -> Similar:
        """The same customer and total, a short while ago."""
        contact, total = i.contacto.row, arithmetic.totals(self._lines(i, ctx)).total
        found = invoices.invoices_alike(ctx.tx, contact, total, ctx.now - ALIKE_WITHIN)
        return Similar(f"{contact.id} {total}", [self._match(one, ctx) for one in found])

    def _match(self, invoice: Invoice, ctx: Ctx) -> Match:
        state = STATES[invoice.state][language(ctx)]
        return Match(
            invoice,
            numero=Text(invoice.number or state),
            cliente=Text(invoice.customer.name),
            concepto=Text(_concept(line.concepto for line in invoice.lines)),
            total=Money(invoice.totals.total),
            creado=Instant(invoice.created_at, invoice.zone),
            estado=Text(state),
        )

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


def _concept(words: Iterable[str]) -> str:
    return ", ".join(words)


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
    question = {"es": "Emitir la factura por {total}", "en": "Issue the invoice for {total}"}
    button = {"es": "Emitir", "en": "Issue"}
    names = named("total", "serie", "numero")
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
