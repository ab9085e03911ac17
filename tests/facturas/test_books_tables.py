"""The tables of the books: what was issued stands, and impossible rows are refused."""

import ast
import re
from decimal import Decimal

import pytest
from facturas_world import BOOKS, NOW, ORG, REFUSED, STATEMENTS, TODAY
from psycopg import DataError

import stores
from semel_facturas.books.expenses import create_expense
from semel_facturas.books.invoices import invoice

CHANGES = [
    "UPDATE invoices SET due_date = '2026-12-01' WHERE state = 'issued'",
    "UPDATE invoices SET customer_name = 'Otra' WHERE state = 'issued'",
    "UPDATE invoices SET customer_email = NULL WHERE state = 'issued'",
    "UPDATE invoices SET version = version + 1 WHERE state = 'issued'",
    "UPDATE invoices SET invoice = 'id-9' WHERE state = 'issued'",
    "UPDATE invoices SET base = '1.00', vat = '0.21', total = '1.21' WHERE state = 'issued'",
    "UPDATE invoices SET state = 'draft', number = NULL, series = NULL WHERE state = 'issued'",
    "DELETE FROM invoices WHERE state = 'issued'",
    "DELETE FROM invoice_lines WHERE invoice = :issued",
    "UPDATE invoice_lines SET concepto = 'Otro' WHERE invoice = :issued",
    "UPDATE invoice_lines SET invoice = :draft, position = 9 WHERE invoice = :issued",
    "UPDATE invoice_lines SET invoice = :issued, position = 9 WHERE invoice = :draft",
    """INSERT INTO invoice_lines (org, invoice, position, concepto, cantidad, precio, descuento, iva, importe)
       VALUES ('carmona-demo', :issued, 2, 'Otro', '1', '1', '0', '21', '1.00')""",
    """INSERT INTO invoices (org, invoice, contact, state, version, due_date, base, vat, total, created_at)
       SELECT org, :issued, contact, 'draft', 1, due_date, base, vat, total, created_at FROM invoices WHERE invoice = :draft
       ON CONFLICT (org, invoice) DO UPDATE SET due_date = '2026-12-01'""",
    """UPDATE invoices SET (state, series, seq, number, issue_date, issued_at, issuer_name, issuer_nif,
       issuer_address, issuer_email, customer_name, customer_nif, customer_address) =
       (SELECT state, series, seq, number, issue_date, issued_at, issuer_name, issuer_nif,
       issuer_address, issuer_email, customer_name, customer_nif, customer_address FROM invoices WHERE invoice = :issued)
       WHERE invoice = :draft""",
    "UPDATE invoice_series SET next = 1, last_issue_date = NULL",
    "UPDATE invoice_series SET next = 3, last_issue_date = '2026-10-18'",
    "UPDATE invoice_series SET next = 4",
    "UPDATE invoice_series SET next = 3, last_issue_date = NULL",
    "DELETE FROM invoice_series",
    "DELETE FROM contacts",
    "DELETE FROM organizations",
]  # fmt: skip


REPLACES = [
    """INSERT OR REPLACE INTO invoices (org, invoice, contact, state, version, due_date, base, vat, total, created_at)
       SELECT org, :issued, contact, 'draft', 1, due_date, base, vat, total, created_at FROM invoices WHERE invoice = :draft""",
    """UPDATE OR REPLACE invoices SET (state, series, seq, number, issue_date, issued_at, issuer_name, issuer_nif,
       issuer_address, issuer_email, customer_name, customer_nif, customer_address) =
       (SELECT state, series, seq, number, issue_date, issued_at, issuer_name, issuer_nif,
       issuer_address, issuer_email, customer_name, customer_nif, customer_address FROM invoices WHERE invoice = :issued)
       WHERE invoice = :draft""",
]  # fmt: skip


@pytest.mark.only_on("sqlite", "PostgreSQL knows no OR REPLACE")
@pytest.mark.parametrize("change", REPLACES)
def test_nobody_replaces_what_was_issued(world, change):
    test_nobody_changes_or_deletes_what_was_issued(world, change)


@pytest.mark.parametrize("change", CHANGES)
def test_nobody_changes_or_deletes_what_was_issued(world, change):
    made = world.issued()
    with world.books() as tx:
        draft = world.draft(tx)
    with pytest.raises(REFUSED):
        world.books.sql(change, issued=made.id, draft=draft.id)
    with world.books() as tx:
        assert invoice(tx, ORG, made.id) == made


