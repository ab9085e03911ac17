"""Payments: what is outstanding, what is refused, what is taken back, and who is told."""

import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from facturas_desk import ANA, ASIDE, borrador, cobrar, emitir, gasto, says
from facturas_world import DUE, NOW, ORG, TODAY

from semel import CONFIRM, SAFE, Ask, Report
from semel.errors import NotDone
from semel.facts import Date, Email, Money, Text
from semel.testing import interrupt_at
from semel_facturas.books.contacts import contacts_named
from semel_facturas.books.drafts import create_draft
from semel_facturas.books.invoices import invoice, issue
from semel_facturas.books.payments import (
    payment,
    payments_of,
    record_payment,
    remove_payment,
)


def recorded(world, invoice, amount="100", **changes):
    given = {"amount": Decimal(amount), "day": TODAY, "today": TODAY, "now": NOW} | changes
    with world.books() as tx:
        return record_payment(tx, invoice, world.new_id(), **given)


def test_payments_add_up_and_the_invoice_itself_stays_as_it_was_issued(world):
    made = world.issued()
    assert (made.paid, made.outstanding, made.settled) == (Decimal(0), Decimal(605), False)
    first = recorded(world, made, "0.10", method="transferencia")
    recorded(world, made, "0.20")
    with world.books() as tx:
        paid = invoice(tx, ORG, made.id)
        assert [one.amount for one in payments_of(tx, paid)] == [Decimal("0.10"), Decimal("0.20")]
        assert payment(tx, ORG, first.id) == replace(first, invoice=paid)
        assert payment(tx, "otra-demo", first.id) is None
    assert paid == replace(made, paid=Decimal("0.30"))
    assert str(paid.outstanding) == "604.70"
    last = recorded(world, paid, "700")
    assert str(last.invoice.outstanding) == "-95.30"
    assert last.invoice.settled


def test_what_another_organization_was_paid_does_not_count(world):
    made = world.issued()
    with world.books() as tx:
        (bodegas,) = contacts_named(tx, "otra-demo", "Bodegas")
        draft = create_draft(
            tx, "otra-demo", made.id, contact=bodegas, lines=made.lines, due_date=DUE, now=NOW
        )
        theirs = issue(tx, "otra-demo", draft, TODAY, NOW)
    recorded(world, theirs, "605")
    with world.books() as tx:
        assert invoice(tx, ORG, made.id) == made
        assert invoice(tx, "otra-demo", made.id).settled
        assert payments_of(tx, made) == []


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"day": TODAY + timedelta(days=1)}, "El 20/10/2026 aún no ha llegado"),
        ({"amount": "0"}, "Un cobro es mayor que cero"),
        ({"amount": "-1"}, "Un cobro es mayor que cero"),
        ({"amount": "0.001"}, "tiene dos decimales"),
        ({"amount": "1000000000"}, "no llega a 1.000.000.000,00 €"),
        ({"method": " "}, "El medio de pago está vacío."),
    ],
)
def test_nobody_can_have_paid_that(world, wrong, why):
    made = world.issued()
    with pytest.raises(NotDone) as no:
        recorded(world, made, **wrong)
    assert why in no.value.says("es")
    assert world.books.sql("SELECT * FROM payments") == []


def test_a_draft_and_a_paid_invoice_take_no_payment(world):
    with world.books() as tx:
        draft = world.draft(tx)
    with pytest.raises(NotDone, match="draft"):
        recorded(world, draft)
    paid = recorded(world, world.issued(), "605").invoice
    with pytest.raises(NotDone) as no:
        recorded(world, paid, "0.01")
    assert no.value.says("es") == "De la factura 2026-0001 no queda nada por cobrar."


def test_a_removed_payment_counts_no_more_and_is_kept(world):
    made = recorded(world, world.issued(), "605")
    with world.books() as tx:
        with pytest.raises(NotDone, match="changed after it was read"):
            remove_payment(tx, replace(made, version=2), NOW)
        gone = remove_payment(tx, made, NOW)
        assert (gone.removed, gone.version, gone.invoice.settled) == (True, 2, False)
        assert payment(tx, ORG, made.id) is None
        assert payment(tx, ORG, made.id, removed=True) == gone
        assert payments_of(tx, gone.invoice) == []
        for stale in (made, gone):
            with pytest.raises(NotDone, match="changed after it was read"):
                remove_payment(tx, stale, NOW)
    assert recorded(world, gone.invoice, "605").invoice.settled


