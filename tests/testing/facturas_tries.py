"""Every action of the reference application with the world that it is tried in."""

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import semel_facturas
from semel import Ask, Engine, Report, Tx, Who
from semel.facts import JSON, instant_text
from semel.testing import Outside, World
from semel_facturas.actions import actions
from semel_facturas.application import SQL, may
from semel_facturas.books import contacts, drafts, expenses, invoices, payments
from semel_facturas.books.money import Line
from semel_facturas.post import ServerPost

ANA = Who("carmona-demo", "ana", "main", "es")
TODAY = date(2026, 10, 19)
DUE = date(2026, 11, 18)
LOGO = Line("Diseño del logo", Decimal(1), Decimal(500), Decimal(0), Decimal(21))

Given = Callable[["Books"], Mapping[str, JSON]]


class Books:
    """The demo world of an engine, and records in it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.now = instant_text(engine.now())
        engine.sync.call(semel_facturas.seed(engine))

    def maria(self, tx: Tx) -> contacts.Contact:
        return contacts.contacts_named(tx, ANA.org, "María Carmona")[0]

    def write(self, work: Callable[[Tx], Any]) -> Any:
        return self.engine.sync.write(work)

    def draft(self) -> invoices.Invoice:
        def work(tx: Tx) -> invoices.Invoice:
            id, maria = self.engine.new_id(), self.maria(tx)
            return drafts.create_draft(
                tx, ANA.org, id, contact=maria, lines=(LOGO,), due_date=DUE, now=self.now
            )

        found: invoices.Invoice = self.write(work)
        return found

    def issued(self) -> invoices.Invoice:
        draft = self.draft()
        found: invoices.Invoice = self.write(
            lambda tx: invoices.issue(tx, ANA.org, draft, TODAY, self.now)
        )
        return found

    def paid(self) -> payments.Payment:
        invoice, id = self.issued(), self.engine.new_id()
        found: payments.Payment = self.write(
            lambda tx: payments.record_payment(
                tx, invoice, id, amount=Decimal(100), day=TODAY, today=TODAY, now=self.now
            )
        )
        return found

    def expense(self) -> expenses.Expense:
        id = self.engine.new_id()
        found: expenses.Expense = self.write(
            lambda tx: expenses.create_expense(
                tx, ANA.org, id, concepto="Adobe", base=Decimal(100), iva=Decimal(21),
                fecha=TODAY, now=self.now,
            )
        )  # fmt: skip
        return found

    def reminded(self) -> invoices.Invoice:
        """An invoice with a reminder that waits for its day."""
        invoice = self.issued()
        given: dict[str, JSON] = {"factura": invoice.id, "dias_antes": [5]}
        plan = {"steps": [{"action": "factura.programar_recordatorios", "input": given}]}
        face = self.engine.sync
        ask = face.agent.act(ANA, plan, message="recordar")
        assert isinstance(ask, Ask), ask
        assert ask.token
        assert isinstance(face.person(ANA).confirm(ask.token), Report)
        return invoice


TRIES: dict[str, Given] = {
    "contacto.crear": lambda books: {"nombre": "Luis", "email": "luis@x.example"},
    "contacto.actualizar": lambda books: {
        "contacto": str(books.write(books.maria).id),
        "email": "nueva@carmona.example",
    },
    "contacto.borrar": lambda books: {"contactos": [str(books.write(books.maria).id)]},
    "factura.crear_borrador": lambda books: {
        "contacto": str(books.write(books.maria).id),
        "lineas": [{"concepto": "Diseño del logo", "precio": "500"}],
    },
    "factura.emitir": lambda books: {"factura": books.draft().id},
    "factura.enviar": lambda books: {"factura": books.issued().id},
    "factura.registrar_cobro": lambda books: {"factura": books.issued().id},
    "cobro.avisar": lambda books: {"cobro": books.paid().id},
    "factura.programar_recordatorios": lambda books: {
        "factura": books.issued().id,
        "dias_antes": [5, 1],
    },
    "factura.cancelar_recordatorios": lambda books: {"factura": books.reminded().id},
    "recordatorio.enviar_ahora": lambda books: {"factura": books.issued().id},
    "gasto.crear": lambda books: {"concepto": "Adobe", "importe": "121", "iva_incluido": True},
    "gasto.borrar": lambda books: {"gastos": [books.expense().id]},
}


def world(name: str, far: Outside, url: str) -> tuple[Any, World]:
    """The action of that name, which sends to *far*, and its world."""
    every = {action.name: action for action in actions(ServerPost(url))}
    action = every.pop(name)

    def given(engine: Engine) -> Mapping[str, JSON]:
        return TRIES[name](Books(engine))

    return action, World(
        given=given, sql=SQL, beside=list(every.values()), allow=may, who=ANA, far=far
    )
