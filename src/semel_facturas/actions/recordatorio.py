"""Payment reminders: one now, several planned, and the planned ones taken back."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Annotated

from pydantic import AfterValidator, Field

from semel import (
    CONFIRM,
    SAFE,
    Action,
    Ctx,
    Input,
    Local,
    Made,
    Missing,
    NotDone,
    Preview,
    Ref,
    Risk,
)
from semel.facts import Count, Date, Email, Fact, Money, Text
from semel_facturas.actions.correo import BY_MAIL, DRAFT, Post, hand_over, no_address, recipient
from semel_facturas.actions.factura import UnaFactura
from semel_facturas.actions.kinds import Factura
from semel_facturas.actions.names import named
from semel_facturas.actions.today import language
from semel_facturas.books.instants import day_of, end_of, instant
from semel_facturas.books.invoices import Invoice
from semel_facturas.message import remind

HOUR = time(9)
"""When a reminder leaves, by the clock on the issuer's wall: when offices open."""

_MOST = 5
"""Reminders that one step plans: who is reminded more often reads none of them."""

BEFORE = {
    "es": ("{day} (1 día antes del vencimiento)", "{day} ({days} días antes del vencimiento)"),
    "en": ("{day} (1 day before it is due)", "{day} ({days} days before it is due)"),
}


def _all_different(days: list[int]) -> list[int]:
    if len(set(days)) < len(days):
        raise ValueError("each number of days is given once")
    return days


class Recordatorios(Input):
    """An invoice, and how many days before its due date to remind of it."""

    factura: Ref[Factura]
    dias_antes: Annotated[
        list[Annotated[int, Field(strict=True, ge=1, le=60)]],
        Field(min_length=1, max_length=_MOST),
        AfterValidator(_all_different),
    ]


@dataclass(frozen=True, slots=True)
class Turn:
    """A reminder of a plan: the day, how many days before the due date, and the instant."""

    day: date
    days: int
    at: datetime


class Recordatorio(
    Action, name="recordatorio.enviar_ahora", effect=BY_MAIL, allow="facturas.enviar"
):
    """E-mail the customer a reminder of an unpaid invoice, now. It cannot be called back."""

    will = {
        "es": "Enviar a {para} un recordatorio de la factura {numero}: {pendiente}, vencimiento "
        "{vence}",
        "en": "Send {para} a reminder of invoice {numero}: {pendiente}, due {vence}",
    }
    did = {
        "es": "Recordatorio de la factura {numero} enviado a {para}",
        "en": "Reminder of invoice {numero} sent to {para}",
    }
    names = named("para", "numero", "pendiente", "vence")
    Input = UnaFactura

    def __init__(self, post: Post) -> None:
        self.post = post

    def risk(self, i: UnaFactura, ctx: Ctx) -> Risk:
        """It leaves for good."""
        return CONFIRM

    def pagada(self, i: UnaFactura, ctx: Ctx) -> bool:
        """Whether there is nothing left to remind of."""
        return i.factura.row.settled

    def preview(self, i: UnaFactura, ctx: Ctx) -> Preview:
        """To whom, how much, and until when."""
        invoice = i.factura.row
        number = _unpaid(invoice)
        if (ask := no_address(invoice)) is not None:
            return Preview(missing=[ask])
        return Preview(
            para=Email(recipient(invoice)),
            # An invoice that is issued in the same plan may get another number than it shows here.
            numero=Text(number, volatile=True),
            pendiente=Money(invoice.outstanding),
            vence=Date(invoice.due_date),
        )

    async def prepare(self, i: UnaFactura, ctx: Ctx) -> bytes:
        """Write the message; nothing has left yet."""
        invoice = i.factura.row
        return remind(
            invoice,
            key=ctx.key,
            recipient=recipient(invoice),
            at=ctx.now,
            locale=language(ctx),
        )

    async def run(self, i: UnaFactura, ctx: Ctx, prepared: bytes) -> Made:
        """Hand the message over."""
        return await hand_over(self.post, prepared, i.factura.row, ctx)


