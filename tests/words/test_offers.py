"""What may be done about a plan that has ended: retry what is left, undo what was done."""

from dataclasses import replace

import pytest
from words_outcomes import (
    FAILED_AT_MAIL,
    LATER_STALE,
    OUTCOMES,
    PLANNED,
    STALE,
    offered,
    taken_back,
)
from words_views import (
    BULK,
    EXISTING,
    MOVED,
    NOT_REACHED,
    UNDOING,
    after,
    invoice,
    reminders,
    report,
    undoing,
    with_step,
)

from semel.domain.action import SAFE
from semel.domain.plan import PlanReason, StepReason
from semel.domain.reply import Wish, wish
from semel.domain.report import Report

RETRY = offered(FAILED_AT_MAIL, retry=True)
DRAFT = report(PlanReason.FINISHED, "d", (None,), steps=invoice()[:1])
UNDO = offered(DRAFT, undo=True)
HALF = report(PlanReason.FAILED, "dnnn", (None, StepReason.FAILED, NOT_REACHED, NOT_REACHED))


def test_a_retry_is_offered_with_all_that_its_yes_covers() -> None:
    card = RETRY.card("es")
    assert (
        card.text()
        == """\
Hecho en parte: 2 de 4 pasos.

Hecho:
1. Borrador creado: 605,00 €
2. Factura 2026-0001 emitida
No se pudo:
3. Enviar la factura por email a maria@carmona.example: 550 buzón lleno
No se hizo por eso:
4. Recordarle el pago el 13/11/2026 si no está pagada
   Después, el 13/11/2026 a las 09:00: Recordarle a maria@carmona.example el pago de la factura 2026-0001

¿Reintento lo que falta?
Responde «reintentar» y lo hago.
Plan p_0192f3a1-7c2b"""
    )
    assert (card.buttons, card.labels) == (("retry",), ("Reintentar lo que falta",))
    english = RETRY.card("en")
    assert (english.why, english.reply) == ("Shall I retry the rest?", "Answer “retry” and I will.")
    assert english.labels == ("Retry the rest",)
    assert RETRY.for_model("en").says.endswith(
        "tell the person and ask them what to do. "
        "The person can retry it themselves: do not propose another plan."
    )


def test_a_retry_that_would_make_another_shows_what_exists() -> None:
    alike = replace(invoice()[0], similar=(EXISTING,))
    outcome = report(PlanReason.FAILED, "n", (StepReason.FAILED,), steps=[alike])
    assert len(outcome.card("es").lines) == 2
    card = offered(outcome, retry=True).card("es")
    assert [line.split(":")[0].strip() for line in card.lines[2:]] == ["Ya existe", "Nueva"]


def test_nothing_is_offered_that_the_session_has_no_token_for() -> None:
    card = FAILED_AT_MAIL.card("es")
    assert (card.buttons, card.labels, card.why, card.reply) == ((), (), None, None)
    assert "reintentar" not in FAILED_AT_MAIL.for_model("es").says


def test_a_retry_of_everything_is_no_rest() -> None:
    outcome = report(PlanReason.FAILED, "nnnn", (StepReason.FAILED, *(NOT_REACHED,) * 3))
    card = offered(outcome, retry=True).card("es")
    assert (card.labels, card.why) == (("Reintentar",), "¿Lo reintento?")
    assert offered(outcome, retry=True).card("en").why == "Shall I retry it?"


def test_a_retry_with_other_figures_says_so() -> None:
    moved = with_step(report(PlanReason.STALE, "ddnn", after(STALE)), 3, changed=MOVED)
    refused = with_step(FAILED_AT_MAIL, 3, changed=MOVED)
    for outcome in (moved, refused):
        card = offered(outcome, retry=True).card("es")
        assert card.labels == ("Hacer lo que falta con los datos de ahora",)
        assert card.why == "¿Hago lo que falta con los datos de ahora?"
    whole = offered(report(PlanReason.STALE, "nnnn", (STALE,) * 4), retry=True).card("en")
    assert whole.labels == ("Do it with the current figures",)
    assert whole.why == "Shall I do it with the current figures?"
    assert len(whole.lines) == 5


def test_a_retry_of_a_bulk_delete_asks_for_the_words() -> None:
    outcome = report(PlanReason.FAILED, "n", (StepReason.FAILED,), steps=[BULK])
    card = offered(outcome, retry=True).card("es")
    assert card.why == (
        "¿Lo reintento? Para hacerlo, escribe 14 o BORRAR: un simple «sí» no basta."
    )
    assert card.reply is None


def test_an_undo_is_offered_until_its_time() -> None:
    card = UNDO.card("es")
    assert (
        card.text()
        == """\
Hecho: Borrador creado: 605,00 €

Responde «deshacer» antes de las 12:41 para deshacerlo.
Plan p_0192f3a1-7c2b"""
    )
    assert (card.buttons, card.labels) == (("undo",), ("Deshacer (hasta las 12:41)",))
    english = UNDO.card("en")
    assert english.labels == ("Undo (until 12:41)",)
    assert english.reply == "Answer “undo” before 12:41 to undo it."
    assert UNDO.for_model("es").says == (
        "Hecho: Borrador creado: 605,00 €. No queda nada por hacer ni por repetir. "
        "La persona puede deshacerlo ella misma hasta las 12:41."
    )


