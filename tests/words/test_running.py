"""The card of a plan that runs or is being stopped: where it is, and what will not be done."""

from words_outcomes import OUTCOMES
from words_views import REMINDER, UNDO_STEPS, invoice, running

from semel.domain.plan import PlanKind


def test_a_running_plan_says_where_it_is_and_can_be_stopped() -> None:
    card = running("dsww").card("es")
    assert (
        card.text()
        == """\
Paso 2 de 4: Emitir el borrador por 605,00 € con el siguiente número de la serie 2026

Hecho:
1. Borrador creado: 605,00 €

Responde «cancelar» para parar lo que falta.
Plan p_0192f3a1-7c2b"""
    )
    assert (card.buttons, card.labels) == (("cancel",), ("Cancelar lo que falta",))
    english = running("dsww").card("en")
    assert english.labels == ("Cancel the rest",)
    assert english.reply == "Answer “cancel” to stop the rest."


def test_where_nothing_is_left_there_is_nothing_to_stop() -> None:
    for states in ("ddds", "dddd"):
        card = running(states).card("en")
        assert card.title.startswith("Step 4 of 4: ")
        assert (card.buttons, card.labels, card.reply) == ((), (), None)


def test_a_word_alone_does_not_stop_what_fired_by_itself() -> None:
    card = running("w", steps=[REMINDER], kind=PlanKind.LATER).card("es")
    assert (card.buttons, card.reply) == (("cancel",), None)


def test_a_cancel_says_exactly_what_still_ends_and_what_will_not_be_done() -> None:
    outcome = running("dsww", cancelled=True)
    assert (
        outcome.card("es").text()
        == """\
Cancelando: el paso 2 ya había empezado y termina; los pasos 3 y 4 no se harán.

Hecho:
1. Borrador creado: 605,00 €
Está terminando:
2. Emitir el borrador por 605,00 € con el siguiente número de la serie 2026
No se hará:
3. Enviar la factura por email a maria@carmona.example
4. Recordarle el pago el 13/11/2026 si no está pagada

Plan p_0192f3a1-7c2b"""
    )
    assert (
        outcome.card("en").text()
        == """\
Cancelling: step 2 had already begun and ends; steps 3 and 4 will not be done.

Done:
1. Draft created: 605,00 €
Still ending:
2. Issue the draft for 605,00 € with the next number of series 2026
Will not be done:
3. Email the invoice to maria@carmona.example
4. Remind her of the payment on 13/11/2026 if it is not paid

Plan p_0192f3a1-7c2b"""
    )
    assert outcome.card("es").buttons == ()


def test_a_model_is_told_of_a_cancel_what_will_not_be_done() -> None:
    outcome = running("dsww", cancelled=True)
    assert outcome.for_model("es").says == (
        "La persona lo ha cancelado, y solo se está haciendo lo que ya había empezado: "
        "Emitir el borrador por 605,00 € con el siguiente número de la serie 2026. "
        "Hecho: Borrador creado: 605,00 €. "
        "No se hará: Enviar la factura por email a maria@carmona.example; "
        "Recordarle el pago el 13/11/2026 si no está pagada. "
        "No lo hagas por tu cuenta: consulta más tarde cómo ha quedado el plan."
    )
    assert outcome.for_model("en").says == (
        "The person has cancelled it, and only what had already begun is being done: "
        "Issue the draft for 605,00 € with the next number of series 2026. "
        "Done: Draft created: 605,00 €. "
        "Will not be done: Email the invoice to maria@carmona.example; "
        "Remind her of the payment on 13/11/2026 if it is not paid. "
        "Do not do it on your own: ask later how the plan ended."
    )


def test_a_cancel_near_the_end_names_what_there_is() -> None:
    titles = {
        "ddsw": "Cancelando: el paso 3 ya había empezado y termina; el paso 4 no se hará.",
        "ddds": "Cancelando: el paso 4 ya había empezado y termina.",
        "ddww": "Cancelando: los pasos 3 y 4 no se harán.",
        "dddd": "Cancelando: no se hará nada más.",
    }
    for states, title in titles.items():
        assert running(states, cancelled=True).card("es").title == title
    alone = running("s", cancelled=True, steps=invoice(concept="«Logo»")[2:3]).card("es")
    assert alone.title == (
        "Cancelando: «Enviar la factura por email a maria@carmona.example» "
        "ya había empezado y termina."
    )
    quoted = running("s", cancelled=True, steps=invoice()[:1]).card("es").title
    assert (quoted.count("«"), quoted.count("»")) == (1, 1)
    between = OUTCOMES["is being cancelled between steps"][0].for_model("es").says
    assert between.startswith("La persona lo ha cancelado, y no se está haciendo nada más. Hecho: ")


def test_an_undo_is_cancelled_in_its_own_words() -> None:
    outcome = running("dw", cancelled=True, steps=UNDO_STEPS, kind=PlanKind.UNDO)
    assert outcome.card("es").lines == (
        "Deshecho:",
        "1. Cobro de 605,00 € registrado",
        "No se hará:",
        "2. Deshacer «Contacto Acme creado»",
    )
    assert "Undone: Payment of 605,00 € recorded." in outcome.for_model("en").says
