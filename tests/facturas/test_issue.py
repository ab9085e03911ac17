"""Issuing: numbers without a gap, in the order of their dates, once."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from threading import Barrier

import pytest
from facturas_world import DUE, LOGO, NOW, ORG, TODAY, Books, BooksTx

from semel.errors import NotDone
from semel.ports import Row, Value
from semel_facturas.books.contacts import contacts_named
from semel_facturas.books.drafts import create_draft
from semel_facturas.books.invoices import (
    LACKS,
    invoice,
    invoices_numbered,
    issue,
    missing_to_issue,
    series_of,
)
from semel_facturas.books.money import Line

FREE = Line("Curso", Decimal(1), Decimal(100), Decimal(0), Decimal(0))


def numbers(books: Books, org: str = ORG) -> list[object]:
    return [number for (number,) in books.sql(
        "SELECT number FROM invoices WHERE org = :org AND state = 'issued' ORDER BY number", org=org
    )]  # fmt: skip


def test_an_issued_invoice_has_the_first_number_and_both_sides_frozen(world):
    made = world.issued()
    assert (made.number, made.series, made.issue_date) == ("2026-0001", "2026", TODAY)
    assert (made.state, made.version) == ("issued", 2)
    world.books.sql(
        "UPDATE contacts SET name = 'Otra', nif = NULL, address = NULL, email = 'x@y.example'"
    )
    world.books.sql("UPDATE organizations SET name = 'Otra', address = NULL")
    with world.books() as tx:
        again = replace(made, contact_email="x@y.example")
        assert invoice(tx, ORG, made.id) == again
        assert invoices_numbered(tx, ORG, " 2026-0001 ") == [again]
        assert invoices_numbered(tx, ORG, "2026-0002") == []
    assert made.customer.nif == "12345678Z"
    assert made.issuer.name == "Carmona Estudio"


def test_b45_fifty_at_once_with_rollbacks_leave_no_gap(world):
    with world.books() as tx:
        drafts = [world.draft(tx) for _ in range(50)]
    together = Barrier(50)

    def one(position: int) -> None:
        together.wait()
        with world.books() as tx:
            issue(tx, ORG, drafts[position], TODAY, NOW)
            if position % 5 == 0:
                raise RuntimeError("the handler fails after the number was taken")

    with ThreadPoolExecutor(50) as pool:
        results = [pool.submit(one, position) for position in range(50)]
    assert sum(result.exception() is not None for result in results) == 10
    assert numbers(world.books) == [f"2026-{number:04d}" for number in range(1, 41)]
    with world.books() as tx:
        for position in range(0, 50, 5):
            issue(tx, ORG, drafts[position], TODAY, NOW)
    assert numbers(world.books) == [f"2026-{number:04d}" for number in range(1, 51)]


KILLED = """
import os, signal, sys
from pathlib import Path
from facturas_world import NOW, ORG, TODAY, Books
from semel_facturas.books.invoices import invoice, issue
with Books(Path(sys.argv[1]))() as tx:
    print(issue(tx, ORG, invoice(tx, ORG, sys.argv[2]), TODAY, NOW).number, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_b45_a_process_killed_between_number_and_commit_leaves_no_gap(world):
    world.issued()
    with world.books() as tx:
        draft = world.draft(tx)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(world.books.path), draft.id],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (killed.returncode, killed.stdout) == (-signal.SIGKILL, "2026-0002\n"), killed.stderr
    assert numbers(world.books) == ["2026-0001"]
    with world.books() as tx:
        assert issue(tx, ORG, draft, TODAY, NOW).number == "2026-0002"


def test_a_year_is_a_series_of_its_own_and_organizations_do_not_share_one(world):
    assert series_of(date(2027, 1, 1)) == "2027"
    assert world.issued().number == "2026-0001"
    assert world.issued(date(2027, 1, 2), date(2027, 2, 1)).number == "2027-0001"
    assert world.issued(date(2026, 12, 31), date(2027, 2, 1)).number == "2026-0002"
    with world.books() as tx:
        (bodegas,) = contacts_named(tx, "otra-demo", "Bodegas")
        draft = create_draft(
            tx, "otra-demo", "id-x", contact=bodegas, lines=(LOGO,), due_date=DUE, now=NOW
        )
        assert issue(tx, "otra-demo", draft, TODAY, NOW).number == "2026-0001"


