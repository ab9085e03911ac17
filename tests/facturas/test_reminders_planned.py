"""Reminders: planned, shown, refused, taken back, and sent by hand."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from facturas_desk import (
    ASIDE,
    ENGLISH,
    LUIS,
    WHEN,
    borrador,
    cobrar,
    emitir,
    planned,
    recordar,
    says,
    until,
    waiting,
)

from semel import CONFIRM, SAFE, Ask, Invalid, Report
from semel.facts import Date, Email, Money, Text

SHOWN = "Recordarle el pago el 13/11/2026 (5 días antes del vencimiento) si no está pagada"


def test_the_plan_of_the_first_post_asks_once_and_reminds_on_the_day(desk):
    ask = desk.asked(borrador(desk.maria), emitir("$1"), recordar("$1", 5))
    assert ask.view.risk is CONFIRM
    assert SHOWN in says(ask)
    facts = ask.view.steps[2].facts
    assert facts["dia_1"] == Date(date(2026, 11, 13))
    (later,) = ask.view.steps[2].later
    assert later.facts == {
        "para": Email("maria@carmona.example"), "numero": Text("2026-0001", volatile=True),
        "pendiente": Money(Decimal("605.00")), "vence": Date(date(2026, 11, 18)),
    }  # fmt: skip
    done = desk.yes(ask)
    assert isinstance(done, Report)
    assert done.undo_token is None
    until(desk, WHEN - timedelta(microseconds=1))
    desk.sweep()
    assert desk.letters() == []
    until(desk, WHEN)
    for _ in range(3):
        desk.sweep()
        desk.clock.move(minutes=15)
    (letter,) = desk.letters()
    assert letter["Subject"] == "Recordatorio de pago de Carmona Estudio"
    assert letter["To"] == "María Carmona <maria@carmona.example>"
    assert "de la factura 2026-0001. Quedan 5 días para que venza." in letter.get_content()
    assert "Pendiente: 605,00 €" in letter.get_content()


def test_another_number_by_the_time_it_is_issued_does_not_stop_the_plan(desk):
    ask = desk.asked(borrador(desk.maria), emitir("$1"), recordar("$1", 5))
    desk.issued("100", who=ASIDE)
    assert isinstance(desk.yes(ask), Report)
    until(desk, WHEN)
    desk.sweep()
    (letter,) = desk.letters()
    assert "2026-0002" in letter.get_content()


def test_several_days_are_planned_in_their_order(desk):
    invoice = desk.issued()
    english = desk.asked(recordar(invoice, 1), who=ENGLISH)
    assert "on 17/11/2026 (1 day before it is due) if it is unpaid" in says(english, "en")
    ask = desk.asked(recordar(invoice, 1, 5, 10))
    assert (
        "el 08/11/2026 (10 días antes del vencimiento), 13/11/2026 (5 días antes del "
        "vencimiento), 17/11/2026 (1 día antes del vencimiento) si no está pagada"
    ) in says(ask)
    desk.yes(ask)
    assert waiting(desk) == [
        "2026-11-08T08:00:00.000000Z", "2026-11-13T08:00:00.000000Z", "2026-11-17T08:00:00.000000Z"
    ]  # fmt: skip


def test_a_day_that_has_passed_is_asked_for_anew(desk):
    invoice = desk.issued()
    assert desk.refused(recordar(invoice, 31)) == ["El 18/10/2026 ya ha pasado: ¿otro día?"]
    assert desk.refused(recordar(invoice, 31, 30, 5)) == [
        "El 18/10/2026 ya ha pasado: ¿otro día?",
        "Hoy, 19/10/2026, ya son más de las 09:00: ¿otro día?",
    ]
    assert waiting(desk) == []


def test_today_will_do_until_nine(desk):
    until(desk, WHEN - timedelta(minutes=5))
    invoice = desk.made(desk.done(borrador(desk.maria, vencimiento="2026-11-18"), emitir("$1")))
    ask = desk.asked(recordar(invoice, 5))
    until(desk, WHEN)
    assert desk.yes(ask).view.reason == "stale"
    assert waiting(desk) == []
    assert desk.refused(recordar(invoice, 5)) == [
        "Hoy, 13/11/2026, ya son más de las 09:00: ¿otro día?"
    ]


def test_a_reminder_is_planned_once_for_a_day(desk):
    invoice = planned(desk, 5)
    assert desk.refused(recordar(invoice, 5)) == [
        "Para el 13/11/2026 ya hay un recordatorio programado."
    ]
    assert desk.refused(recordar(invoice, 10, 5)) == [
        "Para el 13/11/2026 ya hay un recordatorio programado."
    ]
    desk.done(recordar(invoice, 10))
    assert len(waiting(desk)) == 2


@pytest.mark.parametrize("days", [[], [0], [61], [-1], ["5"], [5.5], [5, 5], [1, 2, 3, 4, 5, 6]])
def test_days_are_one_to_five_numbers_from_1_to_60_each_once(desk, days):
    given = {"factura": desk.issued(), "dias_antes": days}
    outcome = desk.act(("factura.programar_recordatorios", given))
    assert isinstance(outcome, Invalid)
    assert {problem.code for problem in outcome.problems} == {"bad_value"}


def test_neither_a_draft_nor_a_paid_invoice_is_reminded_of(desk):
    draft = desk.made(desk.done(borrador(desk.maria, "9")))
    paid = desk.issued()
    desk.done(cobrar(paid))
    now = ("recordatorio.enviar_ahora", {"factura": draft})
    for step in (recordar(draft, 5), now):
        assert desk.refused(step) == ["Es un borrador: antes hay que emitirlo."]
    # A day that has passed is not asked about when there is nothing to remind of.
    for step in (
        recordar(paid, 5),
        recordar(paid, 31),
        ("recordatorio.enviar_ahora", {"factura": paid}),
    ):
        assert desk.refused(step) == ["De la factura 2026-0001 no queda nada por cobrar."]


def test_where_to_send_is_asked_when_it_is_not_known(desk):
    invoice = desk.issued()
    desk.sql("UPDATE contacts SET email = NULL")
    for step in (
        recordar(invoice, 5),
        ("recordatorio.enviar_ahora", {"factura": invoice}),
        ("factura.enviar", {"factura": invoice}),
    ):
        assert desk.refused(step) == ["¿A qué dirección de email le escribo a María Carmona?"]


def test_reminders_are_taken_back_and_planned_again(desk):
    invoice, other = planned(desk, 5, 10), desk.issued("100")
    desk.done(recordar(other, 5))
    cancel = ("factura.cancelar_recordatorios", {"factura": invoice})
    done = desk.done(cancel)
    assert done.view.risk is SAFE
    assert "Recordatorios quitados de la factura 2026-0001: 2" in says(done)
    assert done.undo_token is None
    assert len(waiting(desk)) == 1
    assert desk.refused(cancel) == ["Esa factura no tiene recordatorios pendientes."]
    desk.done(recordar(invoice, 5))
    until(desk, WHEN)
    desk.sweep()
    assert len(desk.letters()) == 2


def test_a_reminder_now_is_confirmed_and_leaves_once(desk):
    invoice = desk.issued()
    desk.done(cobrar(invoice, importe="5"))
    until(desk, datetime(2026, 11, 24, 9, tzinfo=UTC))
    ask = desk.asked(("recordatorio.enviar_ahora", {"factura": invoice}))
    assert ask.view.risk is CONFIRM
    shown = "Enviar a maria@carmona.example un recordatorio de la factura 2026-0001: 600,00 €"
    assert shown in says(ask)
    assert isinstance(desk.yes(ask), Report)
    (letter,) = desk.letters()
    assert "Venció hace 6 días." in letter.get_content()
    assert "Pendiente: 600,00 €" in letter.get_content()


def test_an_address_that_changed_between_the_question_and_the_yes_is_asked_about(desk):
    invoice = desk.issued()
    for step in (
        ("factura.enviar", {"factura": invoice}),
        ("recordatorio.enviar_ahora", {"factura": invoice}),
    ):
        ask = desk.asked(step)
        desk.sql("UPDATE contacts SET email = 'x' || email WHERE org = 'carmona-demo'")
        again = desk.yes(ask)
        assert isinstance(again, Ask)
        assert again.view.steps[0].facts["para"].address.startswith("x")
        desk.yes(again)
    assert [one["To"].addresses[0].username for one in desk.letters()] == ["xmaria", "xxmaria"]


def test_who_may_not_write_reminders_plans_and_cancels_none(desk):
    invoice = planned(desk, 5)
    for step in (recordar(invoice, 10), ("factura.cancelar_recordatorios", {"factura": invoice})):
        assert not isinstance(desk.act(step, who=LUIS), Ask | Report)
    assert len(waiting(desk)) == 1
