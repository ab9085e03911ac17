"""Look-alikes: the same customer and total within ten minutes is asked about, never blocked."""

from datetime import timedelta
from decimal import Decimal

import pytest
from facturas_desk import ASIDE, BEGIN, borrador, emitir
from facturas_world import DUE, LOGO, NOW, ORG

from semel import CONFIRM, Report
from semel.errors import NotDone
from semel.facts import Instant, Money, Text, instant_text, read_instant
from semel_facturas.books.contacts import create_contact
from semel_facturas.books.drafts import create_draft, delete_draft
from semel_facturas.books.invoices import invoice, invoices_alike


def test_alike_are_drafts_and_invoices_of_this_contact_and_total_made_since_then(world):
    since = read_instant(NOW)
    with world.books() as tx:
        draft = world.draft(tx)
        world.draft(tx, now=instant_text(since - timedelta(microseconds=1)))
        world.draft(tx, LOGO, LOGO)
        other = create_contact(tx, ORG, "id-x", name="Otra", now=NOW)
        create_draft(tx, ORG, "id-y", contact=other, lines=(LOGO,), due_date=DUE, now=NOW)
    issued = world.issued()
    with world.books() as tx:
        alike = invoices_alike(tx, world.maria, Decimal("605.00"), since)
        assert [(one.id, one.state) for one in alike] == [
            (draft.id, "draft"),
            (issued.id, "issued"),
        ]
        assert alike[1] == issued
        assert (alike[0].created_at, alike[0].zone) == (since, "Europe/Madrid")
        later = since + timedelta(microseconds=1)
        assert invoices_alike(tx, world.maria, Decimal("605.00"), later) == []


def test_a_draft_is_thrown_away_with_its_lines_and_an_issued_invoice_never(world):
    made = world.issued()
    with world.books() as tx:
        draft = world.draft(tx)
        delete_draft(tx, draft)
        assert invoice(tx, ORG, draft.id) is None
        with pytest.raises(NotDone, match="issued or changed"):
            delete_draft(tx, made)
        other = world.draft(tx)
    world.books.sql("UPDATE invoices SET version = 2 WHERE state = 'draft'")
    with world.books() as tx:
        with pytest.raises(NotDone, match="issued or changed"):
            delete_draft(tx, other)
        assert invoice(tx, ORG, made.id) == made
        assert len(invoice(tx, ORG, other.id).lines) == 1
    assert world.books.sql("SELECT count(*) FROM invoice_lines") == [(2,)]


def drafts(desk):
    return desk.sql("SELECT count(*) FROM invoices WHERE state = 'draft'")[0][0]


def test_the_same_again_within_ten_minutes_is_asked_about_and_not_blocked(desk):
    desk.done(borrador(desk.maria))
    desk.clock.move(minutes=10)
    ask = desk.asked(borrador(desk.maria))
    assert ask.view.risk is CONFIRM
    (match,) = ask.view.steps[0].similar
    assert match.facts == {
        "numero": Text("borrador"), "cliente": Text("María Carmona"),
        "concepto": Text("Diseño del logo"), "total": Money(Decimal("605.00")),
        "creado": Instant(BEGIN), "estado": Text("borrador"),
    }  # fmt: skip
    assert isinstance(desk.yes(ask), Report)
    assert drafts(desk) == 2


def test_the_same_again_later_or_another_total_is_not_asked_about(desk):
    desk.done(borrador(desk.maria))
    assert isinstance(desk.act(borrador(desk.maria, "501")), Report)
    desk.clock.move(minutes=10, microseconds=1)
    assert isinstance(desk.act(borrador(desk.maria)), Report)
    assert drafts(desk) == 3


def test_an_issued_invoice_is_a_look_alike_with_its_number(desk):
    desk.issued()
    (match,) = desk.asked(borrador(desk.maria)).view.steps[0].similar
    assert (match.facts["numero"], match.facts["estado"]) == (Text("2026-0001"), Text("emitida"))


def test_two_of_the_same_in_one_plan_are_meant(desk):
    assert isinstance(desk.act(borrador(desk.maria), borrador(desk.maria)), Report)
    assert drafts(desk) == 2


def test_a_look_alike_that_came_meanwhile_is_asked_about_again(desk):
    ask = desk.asked(borrador(desk.maria), emitir("$1"))
    desk.done(borrador(desk.maria), who=ASIDE)
    again = desk.yes(ask)
    assert not isinstance(again, Report)
    assert len(again.view.steps[0].similar) == 1
    assert isinstance(desk.yes(again), Report)
    assert drafts(desk) == 1


def test_a_draft_is_taken_back_with_its_lines(desk):
    done = desk.done(borrador(desk.maria))
    desk.undo(done)
    assert desk.sql("SELECT count(*) FROM invoices") == [(0,)]
    assert desk.sql("SELECT count(*) FROM invoice_lines") == [(0,)]


def test_b58_a_draft_that_was_issued_meanwhile_stands(desk):
    done = desk.done(borrador(desk.maria))
    desk.done(emitir(desk.made(done)))
    desk.undo(done)
    assert desk.sql("SELECT number FROM invoices") == [("2026-0001",)]
    assert desk.sql("SELECT count(*) FROM invoice_lines") == [(1,)]


def test_b58_a_plan_that_issues_is_not_offered_to_be_taken_back(desk):
    done = desk.done(borrador(desk.maria), emitir("$1"))
    assert done.undo_token is None
