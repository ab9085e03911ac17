"""What a step reads in order to decide is held on PostgreSQL from the reading on.

The engine stands still right after it has read, and somebody else looks at which rows are free.
"""

from collections.abc import Callable

import psycopg
import pytest
from facturas_desk import Desk, Step, borrador, cobrar, gasto

import stores
from semel.testing import interrupt_at

pytestmark = pytest.mark.only_on("postgres", "on SQLite a writing transaction is alone")


def free(desk: Desk, table: str, key: str) -> list[str]:
    """The rows that nobody holds, in the order of their ids."""
    url = stores.url(desk.home / "books.db", "facturas")
    text = f"SELECT {key} FROM {table} ORDER BY {key} FOR NO KEY UPDATE SKIP LOCKED"
    with psycopg.connect(url) as other:
        return [name for (name,) in other.execute(text.encode())]


def free_after(desk: Desk, read: str, table: str, key: str, *steps: Step) -> list[str]:
    """Which rows are free when a plan has just made its first *read*."""
    found: list[list[str]] = []
    with interrupt_at(f"app:{read}:after", lambda: found.append(free(desk, table, key))):
        desk.act(*steps)
    return found[0]


def paying(desk: Desk) -> tuple[str, list[Step]]:
    invoice = desk.issued()
    return invoice, [cobrar(invoice, importe="100")]


def drafting(desk: Desk) -> tuple[str, list[Step]]:
    return desk.maria, [borrador(desk.maria)]


def creating(_: Desk) -> tuple[str, list[Step]]:
    return "carmona-demo", [("contacto.crear", {"nombre": "Ana Gil"})]


def archiving(desk: Desk) -> tuple[str, list[Step]]:
    return desk.maria, [("contacto.borrar", {"contactos": [desk.maria]})]


def moving(desk: Desk) -> tuple[str, list[Step]]:
    given = {"contacto": desk.maria, "email": "nueva@carmona.example"}
    return desk.maria, [("contacto.actualizar", given)]


@pytest.mark.parametrize(
    ("does", "read", "table", "key"),
    [
        (paying, "payments.of_invoice", "invoices", "invoice"),
        (drafting, "invoices.alike", "contacts", "contact"),
        (creating, "contacts.alike", "organizations", "org"),
        (archiving, "invoices.count_of_contact", "contacts", "contact"),
        (moving, "invoices.issued_to", "contacts", "contact"),
    ],
)
def test_what_decides_is_held_and_nothing_else(
    desk, does: Callable[[Desk], tuple[str, list[Step]]], read, table, key
):
    held, steps = does(desk)
    everything = free(desk, table, key)
    assert held in everything
    assert free_after(desk, read, table, key, *steps) == [one for one in everything if one != held]


def test_expenses_are_taken_in_the_order_of_their_ids_whatever_order_they_are_said_in(desk):
    made = sorted(desk.made(desk.done(gasto(concepto=f"Gasto {number}"))) for number in range(2))
    steps = ("gasto.borrar", {"gastos": made[::-1]})
    assert free_after(desk, "expenses.delete", "expenses", "expense", steps) == made[1:]


def test_contacts_are_taken_in_the_order_of_their_ids_whatever_order_they_are_said_in(desk):
    made = sorted(
        desk.made(desk.done(("contacto.crear", {"nombre": f"Ana {number}"}))) for number in range(2)
    )
    steps = ("contacto.borrar", {"contactos": made[::-1]})
    found = free_after(desk, "invoices.count_of_contact", "contacts", "contact", steps)
    assert [one for one in found if one in made] == made[1:]
    three = [*made, desk.maria]
    steps = ("contacto.borrar", {"contactos": sorted(three, reverse=True)})
    found = free_after(desk, "contacts.archive", "contacts", "contact", steps)
    assert [one for one in found if one in three] == sorted(three)[1:]
