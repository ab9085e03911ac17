"""The card of a plan that asks: its steps, what they look like, what comes later, why it asks."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from words_outcomes import AGAIN, OUTCOMES, PLANNED
from words_views import BULK, EXISTING, LATER, PLAN, TOTAL, alike, asked, invoice, view

from semel.domain.consent import Difference
from semel.domain.plan import PlanState
from semel.domain.report import Because, MatchView, Refusal, Refused
from semel.facts import Count, Date, Money, Text
from semel.words import speaker


def test_the_seeds_plan_asks_in_spanish() -> None:
    assert (
        asked(invoice()).card("es").text()
        == """\
¿Enviar la factura por email a maria@carmona.example, y 3 pasos más?

1. Borrador para María Carmona: «Diseño del logo», 500,00 € + IVA 105,00 € = 605,00 €, vence 18/11/2026
2. Emitir el borrador por 605,00 € con el siguiente número de la serie 2026
3. Enviar la factura por email a maria@carmona.example · Sale al exterior: no se puede deshacer
4. Recordarle el pago el 13/11/2026 si no está pagada

Te pregunto porque los pasos 2, 3 y 4 no se hacen sin que los confirmes. El paso 3 sale al exterior: no se puede deshacer.
Responde «sí» para hacerlo. Cualquier otra cosa lo cancela.
Caduca a las 12:41 · Plan p_0192f3a1-7c2b · Para cambiar algo, escríbelo: el plan se sustituye."""
    )


def test_the_seeds_plan_asks_in_english_with_the_same_figures() -> None:
    assert (
        asked(invoice(concept="Logo design")).card("en").text()
        == """\
Email the invoice to maria@carmona.example, and 3 more steps?

1. Draft invoice for María Carmona: “Logo design”, 500,00 € + VAT 105,00 € = 605,00 €, due 18/11/2026
2. Issue the draft for 605,00 € with the next number of series 2026
3. Email the invoice to maria@carmona.example · Goes outside: it cannot be undone
4. Remind her of the payment on 13/11/2026 if it is not paid

I am asking because steps 2, 3 and 4 are not done unless you confirm them. Step 3 goes outside: it cannot be undone.
Answer “yes” to do it. Anything else cancels it.
Expires at 12:41 · Plan p_0192f3a1-7c2b · To change something, write it: the plan is replaced."""
    )


def test_few_steps_are_one_question() -> None:
    lone = replace(asked(invoice()), view=view(PlanState.ASKING, steps=(invoice()[1],)))
    assert lone.card("es").title == (
        "¿Emitir el borrador por 605,00 € con el siguiente número de la serie 2026?"
    )
    two = replace(lone, view=view(PlanState.ASKING, steps=tuple(invoice()[:2])))
    assert two.card("en").title == (
        "Issue the draft for 605,00 € with the next number of series 2026, and one more step?"
    )


def test_a_question_without_an_end_says_no_time() -> None:
    endless = asked(invoice())
    endless = replace(endless, view=replace(endless.view, expires_at=None))
    assert str(endless.card("en").footer).startswith("Plan p_0192f3a1-7c2b · ")


def test_a_look_alike_stands_beside_what_it_looks_like() -> None:
    card = alike().card("es")
    assert (
        card.text()
        == """\
¿Borrador para María Carmona: «Diseño del logo», 500,00 € + IVA 105,00 € = 605,00 €, vence 18/11/2026?

1. Borrador para María Carmona: «Diseño del logo», 500,00 € + IVA 105,00 € = 605,00 €, vence 18/11/2026
   Ya existe: «2026-0003» · cliente: «María Carmona» · concepto: «Diseño web» (distinto) · total: 605,00 € · creado: 19/10/2026 10:27
   Nueva: cliente: «María Carmona» · concepto: «Diseño del logo» (distinto) · total: 605,00 € · creado: —

