"""In doubt, a state of its own: what is known, what may be answered, who answered."""

import re
from dataclasses import replace

import pytest
from words_outcomes import DID_NOT, OUTCOMES, RESENT, RESOLVED
from words_views import NINE, in_doubt, invoice, running, with_step

from semel.domain.plan import Resolution, StepState
from semel.domain.reply import send_again_words
from semel.words.voice import SENTENCES

LANGUAGES = ("es", "en")


def test_a_doubt_is_told_with_when_and_until_when() -> None:
    card = in_doubt().card("es")
    assert (
        card.text()
        == """\
No sabemos si «Enviar la factura por email a maria@carmona.example» llegó a salir. Compruébalo antes de repetirlo; no se repetirá solo.

Hecho:
1. Borrador creado: 605,00 €
2. Factura 2026-0001 emitida
No se sabe:
3. Enviar la factura por email a maria@carmona.example
   Se envió el 19/10/2026 a las 10:31 (referencia 5f3c0a9e1b7d4c2288e0f6a1d93b7c54).
   Todavía puede llegar, al menos hasta las 10:32.
No se hizo por eso:
4. Recordarle el pago el 13/11/2026 si no está pagada

Para enviarlo otra vez de todos modos, escribe ENVIAR OTRA VEZ: puede llegar dos veces.
Plan p_0192f3a1-7c2b"""
    )
    assert card.buttons == ("resolve", "resolve")
    assert card.labels == ("Ya salió", "Comprobar otra vez")
    assert card.answers == ("happened", "look_again")


def test_a_doubt_in_english() -> None:
    card = in_doubt().card("en")
    assert card.title == (
        "We do not know whether “Email the invoice to maria@carmona.example” went out. "
        "Check before repeating it; it will not repeat itself."
    )
    assert card.lines[3:7] == (
        "Not known:",
        "3. Email the invoice to maria@carmona.example",
        "   It was sent on 19/10/2026 at 10:31 (reference 5f3c0a9e1b7d4c2288e0f6a1d93b7c54).",
        "   It may still arrive, until 10:32 at least.",
    )
    assert card.why == ("To send it once more all the same, write SEND AGAIN: it may arrive twice.")
    assert card.labels == ("It went out", "Check again")


def test_what_is_in_doubt_cannot_close_its_quotation_marks() -> None:
    outcome = with_step(in_doubt(), 3, will={"es": "Enviar «Factura» a {para}"})
    assert outcome.card("es").title.startswith(
        "No sabemos si «Enviar ‹Factura› a maria@carmona.example» llegó a salir."
    )


def test_a_model_is_told_that_it_may_have_happened_and_not_to_repeat_it() -> None:
    assert in_doubt().for_model("es").says == (
        "No se sabe si esto llegó a ocurrir, y puede que sí: "
        "Enviar la factura por email a maria@carmona.example. "
        "Se envió el 19/10/2026 a las 10:31 (referencia 5f3c0a9e1b7d4c2288e0f6a1d93b7c54). "
        "Todavía puede llegar, al menos hasta las 10:32. "
        "Hecho: Borrador creado: 605,00 €; Factura 2026-0001 emitida. "
        "No se hizo por eso: Recordarle el pago el 13/11/2026 si no está pagada. "
        "No lo repitas ni lo intentes de otra manera: "
        "la persona tiene que comprobar si ocurrió. No se repetirá solo."
    )
    assert in_doubt(settled=True).for_model("en").says == (
        "It is not known whether this happened, and it may have happened: "
        "Email the invoice to maria@carmona.example. "
        "It was sent on 19/10/2026 at 10:31 (reference 5f3c0a9e1b7d4c2288e0f6a1d93b7c54). "
        "Nothing can arrive any more: if it has not arrived, it will not. "
        "Done: Draft created: 605,00 €; Invoice 2026-0001 issued. "
        "Not done because of that: Remind her of the payment on 13/11/2026 if it is not paid. "
        "Do not repeat it and do not try another way: "
        "the person has to check whether it happened. It will not repeat itself."
    )


def test_only_once_nothing_can_arrive_may_it_be_said_not_to_have_happened() -> None:
    settled = in_doubt(settled=True)
    card = settled.card("es")
    assert card.answers == ("happened", "did_not", "look_again")
    assert card.labels == ("Ya salió", "No salió: enviar", "Comprobar otra vez")
    assert card.lines[6] == "   Ya no puede llegar nada: si no ha llegado, no llegará."
    assert card.why is None
    assert settled.card("en").labels == ("It went out", "It did not: send", "Check again")
    assert settled.card("en").lines[6] == (
        "   Nothing can arrive any more: if it has not arrived, it will not."
    )


