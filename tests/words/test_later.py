"""Plans that wait for their day: planned, not needed, too late, no longer as they were shown."""

from words_outcomes import LATER_STALE, OUTCOMES, TOO_LATE
from words_views import NINE, REMINDER, reminders, running

from semel.domain.plan import PlanKind, PlanReason, StepReason
from semel.domain.report import Next, Status

WAITS = running("w", due=NINE, steps=[REMINDER], kind=PlanKind.LATER)
NOT_NEEDED = reminders(reason=StepReason.CANCELLED, detail="later.unless")


def test_what_waits_for_its_day_names_the_day_and_can_be_cancelled() -> None:
    card = WAITS.card("es")
    assert (
        card.text()
        == """\
Programado para el 13/11/2026 a las 09:00: Recordarle a maria@carmona.example el pago de la factura 2026-0001

Plan p_0192f3a1-7c2b"""
    )
    assert (card.buttons, card.labels, card.reply) == (("cancel",), ("Cancelar",), None)
    assert WAITS.card("en").title == (
        "Planned for 13/11/2026 at 09:00: Remind maria@carmona.example of invoice 2026-0001"
    )


def test_a_model_is_told_not_to_do_it_earlier_and_not_to_poll_for_weeks() -> None:
    answer = WAITS.for_model("es")
    assert (answer.status, answer.next) == (Status.RUNNING, Next.NOTHING)
    assert answer.says == (
        "Todavía no se ha hecho nada, y está programado para el 13/11/2026 a las 09:00: "
        "Recordarle a maria@carmona.example el pago de la factura 2026-0001. "
        "Se hará solo cuando llegue: no lo hagas antes por tu cuenta."
    )
    assert WAITS.for_model("en").says == (
        "Nothing has happened yet, and it is planned for 13/11/2026 at 09:00: "
        "Remind maria@carmona.example of invoice 2026-0001. "
        "It will be done by itself when that comes: do not do it earlier on your own."
    )


def test_what_was_not_needed_any_more_is_one_line() -> None:
    card = NOT_NEEDED.card("es")
    assert (
        card.text()
        == """\
Ya no hacía falta, y no se ha hecho: Recordarle a maria@carmona.example el pago de la factura 2026-0001

Plan p_0192f3a1-7c2b"""
    )
    assert NOT_NEEDED.card("en").title == (
        "It was not needed any more, and was not done: "
        "Remind maria@carmona.example of invoice 2026-0001"
    )
    assert NOT_NEEDED.for_model("es").says == (
        "No se ha hecho, porque cuando llegó su momento ya no hacía falta: "
        "Recordarle a maria@carmona.example el pago de la factura 2026-0001. "
        "No lo hagas por tu cuenta."
    )


def test_what_came_too_late_is_one_line() -> None:
    assert TOO_LATE.card("es").title == (
        "Ya había pasado el día, y no se ha hecho: "
        "Recordarle a maria@carmona.example el pago de la factura 2026-0001"
    )
    assert TOO_LATE.card("en").title == (
        "The day had passed, and it was not done: Remind maria@carmona.example of invoice 2026-0001"
    )
    assert TOO_LATE.card("en").lines == ()
    assert TOO_LATE.for_model("en").says == (
        "It was not done, because the day had passed: "
        "Remind maria@carmona.example of invoice 2026-0001. "
        "Ask whether they still want it: their answer will be a new message."
    )


def test_what_is_no_longer_as_it_was_shown_asks_with_both_figures() -> None:
    card = LATER_STALE.card("es")
    assert (
        card.text()
        == """\
Llegó su momento, pero algo ha cambiado desde que lo viste, y no se ha hecho nada.

No se pudo:
1. Recordarle a administracion@carmona.example el pago de la factura 2026-0001: ya no es como se mostró \
(para: antes maria@carmona.example, ahora administracion@carmona.example)

¿Lo envío con los datos de ahora?
Plan p_0192f3a1-7c2b"""
    )
    assert (card.buttons, card.labels) == (("retry",), ("Enviar con los datos de ahora",))
    english = LATER_STALE.card("en")
    assert english.title == (
        "Its time came, but something has changed since you saw it, and nothing was done."
    )
    assert english.labels == ("Send with the current figures",)
    assert english.why == "Shall I send it with the current figures?"
    assert LATER_STALE.for_model("es").says == (
        "No se ha hecho nada: estaba programado y llegó su momento, "
        "pero algo ha cambiado desde que la persona lo vio. "
        "No se pudo: Recordarle a administracion@carmona.example el pago de la factura 2026-0001: "
        "ya no es como se mostró "
        "(para: antes maria@carmona.example, ahora administracion@carmona.example). "
        "No lo repitas por tu cuenta: díselo a la persona y pregúntale qué hacer. "
        "La persona puede reintentarlo ella misma: no propongas tú otro plan."
    )


def test_what_was_taken_back_before_its_day_is_cancelled() -> None:
    card = OUTCOMES["later: taken back"][0].card("es")
    assert (card.title, card.lines) == ("Cancelado. No se ha hecho nada.", ())


def test_what_fired_and_was_done_is_told_as_any_step() -> None:
    done = reminders("d", ends=PlanReason.FINISHED)
    assert done.card("es").title == "Hecho: Recordatorio enviado a maria@carmona.example"
    refused = reminders(reason=StepReason.REFUSED, detail="550", ends=PlanReason.FAILED).card("en")
    assert refused.title == "It could not be done, and nothing was done."
    assert refused.lines[1].endswith("invoice 2026-0001: 550")
