"""Two transactions at once on PostgreSQL: what one reads to decide, the other cannot change meanwhile.

On SQLite a writing transaction is alone. Here each of these fails when its lock is taken away.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from decimal import Decimal
from threading import Barrier

import psycopg
import pytest
from facturas_beside import beside, first
from facturas_world import DUE, LOGO, NOW, ORG, REFUSED, TODAY

from semel.errors import NotDone
from semel.facts import read_instant
from semel_facturas.books.contacts import (
    archive_contact,
    change_contact,
    contacts_alike,
    create_contact,
    held_contact,
    invoices_of,
)
from semel_facturas.books.demo import seed
from semel_facturas.books.drafts import create_draft, delete_draft
from semel_facturas.books.expenses import (
    create_expense,
    delete_expense,
    held_expense,
    restore_expense,
)
from semel_facturas.books.invoices import (
    held_invoice,
    invoice,
    invoices_alike,
    issue,
    unpaid_of,
)
from semel_facturas.books.payments import (
    held_payment,
    record_payment,
    remove_payment,
)

pytestmark = pytest.mark.only_on("postgres", "on SQLite a writing transaction is alone")

SINCE = read_instant("2026-10-19T07:50:00.000000Z")


@pytest.fixture
def draft(world):
    with world.books() as tx:
        return world.draft(tx)


def of_another_contact(world, due=DUE):
    """A draft for somebody else, who is complete."""
    with world.books() as tx:
        other = create_contact(
            tx, ORG, "id-x", name="Otra", nif="B98765431", address="Calle 1", now=NOW
        )
        return create_draft(tx, ORG, "id-y", contact=other, lines=(LOGO,), due_date=due, now=NOW)


def issuing(draft, on=TODAY):
    return lambda tx: issue(tx, ORG, draft, on, NOW)


def pay(invoice, id, amount="605"):
    return lambda tx: record_payment(
        tx, invoice, id, amount=Decimal(amount), day=TODAY, today=TODAY, now=NOW
    )


def numbers(world):
    return [
        number
        for (number,) in world.books.sql(
            "SELECT number FROM invoices WHERE state = 'issued' ORDER BY number"
        )
    ]


@pytest.mark.parametrize("commits", [True, False])
def test_b45_the_next_number_waits_for_the_one_before_and_takes_it_when_it_is_given_back(
    world, draft, commits
):
    """The drafts are of two contacts, so that nothing but the series is between them."""
    theirs = of_another_contact(world)
    one, two = first(world.books, issuing(draft), issuing(theirs), commits=commits)
    assert (one.number, two.number) == ("2026-0001", "2026-0002" if commits else "2026-0001")
    assert numbers(world) == (["2026-0001", "2026-0002"] if commits else ["2026-0001"])


def test_the_first_use_of_two_series_at_once_makes_both(world, draft):
    """Neither waits for the other: the year of one is not that of the other."""
    theirs = of_another_contact(world, date(2027, 2, 1))
    with world.books() as tx:
        one = issue(tx, ORG, draft, TODAY, NOW)
        with world.books() as beside:
            two = issue(beside, ORG, theirs, date(2027, 1, 2), NOW)
    assert (one.number, two.number) == ("2026-0001", "2027-0001")
    assert numbers(world) == ["2026-0001", "2027-0001"]


def test_b45_connections_that_are_cut_between_number_and_commit_leave_no_gap(world):
    with world.books() as tx:
        drafts = [world.draft(tx) for _ in range(50)]
    together = Barrier(50)

    def one(position: int) -> None:
        together.wait()
        with world.books() as tx:
            issue(tx, ORG, drafts[position], TODAY, NOW)
            if position % 5 == 0:
                tx.connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with ThreadPoolExecutor(50) as pool:
        results = [pool.submit(one, position).exception for position in range(50)]
        errors = [result() for result in results]
    assert sum(isinstance(error, psycopg.OperationalError) for error in errors) == 10
    assert sum(error is None for error in errors) == 40
    assert numbers(world) == [f"2026-{number:04d}" for number in range(1, 41)]


def test_of_two_issues_of_one_draft_one_is_told_that_it_is_issued(world, draft):
    one, two = first(world.books, issuing(draft), issuing(draft))
    assert one.number == "2026-0001"
    assert isinstance(two, NotDone)
    assert "already issued" in str(two)


def test_a_draft_that_is_being_issued_is_not_deleted_and_keeps_its_lines(world, draft):
    _, no = first(world.books, issuing(draft), lambda tx: delete_draft(tx, draft))
    assert isinstance(no, NotDone)
    with world.books() as tx:
        assert invoice(tx, ORG, draft.id).lines == draft.lines


def test_a_draft_that_is_being_deleted_is_not_issued(world, draft):
    _, no = first(world.books, lambda tx: delete_draft(tx, draft), issuing(draft))
    assert isinstance(no, NotDone)
    assert numbers(world) == []
    assert world.books.sql("SELECT * FROM invoice_series") == []


def test_who_waits_for_a_draft_keeps_nobody_else_from_the_next_number(world, draft):
    """The series is taken last: one stuck draft does not stop an organization's invoices."""
    theirs = of_another_contact(world)
    with world.books() as tx:
        delete_draft(tx, draft)
        with beside(world.books, issuing(draft)) as stuck:
            try:
                assert stuck.waits()
                with world.books() as free:
                    free.connection.execute("SET lock_timeout = '10s'")
                    assert issue(free, ORG, theirs, TODAY, NOW).number == "2026-0001"
            finally:
                tx.connection.execute("COMMIT")
            assert isinstance(stuck.ended.exception(60), NotDone)