def test_an_undo_without_a_time_names_none() -> None:
    endless = replace(UNDO, undo_until=None)
    assert endless.card("es").labels == ("Deshacer",)
    assert endless.card("en").reply == "Answer “undo” to undo it."
    assert endless.for_model("en").says.endswith("The person can undo it themselves.")


def test_both_may_be_offered() -> None:
    card = offered(HALF, retry=True, undo=True).card("es")
    assert card.buttons == ("retry", "undo")
    assert card.labels == ("Reintentar lo que falta", "Deshacer (hasta las 12:41)")
    assert card.why == "¿Reintento lo que falta?"
    assert card.reply == (
        "Responde «reintentar» y lo hago. Responde «deshacer» antes de las 12:41 para deshacerlo."
    )


@pytest.mark.parametrize("locale", ["es", "en"])
def test_the_words_of_the_hints_are_the_ones_that_are_read(locale: str) -> None:
    both = offered(HALF, retry=True, undo=True).card(locale)
    running = OUTCOMES["runs"][0].card(locale)
    quoted = [part.split("»")[0].split("”")[0] for part in _quoted(f"{both.reply} {running.reply}")]
    assert [wish(word) for word in quoted] == [Wish.RETRY, Wish.UNDO, Wish.CANCEL]


def _quoted(text: str) -> list[str]:
    return text.replace("“", "«").split("«")[1:]


def test_a_word_alone_is_not_about_a_plan_that_fired_by_itself() -> None:
    assert LATER_STALE.card("es").buttons == ("retry",)
    assert LATER_STALE.card("es").reply is None


WHY_NOT = "No se puede deshacer: algo de lo hecho no se puede revertir."


def test_where_something_cannot_be_undone_one_line_says_so() -> None:
    finished = report(PlanReason.FINISHED, "dddd")
    assert finished.card("es").why == WHY_NOT
    assert finished.card("en").why == (
        "It cannot be undone: something of what was done cannot be reverted."
    )


def _safe(effect: str) -> Report:
    step = replace(invoice()[2], risk=SAFE, effect=effect)
    return report(PlanReason.FINISHED, "d", (None,), steps=[step])


def test_the_line_stands_only_where_it_helps() -> None:
    assert _safe("opaque").card("es").why == WHY_NOT
    issued = report(PlanReason.FINISHED, "d", (None,), steps=invoice()[1:2])
    assert issued.card("es").why == WHY_NOT
    # What was safe and stays in the books could be undone for an hour; that hour has passed.
    for outcome in (DRAFT, _safe("local"), UNDO, FAILED_AT_MAIL, taken_back(DRAFT)):
        assert WHY_NOT not in outcome.card("es").text()
    assert reminders("d", ends=PlanReason.FINISHED).card("es").why is None
    assert undoing(PlanReason.FINISHED, "dd").card("es").why is None


def test_a_plan_that_was_taken_back_says_so_first() -> None:
    card = taken_back(DRAFT).card("es")
    assert (
        card.text()
        == """\
Se hizo, y después se mandó deshacer: Borrador creado: 605,00 €

El plan p_0192f3a9-1d40 dice qué se deshizo.
Plan p_0192f3a1-7c2b"""
    )
    assert taken_back(DRAFT).card("en").title == (
        "It was done, and then an undo was ordered: Draft created: 605,00 €"
    )
    assert taken_back(DRAFT).for_model("es").says == (
        "Esto se hizo (pasos: 1 de 1), y después la persona mandó deshacerlo: "
        f"el plan {UNDOING} dice qué se deshizo. "
        "Se hizo entonces: Borrador creado: 605,00 €. No lo hagas otra vez por tu cuenta."
    )


def test_what_was_taken_back_is_told_so_again_and_plans_nothing_any_more() -> None:
    planned = taken_back(report(PlanReason.FINISHED, "dddd", steps=PLANNED))
    for outcome in (planned, replace(planned, replayed=True)):
        card = outcome.card("es")
        assert card.title == "Se hicieron 4 de 4 pasos, y después se mandó deshacerlos."
        assert len(card.lines) == 4
        assert card.why == "El plan p_0192f3a9-1d40 dice qué se deshizo."


def test_a_part_that_was_taken_back_is_told_as_a_part() -> None:
    outcome = OUTCOMES["cancelled and taken back"][0]
    card = outcome.card("es")
    assert card.title == "Se hizo, y después se mandó deshacer: Borrador creado: 605,00 €"
    assert card.lines[0] == "Se hizo entonces:"
    two = taken_back(report(PlanReason.FAILED, "ddnn", after(StepReason.REFUSED)))
    assert two.card("es").title == "Se hicieron 2 de 4 pasos, y después se mandó deshacerlos."
    assert two.card("en").title == "2 of 4 steps were done, and then an undo of them was ordered."
    again = replace(two, replayed=True).card("es")
    assert again.why == (
        "El plan p_0192f3a9-1d40 dice qué se deshizo. "
        "Es lo que pasó la primera vez, el 19/10/2026 a las 10:02: no se ha repetido nada."
    )
