"""The books: what is written is read back, and organizations are apart."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from facturas_world import DUE, LOGO, NOW, ORG, REFUSED, TODAY

from semel.errors import Bug, NotDone
from semel_facturas.books import rows
from semel_facturas.books.contacts import contact, contacts_named, create_contact, due_date
from semel_facturas.books.demo import seed
from semel_facturas.books.drafts import create_draft
from semel_facturas.books.expenses import create_expense, expense
from semel_facturas.books.invoices import (
    invoice,
    invoices_numbered,
    issue,
)
from semel_facturas.books.money import Line
from semel_facturas.books.organizations import organization, role


def test_a_draft_has_figures_and_no_number(world):
    with world.books() as tx:
        draft = world.draft(tx)
        assert invoice(tx, ORG, draft.id) == draft
    assert (draft.state, draft.version, draft.number, draft.issue_date) == ("draft", 1, None, None)
    assert (str(draft.totals.total), draft.due_date) == ("605.00", date(2026, 11, 18))
    assert draft.customer.name == "María Carmona"
    assert draft.lines == (LOGO,)


def test_a_draft_needs_a_line_and_a_contact_of_its_organization(world):
    with world.books() as tx:
        with pytest.raises(NotDone):
            create_draft(tx, ORG, "id-x", contact=world.maria, lines=(), due_date=DUE, now=NOW)
        with pytest.raises(REFUSED):
            create_draft(
                tx, "otra-demo", "id-x", contact=world.maria, lines=(LOGO,), due_date=DUE, now=NOW
            )


def test_lines_keep_their_order_and_their_exact_figures(world):
    lines = (
        Line("Uno", Decimal("2.50"), Decimal("40.10"), Decimal("12.5"), Decimal(21)),
        Line("Dos", Decimal(3), Decimal("33.333333"), Decimal(0), Decimal("10.0")),
        Line("Tres", Decimal("-1E+1"), Decimal("0.5"), Decimal(100), Decimal(4)),
    )
    with world.books() as tx:
        draft = world.draft(tx, *lines)
        assert invoice(tx, ORG, draft.id).lines == lines
    assert world.books.sql(
        "SELECT cantidad, precio, descuento, iva, importe FROM invoice_lines"
    ) == [
        ("2.5", "40.1", "12.5", "21", "87.72"),
        ("3", "33.333333", "0", "10", "100.00"),
        ("-10", "0.5", "100", "4", "0.00"),
    ]


def test_an_organization_sees_nothing_of_another(world):
    made = world.issued()
    with world.books() as tx:
        assert invoice(tx, "otra-demo", made.id) is None
        assert invoices_numbered(tx, "otra-demo", "2026-0001") == []
        assert contact(tx, "otra-demo", world.maria.id) is None
        assert contacts_named(tx, "otra-demo", "María") == []
        assert role(tx, "otra-demo", "ana") is None
        with pytest.raises(NotDone):
            issue(tx, "otra-demo", made, TODAY, NOW)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("maria", True), ("MARÍA", True), ("María  carmona", True), ("mari\u0301a", True),
        ("mar", False), ("Carmona", False), ("María Carmona Ruiz", False), ("", False), (" ", False),
    ],
)  # fmt: skip
def test_a_contact_is_found_by_the_first_words_of_its_name(world, name, found):
    with world.books() as tx:
        assert contacts_named(tx, ORG, name) == ([world.maria] if found else [])


def test_several_contacts_of_a_name_are_all_found(world):
    with world.books() as tx:
        create_contact(tx, ORG, "id-x", name="Maria Núñez", now=NOW)
        assert [one.name for one in contacts_named(tx, ORG, "maría")] == [
            "Maria Núñez",
            "María Carmona",
        ]


def test_b47_a_contact_keeps_its_id_in_normal_form_and_takes_no_wrong_one(world):
    with world.books() as tx:
        made = create_contact(tx, ORG, "id-x", name=" Ana Gil ", nif="x-1234567-l", now=NOW)
        assert contact(tx, ORG, "id-x") == made
        assert (made.name, made.nif, made.payment_days) == ("Ana Gil", "X1234567L", None)
        with pytest.raises(NotDone, match="control"):
            create_contact(tx, ORG, "id-y", name="Ana", nif="12345678A", now=NOW)
        with pytest.raises(NotDone):
            create_contact(tx, ORG, "id-y", name=" ", now=NOW)


def test_b48_terms_count_calendar_days_and_missing_terms_are_not_assumed(world):
    assert due_date(date(2026, 1, 31), world.maria) == date(2026, 3, 2)
    assert due_date(TODAY, world.maria) == DUE
    assert due_date(TODAY, replace(world.maria, payment_days=0)) == TODAY
    assert due_date(TODAY, replace(world.maria, payment_days=None)) is None


def test_an_expense_carries_its_vat(world):
    with world.books() as tx:
        made = create_expense(
            tx,
            ORG,
            "id-x",
            concepto="Adobe",
            base=Decimal("59.99"),
            iva=Decimal(21),
            fecha=TODAY,
            now=NOW,
        )
        assert expense(tx, ORG, "id-x") == made
        assert expense(tx, "otra-demo", "id-x") is None
        with pytest.raises(NotDone):
            create_expense(
                tx,
                ORG,
                "id-y",
                concepto="X",
                base=Decimal("0.001"),
                iva=Decimal(21),
                fecha=TODAY,
                now=NOW,
            )
    assert (str(made.vat), str(made.total)) == ("12.60", "72.59")


def test_the_demo_world_is_made_once(books_tx):
    ids = iter(["c-1", "c-2"])
    with books_tx() as tx:
        made = seed(tx, NOW, lambda: next(ids))
        again = seed(tx, NOW, lambda: next(ids))
        ours, other = organization(tx, "carmona-demo"), organization(tx, "otra-demo")
        roles = [
            role(tx, org, who)
            for org, who in (
                ("carmona-demo", "ana"),
                ("carmona-demo", "luis"),
                ("otra-demo", "eva"),
                ("otra-demo", "ana"),
            )
        ]
    assert made.organizations == ("carmona-demo", "otra-demo")
    assert made.people == ("ana@carmona-demo", "luis@carmona-demo", "eva@otra-demo")
    assert [(one.name, one.nif, one.email, one.payment_days) for one in made.contacts] == [
        ("María Carmona", "12345678Z", "maria@carmona.example", 30),
        ("Bodegas Ejemplo", "B98765431", "compras@bodegas.example", 30),
    ]
    assert (again.organizations, again.people, again.contacts) == ((), (), ())
    assert roles == ["propietario", "asesor", "propietario", None]
    assert (ours.zone, ours.default_vat) == ("Europe/Madrid", Decimal(21))
    assert ours.nif != other.nif
    assert books_tx.sql("SELECT * FROM invoice_series") == []


def test_a_draft_in_the_database_that_does_not_add_up_is_a_bug(world):
    with world.books() as tx:
        draft = world.draft(tx)
    world.books.sql("UPDATE invoices SET base = '501.00', total = '606.00'")
    with pytest.raises(Bug), world.books() as tx:
        invoice(tx, ORG, draft.id)


@pytest.mark.no_store
@pytest.mark.no_store
def test_a_column_of_another_type_is_a_bug():
    with pytest.raises(Bug):
        rows.text({"name": None}, "name")
    with pytest.raises(Bug):
        rows.maybe({"name": 1}, "name")
    with pytest.raises(Bug):
        rows.whole({"version": "1"}, "version")