IMPOSSIBLE = [
    "UPDATE contacts SET archived_at = '2026-10-19'",
    "UPDATE expenses SET deleted_at = '2026-10-19'",
    "UPDATE invoices SET number = '2026-0001', seq = 1, series = NULL",
    "UPDATE invoices SET issue_date = '2026-10-19'",
    "UPDATE invoices SET customer_name = 'María'",
    "UPDATE invoices SET state = 'issued'",
    "UPDATE invoices SET state = 'paid'",
    "UPDATE invoices SET due_date = '2026-02-30'",
    "UPDATE invoices SET due_date = '18/11/2026'",
    "UPDATE invoices SET created_at = '2026-10-19T10:00:00+02:00'",
    "UPDATE invoices SET created_at = '2026-10-19 08:00:00.000000Z'",
    "UPDATE invoices SET total = '605.01'",
    "UPDATE invoices SET version = 0",
    "UPDATE invoices SET invoice = ''",
    "UPDATE invoices SET contact = 'nobody'",
    "UPDATE invoices SET org = 'otra-demo'",
    "UPDATE invoice_lines SET precio = '1,5'",
    "UPDATE invoice_lines SET precio = '1.1234567'",
    "UPDATE invoice_lines SET precio = '1e3'",
    "UPDATE invoice_lines SET precio = '007'",
    "UPDATE invoice_lines SET precio = '0'",
    "UPDATE invoice_lines SET precio = '.5'",
    "UPDATE invoice_lines SET precio = '5.'",
    "UPDATE invoice_lines SET cantidad = '1.12345'",
    "UPDATE invoice_lines SET cantidad = '--1'",
    "UPDATE invoice_lines SET iva = '101'",
    "UPDATE invoice_lines SET iva = '-21'",
    "UPDATE invoice_lines SET descuento = '100.5'",
    "UPDATE invoice_lines SET concepto = ' '",
    "UPDATE invoice_lines SET position = 0",
    "UPDATE invoice_lines SET importe = '500'",
    "UPDATE contacts SET nif = '12345678-Z'",
    "UPDATE contacts SET nif = '12345678z'",
    "UPDATE contacts SET payment_days = -1",
    "UPDATE contacts SET payment_days = '30.5'",
    "UPDATE contacts SET email = 'maria'",
    "UPDATE contacts SET name = ''",
    "UPDATE people SET role = 'jefe'",
    "UPDATE people SET locale = 'fr'",
    "UPDATE organizations SET default_vat = '021'",
    "INSERT INTO people VALUES ('nobody', 'ana', 'admin', 'es')",
    "INSERT INTO invoice_series VALUES ('carmona-demo', '2026', 2, '2026-10-19')",
    "INSERT INTO invoice_series VALUES ('carmona-demo', '2026', 1, '2026-10-19')",
    "INSERT INTO invoice_series VALUES ('nobody', '2026', 1, NULL)",
]


@pytest.mark.parametrize("change", IMPOSSIBLE)
def test_the_tables_refuse_impossible_rows(world, change):
    with world.books() as tx:
        world.draft(tx)
        create_expense(
            tx, ORG, "g-1", concepto="Adobe", base=Decimal(1), iva=Decimal(21), fecha=TODAY, now=NOW
        )
    # What is no number at all, PostgreSQL refuses as such.
    with pytest.raises((*REFUSED, DataError)):
        world.books.sql(change)


@pytest.mark.parametrize(
    "amount",
    ["605", "605.0", "605.000", "605,00", "+605.00", " 605.00", "0605.00", "-0605.00", "-0.00", "6-05.00", "1.605.00", "6e2.00", "", ".00", "-.00", "inf"],
)  # fmt: skip
def test_the_tables_refuse_money_in_another_shape(world, amount):
    with world.books() as tx:
        world.draft(tx)
    with pytest.raises(REFUSED):
        world.books.sql(
            "UPDATE invoices SET base = :amount, vat = '0.00', total = :amount", amount=amount
        )


