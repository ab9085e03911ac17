"""What a sheet decides by itself: its words for few steps and for many, its columns, its marks."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import pytest

from semel.channels.cards import Sheet, sheet
from semel.domain.action import CONFIRM, SAFE, Risk
from semel.domain.consent import Difference
from semel.domain.plan import PlanState, StepState
from semel.domain.report import Ask, Because, LaterView, PlanView, StepView
from semel.facts import Count, Email, Fact, Money, Text
from semel.words import speaker
from semel.words.voice import Voice

pytestmark = pytest.mark.no_store

NUMBERS = ("primera", "segunda", "tercera")


def euros(amount: str, currency: str = "EUR") -> Money:
    return Money(Decimal(amount), currency)


def step(position: int, facts: Mapping[str, Fact] | None = None, **more: object) -> StepView:
    number = NUMBERS[position - 1]
    given: dict[str, object] = {
        "position": position,
        "action": f"cosa.{position}",
        "will": {"es": f"Hacer la {number}", "en": "Do it"},
        "did": {"es": f"Hecha la {number}", "en": "Did it"},
        "effect": "local",
        "risk": CONFIRM,
        "facts": facts or {},
        "state": StepState.WAITING,
        "wording": {
            "question": {"es": f"Hacer ya la {number}", "en": "Do it now"},
            "button": {"es": f"Hacer {position}", "en": "Do it"},
        },
        "undoable": True,
    }
    return StepView(**(given | more))  # type: ignore[arg-type] # each test says what it changes


def asked(*steps: StepView, risk: Risk = CONFIRM, **more: object) -> Sheet:
    view = PlanView(
        plan="p_0192f3a1-7c2b-7000-8000-000000000001",
        state=PlanState.ASKING,
        reason=None,
        risk=risk,
        steps=steps,
    )
    outcome = Ask(view=view, token="smlc_x", speaker=speaker, **more)  # type: ignore[arg-type] # as above
    return sheet(outcome, Voice.of("es", "Europe/Madrid"))


def test_one_and_two_steps_are_named_and_three_are_counted():
    one, two, three = (asked(*(step(n + 1) for n in range(count))) for count in (1, 2, 3))
    assert (one.title, one.buttons[1].label) == ("¿Hacer ya la primera?", "Hacer 1")
    assert two.title == "¿Hacer ya la primera y hacer ya la segunda?"
    assert two.buttons[1].label == "Hacer 1 y hacer 2"
    assert three.title == "¿Hacer ya la primera, y 2 pasos más?"
    assert three.buttons[1].label == "Confirmar"


def test_every_step_that_asks_is_named_or_counted():
    shown = asked(step(1, risk=SAFE), step(2, undoable=False), step(3, effect="opaque"))
    assert shown.title == "¿Hacer ya la segunda y hacer ya la tercera?"
    assert [one.once for one in shown.steps] == [False, True, True]
    assert shown.strong == "Los pasos 2 y 3 no se pueden deshacer."
    # A step that can be taken back asks too: a button that names the others would hide it.
    three = asked(step(1), step(2, undoable=False), step(3, effect="opaque"))
    assert three.title == "¿Hacer ya la tercera, y 2 pasos más?"
    assert three.buttons[1].label == "Confirmar"


def test_what_only_plans_for_later_can_still_be_taken_back():
    later = LaterView({"es": "Recordar", "en": "Remind"}, {}, "2026-11-13T08:00:00.000000Z")
    shown = asked(step(1, undoable=False, later=(later,)))
    assert not shown.steps[0].once
    assert shown.steps[0].notes == ("Después, el 13/11/2026 a las 09:00: Recordar",)


def test_an_action_that_declares_nothing_is_asked_about_as_before():
    shown = asked(step(1, wording={}), step(2, wording={}))
    assert shown.title == "¿Hacer la primera, y un paso más?"
    assert shown.buttons[1].label == "Confirmar"


def test_words_that_begin_with_somebodys_name_keep_it_as_it_is():
    ask = {"question": {"es": "{quien} lo recibe", "en": "{quien} gets it"}}
    steps = (step(n, {"quien": Text("María")}, wording=ask) for n in (1, 2))
    assert asked(*steps).title == "¿María lo recibe, y un paso más?"
    other = step(2, {"quien": Text("Ana")}, wording=ask)
    assert asked(step(1), other).title == "¿Hacer ya la primera y Ana lo recibe?"


def test_a_declared_sentence_that_lacks_its_fact_is_not_shown_half():
    half = step(1, wording={"question": {"es": "Hacer {x}", "en": "Do {x}"}})
    assert asked(half).title == "¿Hacer la primera?"


def test_an_email_goes_out_and_anything_else_goes_outside():
    shown = asked(step(1, {"para": Email("a@b.example")}, effect="opaque"), step(2, effect="keyed"))
    assert [[tag.text for tag in one.tags] for one in shown.steps] == [
        ["Sale un correo", "No se puede deshacer"],
        ["Sale al exterior", "No se puede deshacer"],
    ]


SUMS: dict[str, tuple[dict[str, Fact], list[bool]]] = {
    "it adds up": (
        {"base": euros("500"), "iva": euros("105"), "total": euros("605")},
        [False, False, True],
    ),
    "a cent is missing": (
        {"base": euros("500"), "iva": euros("105"), "total": euros("604.99")},
        [False, False, False],
    ),
    "two currencies": (
        {"base": euros("500"), "iva": euros("105", "USD"), "total": euros("605")},
        [False, False, False],
    ),
    "two equal amounts": ({"importe": euros("5"), "pendiente": euros("5")}, [False, False]),
    "one amount": ({"importe": euros("5")}, []),
}


@pytest.mark.parametrize("case", SUMS)
def test_a_sum_is_one_only_where_it_adds_up(case):
    facts, sums = SUMS[case]
    assert [row.sum for row in asked(step(1, facts)).totals] == sums


def test_the_money_of_two_steps_is_not_one_table():
    facts, _ = SUMS["it adds up"]
    assert asked(step(1, facts), step(2, facts)).totals == ()
    assert len(asked(step(1, facts), step(2, {"total": euros("605")})).totals) == 3


def test_a_figure_that_changed_stands_beside_what_it_was():
    facts, _ = SUMS["it adds up"]
    shown = asked(
        step(1, facts), again=True, changed=(Difference(1, "total", euros("726"), euros("605")),)
    )
    assert [(row.name, row.was) for row in shown.totals] == [
        ("Base", None), ("Iva", None), ("Total", "726,00 €"),
    ]  # fmt: skip
    assert shown.kicker == "Espera tu sí otra vez"


def test_a_declared_name_of_a_fact_heads_its_column():
    facts, _ = SUMS["it adds up"]
    names = {"fact.iva": {"es": "IVA", "en": "VAT"}}
    assert [row.name for row in asked(step(1, facts, wording=names)).totals][1] == "IVA"


def test_a_safe_plan_that_looks_alike_says_why_it_asks():
    view = asked(step(1, risk=SAFE), risk=SAFE)
    assert view.why == "Te pregunto porque esto no se hace sin que lo confirmes."
    plan = PlanView(
        plan="p_0192f3a1-7c2b-7000-8000-000000000001", state=PlanState.ASKING, reason=None,
        risk=SAFE, steps=(step(1, risk=SAFE),), because=(Because.LOOK_ALIKE,),
    )  # fmt: skip
    shown = sheet(Ask(view=plan, token="smlc_x", speaker=speaker), Voice.of("es", "Europe/Madrid"))
    assert (shown.why, shown.buttons[1].label) == (
        "Te pregunto porque puede ser lo mismo otra vez.",
        "Crear otra",
    )
    assert [note.icon for note in shown.notes] == ["twin"]


def test_an_unsafe_database_is_a_warning_beside_what_is_sent():
    plan = PlanView(
        plan="p_0192f3a1-7c2b-7000-8000-000000000001", state=PlanState.ASKING, reason=None,
        risk=CONFIRM, steps=(step(1, effect="opaque"),), unsafe=True,
    )  # fmt: skip
    shown = sheet(Ask(view=plan, token="smlc_x", speaker=speaker), Voice.of("es", "Europe/Madrid"))
    assert [note.warns for note in shown.notes] == [True]
    assert shown.buttons[1].fields == (("token", "smlc_x"),)
    gone = sheet(Ask(view=replace(plan, unsafe=False), speaker=speaker), Voice.of("es", "UTC"))
    assert gone.notes == ()
    assert [one.do for one in gone.buttons] == ["cancel"]


def test_a_count_of_a_bulk_is_what_has_to_be_written():
    bulk = step(1, {"cuantos": Count(14), "total": euros("1204.10")}, risk=Risk.TYPED)
    shown = asked(bulk, risk=Risk.TYPED)
    typed = shown.buttons[1].typed
    assert typed is not None
    assert (typed.prompt, typed.accepts[0]) == ("Escribe 14 o BORRAR", "14")
    assert [row.value for row in shown.totals] == ["14", "1.204,10 €"]
    assert shown.announce == "¿Hacer ya la primera? Escribe 14 o BORRAR."
