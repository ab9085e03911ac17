"""What could not be previewed and what was refused: for the person without codes, to be mended."""

import pytest
from words_outcomes import FULL, OUTCOMES, QUESTIONS
from words_views import PLAN

from semel.domain.report import Invalid, Next, Problem, Refusal, Refused, Status
from semel.words import speaker


def test_all_questions_are_asked_at_once_and_each_once() -> None:
    outcome, _, _ = OUTCOMES["questions"]
    assert (
        outcome.card("es").text()
        == """\
Me faltan 3 datos para preparar el plan.

Falta un dato de María Carmona: nif. ¿Cuál es?
Falta un dato: plazo pago dias. ¿Cuál es?
¿A cuántos días? (15 / 30)

No se ha hecho nada. Respóndeme en un mensaje y preparo el plan."""
    )
    says = outcome.for_model("en").says
    assert "Something is missing about María Carmona: nif." in says
    assert "In how many days? (15 / 30)" in says
    assert "in steps[1].input.lineas.0.iva, that value will not do (not a number)" in says
    one = Invalid(questions=QUESTIONS[:1], speaker=speaker)
    assert one.card("en").title == "One thing is missing before I can prepare the plan."


def test_a_person_reads_what_they_can_mend_and_never_a_code() -> None:
    problems = (
        Problem("action_says_no", "steps[2]", "La factura 2026-0001 ya está emitida."),
        Problem("bad_value", "steps[1].input.iva", "Input should be a number"),
    )
    card = Invalid(problems=problems, speaker=speaker).card("es")
    assert card.title == "No he podido preparar ese plan. No se ha hecho nada."
    assert card.lines == ("La factura 2026-0001 ya está emitida.",)
    model = Invalid(problems=problems[1:], speaker=speaker).card("es")
    assert model.lines == (
        "No supe darle la forma que necesita. No es cosa tuya: pídemelo de otra manera.",
    )


def test_many_problems_are_told_up_to_twenty() -> None:
    many = tuple(Problem("unknown_field", f"steps[1].input.campo{n}") for n in range(50))
    says = Invalid(problems=many, speaker=speaker).for_model("es").says
    assert says.count("ese campo no existe") == 20
    assert says.endswith("; y 30 más.")


REFUSALS = {
    Refusal.SEND_WORDS: (
        "No se ha enviado nada: eso no es lo que hay que escribir. Escribe ENVIAR OTRA VEZ.",
        "Nothing was sent: those are not the words to write. Write SEND AGAIN.",
    ),
    Refusal.NOT_SETTLED: (
        (
            "No se ha hecho nada: lo que se envió todavía puede llegar, "
            "así que decir que no salió no vale aún."
        ),
        (
            "Nothing was done: what was sent may still arrive, "
            "so saying that it did not go out does not count yet."
        ),
    ),
    Refusal.NOT_IN_DOUBT: (
        "No se ha hecho nada: en ese paso no hay nada que aclarar.",
        "Nothing was done: there is nothing to find out about that step.",
    ),
    Refusal.UNKNOWN_RECORD: (
        "No se ha apuntado nada: no encuentro nada con ese id. Revísalo y dímelo otra vez.",
        "Nothing was noted: there is no record with that id. Check it and tell me again.",
    ),
    Refusal.OFFER_EXPIRED: (
        "No se ha hecho nada: ya pasó el tiempo para reintentarlo o deshacerlo.",
        "Nothing was done: the time in which it could be retried or undone has passed.",
    ),
    Refusal.CHANGED: (
        "No se ha enviado nada: ya no es como se mostró.",
        "Nothing was sent: it is no longer as it was shown.",
    ),
    Refusal.CLOSING: (
        (
            "No se ha hecho nada: el programa se está parando y no empieza nada nuevo. "
            "Pídelo otra vez dentro de un momento."
        ),
        (
            "Nothing was done: the program is being stopped and begins nothing new. "
            "Ask again in a moment."
        ),
    ),
}


@pytest.mark.parametrize("why", REFUSALS)
def test_a_refusal_says_that_nothing_happened_and_why(why: Refusal) -> None:
    outcome = Refused(why=why, plan=PLAN, speaker=speaker)
    titles = outcome.card("es").text(), outcome.card("en").text()
    assert titles == REFUSALS[why]
    for locale, start in (("es", "No se ha hecho nada: "), ("en", "Nothing was done: ")):
        answer = outcome.for_model(locale)
        assert (answer.status, answer.next, answer.plan) == (Status.REFUSED, Next.NOTHING, PLAN)
        assert answer.says.startswith(start)


def test_what_an_action_says_against_sending_once_more_is_told_in_its_words() -> None:
    outcome = Refused(why=Refusal.CHANGED, plan=PLAN, detail=FULL, speaker=speaker)
    assert outcome.card("es").title == "No se ha enviado nada: 550 buzón lleno."
    assert outcome.for_model("es").says == (
        "No se ha hecho nada: la acción ya no lo admite (550 buzón lleno), y no se ha enviado."
    )
    hostile = Refused(why=Refusal.CHANGED, plan=PLAN, detail="No\n*1,00 €*", speaker=speaker)
    assert hostile.card("en").title == "Nothing was sent: No ∗1,00 €∗."
    assert "∗1,00 €∗" in hostile.for_model("en").says