Posible duplicado: hace poco se creó algo muy parecido, «2026-0003». ¿Creo otra igual?
Responde «sí» para crear otra. Cualquier otra cosa lo cancela.
Caduca a las 12:41 · Plan p_0192f3a1-7c2b · Para cambiar algo, escríbelo: el plan se sustituye."""
    )
    assert (card.buttons, card.labels) == (("confirm", "cancel"), ("Crear otra", "Cancelar"))
    assert alike().for_model("es").says == (
        "Todavía no se ha hecho nada: la persona tiene el plan delante y falta su sí. "
        "No se lo preguntes tú ni vuelvas a llamar a esta herramienta: espera a que responda. "
        "Lo ve junto a algo muy parecido que ya existe: «2026-0003»."
    )


def test_a_look_alike_in_english() -> None:
    card = alike().card("en")
    assert card.lines[1:] == (
        (
            "   Already there: “2026-0003” · cliente: “María Carmona” · "
            "concepto: “Diseño web” (different) · total: 605,00 € · creado: 19/10/2026 10:27"
        ),
        (
            "   New: cliente: “María Carmona” · "
            "concepto: “Diseño del logo” (different) · total: 605,00 € · creado: —"
        ),
    )
    assert card.why == (
        "Possible duplicate: something very much like it was created a short while ago, "
        "“2026-0003”. Create another one?"
    )
    assert (
        card.text().splitlines()[-2] == "Answer “yes” to create another. Anything else cancels it."
    )
    assert card.labels == ("Create another", "Cancel")
    assert (
        alike()
        .for_model("en")
        .says.endswith(
            "They see it beside something very much like it that is already there: “2026-0003”."
        )
    )


def test_facts_differ_by_their_values_and_not_by_how_they_read() -> None:
    long = "Diseño del logo " * 20
    facts = {"concepto": Text(f"{long}a"), "total": Money(Decimal(605), volatile=True)}
    draft = replace(
        invoice(concept=f"{long}b")[0], similar=(MatchView("factura", "1", "borrador", facts),)
    )
    card = asked([draft], Because.LOOK_ALIKE).card("es")
    assert card.lines[1].count("(distinto)") == card.lines[2].count("(distinto)") == 1
    assert "… (distinto)" in card.lines[1].replace("»", "")
    assert "total: 605,00 €" in card.lines[2]


def test_several_look_alikes_are_three_and_a_count() -> None:
    others = [replace(EXISTING, label=f"2026-000{n}", facts={}) for n in range(3, 8)]
    same = {**EXISTING.facts, "concepto": Text("Diseño del logo")}
    card = alike(replace(EXISTING, facts=same), *others).card("es")
    assert card.lines[1:] == (
        (
            "   Ya existe: «2026-0003» · cliente: «María Carmona» · concepto: «Diseño del logo» · "
            "total: 605,00 € · creado: 19/10/2026 10:27"
        ),
        "   Ya existe: «2026-0003» · cliente: — · concepto: — · total: — · creado: —",
        "   Ya existe: «2026-0004» · cliente: — · concepto: — · total: — · creado: —",
        "   Y se parece a 3 más",
        "   Nueva: cliente: «María Carmona» · concepto: «Diseño del logo» · total: 605,00 € · creado: —",
    )
    assert "muy parecido, «2026-0003», «2026-0004», «2026-0005», «2026-0006» y «2026-0007»." in str(
        card.why
    )


def test_a_look_alike_without_records_still_says_why_it_asks() -> None:
    card = asked(invoice()[:1], Because.LOOK_ALIKE).card("es")
    assert card.why == "Posible duplicado: hace poco se pidió algo muy parecido. ¿Creo otra igual?"
    assert len(card.lines) == 1
    nameless = alike(MatchView("factura", "id-1", "", {})).card("en")
    assert nameless.lines[1:] == ("   Already there: “id-1”",)


@pytest.mark.parametrize(
    ("because", "es", "en"),
    [
        (
            Because.FURTHER_PLAN,
            (
                "Te pregunto porque con ese mismo mensaje ya se hizo un plan: "
                "mira que este no sea lo mismo otra vez."
            ),
            (
                "I am asking because that same message already led to a plan that was done: "
                "check that this is not the same again."
            ),
        ),
        (
            Because.STILL_RUNNING,
            (
                "Te pregunto porque en esta conversación se está haciendo ahora mismo un plan "
                "parecido: mira que este no sea lo mismo otra vez."
            ),
            (
                "I am asking because a plan like this one is being done in this conversation right "
                "now: check that this is not the same again."
            ),
        ),
    ],
)
def test_a_wish_that_may_be_the_same_again_is_asked_about(
    because: Because, es: str, en: str
) -> None:
    outcome = asked(invoice()[:1], because)
    assert (outcome.card("es").why, outcome.card("en").why) == (es, en)
    assert outcome.card("es").labels == ("Confirmar", "Cancelar")


def test_what_to_look_at_is_said_instead_of_the_steps_that_need_a_yes() -> None:
    why = str(asked(invoice(), Because.FURTHER_PLAN).card("es").why)
    assert why.count("Te pregunto") == 1
    assert why.endswith("otra vez. El paso 3 sale al exterior: no se puede deshacer.")


def test_every_reason_to_ask_is_given() -> None:
    why = str(asked(invoice()[:1], *Because).card("es").why)
    told = ["Posible duplicado", "ese mismo mensaje", "en esta conversación"]
    assert [why.index(one) for one in told] == sorted(why.index(one) for one in told)


def test_what_comes_later_stands_under_its_step() -> None:
    card = asked(PLANNED).card("es")
    assert card.lines[3:] == (
        "4. Recordarle el pago el 13/11/2026 si no está pagada",
        (
            "   Después, el 13/11/2026 a las 09:00: "
            "Recordarle a maria@carmona.example el pago de la factura 2026-0001"
        ),
    )
    assert asked(PLANNED).card("en").lines[4] == (
        "   Later, on 13/11/2026 at 09:00: Remind maria@carmona.example of invoice 2026-0001"
    )
    gone = replace(PLANNED[3], later=(replace(LATER, will={}),))
    assert asked([gone]).card("es").lines[1] == (
        "   Después, el 13/11/2026 a las 09:00: algo que este programa ya no sabe hacer"
    )


def test_what_changed_is_shown_before_and_now() -> None:
    card = AGAIN.card("es")
    assert card.lines[1].endswith(" · total: antes 605,00 €, ahora 665,50 €")
    assert "algo ha cambiado desde que lo viste" in str(card.why)
    assert "ese mismo mensaje" in str(card.why)
    came = Difference(1, "fecha_limite", None, Date(date(2026, 11, 18)))
    went = Difference(1, "fecha_limite", Date(date(2026, 11, 18)), None)
    words = Difference(1, "concepto", Text("Logo"), Text("Web"))
    card = replace(asked(invoice()), changed=(came, went, words)).card("en")
    assert card.lines[0].endswith(
        " · fecha limite: not there before, now 18/11/2026"
        " · fecha limite: before 18/11/2026, now not there"
        " · concepto: before “Logo”, now “Web”"
    )


def test_what_changed_before_stays_beside_the_step_and_is_shown_once() -> None:
    total = Difference(2, "total", TOTAL, Money(Decimal("665.5")))
    steps = [replace(one, changed=(total,)) if one.position == 2 else one for one in invoice()]
    for changed in ((), (total,)):
        line = replace(asked(steps), changed=changed).card("es").lines[1]
        assert line.count("antes 605,00 €, ahora 665,50 €") == 1


def test_a_model_is_told_that_figures_changed() -> None:
    assert AGAIN.for_model("es").says == (
        "Todavía no se ha hecho nada: la persona tiene el plan delante y falta su sí. "
        "No se lo preguntes tú ni vuelvas a llamar a esta herramienta: espera a que responda. "
        "Se le pregunta otra vez, porque algo ha cambiado desde que lo vio. "
        "Ha cambiado: paso 2, total: antes 605,00 €, ahora 665,50 €. "
        "Es la misma petición de antes: no se ha repetido nada."
    )
    hostile = Difference(1, "para", Text("a\nb"), Text("*c* smlc_" + "a" * 32))
    says = replace(AGAIN, changed=(hostile,)).for_model("en").says
    assert "What has changed: step 1, para: before “a b”, now “∗c∗ ⟨token⟩”." in says


def test_a_bulk_delete_asks_for_the_words_to_write() -> None:
    card = asked([BULK]).card("es")
    assert card.title == "¿Borrar 14 gastos por 1.204,10 €?"
    assert card.why == (
        "Te pregunto porque el paso 1 no se hace sin que lo confirmes. "
        "Para hacerlo, escribe 14 o BORRAR: un simple «sí» no basta."
    )
    assert "Responde «sí»" not in card.text()
    words = Refused(why=Refusal.WORDS, plan=PLAN, detail="14", speaker=speaker)
    assert words.card("en").title == (
        "Nothing was done: those are not the words to write. Write 14 or DELETE."
    )
    uncounted = asked([replace(BULK, facts={"total": TOTAL})]).card("es")
    assert "escribe 0 o BORRAR" in str(uncounted.why)
    counted = replace(BULK, position=2, facts={"cuantos": Count(3)})
    plain = replace(invoice()[0], facts={**invoice()[0].facts, "lineas": Count(7)})
    assert "escribe 3 o BORRAR" in str(asked([plain, counted]).card("es").why)


def test_the_buttons_are_confirm_and_cancel() -> None:
    card = OUTCOMES["asks"][0].card("en")
    assert card.buttons == ("confirm", "cancel")
    assert asked(invoice()).card("en").labels == ("Confirm", "Cancel")
