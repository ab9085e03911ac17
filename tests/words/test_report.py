"""The card of a plan that has ended: done, could not, not done because of that, and figures."""

from dataclasses import replace

from words_outcomes import CANCELLED, CANCELLED_AT_ONE, FULL, OUTCOMES, PARTIAL, PLANNED, STALE
from words_views import (
    BULK,
    MOVED,
    NOT_REACHED,
    OTHER_MAIL,
    after,
    asked,
    ended,
    invoice,
    report,
    view,
    with_step,
)

from semel.domain.plan import PlanReason, PlanState, Resolution, StepReason
from semel.domain.report import Report
from semel.facts import Email, Text
from semel.words import speaker

MAIL_REFUSED = report(PlanReason.FAILED, "ddnn", after(StepReason.REFUSED), detail=FULL)


def test_the_seeds_partial_report_has_three_groups() -> None:
    assert (
        MAIL_REFUSED.card("es").text()
        == """\
Hecho en parte: 2 de 4 pasos.

Hecho:
1. Borrador creado: 605,00 €
2. Factura 2026-0001 emitida
No se pudo:
3. Enviar la factura por email a maria@carmona.example: 550 buzón lleno
No se hizo por eso:
4. Recordarle el pago el 13/11/2026 si no está pagada

Plan p_0192f3a1-7c2b"""
    )
    assert MAIL_REFUSED.for_model("en").says == (
        "A part was done, 2 of 4 steps, and the rest was not. "
        "Done: Draft created: 605,00 €; Invoice 2026-0001 issued. "
        "Could not: Email the invoice to maria@carmona.example: 550 buzón lleno. "
        "Not done because of that: Remind her of the payment on 13/11/2026 if it is not paid. "
        "Do not repeat what was done, and do not do the rest on your own: "
        "tell the person and ask them what to do."
    )


def test_one_step_is_told_in_one_line() -> None:
    (issued,) = ended("dddd")[1:2]
    shown = view(PlanState.ENDED, PlanReason.FINISHED, (issued,))
    outcome = Report(view=shown, speaker=speaker)
    assert outcome.card("es").title == "Hecho: Factura 2026-0001 emitida"
    assert outcome.card("es").lines == ()
    assert replace(outcome, replayed=True).card("en").title == (
        "This was already done on 19/10/2026 at 10:02, "
        "and was not repeated: Invoice 2026-0001 issued"
    )


def test_a_plan_that_was_not_run_is_one_line() -> None:
    titles = {
        "cancelled": "Cancelado. No se ha hecho nada.",
        "expired": "Caducó sin confirmar. No se ha hecho nada.",
        "superseded": "Sustituido por un plan nuevo. No se ha hecho nada.",
        "doctored": "El plan cambió y no se ha ejecutado.",
        "stale at the yes": "Algo cambió desde que lo viste, y no se ha hecho nada.",
    }
    for name, title in titles.items():
        card = OUTCOMES[name][0].card("es")
        assert (card.title, card.lines) == (title, ())
    says = OUTCOMES["cancelled"][0].for_model("es").says
    assert "Enviar la factura por email a maria@carmona.example" in says
    assert says.endswith("No lo hagas por tu cuenta.")


def test_a_cancelled_plan_says_exactly_what_was_done_and_what_was_not() -> None:
    assert (
        CANCELLED_AT_ONE.card("es").text()
        == """\
Cancelado: 1 de 4 hecho.

Hecho:
1. Borrador creado: 605,00 €
No se hizo:
2. Emitir el borrador por 605,00 € con el siguiente número de la serie 2026
3. Enviar la factura por email a maria@carmona.example
4. Recordarle el pago el 13/11/2026 si no está pagada

Plan p_0192f3a1-7c2b"""
    )
    assert CANCELLED_AT_ONE.card("en").title == "Cancelled: 1 of 4 done."
    assert CANCELLED_AT_ONE.for_model("en").says == (
        "A part was done, 1 of 4 steps, and the rest was not: the plan was cancelled. "
        "Done: Draft created: 605,00 €. "
        "Not done: Issue the draft for 605,00 € with the next number of series 2026; "
        "Email the invoice to maria@carmona.example; "
        "Remind her of the payment on 13/11/2026 if it is not paid. "
        "Do not do it on your own."
    )
    two = report(PlanReason.CANCELLED, "ddnn", (None, None, CANCELLED, CANCELLED))
    assert two.card("es").title == "Cancelado: 2 de 4 hechos."


def test_after_a_cancel_nothing_is_blamed_on_a_step() -> None:
    outcome, _, _ = OUTCOMES["cancelled while it was refused"]
    assert outcome.card("es").lines[3:] == (
        "No se pudo:",
        "3. Enviar la factura por email a maria@carmona.example: no se ha admitido",
        "No se hizo:",
        "4. Recordarle el pago el 13/11/2026 si no está pagada",
    )
    proven = report(
        PlanReason.CANCELLED, "ddnn", (None, None, CANCELLED, CANCELLED), detail="answer.did_not"
    )
    proven = with_step(proven, 4, detail=None)
    proven = with_step(proven, 3, resolution=Resolution.DID_NOT, resolved_by="ana")
    assert proven.card("es").lines[3:] == (
        "No se hizo:",
        "3. Enviar la factura por email a maria@carmona.example: no salió, según ana",
        "4. Recordarle el pago el 13/11/2026 si no está pagada",
    )


