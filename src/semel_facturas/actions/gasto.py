"""Expenses."""

from datetime import date
from decimal import Decimal

from semel import (
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
    Preview,
    Risk,
)
from semel.facts import Date, Money, Text
from semel_facturas.actions.kinds import Gasto
from semel_facturas.actions.today import issuer, now_text, today
from semel_facturas.books import expenses, money


class NuevoGasto(Input):
    """What an expense needs; whether the amount holds VAT is never guessed."""

    concepto: Line
    importe: Number
    iva_incluido: bool
    iva: Number | None = None
    proveedor: Line | None = None
    fecha: date | None = None


class CrearGasto(Action, name="gasto.crear", effect=Local(), makes=Gasto, allow="gastos.escribir"):
    """Write an expense down. Say whether the amount includes VAT."""

    will = {
        "es": "Apuntar un gasto: {concepto}, {total} (base {base} + IVA {iva}), {fecha}",
        "en": "Note an expense: {concepto}, {total} (base {base} + VAT {iva}), {fecha}",
    }
    did = {
        "es": "Gasto apuntado: {concepto}, {total}",
        "en": "Expense noted: {concepto}, {total}",
    }
    Input = NuevoGasto

    def risk(self, i: NuevoGasto, ctx: Ctx) -> Risk:
        """A note in the books can be taken back."""
        return SAFE

    def preview(self, i: NuevoGasto, ctx: Ctx) -> Preview:
        """The figures as the books will hold them."""
        if i.importe <= 0 or money.cents(i.importe) != i.importe:
            raise NotDone(
                {
                    "es": "El importe de un gasto es mayor que cero y tiene dos decimales.",
                    "en": "The amount of an expense is more than zero and has two decimals.",
                }
            )
        bases = self._bases(i, ctx)
        if len(bases) > 1:
            rate = self._rate(i, ctx)
            totals = [money.euros(base + money.percent_of(base, rate)) for base in bases]
            return Preview(
                missing=[
                    Missing(
                        "importe",
                        ask={
                            "es": f"Ninguna base da justo ese total: ¿{totals[0]} o {totals[1]}?",
                            "en": f"No base gives exactly that total: {totals[0]} or {totals[1]}?",
                        },
                        choices=tuple(totals),
                    )
                ]
            )
        vat = money.percent_of(bases[0], self._rate(i, ctx))
        return Preview(
            concepto=Text(i.proveedor or i.concepto),
            base=Money(bases[0]),
            iva=Money(vat),
            total=Money(bases[0] + vat),
            fecha=Date(i.fecha or today(ctx)),
        )

    def run(self, i: NuevoGasto, ctx: Ctx) -> Made:
        """Write it."""
        made = expenses.create_expense(
            ctx.tx,
            ctx.org,
            ctx.new_id(),
            concepto=i.concepto,
            base=self._bases(i, ctx)[0],
            iva=self._rate(i, ctx),
            fecha=i.fecha or today(ctx),
            now=now_text(ctx),
            proveedor=i.proveedor,
        )
        return Made(made)

    def _rate(self, i: NuevoGasto, ctx: Ctx) -> Decimal:
        rate = i.iva if i.iva is not None else issuer(ctx).default_vat
        if rate is None:
            raise NotDone({"es": "Falta el tipo de IVA.", "en": "The VAT rate is missing."})
        return rate

    def _bases(self, i: NuevoGasto, ctx: Ctx) -> tuple[Decimal, ...]:
        """The base, or two when the amount includes VAT and no base gives exactly that total."""
        if not i.iva_incluido:
            return (i.importe,)
        return money.bases_including(i.importe, self._rate(i, ctx))