def test_a_draft_that_is_being_deleted_is_deleted_once(world, draft):
    _, no = first(
        world.books, lambda tx: delete_draft(tx, draft), lambda tx: delete_draft(tx, draft)
    )
    assert isinstance(no, NotDone)


def test_an_invoice_is_paid_by_what_is_outstanding_when_its_turn_comes(world):
    made = world.issued()
    _, no = first(world.books, pay(made, "p-1"), pay(made, "p-2"))
    assert isinstance(no, NotDone)
    assert "outstanding" in str(no)
    assert world.books.sql("SELECT payment FROM payments") == [("p-1",)]


def test_what_is_outstanding_is_read_after_whoever_pays_at_this_moment(world):
    made = world.issued()
    _, found = first(
        world.books, pay(made, "p-1", "100"), lambda tx: held_invoice(tx, ORG, made.id)
    )
    assert found.outstanding == Decimal("505.00")


def test_what_is_outstanding_is_read_after_whoever_takes_a_payment_back(world):
    made = world.issued()
    paid = world.paid(made, "605")
    _, found = first(
        world.books,
        lambda tx: remove_payment(tx, paid, NOW),
        lambda tx: held_invoice(tx, ORG, made.id),
    )
    assert found.outstanding == Decimal("605.00")


def test_a_payment_is_removed_once(world):
    paid = world.paid(world.issued(), "605")
    _, no = first(
        world.books,
        lambda tx: remove_payment(tx, paid, NOW),
        lambda tx: remove_payment(tx, paid, NOW),
    )
    assert isinstance(no, NotDone)


def test_a_contact_that_is_being_archived_takes_no_draft(world):
    def drafting(tx):
        return world.draft(tx)

    _, no = first(world.books, lambda tx: archive_contact(tx, world.maria, NOW), drafting)
    assert isinstance(no, NotDone)
    assert "archived" in str(no)
    assert world.books.sql("SELECT * FROM invoices") == []


def test_a_contact_that_is_getting_a_draft_is_counted_as_used(world):
    def drafting(tx):
        return world.draft(tx)

    assert first(world.books, drafting, lambda tx: invoices_of(tx, world.maria))[1] == 1


def test_b45_what_is_frozen_into_an_invoice_is_what_the_contact_is_at_its_commit(world, draft):
    after = replace(world.maria, nif="X1234567L", email="nueva@carmona.example")
    _, made = first(world.books, lambda tx: change_contact(tx, world.maria, after), issuing(draft))
    assert (made.customer.nif, made.customer.email) == ("X1234567L", "nueva@carmona.example")


def test_what_is_unpaid_is_read_after_whoever_issues_at_this_moment(world, draft):
    made, found = first(world.books, issuing(draft), lambda tx: unpaid_of(tx, world.maria))
    assert found == [made]


def test_of_two_changes_of_one_contact_the_second_is_told(world):
    def changing(days):
        return lambda tx: change_contact(tx, world.maria, replace(world.maria, payment_days=days))

    _, no = first(world.books, changing(15), changing(60))
    assert isinstance(no, NotDone)
    assert world.books.sql("SELECT payment_days FROM contacts WHERE contact = :c", c=world.maria.id) == [(15,)]  # fmt: skip


def test_two_contacts_that_are_alike_are_written_one_after_the_other(world):
    def creating(tx):
        alike = contacts_alike(tx, replace(world.maria, id="", nif="X1234567L", email=None))
        create_contact(tx, ORG, f"id-{len(alike)}", name="Ana Gil", nif="X1234567L", now=NOW)
        return [one.name for one in alike]

    assert first(world.books, creating, creating) == ([], ["Ana Gil"])