def test_an_invoice_is_issued_only_as_the_sum_of_its_lines_and_with_the_number_given_out(world):
    with world.books() as tx:
        draft = world.draft(tx)
    world.books.sql("INSERT INTO invoice_series VALUES (:org, '2026', 1, NULL)", org=ORG)
    freeze = """UPDATE invoices SET state = 'issued', series = '2026', seq = 1, number = '2026-0001',
        issue_date = '2026-10-19', issued_at = created_at, issuer_name = 'A', issuer_nif = 'B12345674',
        issuer_address = 'C', issuer_email = 'a@b.example', customer_name = 'D',
        customer_nif = '12345678Z', customer_address = 'E'"""
    with pytest.raises(REFUSED, match="given out"):
        world.books.sql(freeze)
    world.books.sql("UPDATE invoice_series SET next = 2, last_issue_date = '2026-10-19'")
    world.books.sql("UPDATE invoices SET base = '501.00', total = '606.00'")
    with pytest.raises(REFUSED, match="sum of its lines"):
        world.books.sql(freeze)
    world.books.sql("UPDATE invoices SET base = '500.00', total = '605.00'")
    with pytest.raises(REFUSED, match="begins as a draft"):
        world.books.sql(
            """INSERT INTO invoices (org, invoice, contact, state, version, due_date, base, vat, total, created_at)
               SELECT org, 'id-9', contact, 'issued', 1, due_date, base, vat, total, created_at FROM invoices"""
        )
    world.books.sql(freeze)
    with world.books() as tx:
        assert invoice(tx, ORG, draft.id).number == "2026-0001"


@pytest.mark.no_store
def test_every_named_statement_is_used_and_every_used_one_exists():
    used = set()
    for path in BOOKS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and re.fullmatch(r"[a-z]+\.[a-z_]+", str(node.value)):
                used.add(node.value)
    used -= {"customer.nif", "customer.address", "issuer.nif", "issuer.address"}
    assert used == set(STATEMENTS["sqlite"]) == set(STATEMENTS["postgres"])


@pytest.mark.only_on("sqlite", "it reads SQLite's own catalogue")
def test_money_in_the_tables_is_text_and_no_column_is_a_float(books_tx):
    (columns,) = books_tx.sql("SELECT group_concat(sql, ' ') FROM sqlite_master")
    assert not re.search(r"\b(REAL|FLOAT|DOUBLE|NUMERIC|ANY)\b", str(columns))
    tables = books_tx.sql(
        "SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    )
    assert len(tables) == 10
    assert all(strict for _, strict in tables)
    for name, _ in tables:
        (first,) = books_tx.sql("SELECT name FROM pragma_table_info(:name) WHERE pk = 1", name=name)
        assert first == ("org",)


@pytest.mark.only_on("postgres", "it reads PostgreSQL's own catalogue")
def test_columns_are_of_two_types_compared_by_bytes_and_the_organization_is_first(books_tx):
    columns = books_tx.sql(
        """SELECT data_type, collation_name, count(*) FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name <> 'invoices_read' GROUP BY 1, 2"""
    )
    assert {(kind, collation) for kind, collation, _ in columns} == {
        ("text", "C"),
        ("bigint", None),
    }
    tables = set(stores.tables(books_tx.path))
    assert len(tables) == 10
    first = books_tx.sql(
        """SELECT t.relname, a.attname FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid
             JOIN pg_namespace AS n ON n.oid = t.relnamespace
             JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
            WHERE i.indisprimary AND n.nspname = 'public'"""
    )
    assert set(first) == {(name, "org") for name in tables}


@pytest.mark.no_store
def test_every_refusal_has_its_sentence_in_both_languages():
    sentences = []
    for path in [
        *BOOKS.glob("*.py"),
        *BOOKS.parent.glob("actions/*.py"),
        BOOKS.parent / "mail.py",
        BOOKS.parent / "message.py",
    ]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {
                "NotDone",
                "InDoubt",
            }:
                sentences += node.args
    words = [
        [ast.literal_eval(key) for key in one.keys]
        for one in sentences
        if isinstance(one, ast.Dict)
    ]
    assert len(words) > 15
    assert all(languages == ["es", "en"] for languages in words)
    named = {ast.unparse(one).split(".")[-1] for one in sentences if not isinstance(one, ast.Dict)}
    assert named == {"CHANGED", "DRAFT"}