def test_what_is_issued_or_changed_or_gone_is_not_issued(world):
    made = world.issued()
    with world.books() as tx:
        draft = world.draft(tx)
    for wrong in (
        made,
        replace(made, version=1),
        replace(draft, version=2),
        replace(draft, id="none"),
    ):
        with pytest.raises(NotDone), world.books() as tx:
            issue(tx, ORG, wrong, TODAY, NOW)
    assert numbers(world.books) == ["2026-0001"]
    assert world.books.sql("SELECT next FROM invoice_series") == [(2,)]


class Meddled(BooksTx):
    """As on a database where somebody may write between two statements of a transaction."""

    def one(self, statement: str, /, **params: Value) -> Row | None:
        row = super().one(statement, **params)
        if statement == "invoices.take_number":
            self.connection.execute("UPDATE invoices SET version = version + 1")
        return row


def test_a_draft_that_changes_while_it_is_issued_is_not_issued(world):
    with world.books() as tx:
        draft = world.draft(tx)
    with pytest.raises(NotDone, match="changed"), world.books() as tx:
        issue(Meddled(tx.connection), ORG, draft, TODAY, NOW)
    with world.books() as tx:
        assert invoice(tx, ORG, draft.id) == draft
        assert issue(tx, ORG, draft, TODAY, NOW).number == "2026-0001"


def test_a_clock_that_moved_back_issues_nothing(world):
    world.issued()
    with world.books() as tx:
        draft = world.draft(tx)
    with pytest.raises(NotDone, match="clock"), world.books() as tx:
        issue(tx, ORG, draft, TODAY - timedelta(days=1), NOW)
    with world.books() as tx:
        assert issue(tx, ORG, draft, TODAY, NOW).number == "2026-0002"


def test_a_refused_issue_takes_no_number_even_if_the_caller_commits(world):
    with world.books() as tx:
        draft = world.draft(tx, due_date=TODAY - timedelta(days=1))
        with pytest.raises(NotDone, match="due"):
            issue(tx, ORG, draft, TODAY, NOW)
    assert world.issued().number == "2026-0001"


@pytest.mark.parametrize(
    ("blank", "asked"),
    [
        ("UPDATE contacts SET nif = NULL", ("customer.nif",)),
        ("UPDATE contacts SET address = NULL", ("customer.address",)),
        ("UPDATE organizations SET nif = NULL, address = NULL", ("issuer.nif", "issuer.address")),
    ],
)
def test_b47_a_missing_id_or_address_stops_the_issue_and_not_the_draft(world, blank, asked):
    world.books.sql(blank)
    with world.books() as tx:
        draft = world.draft(tx)
        assert missing_to_issue(draft) == asked
        with pytest.raises(NotDone) as refused:
            issue(tx, ORG, draft, TODAY, NOW)
    for locale, words in enumerate(("es", "en")):
        assert all(LACKS[one][locale] in refused.value.says(words) for one in asked)


def test_a_line_without_vat_is_not_issued_for_want_of_its_reason(world):
    with world.books() as tx:
        assert missing_to_issue(world.draft(tx, LOGO, FREE)) == ("exemption",)


def test_an_issued_invoice_keeps_the_address_it_had_and_is_sent_to_the_one_of_now(world):
    world.books.sql("UPDATE contacts SET email = NULL")
    made = world.issued()
    assert (made.customer.email, made.contact_email) == (None, None)
    world.books.sql("UPDATE contacts SET email = 'nueva@carmona.example'")
    second = world.issued()
    world.books.sql("UPDATE contacts SET email = 'otra@carmona.example'")
    with world.books() as tx:
        for id, kept in ((made.id, None), (second.id, "nueva@carmona.example")):
            read = invoice(tx, ORG, id)
            assert (read.customer.email, read.contact_email) == (kept, "otra@carmona.example")