@pytest.mark.parametrize("locale", LANGUAGES)
def test_the_words_that_send_it_again_are_the_ones_that_are_read(locale: str) -> None:
    for name in ("doubt.anyway", "refusal.send_words"):
        words = re.findall(r"[A-Z]{3,}(?: [A-Z]{3,})+", SENTENCES[locale][name])
        assert len(words) == 1
        assert send_again_words(words[0])


def test_nobody_may_know_until_when_something_can_arrive() -> None:
    card = in_doubt(settles_at=None).card("es")
    assert card.lines[6] == "   Todavía puede llegar, y nadie sabe hasta cuándo."
    assert card.answers == ("happened", "look_again")
    tomorrow = in_doubt(settles_at=NINE).card("en").lines[6]
    assert tomorrow == "   It may still arrive, until 13/11/2026 at 09:00 at least."


def test_a_doubt_about_a_second_send_says_that_it_may_have_arrived_twice() -> None:
    outcome = in_doubt(settles_at=None, sends=2, by="ana")
    assert outcome.card("es").lines[5:8] == (
        (
            "   Se envió 2 veces, la última el 19/10/2026 a las 10:31 "
            "(referencia 5f3c0a9e1b7d4c2288e0f6a1d93b7c54)."
        ),
        "   Todavía puede llegar, y nadie sabe hasta cuándo.",
        "   Se envió otra vez por orden de ana: puede haber llegado dos veces.",
    )
    told = "It was sent once more by order of ana: it may have arrived twice."
    assert told in outcome.for_model("en").says


def test_what_is_in_doubt_by_its_step_alone_has_nothing_to_answer_yet() -> None:
    card = OUTCOMES["in doubt by its step"][0].card("es")
    assert card.title.startswith("No sabemos si ")
    assert (card.buttons, card.answers) == ((), ())
    assert len(card.lines) == 7


def test_a_person_who_says_that_it_happened_is_named() -> None:
    assert RESOLVED.card("es").lines[3] == (
        "3. Factura enviada a maria@carmona.example (según ana)"
    )
    assert "Invoice emailed to maria@carmona.example (according to ana)" in (
        RESOLVED.for_model("en").says
    )
    nobody = with_step(RESOLVED, 3, resolved_by=None)
    assert nobody.card("es").lines[3].endswith("(según una persona)")


def test_a_person_who_says_that_it_did_not_is_named() -> None:
    line = "3. Enviar la factura por email a maria@carmona.example: no salió, según ana"
    assert DID_NOT.card("es").lines[4] == line
    assert DID_NOT.card("en").lines[4] == (
        "3. Email the invoice to maria@carmona.example: it did not go out, according to ana"
    )
    assert line.removeprefix("3. ") in DID_NOT.for_model("es").says


def test_what_was_sent_anyway_is_a_possible_duplicate() -> None:
    told = (
        "Factura enviada a maria@carmona.example "
        "(enviado otra vez por orden de ana: puede haber llegado dos veces)"
    )
    assert RESENT.card("es").lines[2] == f"3. {told}"
    assert told in RESENT.for_model("es").says
    assert (
        RESENT.card("en")
        .lines[2]
        .endswith("(sent once more by order of ana: it may have arrived twice)")
    )


def test_while_it_is_sent_again_it_is_said_too() -> None:
    steps = invoice()
    steps[2] = replace(steps[2], resolution=Resolution.SEND_ANYWAY, resolved_by="ana")
    outcome = running("ddsw", steps=steps)
    assert outcome.view.steps[2].state is StepState.STARTED
    assert outcome.card("es").why == (
        "Se está enviando otra vez por orden de ana: puede llegar dos veces."
    )
    assert running("ddds", steps=steps).card("en").why is None


def test_a_reference_and_a_name_from_outside_are_harmless() -> None:
    outcome = in_doubt(reference="a\nb)*" + "x" * 500, sends=2, by="ana\n*luis*")
    card = outcome.card("es")
    assert len(card.lines) == len(in_doubt(sends=2, by="ana").card("es").lines)
    assert all(len(line.splitlines()) == 1 for line in card.lines)
    assert "ana ∗luis∗" in card.text()
    assert "x" * 100 not in card.text()


def test_what_an_older_copy_does_not_know_is_said() -> None:
    lost = in_doubt(sends=0, lost="2026-10-19T08:31:07.000000Z").card("es")
    assert "Puede que saliera: el 19/10/2026 a las 10:31 se restauró una copia" in lost.text()
    assert "Se envió" not in lost.text()
    both = in_doubt(lost="2026-10-19T08:31:07.000000Z").card("en").text()
    assert "It was sent on" in both
    assert "an older copy of the database was put back" in both
