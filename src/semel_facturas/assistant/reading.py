"""What a model may look up: the books of the person's own organization, and how a plan stands.

Every one of them only reads; whose books they are is in the run's deps, never in an argument. What
somebody typed into a name or a concept is made harmless before a model reads it.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic_ai import RunContext, Tool

from semel import Engine, Tx
from semel.facts import JSON
from semel.integrations.tool import harmless
from semel_facturas.assistant.turn import Turn
from semel_facturas.books import looking
from semel_facturas.books.contacts import Contact
from semel_facturas.books.expenses import Expense
from semel_facturas.books.invoices import Invoice
from semel_facturas.books.money import euros

T = TypeVar("T")

NAMES = {
    "contacts": ("buscar_contacto", "find_contact"),
    "invoices": ("buscar_factura", "find_invoice"),
    "invoice": ("ver_factura", "show_invoice"),
    "unpaid": ("cobros_pendientes", "unpaid_invoices"),
    "expenses": ("buscar_gasto", "find_expense"),
    "plan": ("estado_del_plan", "plan_status"),
}
ABOUT = {
    "contacts": (
        "Busca contactos por el comienzo del nombre. Solo lee.",
        "Find contacts by how their name begins. It only reads.",
    ),
    "invoices": (
        (
            "Busca facturas y borradores, los más nuevos primero; por número o por cliente, o "
            "todos si ambos van vacíos. Solo lee."
        ),
        (
            "Find invoices and drafts, newest first, by number or by customer, or all when both "
            "are empty. It only reads."
        ),
    ),
    "invoice": (
        "Muestra una factura emitida, con sus líneas, por su número. Solo lee.",
        "Show an issued invoice with its lines, by its number. It only reads.",
    ),
    "unpaid": (
        "Dice qué facturas emitidas no están cobradas del todo, y cuánto falta. Solo lee.",
        "Say which issued invoices are not wholly paid, and how much is left. It only reads.",
    ),
    "expenses": (
        "Busca gastos por palabras del concepto o del proveedor. Solo lee.",
        "Find expenses by words of their concept or supplier. It only reads.",
    ),
    "plan": (
        "Dice cómo está un plan, por el número que dio su respuesta. No cambia nada.",
        "Say how a plan stands, by the number that its answer gave. It changes nothing.",
    ),
}


def tools(engine: Engine, locale: str) -> list[Tool[Turn]]:
    """The tools that read, with names and descriptions in the person's language."""

    async def contacts(ctx: RunContext[Turn], nombre: str) -> str:
        return await _found(
            engine, ctx, lambda tx, org: looking.contacts(tx, org, nombre), _contact
        )

    async def invoices(ctx: RunContext[Turn], numero: str = "", cliente: str = "") -> str:
        def look(tx: Tx, org: str) -> list[Invoice]:
            return looking.invoices(tx, org, number=numero, contact=cliente)

        return await _found(engine, ctx, look, _invoice)

    async def invoice(ctx: RunContext[Turn], numero: str) -> str:
        def look(tx: Tx, org: str) -> list[Invoice]:
            return looking.invoices(tx, org, number=numero) if numero.strip() else []

        return await _found(engine, ctx, look, _whole)

    async def unpaid(ctx: RunContext[Turn]) -> str:
        return await _found(engine, ctx, looking.unpaid, _invoice)

    async def expenses(ctx: RunContext[Turn], palabras: str = "") -> str:
        return await _found(
            engine, ctx, lambda tx, org: looking.expenses(tx, org, palabras), _expense
        )

    async def plan(ctx: RunContext[Turn], plan: str) -> str:
        outcome = await engine.agent.status(ctx.deps.who, plan)
        return _text(outcome.for_model(ctx.deps.who.locale).plain())

    which = 1 if locale.startswith("en") else 0
    made: dict[str, Callable[..., Any]] = {
        "contacts": contacts,
        "invoices": invoices,
        "invoice": invoice,
        "unpaid": unpaid,
        "expenses": expenses,
        "plan": plan,
    }
    return [
        Tool(function, name=NAMES[key][which], description=ABOUT[key][which])
        for key, function in made.items()
    ]


async def _found(
    engine: Engine,
    ctx: RunContext[Turn],
    look: Callable[[Tx, str], Sequence[T]],
    shown: Callable[[T], JSON],
) -> str:
    org = ctx.deps.who.org
    found = await engine.read(lambda tx: look(tx, org))
    kept: list[JSON] = [shown(one) for one in found[: looking.FOUND_MAX]]
    return _text({"found": kept, "more": len(found) > looking.FOUND_MAX})


def _text(answer: JSON) -> str:
    return json.dumps(answer, ensure_ascii=False)


def _safe(text: str | None) -> str | None:
    return None if text is None else harmless(text)


def _contact(one: Contact) -> JSON:
    return {
        "id": one.id,
        "name": _safe(one.name),
        "nif": _safe(one.nif),
        "address": _safe(one.address),
        "email": _safe(one.email),
        "payment_days": one.payment_days,
    }


def _invoice(one: Invoice) -> dict[str, JSON]:
    return {
        "id": one.id,
        "number": one.number,
        "state": one.state,
        "customer": _safe(one.customer.name),
        "customer_id": one.contact,
        "issued": f"{one.issue_date:%d/%m/%Y}" if one.issue_date else None,
        "due": f"{one.due_date:%d/%m/%Y}",
        "total": euros(one.totals.total),
        "outstanding": euros(one.outstanding) if one.state == "issued" else None,
    }


def _whole(one: Invoice) -> JSON:
    lines: list[JSON] = [
        {"concept": _safe(line.concepto), "amount": euros(line.amount)}
        for line in one.lines[: looking.FOUND_MAX]
    ]
    amounts = {"base": euros(one.totals.base), "vat": euros(one.totals.vat)}
    return {**_invoice(one), **amounts, "lines": lines}


def _expense(one: Expense) -> JSON:
    return {
        "id": one.id,
        "concept": _safe(one.concepto),
        "supplier": _safe(one.proveedor),
        "day": f"{one.fecha:%d/%m/%Y}",
        "total": euros(one.total),
    }
