"""Expenses."""

from datetime import date
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from semel import (
    CONFIRM,
    SAFE,
    TYPED,
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
    Ref,
    Risk,
)
from semel.facts import JSON, Count, Date, Money, Text
from semel_facturas.actions.kinds import Gasto
from semel_facturas.actions.left import AllLeft, Left
from semel_facturas.actions.names import named
from semel_facturas.actions.today import issuer, listed, now_text, today
from semel_facturas.books import expenses, money
from semel_facturas.books.expenses import Expense


class NuevoGasto(Input):
    """What an expense needs; whether the amount holds VAT is never guessed."""

    concepto: Line
    importe: Number
    iva_incluido: bool
    iva: Number | None = None
    proveedor: Line | None = None
    fecha: date | None = None


class VariosGastos(Input):
    """Expenses, each of them once."""

    gastos: Annotated[list[Ref[Gasto]], Field(min_length=1, max_length=50)]


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
    button = {"es": "Apuntar", "en": "Note"}
    names = named("concepto", "base", "iva", "total", "fecha")
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
        return Made(made, undo=Left(id=made.id).model_dump())

    def undo(self, data: JSON, ctx: Ctx) -> Made:
        """Take it out of the books again."""
        made = _as_left(Left.model_validate(data).id, ctx)
        return Made(expenses.delete_expense(ctx.tx, made, now_text(ctx)))

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


class BorrarGastos(Action, name="gasto.borrar", effect=Local(), makes=Gasto, allow="gastos.borrar"):
    """Delete expenses by their ids; they can be brought back."""

    will = {
        "es": "Borrar gastos ({cuantos}), {total} en total: {lista}",
        "en": "Delete expenses ({cuantos}), {total} in total: {lista}",
    }
    did = {
        "es": "Gastos borrados ({cuantos}), {total} en total: {lista}",
        "en": "Expenses deleted ({cuantos}), {total} in total: {lista}",
    }
    question = {
        "es": "Borrar gastos ({cuantos}) por {total}",
        "en": "Delete expenses ({cuantos}) for {total}",
    }
    button = {"es": "Borrar", "en": "Delete"}
    names = named("lista") | {
        "cuantos": {"es": "Gastos", "en": "Expenses"},
        "total": {"es": "Suma", "en": "Sum"},
    }
    Input = VariosGastos

    def risk(self, i: VariosGastos, ctx: Ctx) -> Risk:
        """One comes back with a press; the more there are, the more has to be said."""
        return {1: SAFE, 2: CONFIRM}.get(len(i.gastos), TYPED)

    def preview(self, i: VariosGastos, ctx: Ctx) -> Preview:
        """How many, how much, and the first of them."""
        gone = self._each_once(i)
        return Preview(
            cuantos=Count(len(gone)),
            total=Money(money.added(one.total for one in gone)),
            lista=Text(
                listed(
                    [f"{one.proveedor or one.concepto} {money.euros(one.total)}" for one in gone]
                )
            ),
        )

    def run(self, i: VariosGastos, ctx: Ctx) -> Made:
        """Take them out of the books."""
        now = now_text(ctx)
        # In the order of their ids, so that two bulks that overlap do not wait for each other.
        each = sorted(self._each_once(i), key=lambda one: one.id)
        gone = [expenses.delete_expense(ctx.tx, one, now) for one in each]
        return Made(*gone, undo=AllLeft(ids=[one.id for one in gone]).model_dump())

    def undo(self, data: JSON, ctx: Ctx) -> Made:
        """Bring them back."""
        left = [_as_left(id, ctx) for id in AllLeft.model_validate(data).ids]
        return Made(*(expenses.restore_expense(ctx.tx, one) for one in left))

    def _each_once(self, i: VariosGastos) -> list[Expense]:
        gone = {one.row.id: one.row for one in i.gastos}
        if len(gone) < len(i.gastos):
            raise NotDone(
                {
                    "es": "Hay un gasto repetido en la lista.",
                    "en": "An expense is in the list twice.",
                }
            )
        return list(gone.values())


def _as_left(id: str, ctx: Ctx) -> Expense:
    """The expense that a step left, deleted or not."""
    found = expenses.expense(ctx.tx, ctx.org, id, deleted=True)
    if found is None:
        raise NotDone(expenses.CHANGED)
    return found