def standing(desk):
    return desk.sql("SELECT importe, fecha FROM payments WHERE removed_at IS NULL ORDER BY 2, 1")


def test_a_payment_is_all_that_is_outstanding_today_unless_it_is_said(desk):
    invoice = desk.issued()
    done = desk.done(cobrar(invoice))
    assert done.view.risk is SAFE
    did = "Cobro de 605,00 € de la factura 2026-0001 registrado; quedan 0,00 € por cobrar"
    assert did in says(done)
    assert done.view.steps[0].facts == {
        "importe": Money(Decimal("605.00")), "numero": Text("2026-0001", volatile=True),
        "fecha": Date(TODAY), "pendiente": Money(Decimal("0.00")),
    }  # fmt: skip
    assert standing(desk) == [("605.00", "2026-10-19")]
    other = desk.issued("100")
    done = desk.done(cobrar(other, importe="21", fecha="2026-10-12", medio="efectivo"))
    facts = done.view.steps[0].facts
    assert (facts["pendiente"], facts["medio"]) == (Money(Decimal("100.00")), Text("efectivo"))
    assert standing(desk)[0] == ("21.00", "2026-10-12")


def test_what_cannot_have_been_paid_is_refused_at_the_preview(desk):
    invoice, draft = desk.issued(), desk.made(desk.done(borrador(desk.maria, "9")))
    assert desk.refused(cobrar(draft)) == ["Es un borrador: hay que emitirlo antes de cobrarlo."]
    assert desk.refused(cobrar(invoice, fecha="2026-10-20")) == [
        "El 20/10/2026 aún no ha llegado: un cobro tiene fecha de hoy o de antes."
    ]
    desk.done(cobrar(invoice))
    assert desk.refused(cobrar(invoice, importe="1")) == [
        "De la factura 2026-0001 no queda nada por cobrar."
    ]
    assert len(standing(desk)) == 1


def test_today_is_the_day_where_the_organization_is(desk):
    invoice = desk.issued()
    desk.clock.move(hours=14)  # 22:00 in UTC and midnight in Madrid
    desk.done(cobrar(invoice, fecha="2026-10-20"))
    assert standing(desk) == [("605.00", "2026-10-20")]


def test_more_than_is_outstanding_or_the_same_once_more_today_is_asked_about(desk):
    invoice = desk.issued()
    assert desk.asked(cobrar(invoice, importe="605.01")).view.risk is CONFIRM
    assert desk.done(cobrar(invoice, importe="100")).view.risk is SAFE
    assert desk.done(cobrar(invoice, importe="99")).view.risk is SAFE
    assert desk.asked(cobrar(invoice, importe="100")).view.risk is CONFIRM
    desk.clock.move(hours=14)  # midnight in Madrid
    assert desk.done(cobrar(invoice, importe="100")).view.risk is SAFE


def test_a_payment_recorded_meanwhile_makes_the_question_stale(desk):
    invoice = desk.issued()
    ask = desk.asked(cobrar(invoice, importe="700"))
    desk.done(cobrar(invoice, importe="5"), who=ASIDE)
    again = desk.yes(ask)
    assert isinstance(again, Ask)
    assert again.view.steps[0].facts["pendiente"] == Money(Decimal("-100.00"))
    desk.yes(again)
    assert [importe for importe, _ in standing(desk)] == ["5.00", "700.00"]


def test_b58_undo_pressed_twice_takes_the_payment_back_once(desk):
    invoice = desk.issued()
    done = desk.done(cobrar(invoice, importe="100"))
    first = desk.undo(done)
    assert standing(desk) == []
    dump = desk.sql("SELECT * FROM payments")
    second = desk.undo(done)
    assert desk.sql("SELECT * FROM payments") == dump
    assert second.view.plan == first.view.plan
    assert (first.undo_token, second.undo_token) == (None, None)
    # What was paid is owed again, and can be paid again.
    desk.done(cobrar(invoice))
    assert standing(desk) == [("605.00", "2026-10-19")]


