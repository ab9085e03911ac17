"""An undo on PostgreSQL: from the look at a record's version to its change, nobody else changes it."""

import psycopg
import pytest
from facturas_desk import Desk, borrador, cobrar, gasto

import stores
from semel.testing import interrupt_at

pytestmark = pytest.mark.only_on("postgres", "on SQLite a writing transaction is alone")


def contact(desk: Desk):
    return desk.done(("contacto.crear", {"nombre": "Ana Gil"}))


def archived(desk: Desk):
    made = desk.made(contact(desk))
    return desk.done(("contacto.borrar", {"contactos": [made]}))


def changed(desk: Desk):
    return desk.done(("contacto.actualizar", {"contacto": desk.maria, "plazo_pago_dias": 15}))


def draft(desk: Desk):
    return desk.done(borrador(desk.maria))


def expense(desk: Desk):
    return desk.done(gasto())


def payment(desk: Desk):
    return desk.done(cobrar(desk.issued()))


@pytest.mark.parametrize(
    ("does", "table", "read"),
    [
        (contact, "contacts", ("contacts.get", 1)),
        (archived, "contacts", ("contacts.get", 1)),
        (changed, "contacts", ("contacts.get", 1)),
        (draft, "invoices", ("invoices.get", 1)),
        (expense, "expenses", ("expenses.get", 1)),
        # A payment is read once to learn its invoice, which is what is held.
        (payment, "invoices", ("payments.get", 2)),
    ],
)
def test_b49_what_an_undo_compares_is_held_until_it_is_taken_back(desk, does, table, read):
    report = does(desk)
    if does is changed:
        assert desk.sql("SELECT payment_days FROM contacts WHERE contact = ?", desk.maria) == [
            (15,)
        ]
    refused: list[psycopg.Error] = []
    url = stores.url(desk.home / "books.db", "facturas")

    def meddle() -> None:
        with psycopg.connect(url) as other, pytest.raises(psycopg.errors.LockNotAvailable) as no:
            other.execute(f"SELECT 1 FROM {table} FOR NO KEY UPDATE NOWAIT".encode())
        refused.append(no.value)

    name, occurrence = read
    with interrupt_at(f"app:{name}:after", meddle, occurrence):
        outcome = desk.undo(report)
    assert len(refused) == 1
    assert outcome.for_model("es").status == "done", outcome.for_model("es")
