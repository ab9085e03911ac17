"""What is taken back is kept: payments, archived contacts, deleted expenses, and older books."""

from decimal import Decimal

import pytest
from facturas_world import NOW, ORG, REFUSED, Books

import stores
from semel_facturas.books.contacts import contact, create_contact
from semel_facturas.books.expenses import expense
from semel_facturas.books.invoices import invoice
from semel_facturas.books.payments import payment, remove_payment

PAYMENT_CHANGES = [
    ("UPDATE payments SET importe = '1.00'", "never changed"),
    ("UPDATE payments SET fecha = '2026-10-18'", "never changed"),
    ("UPDATE payments SET medio = 'efectivo'", "never changed"),
    ("UPDATE payments SET invoice = :draft", "never changed"),
    ("UPDATE payments SET payment = 'id-9'", "never changed"),
    ("UPDATE payments SET created_at = '2026-10-18T08:00:00.000000Z'", "never changed"),
    ("DELETE FROM payments", "never deleted"),
    ("UPDATE payments SET removed_at = created_at", "a_removed_payment_has_changed"),
    ("UPDATE payments SET removed_at = '2026-10-19', version = 2", "removed_at_is_an_instant"),
    ("UPDATE payments SET version = 0", "version"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "why"), PAYMENT_CHANGES)
def test_nobody_changes_or_deletes_a_payment(world, change, why):
    made = world.paid(world.issued(), "100")
    with world.books() as tx:
        draft = world.draft(tx)
    with pytest.raises(REFUSED, match=why):
        world.books.sql(change, **({"draft": draft.id} if ":draft" in change else {}))
    with world.books() as tx:
        assert payment(tx, ORG, made.id) == made


def test_nobody_replaces_a_payment(world):
    made = world.paid(world.issued(), "100")
    again = """INSERT INTO payments SELECT org, payment, invoice, '1.00', fecha, medio, version,
        created_at, removed_at FROM payments WHERE true"""
    ways = {
        "never changed": f"{again} ON CONFLICT (org, payment) DO UPDATE SET importe = excluded.importe"
    }
    if stores.kind() == "sqlite":
        ways["never replaced"] = again.replace("INSERT", "INSERT OR REPLACE")
    for why, way in ways.items():
        with pytest.raises(REFUSED, match=why if stores.kind() == "postgres" else "never"):
            world.books.sql(way)
    with world.books() as tx:
        assert payment(tx, ORG, made.id) == made


def test_a_removed_payment_stays_removed(world):
    made = world.paid(world.issued(), "100")
    with world.books() as tx:
        remove_payment(tx, made, NOW)
    for change in ("removed_at = NULL", "version = 3", "removed_at = created_at"):
        with pytest.raises(REFUSED, match="stays removed"):
            world.books.sql(f"UPDATE payments SET {change}")


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("invoice", "draft", "only an issued invoice is paid"),
        ("invoice", "nobody", "only an issued invoice is paid"),
        ("org", "otra-demo", "only an issued invoice is paid"),
        ("importe", "-1.00", "importe_is_money"),
        ("importe", "1", "importe_is_money"),
        ("importe", "1.005", "importe_is_money"),
        ("importe", "01.00", "importe_is_money"),
        ("importe", "1.000.00", "importe_is_money"),
        ("importe", "0.00", "importe_is_more_than_nothing"),
        ("fecha", "2026-02-30", "fecha"),
        ("medio", " ", "medio"),
        ("payment", "", "payment"),
        ("now", "2026-10-19T10:00:00+02:00", "created_at_is_an_instant"),
    ],
)
def test_the_tables_refuse_impossible_payments(world, column, value, why):
    issued = world.issued()
    with world.books() as tx:
        draft = world.draft(tx)
    row = {
        "org": ORG, "payment": "p-1", "invoice": issued.id, "importe": "1.00",
        "fecha": "2026-10-19", "medio": None, "now": NOW,
    }  # fmt: skip
    row[column] = draft.id if value == "draft" else value
    with pytest.raises(REFUSED, match=why), world.books() as tx:
        tx.run("payments.add", **row)


def test_an_archived_contact_takes_no_draft_whoever_writes_it(world):
    with world.books() as tx:
        create_contact(tx, ORG, "id-x", name="Otra", now=NOW)
        draft = world.draft(tx)
    world.books.sql("UPDATE contacts SET archived_at = :now WHERE contact = 'id-x'", now=NOW)
    for change in (
        "UPDATE invoices SET contact = 'id-x'",
        """INSERT INTO invoices (org, invoice, contact, state, version, due_date, base, vat, total, created_at)
           SELECT org, 'id-9', 'id-x', state, version, due_date, base, vat, total, created_at FROM invoices""",
    ):
        with pytest.raises(REFUSED, match="no new draft"):
            world.books.sql(change)
    with world.books() as tx:
        assert invoice(tx, ORG, draft.id) == draft


def test_books_of_the_first_version_are_read_the_same_after_the_second(tmp_path):
    books = Books(tmp_path / "books.db", "books_first")
    books.migrate("0001*.sql")
    fill = """
        INSERT INTO organizations VALUES
            ('carmona-demo', 'A', 'B12345674', 'C', 'a@b.example', 'Europe/Madrid', '21', :now);
        INSERT INTO contacts VALUES ('carmona-demo', 'c-1', 'María', '12345678Z', 'E',
            'maria@carmona.example', 30, 4, :now);
        INSERT INTO invoice_series VALUES ('carmona-demo', '2026', 1, NULL);
        UPDATE invoice_series SET next = 2, last_issue_date = '2026-10-19';
        INSERT INTO invoices (org, invoice, contact, state, version, due_date, base, vat, total, created_at)
            VALUES ('carmona-demo', 'i-1', 'c-1', 'draft', 1, '2026-11-18', '500.00', '105.00', '605.00', :now);
        INSERT INTO invoice_lines VALUES ('carmona-demo', 'i-1', 1, 'Logo', '1', '500', '0', '21', '500.00');
        UPDATE invoices SET state = 'issued', version = 2, series = '2026', seq = 1, number = '2026-0001',
            issue_date = '2026-10-19', issued_at = created_at, issuer_name = 'A', issuer_nif = 'B12345674',
            issuer_address = 'C', issuer_email = 'a@b.example', customer_name = 'María',
            customer_nif = '12345678Z', customer_address = 'E';
        INSERT INTO expenses VALUES
            ('carmona-demo', 'g-1', 'Adobe', NULL, '2026-10-19', '59.99', '21', '12.60', '72.59', 1, :now);
    """
    for statement in fill.split(";")[:-1]:
        books.sql(statement, **({"now": NOW} if ":now" in statement else {}))
    before = {name: books.sql(f"SELECT * FROM {name}") for name in ("contacts", "expenses")}
    books.migrate("0002*.sql")
    for name, found in before.items():
        assert books.sql(f"SELECT * FROM {name}") == [(*row, None) for row in found]
    with books() as tx:
        made = invoice(tx, ORG, "i-1")
        known, spent = contact(tx, ORG, "c-1"), expense(tx, ORG, "g-1")
    assert (made.number, made.outstanding, made.zone) == (
        "2026-0001",
        Decimal("605.00"),
        "Europe/Madrid",
    )
    assert (made.customer.email, made.contact_email) == (None, "maria@carmona.example")
    assert (known.version, known.archived, spent.deleted) == (4, False, False)