def test_two_drafts_that_are_alike_are_written_one_after_the_other(world):
    def drafting(tx):
        alike = invoices_alike(tx, world.maria, Decimal("605.00"), SINCE)
        world.draft(tx)
        return len(alike)

    assert first(world.books, drafting, drafting) == (0, 1)


def test_b49_what_an_undo_takes_back_is_found_as_it_is_after_whoever_changes_it(world):
    """An undo compares the version that it finds with the one that was left."""
    maria = world.maria
    _, found = first(
        world.books,
        lambda tx: change_contact(tx, maria, replace(maria, payment_days=15)),
        lambda tx: held_contact(tx, ORG, maria.id),
    )
    assert found.version == maria.version + 1
    paid = world.paid(world.issued(), "100")
    _, found = first(
        world.books,
        lambda tx: remove_payment(tx, paid, NOW),
        lambda tx: held_payment(tx, ORG, paid.id),
    )
    assert (found.removed, found.version) == (True, paid.version + 1)


def test_an_expense_is_deleted_once_and_held_by_whoever_brings_it_back(world):
    with world.books() as tx:
        made = create_expense(
            tx, ORG, "g-1", concepto="Adobe", base=Decimal(1), iva=Decimal(21), fecha=TODAY, now=NOW
        )
    gone, no = first(
        world.books,
        lambda tx: delete_expense(tx, made, NOW),
        lambda tx: delete_expense(tx, made, NOW),
    )
    assert isinstance(no, NotDone)
    _, found = first(
        world.books,
        lambda tx: restore_expense(tx, gone),
        lambda tx: held_expense(tx, ORG, made.id),
    )
    assert (found.deleted, found.version) == (False, 3)


def test_the_demo_world_is_made_once_by_two_at_once(books_tx):
    ids = iter(["c-1", "c-2", "c-3", "c-4"])

    def seeding(tx):
        return seed(tx, NOW, lambda: next(ids)).organizations

    assert first(books_tx, seeding, seeding) == (("carmona-demo", "otra-demo"), ())
    assert books_tx.sql("SELECT count(*) FROM contacts") == [(2,)]


RAW = [
    "UPDATE invoice_lines SET precio = '1', importe = '1.00' WHERE invoice = '{}'",
    "DELETE FROM invoice_lines WHERE invoice = '{}'",
    """INSERT INTO invoice_lines (org, invoice, position, concepto, cantidad, precio, descuento, iva, importe)
       VALUES ('carmona-demo', '{}', 2, 'Otro', '1', '1', '0', '21', '1.00')""",
]


@pytest.mark.parametrize("raw", RAW)
def test_whoever_writes_a_line_past_the_program_waits_for_the_issue_and_is_refused(
    world, draft, raw
):
    _, no = first(
        world.books, issuing(draft), lambda tx: tx.connection.execute(raw.format(draft.id))
    )
    assert isinstance(no, REFUSED)
    assert "never changed" in str(no)


@pytest.mark.parametrize("raw", RAW)
def test_an_invoice_is_never_issued_with_other_lines_than_those_it_is_the_sum_of(world, draft, raw):
    freeze = """UPDATE invoices SET state = 'issued', series = '2026', seq = 1, number = '2026-0001',
        issue_date = '2026-10-19', issued_at = created_at, issuer_name = 'A', issuer_nif = 'B12345674',
        issuer_address = 'C', issuer_email = 'a@b.example', customer_name = 'D',
        customer_nif = '12345678Z', customer_address = 'E'"""
    world.books.sql("INSERT INTO invoice_series VALUES (:org, '2026', 1, NULL)", org=ORG)
    world.books.sql("UPDATE invoice_series SET next = 2, last_issue_date = '2026-10-19'")
    _, no = first(
        world.books,
        lambda tx: tx.connection.execute(raw.format(draft.id)).rowcount,
        lambda tx: tx.connection.execute(freeze),
    )
    assert isinstance(no, REFUSED)
    assert "sum of its lines" in str(no)


def test_whoever_writes_a_draft_past_the_program_waits_for_the_contact(world, draft):
    raw = """INSERT INTO invoices (org, invoice, contact, state, version, due_date, base, vat, total, created_at)
        SELECT org, 'id-9', contact, 'draft', 1, due_date, base, vat, total, created_at FROM invoices"""
    _, no = first(
        world.books,
        lambda tx: archive_contact(tx, world.maria, NOW),
        lambda tx: tx.connection.execute(raw),
    )
    assert isinstance(no, REFUSED)
    assert "no new draft" in str(no)