def test_what_went_stale_is_told_with_both_figures() -> None:
    stale = report(PlanReason.STALE, "ddnn", after(STALE))
    stale = with_step(stale, 3, changed=MOVED, facts={"para": Email(OTHER_MAIL)})
    assert (
        stale.card("es").text()
        == """\
Hecho en parte: 2 de 4 pasos. Algo cambió desde que lo viste.

Hecho:
1. Borrador creado: 605,00 €
2. Factura 2026-0001 emitida
No se pudo:
3. Enviar la factura por email a administracion@carmona.example: ya no es como se mostró \
(para: antes maria@carmona.example, ahora administracion@carmona.example)
No se hizo por eso:
4. Recordarle el pago el 13/11/2026 si no está pagada

Plan p_0192f3a1-7c2b"""
    )
    assert stale.for_model("en").says == (
        "A part was done, 2 of 4 steps, and the rest was not: "
        "something changed since the plan was shown. "
        "Done: Draft created: 605,00 €; Invoice 2026-0001 issued. "
        "Could not: Email the invoice to administracion@carmona.example: it is no longer as it was "
        "shown (para: before maria@carmona.example, now administracion@carmona.example). "
        "Not done because of that: Remind her of the payment on 13/11/2026 if it is not paid. "
        "Do not repeat what was done, and do not do the rest on your own: "
        "tell the person and ask them what to do."
    )


def test_a_later_step_that_changed_too_is_told_with_both_figures() -> None:
    words = replace(MOVED[0], name="asunto", shown=Text("Factura"), now=Text("*Factura*\n2"))
    outcome = with_step(report(PlanReason.STALE, "ddnn", after(STALE)), 4, changed=(words,))
    end = "(asunto: antes «Factura», ahora «∗Factura∗ 2»)"
    assert outcome.card("es").lines[-1] == (
        f"4. Recordarle el pago el 13/11/2026 si no está pagada {end}"
    )
    assert end in outcome.for_model("es").says


def test_a_step_that_needs_what_nobody_knows_says_so() -> None:
    card = OUTCOMES["resolved: it happened"][0].card("es")
    assert card.lines[-2:] == (
        "No se pudo:",
        (
            "4. Recordarle el pago el 13/11/2026 si no está pagada: "
            "necesita lo que creó un paso anterior, y no se sabe qué fue"
        ),
    )


def test_an_actions_own_words_stay_its_words_even_where_they_are_a_code_of_ours() -> None:
    for said in ("void", "absent", "later.unless"):
        outcome = report(PlanReason.FAILED, "ddnn", after(StepReason.REFUSED), detail=said)
        assert (
            outcome.card("es")
            .lines[4]
            .startswith(f"3. Enviar la factura por email a maria@carmona.example: {said[:5]}")
        )
    late = report(PlanReason.FAILED, "ddnn", after(StepReason.REFUSED), detail="send.too_old")
    assert late.card("en").lines[4].endswith(": it took too long to be sent, and nothing went out")


def test_what_was_planned_is_told_with_what_was_done() -> None:
    card = report(PlanReason.FINISHED, "dddd", steps=PLANNED).card("es")
    assert (
        card.text()
        == """\
Hecho: los 4 pasos.

1. Borrador creado: 605,00 €
2. Factura 2026-0001 emitida
3. Factura enviada a maria@carmona.example
4. Recordatorio puesto: 13/11/2026
   Quedó programado para el 13/11/2026 a las 09:00: Recordarle a maria@carmona.example el pago de la factura 2026-0001

No se puede deshacer: algo de lo hecho no se puede revertir.
Plan p_0192f3a1-7c2b"""
    )
    alone = report(PlanReason.FINISHED, "d", (None,), steps=PLANNED[3:]).card("en")
    assert alone.lines == (
        "Was planned for 13/11/2026 at 09:00: Remind maria@carmona.example of invoice 2026-0001",
    )


def test_what_a_person_vouches_for_is_told_without_figures_that_nobody_has() -> None:
    vouched = replace(invoice()[1], facts={"total": invoice()[1].facts["total"]}, made={})
    vouched = replace(vouched, will={"es": "Emitir por {total}"}, resolution=Resolution.HAPPENED)
    outcome = report(PlanReason.FINISHED, "d", (None,), steps=[vouched])
    assert outcome.card("es").title == "Hecho: Emitir por 605,00 € (según una persona)"


def test_an_action_that_is_gone_is_named() -> None:
    gone = replace(invoice()[0], will={}, did={})
    outcome = report(PlanReason.FINISHED, "d", (None,), steps=[gone])
    assert outcome.card("es").title == "Hecho: «factura.paso_1»"
    only_english = replace(invoice()[0], will={"en": "Draft"})
    one = replace(asked([BULK]), view=view(PlanState.ASKING, steps=(only_english,)))
    assert one.card("es").title == "¿Draft?"


def test_a_plan_that_expired_though_it_began_is_told_as_done_in_part() -> None:
    outcome = report(PlanReason.EXPIRED, "dnnn", (None, *(NOT_REACHED,) * 3))
    answer = outcome.for_model("es")
    assert (answer.status, answer.next) == PARTIAL
    assert outcome.card("es").title == "Hecho en parte: 1 de 4 pasos."