class ProgramarRecordatorios(
    Action,
    name="factura.programar_recordatorios",
    effect=Local(),
    makes=Factura,
    allow="recordatorios.escribir",
):
    """Plan e-mails that remind of an issued invoice's payment, so many days before it is due.

    Each leaves at nine in the morning, and only while the invoice is unpaid.
    """

    will = {
        "es": "Recordarle el pago el {cuando} si no está pagada",
        "en": "Remind them of the payment on {cuando} if it is unpaid",
    }
    did = {
        "es": "Recordatorio de pago programado para el {cuando}",
        "en": "Payment reminder planned for {cuando}",
    }
    names = named("cuando") | {
        f"dia_{number}": {"es": f"Día {number}", "en": f"Day {number}"}
        for number in range(1, _MOST + 1)
    }
    Input = Recordatorios

    def risk(self, i: Recordatorios, ctx: Ctx) -> Risk:
        """They leave by themselves."""
        return CONFIRM

    def preview(self, i: Recordatorios, ctx: Ctx) -> Preview:
        """The days; one that has passed is asked for anew."""
        invoice = i.factura.row
        _unpaid(invoice)
        turns = self._turns(i)
        days: dict[str, Fact] = {
            f"dia_{position}": Date(turn.day) for position, turn in enumerate(turns, start=1)
        }
        one, more = BEFORE[language(ctx)]
        words = [
            (one if turn.days == 1 else more).format(day=f"{turn.day:%d/%m/%Y}", days=turn.days)
            for turn in turns
        ]
        return Preview(
            missing=[self._ask(turn, invoice, ctx) for turn in turns if turn.at <= ctx.now],
            # The same as the dates beside it, in words.
            cuando=Text(", ".join(words), volatile=True),
            **days,
        )

    def run(self, i: Recordatorios, ctx: Ctx) -> Made:
        """Plan each of them; one that is planned already is said and not planned twice."""
        invoice = i.factura.row
        for turn in self._turns(i):
            planned = ctx.later(
                Recordatorio,
                {"factura": invoice.id},
                not_before=turn.at,
                not_after=end_of(invoice.due_date, invoice.zone),
                unless="pagada",
            )
            if not planned:
                day = f"{turn.day:%d/%m/%Y}"
                raise NotDone(
                    {
                        "es": f"Para el {day} ya hay un recordatorio programado.",
                        "en": f"A reminder is planned for {day} already.",
                    }
                )
        return Made(invoice)

    def _turns(self, i: Recordatorios) -> list[Turn]:
        """The reminders in the order of their days; the instant is taken from the wall clock."""
        invoice = i.factura.row
        turns = []
        for days in sorted(i.dias_antes, reverse=True):
            day = invoice.due_date - timedelta(days=days)
            turns.append(Turn(day, days, instant(day, HOUR, invoice.zone)))
        return turns

    def _ask(self, turn: Turn, invoice: Invoice, ctx: Ctx) -> Missing:
        day = f"{turn.day:%d/%m/%Y}"
        if turn.day == day_of(ctx.now, invoice.zone):
            return Missing(
                "dias_antes",
                ask={
                    "es": f"Hoy, {day}, ya son más de las {HOUR:%H:%M}: ¿otro día?",
                    "en": f"It is past {HOUR:%H:%M} today, {day}: another day?",
                },
            )
        return Missing(
            "dias_antes",
            ask={
                "es": f"El {day} ya ha pasado: ¿otro día?",
                "en": f"{day} has passed: another day?",
            },
        )


class CancelarRecordatorios(
    Action,
    name="factura.cancelar_recordatorios",
    effect=Local(),
    makes=Factura,
    allow="recordatorios.escribir",
):
    """Take back the reminders of an invoice that are planned and have not left."""

    will = {
        "es": "Quitar los recordatorios pendientes de la factura {numero}",
        "en": "Take back the planned reminders of invoice {numero}",
    }
    did = {
        "es": "Recordatorios quitados de la factura {numero}: {cuantos}",
        "en": "Reminders of invoice {numero} taken back: {cuantos}",
    }
    names = named("numero", "cuantos")
    Input = UnaFactura

    def risk(self, i: UnaFactura, ctx: Ctx) -> Risk:
        """Nothing leaves, and they can be planned again."""
        return SAFE

    def preview(self, i: UnaFactura, ctx: Ctx) -> Preview:
        """Of which invoice; how many there are is known when they are taken back."""
        return Preview(numero=Text(i.factura.row.number or "", volatile=True))

    def run(self, i: UnaFactura, ctx: Ctx) -> Made:
        """Take them back."""
        invoice = i.factura.row
        count = ctx.cancel_later("factura", invoice.id)
        if not count:
            raise NotDone(
                {
                    "es": "Esa factura no tiene recordatorios pendientes.",
                    "en": "That invoice has no planned reminders.",
                }
            )
        return Made(invoice, cuantos=Count(count))


def _unpaid(invoice: Invoice) -> str:
    """The number of an issued invoice of which something is outstanding.

    Raises:
        NotDone: it is a draft, or paid.
    """
    if invoice.number is None:
        raise NotDone(DRAFT)
    if invoice.settled:
        raise NotDone(
            {
                "es": f"De la factura {invoice.number} no queda nada por cobrar.",
                "en": f"Nothing of invoice {invoice.number} is outstanding.",
            }
        )
    return invoice.number
