"""Undo, in words: what was reverted, what was not and why."""

from dataclasses import replace

from words_outcomes import CANCELLED, OUTCOMES, STALE, offered
from words_views import NOT_REACHED, UNDO_STEPS, running, undoing

from semel.domain.plan import PlanKind, PlanReason, StepReason
from semel.facts import Text

PARTLY = undoing(PlanReason.STALE, "dn", (None, STALE))


def test_an_undo_that_runs_says_what_it_takes_back() -> None:
    outcome = running("ds", steps=UNDO_STEPS, kind=PlanKind.UNDO)
    assert (
        outcome.card("es").text()
        == """\
Paso 2 de 2: Deshacer «Contacto Acme creado»

Deshecho:
1. Cobro de 605,00 € registrado

Plan p_0192f3a1-7c2b"""
    )
    assert outcome.card("en").title == "Step 2 of 2: Undo “Contact Acme created”"
    assert "paso 2 de 2, Deshacer «Contacto Acme creado»" in outcome.for_model("es").says


def test_what_was_undone_is_told_step_by_step() -> None:
    outcome = undoing(PlanReason.FINISHED, "dd")
    assert (
        outcome.card("es").text()
        == """\
Deshechos los 2 pasos.

1. Deshecho: Cobro de 605,00 € registrado
2. Deshecho: Contacto Acme creado

Plan p_0192f3a1-7c2b"""
    )
    assert outcome.card("en").lines == (
        "1. Undone: Payment of 605,00 € recorded",
        "2. Undone: Contact Acme created",
    )
    assert outcome.for_model("es").says == (
        "Deshecho lo que se hizo: Cobro de 605,00 € registrado; Contacto Acme creado. "
        "No queda nada por deshacer ni por repetir."
    )
    one = undoing(PlanReason.FINISHED, "d", (None,))
    assert one.card("es").title == "Deshecho: Cobro de 605,00 € registrado"
    assert one.card("en").lines == ()


def test_an_undo_that_is_pressed_twice_is_told_as_done_before() -> None:
    again = undoing(PlanReason.FINISHED, "dd", replayed=True)
    assert again.card("es").title == (
        "Los 2 pasos ya se deshicieron el 19/10/2026 a las 10:02; no se ha repetido nada."
    )
    one = undoing(PlanReason.FINISHED, "d", (None,), replayed=True)
    assert one.card("es").title == (
        "Ya se deshizo el 19/10/2026 a las 10:02, y no se ha repetido: Cobro de 605,00 € registrado"
    )
    assert one.for_model("en").says == (
        "This was already undone on 19/10/2026 at 10:02: there is nothing to repeat. "
        "What was done and undone: Payment of 605,00 € recorded."
    )


def test_an_undo_of_a_part_says_which_was_reverted_which_not_and_why() -> None:
    assert (
        PARTLY.card("es").text()
        == """\
Deshecho en parte: 1 de 2 pasos.

Deshecho:
1. Cobro de 605,00 € registrado
No se pudo deshacer:
2. Contacto Acme creado: ha cambiado desde entonces, y se deja como está

Plan p_0192f3a1-7c2b"""
    )
    assert (
        PARTLY.card("en").text()
        == """\
Undone in part: 1 of 2 steps.

Undone:
1. Payment of 605,00 € recorded
Could not undo:
2. Contact Acme created: it has changed since, and is left as it is

Plan p_0192f3a1-7c2b"""
    )
    assert PARTLY.for_model("es").says == (
        "Se ha deshecho una parte, 1 de 2 pasos, y el resto no. "
        "Deshecho: Cobro de 605,00 € registrado. "
        "No se pudo deshacer: Contacto Acme creado: "
        "ha cambiado desde entonces, y se deja como está. "
        "No repitas lo hecho, y no hagas el resto por tu cuenta: "
        "díselo a la persona y pregúntale qué hacer."
    )


def test_an_undo_that_undid_nothing_says_so() -> None:
    outcome = undoing(PlanReason.STALE, "nn", (STALE, NOT_REACHED))
    assert (
        outcome.card("es").text()
        == """\
No se ha deshecho nada.

No se pudo deshacer:
1. Cobro de 605,00 € registrado: ha cambiado desde entonces, y se deja como está
No se deshizo por eso:
2. Contacto Acme creado

Plan p_0192f3a1-7c2b"""
    )
    assert outcome.card("en").lines[2:] == (
        "Not undone because of that:",
        "2. Contact Acme created",
    )
    assert outcome.for_model("en").says == (
        "Nothing was undone. "
        "Could not undo: Payment of 605,00 € recorded: it has changed since, "
        "and is left as it is. "
        "Not undone because of that: Contact Acme created. "
        "Do not repeat it on your own: tell the person and ask them what to do."
    )
    forbidden = undoing(PlanReason.FAILED, "nn", (StepReason.FORBIDDEN, NOT_REACHED)).card("es")
    assert forbidden.lines[1].endswith(": ya no hay permiso para hacerlo")


def test_an_undo_can_be_retried_and_cancelled() -> None:
    card = offered(PARTLY, retry=True).card("es")
    assert (card.why, card.labels) == ("¿Reintento lo que falta?", ("Reintentar lo que falta",))
    assert card.reply == "Responde «reintentar» y lo hago."
    cancelled = undoing(PlanReason.CANCELLED, "dn", (None, CANCELLED)).card("es")
    assert cancelled.title == "Cancelado: 1 de 2 deshecho."
    assert cancelled.lines[2:] == ("No se deshizo:", "2. Contacto Acme creado")
    more = undoing(PlanReason.CANCELLED, "ddn", (None, None, CANCELLED))
    assert more.card("es").title == "Cancelado: 2 de 3 deshechos."
    none = OUTCOMES["undo cancelled"][0]
    assert none.card("es").title == "Cancelado. No se ha deshecho nada."
    assert none.card("es").lines == ()


def test_the_name_of_what_is_undone_cannot_close_its_quotation_marks() -> None:
    hostile = replace(UNDO_STEPS[1], facts={"nombre": Text("Acme» y «Otra\n*x*")}, position=1)
    title = running("s", steps=[hostile], kind=PlanKind.UNDO).card("es").title
    assert title == "Paso 1 de 1: Deshacer «Contacto Acme› y ‹Otra ∗x∗ creado»"
    quoting = replace(UNDO_STEPS[1], position=1, did={"es": "Contacto «{nombre}» creado"})
    title = running("s", steps=[quoting], kind=PlanKind.UNDO).card("es").title
    assert title == "Paso 1 de 1: Deshacer «Contacto ‹Acme› creado»"