def test_b58_undo_pressed_after_the_payment_was_taken_back_otherwise_changes_nothing(desk):
    invoice = desk.issued()
    done = desk.done(cobrar(invoice, importe="100"))
    desk.sql("UPDATE payments SET removed_at = created_at, version = 2")
    desk.undo(done)
    assert desk.sql("SELECT version FROM payments") == [(2,)]


def test_b58_an_undo_that_stops_halfway_says_so_and_takes_nothing_back_twice(desk):
    contact = ("contacto.crear", {"nombre": "Ana Gil", "plazo_pago_dias": 15})
    done = desk.done(contact, gasto())
    draft = desk.done(borrador(desk.made(done)))
    halfway = desk.undo(done)
    said = "1. Gasto apuntado: Adobe, 121,00 €\nNo se pudo deshacer:\n2. Contacto Ana Gil creado: "
    assert said in says(halfway)
    assert desk.sql("SELECT version FROM expenses WHERE deleted_at IS NOT NULL") == [(2,)]
    # While a draft names the contact there is nothing to retry; once it is gone there is.
    assert halfway.retry_token is None
    desk.undo(draft)
    again = desk.face.person(ANA).status(halfway.view.plan)
    desk.face.person(ANA).retry(again.retry_token)
    assert desk.sql("SELECT version FROM expenses WHERE deleted_at IS NOT NULL") == [(2,)]
    assert desk.sql("SELECT name FROM contacts WHERE archived_at IS NOT NULL") == [("Ana Gil",)]


def test_b58_a_payment_that_the_customer_was_told_of_is_not_taken_back(desk):
    invoice = desk.issued()
    ask = desk.asked(cobrar(invoice, importe="100", avisar_cliente=True))
    assert ask.view.risk is CONFIRM
    assert "maria@carmona.example" in says(ask)
    done = desk.yes(ask)
    assert isinstance(done, Report)
    assert (done.view.reason, done.undo_token) == ("finished", None)
    ((result,),) = desk.sql(
        "SELECT result FROM semel_steps WHERE action = 'factura.registrar_cobro'"
    )
    assert json.loads(result).get("undo") is None
    desk.sweep()
    (letter,) = desk.letters()
    assert letter["Subject"] == "Pago recibido por Carmona Estudio"
    assert letter["To"] == "María Carmona <maria@carmona.example>"
    assert "tu pago de 100,00 €, del 19/10/2026, por la factura 2026-0001" in letter.get_content()
    assert "Quedan por pagar 505,00 €." in letter.get_content()
    desk.clock.move(minutes=20)
    desk.sweep()
    assert len(desk.letters()) == 1
    assert desk.face.person(ANA).status(done.view.plan).undo_token is None
    assert len(standing(desk)) == 1


def test_a_payment_in_the_plan_that_issues_is_told_of_under_the_number_it_got(desk):
    ask = desk.asked(borrador(desk.maria), emitir("$1"), cobrar("$1", avisar_cliente=True))
    desk.issued("100", who=ASIDE)
    assert isinstance(desk.yes(ask), Report)
    desk.sweep()
    (letter,) = desk.letters()
    assert "por la factura 2026-0002. Gracias." in letter.get_content()
    assert "La factura queda pagada." in letter.get_content()


def test_whom_to_tell_is_asked_when_it_is_not_known(desk):
    invoice = desk.issued()
    desk.sql("UPDATE contacts SET email = NULL")
    assert desk.refused(cobrar(invoice, avisar_cliente=True)) == [
        "¿A qué dirección de email le escribo a María Carmona?"
    ]
    assert standing(desk) == []
    desk.done(cobrar(invoice))


def test_an_address_that_changed_between_the_yes_and_the_letter_stops_the_letter_only(desk):
    invoice = desk.issued()
    ask = desk.asked(cobrar(invoice, avisar_cliente=True))
    shown = ask.view.steps[0].later[0].facts
    assert shown["para"] == Email("maria@carmona.example")
    moved = "UPDATE contacts SET email = 'otra@nadie.example'"
    with interrupt_at("commit:local:after", lambda: desk.sql(moved)):
        desk.yes(ask)
    desk.sweep()
    assert desk.letters() == []
    assert len(standing(desk)) == 1
