"""Every outcome in words, for the person and for the model, in both languages."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semel
from semel.domain.action import CONFIRM, SAFE, TYPED, Missing, Risk
from semel.domain.consent import TOKEN_PREFIX, Difference
from semel.domain.plan import PlanReason, PlanState, StepReason, StepState
from semel.domain.report import (
    Ask,
    Because,
    Invalid,
    Next,
    Outcome,
    PlanView,
    Problem,
    Refusal,
    Refused,
    Report,
    Running,
    Status,
    StepView,
)
from semel.domain.resolution import Fault
from semel.facts import Count, Date, Email, Fact, Money, Text
from semel.words import Words, neutral, speaker
from semel.words.card import PlanCard
from semel.words.voice import SENTENCES

SRC = Path(semel.__file__).parent
LANGUAGES = ("es", "en")
PLAN = "p_0192f3a1-7c2b-7000-8000-000000000001"
TOTAL = Money(Decimal(605))
DONE, NOT, WAITING = StepState.DONE, StepState.NOT_DONE, StepState.WAITING
NOT_REACHED = StepReason.NOT_REACHED


def step(
    position: int,
    es: tuple[str, str],
    en: tuple[str, str],
    facts: Mapping[str, Fact],
    effect: str = "local",
    risk: Risk = CONFIRM,
    **made: Fact,
) -> StepView:
    return StepView(
        position=position,
        action=f"factura.paso_{position}",
        will={"es": es[0], "en": en[0]},
        did={"es": es[1], "en": en[1]},
        effect=effect,
        risk=risk,
        facts=facts,
        state=WAITING,
        made=made,
    )


def invoice(customer: str = "María Carmona", concept: str = "Diseño del logo") -> list[StepView]:
    """The four steps of the request in the first post."""
    draft: dict[str, Fact] = {
        "cliente": Text(customer),
        "concepto": Text(concept),
        "base": Money(Decimal(500)),
        "iva": Money(Decimal(105)),
        "total": TOTAL,
        "vence": Date(date(2026, 11, 18)),
    }
    sum_es = "{base} + IVA {iva} = {total}, vence {vence}"
    sum_en = "{base} + VAT {iva} = {total}, due {vence}"
    return [
        step(
            1,
            (f"Borrador para {{cliente}}: «{{concepto}}», {sum_es}", "Borrador creado: {total}"),
            (f"Draft invoice for {{cliente}}: “{{concepto}}”, {sum_en}", "Draft created: {total}"),
            draft,
            risk=SAFE,
        ),
        step(
            2,
            (
                "Emitir el borrador por {total} con el siguiente número de la serie {serie}.",
                "Factura {numero} emitida.",
            ),
            (
                "Issue the draft for {total} with the next number of series {serie}.",
                "Invoice {numero} issued.",
            ),
            {"total": TOTAL, "serie": Text("2026"), "numero": Text("?", volatile=True)},
            numero=Text("2026-0001"),
        ),
        step(
            3,
            ("Enviar la factura por email a {para}", "Factura enviada a {para}"),
            ("Email the invoice to {para}", "Invoice emailed to {para}"),
            {"para": Email("maria@carmona.example")},
            effect="opaque",
        ),
        step(
            4,
            ("Recordarle el pago el {dia} si no está pagada", "Recordatorio puesto: {dia}"),
            ("Remind her of the payment on {dia} if it is not paid", "Reminder set: {dia}"),
            {"dia": Date(date(2026, 11, 13))},
        ),
    ]


def ended(
    states: str, reasons: tuple[StepReason | None, ...] = (None,) * 4, detail: str | None = None
) -> tuple[StepView, ...]:
    """The invoice's steps in states by letter: d(one), n(ot done), w(aiting), ? (in doubt)."""
    letters = {"d": DONE, "n": NOT, "w": WAITING, "s": StepState.STARTED, "?": StepState.IN_DOUBT}
    return tuple(
        replace(
            one,
            state=letters[letter],
            reason=reason,
            detail=detail if reason is StepReason.REFUSED else None,
            made=one.made if letter == "d" else {},
        )
        for one, letter, reason in zip(invoice(), states, reasons, strict=True)
    )


def view(
    state: PlanState,
    reason: PlanReason | None = None,
    steps: tuple[StepView, ...] = tuple(invoice()),
    because: Because | None = None,
) -> PlanView:
    risk = max(one.risk for one in steps)
    expires = "2026-10-19T10:41:00.000000Z"
    return PlanView(PLAN, state, reason, risk, steps, expires_at=expires, because=because)


def asked(steps: list[StepView], because: Because | None = None) -> Ask:
    shown = view(PlanState.ASKING, steps=tuple(steps), because=because)
    return Ask(view=shown, token="smlc_" + "a" * 32, speaker=speaker)


def report(
    reason: PlanReason,
    states: str,
    reasons: tuple[StepReason | None, ...] = (None,) * 4,
    *,
    detail: str | None = None,
    replayed: bool = False,
) -> Report:
    shown = view(PlanState.ENDED, reason, ended(states, reasons, detail))
    return Report(view=shown, replayed=replayed, speaker=speaker)


def after(reason: StepReason) -> tuple[StepReason | None, ...]:
    return (None, None, reason, NOT_REACHED)


BULK = step(
    1,
    ("Borrar {cuantos} gastos por {total}", "{cuantos} gastos borrados"),
    ("Delete {cuantos} expenses for {total}", "{cuantos} expenses deleted"),
    {"cuantos": Count(14), "total": Money(Decimal("1204.10"))},
    risk=TYPED,
)
QUESTIONS = (
    Missing("nif", of="María Carmona"),
    Missing("plazo_pago_dias"),
    Missing(
        "vence", ask={"es": "¿A cuántos días?", "en": "In how many days?"}, choices=("15", "30")
    ),
    Missing("nif", of="María Carmona"),
)
FULL = "550 buzón lleno."

OUTCOMES: dict[str, tuple[Outcome, Status, Next]] = {
    "asks": (asked(invoice()), Status.NEEDS_PERSON, Next.WAIT_PERSON),
    "asks again": (
        replace(
            asked(invoice(), Because.FURTHER_PLAN),
            again=True,
            changed=(Difference(2, "total", TOTAL, Money(Decimal("665.5"))),),
            replayed=True,
        ),
        Status.NEEDS_PERSON,
        Next.WAIT_PERSON,
    ),
    "asks for words": (asked([BULK]), Status.NEEDS_PERSON, Next.WAIT_PERSON),
    "runs": (
        Running(view=view(PlanState.RUNNING, steps=ended("dsww")), speaker=speaker),
        Status.RUNNING,
        Next.POLL,
    ),
    "finished": (report(PlanReason.FINISHED, "dddd"), Status.DONE, Next.NOTHING),
    "finished before": (
        report(PlanReason.FINISHED, "dddd", replayed=True),
        Status.ALREADY_DONE,
        Next.NOTHING,
    ),
    "failed at the mail": (
        report(PlanReason.FAILED, "ddnn", after(StepReason.REFUSED), detail=FULL),
        Status.PARTIAL,
        Next.ASK_PERSON,
    ),
    "failed at once": (
        report(PlanReason.FAILED, "nnnn", (StepReason.FAILED, *(NOT_REACHED,) * 3)),
        Status.NOT_DONE,
        Next.ASK_PERSON,
    ),
    "proved late": (
        report(PlanReason.FAILED, "dddn", (None, None, None, NOT_REACHED)),
        Status.PARTIAL,
        Next.ASK_PERSON,
    ),
    "stale at the yes": (
        report(PlanReason.STALE, "nnnn", (StepReason.STALE,) * 4),
        Status.NOT_DONE,
        Next.ASK_PERSON,
    ),
    "stale on the way": (
        report(PlanReason.STALE, "ddnn", after(StepReason.STALE)),
        Status.PARTIAL,
        Next.ASK_PERSON,
    ),
    "in doubt": (
        report(PlanReason.IN_DOUBT, "dd?n", (None, None, None, NOT_REACHED)),
        Status.IN_DOUBT,
        Next.WAIT_PERSON,
    ),
    "in doubt by its step": (
        report(PlanReason.FAILED, "ddsn", (None, None, None, NOT_REACHED)),
        Status.IN_DOUBT,
        Next.WAIT_PERSON,
    ),
    "cancelled": (
        report(PlanReason.CANCELLED, "nnnn", (StepReason.CANCELLED,) * 4),
        Status.CANCELLED,
        Next.NOTHING,
    ),
    "cancelled on the way": (
        report(PlanReason.CANCELLED, "dnnn", (None, *(StepReason.CANCELLED,) * 3)),
        Status.CANCELLED,
        Next.NOTHING,
    ),
    "expired": (
        report(PlanReason.EXPIRED, "nnnn", (NOT_REACHED,) * 4, replayed=True),
        Status.EXPIRED,
        Next.ASK_PERSON,
    ),
    "expired though begun": (
        report(PlanReason.EXPIRED, "dnnn", (None, *(NOT_REACHED,) * 3)),
        Status.PARTIAL,
        Next.ASK_PERSON,
    ),
    "superseded": (
        report(PlanReason.SUPERSEDED, "nnnn", (NOT_REACHED,) * 4),
        Status.CANCELLED,
        Next.NOTHING,
    ),
    "doctored": (
        report(PlanReason.REFUSED, "nnnn", (NOT_REACHED,) * 4),
        Status.REFUSED,
        Next.NOTHING,
    ),
    "doctored on the way": (
        report(PlanReason.REFUSED, "dnnn", (None, *(NOT_REACHED,) * 3)),
        Status.PARTIAL,
        Next.ASK_PERSON,
    ),
    "questions": (
        Invalid(
            questions=QUESTIONS,
            problems=(Problem("bad_value", "steps[1].input.lineas.0.iva", "not a number"),),
            speaker=speaker,
        ),
        Status.INVALID,
        Next.ASK_PERSON,
    ),
    "problems": (
        Invalid(
            problems=(Problem("unknown_action", "steps[1]", "factura.volar"),), speaker=speaker
        ),
        Status.INVALID,
        Next.NOTHING,
    ),
    **{
        f"refused: {why}": (
            Refused(why=why, plan=PLAN, detail="facturas.emitir", speaker=speaker),
            Status.EXPIRED if why is Refusal.EXPIRED else Status.REFUSED,
            Next.ASK_PERSON if why is Refusal.EXPIRED else Next.NOTHING,
        )
        for why in Refusal
    },
    **{
        f"step {reason}": (
            report(PlanReason.FAILED, "ddnn", after(reason)),
            Status.PARTIAL,
            Next.ASK_PERSON,
        )
        for reason in StepReason
    },
}


def problem_codes() -> Iterator[str]:
    """Every code that the program can put into a Problem, read from its source."""
    yield from (str(fault) for fault in Fault)
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"Problem", "Malformed"}:
                yield from codes_in(node.args[0], path)
    # The catalog turns pydantic's kinds of errors into codes, by a table with a default.
    for node in ast.walk(ast.parse((SRC / "catalog.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "code":
            strings = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
            yield from map(str, strings - {"extra_forbidden", "missing", "type"})


def codes_in(code: ast.expr, path: Path) -> list[str]:
    """The code if it is a literal; where it is computed, it comes from a place that is known."""
    if isinstance(code, ast.Constant):
        return [str(code.value)]
    assert ast.unparse(code) in {"code", "no.code", "str(fault)"}, (
        f"{path.name}: {ast.unparse(code)}"
    )
    return []


CODES = sorted(set(problem_codes()))


def first_sentence(says: str) -> str:
    return re.split(r"(?<=[.?])(?=\s)", says)[0]


@pytest.fixture(params=LANGUAGES)
def locale(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_both_languages_have_the_same_sentences_with_the_same_places() -> None:
    places = {
        language: {
            name: sorted(set(re.findall(r"\{(\w+)\}", text))) for name, text in sentences.items()
        }
        for language, sentences in SENTENCES.items()
    }
    assert set(places) == set(LANGUAGES)
    assert places["es"] == places["en"]


def test_every_sentence_is_there_for_a_reason() -> None:
    written = "".join(path.read_text(encoding="utf-8") for path in (SRC / "words").glob("[!e]*.py"))
    computed = {
        "button", "reason", "report", "model", "model.next", "refusal", "model.refusal", "invalid",
        "problem",
    }  # fmt: skip
    for name in SENTENCES["es"]:
        parts = name.split(".")
        stems = {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
        assert f'"{name}"' in written or stems & computed, name


def test_every_problem_of_the_program_has_a_sentence() -> None:
    assert len(CODES) >= 24
    for language in LANGUAGES:
        assert {f"problem.{code}" for code in CODES} <= set(SENTENCES[language])


@pytest.mark.parametrize("code", [*CODES, "brand_new"])
def test_a_problem_says_what_is_wrong_where_and_what_to_do(code: str, locale: str) -> None:
    outcome = Invalid(
        problems=(Problem(code, "steps[2].input.factura", "$1"), Problem(code)), speaker=speaker
    )
    answer = outcome.for_model(locale)
    assert (answer.status, answer.next, answer.plan) == (Status.INVALID, Next.NOTHING, None)
    assert "steps[2].input.factura" in answer.says
    assert code not in answer.says
    assert "()" not in answer.says
    assert not re.search(r"\{\w+\}", answer.says)
    wrong_and_remedy = SENTENCES[locale].get(f"problem.{code}", SENTENCES[locale]["problem.other"])
    assert len(re.split(r"[:,]", wrong_and_remedy)) > 1
    card = outcome.card(locale).text()
    assert code not in card
    assert "steps[" not in card


def test_the_table_reaches_every_member_of_every_closed_set() -> None:
    outcomes = [outcome for outcome, _, _ in OUTCOMES.values()]
    assert {status for _, status, _ in OUTCOMES.values()} == set(Status)
    assert {next_ for _, _, next_ in OUTCOMES.values()} == set(Next)
    assert {type(outcome) for outcome in outcomes} == {Ask, Running, Report, Invalid, Refused}
    reports = [outcome for outcome in outcomes if isinstance(outcome, Report)]
    assert {outcome.view.reason for outcome in reports} == set(PlanReason)
    steps = [one for outcome in reports for one in outcome.view.steps]
    assert {one.reason for one in steps} == {*StepReason, None}
    assert {outcome.why for outcome in outcomes if isinstance(outcome, Refused)} == set(Refusal)


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_model_is_told_the_world_first_and_what_it_may_do(name: str, locale: str) -> None:
    outcome, status, next_ = OUTCOMES[name]
    answer = outcome.for_model(locale)
    assert (answer.status, answer.next) == (status, next_)
    world = {
        "es": "hech[oa]|hizo|haciendo|se sabe|no existe",
        "en": "was done|being done|nothing has happened|done:|not known|has done|not exist",
    }
    assert re.search(world[locale], first_sentence(answer.says), re.IGNORECASE), answer.says
    assert "{" not in answer.says
    assert answer.says.endswith((".", "?", ")"))
    assert not re.search(r"fail|error|traceback|exception", answer.says, re.IGNORECASE)
    # Neither a token, nor a permission, nor the name of an action or of a state.
    assert not re.search(rf"{TOKEN_PREFIX}|facturas?\.(?!volar)|not_|_done", answer.says)
    plain = answer.plain()
    assert json.loads(json.dumps(plain)) == {
        "status": status, "says": answer.says, "next": next_, "plan": answer.plan,
    }  # fmt: skip
    known = not isinstance(outcome, Invalid) and name != "refused: not_found"
    assert answer.plan == (PLAN if known else None)


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_card_is_whole_sentences_and_no_codes(name: str, locale: str) -> None:
    outcome, _, _ = OUTCOMES[name]
    card = outcome.card(locale)
    text = card.text()
    assert "{" not in text
    assert "None" not in text
    assert TOKEN_PREFIX not in text
    assert not re.search(r"fail|error|operación|facturas?\.|not_reached", text, re.IGNORECASE)
    assert text.startswith(card.title)
    assert all(line in text.splitlines() for line in card.lines)
    assert card.buttons == (("confirm", "cancel") if isinstance(outcome, Ask) else ())


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


def test_the_seeds_partial_report_has_three_groups() -> None:
    outcome, _, _ = OUTCOMES["failed at the mail"]
    assert (
        outcome.card("es").text()
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
    assert outcome.for_model("en").says == (
        "A part was done, 2 of 4 steps, and the rest was not. "
        "Done: Draft created: 605,00 €; Invoice 2026-0001 issued. "
        "Could not: Email the invoice to maria@carmona.example: 550 buzón lleno. "
        "Not done because of that: Remind her of the payment on 13/11/2026 if it is not paid. "
        "Do not repeat what was done, and do not do the rest on your own: "
        "tell the person and ask them what to do."
    )


def test_what_was_done_is_told_with_the_figures_of_the_result() -> None:
    finished, _, _ = OUTCOMES["finished"]
    assert finished.for_model("es").says == (
        "Hecho: Borrador creado: 605,00 €; Factura 2026-0001 emitida; "
        "Factura enviada a maria@carmona.example; Recordatorio puesto: 13/11/2026. "
        "No queda nada por hacer ni por repetir."
    )
    again, _, _ = OUTCOMES["finished before"]
    assert first_sentence(again.for_model("es").says) == "Esto ya se hizo: no hay nada que repetir."
    assert first_sentence(again.for_model("en").says) == (
        "This was already done: there is nothing to repeat."
    )
    assert again.card("es").title == "Ya se hicieron los 4 pasos, y no se ha repetido ninguno."


def test_one_step_is_told_in_one_line() -> None:
    (issued,) = ended("dddd")[1:2]
    shown = view(PlanState.ENDED, PlanReason.FINISHED, (issued,))
    outcome = Report(view=shown, speaker=speaker)
    assert outcome.card("es").title == "Hecho: Factura 2026-0001 emitida"
    assert outcome.card("es").lines == ()
    assert replace(outcome, replayed=True).card("en").title == (
        "This was already done, and was not repeated: Invoice 2026-0001 issued"
    )
    lone = replace(asked(invoice()), view=view(PlanState.ASKING, steps=(invoice()[1],)))
    assert lone.card("es").title == (
        "¿Emitir el borrador por 605,00 € con el siguiente número de la serie 2026?"
    )
    two = replace(lone, view=view(PlanState.ASKING, steps=tuple(invoice()[:2])))
    assert two.card("en").title == (
        "Issue the draft for 605,00 € with the next number of series 2026, and one more step?"
    )


def test_a_doubt_is_named_and_nothing_is_repeated() -> None:
    outcome, _, _ = OUTCOMES["in doubt"]
    assert outcome.card("es").title == (
        "No sabemos si «Enviar la factura por email a maria@carmona.example» llegó a salir. "
        "Compruébalo antes de repetirlo; no se repetirá solo."
    )
    assert "No se sabe:" in outcome.card("es").lines
    assert "may have happened" in first_sentence(outcome.for_model("en").says)
    assert "Do not repeat it" in outcome.for_model("en").says


def test_what_changed_is_shown_before_and_now() -> None:
    outcome, _, _ = OUTCOMES["asks again"]
    card = outcome.card("es")
    assert card.lines[1].endswith(" · total: antes 605,00 €, ahora 665,50 €")
    assert "algo ha cambiado desde que lo viste" in str(card.why)
    assert "ese mismo mensaje" in str(card.why)
    came = Difference(1, "fecha_limite", None, Date(date(2026, 11, 18)))
    went = Difference(1, "fecha_limite", Date(date(2026, 11, 18)), None)
    both = replace(asked(invoice()), changed=(came, went)).card("en")
    assert both.lines[0].endswith(
        " · fecha limite: not there before, now 18/11/2026"
        " · fecha limite: before 18/11/2026, now not there"
    )


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


def test_a_running_plan_says_where_it_is() -> None:
    outcome, _, _ = OUTCOMES["runs"]
    card = outcome.card("es")
    assert card.title == (
        "Paso 2 de 4: Emitir el borrador por 605,00 € con el siguiente número de la serie 2026"
    )
    assert card.lines == ("Hecho:", "1. Borrador creado: 605,00 €")
    last = Running(view=view(PlanState.RUNNING, steps=ended("dddd")), speaker=speaker)
    assert last.card("en").title.startswith("Step 4 of 4: ")


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


def test_what_does_not_exist_is_one_sentence_whoever_asks(locale: str) -> None:
    bare = Refused(why=Refusal.NOT_FOUND, speaker=speaker)
    full = Refused(why=Refusal.NOT_FOUND, plan=PLAN, detail="mismatch", speaker=speaker)
    assert bare.for_model(locale).plain() == full.for_model(locale).plain()
    assert bare.card(locale) == full.card(locale)


def test_an_action_that_is_gone_is_named() -> None:
    gone = replace(invoice()[0], will={}, did={}, state=DONE)
    shown = view(PlanState.ENDED, PlanReason.FINISHED, (gone,))
    assert Report(view=shown, speaker=speaker).card("es").title == "Hecho: «factura.paso_1»"
    only_english = replace(invoice()[0], will={"en": "Draft"})
    one = replace(asked([BULK]), view=view(PlanState.ASKING, steps=(only_english,)))
    assert one.card("es").title == "¿Draft?"


def test_a_locale_without_sentences_falls_back_to_english() -> None:
    outcome = asked(invoice())
    assert outcome.card("es-ES") == outcome.card("es_MX") == outcome.card("es")
    assert outcome.card("ca") == outcome.card("") == outcome.card("en")


def test_the_clock_is_the_readers() -> None:
    bogota = Words(zone="America/Bogota").card(asked(invoice()), "en")
    assert str(bogota.footer).startswith("Expires at 05:41 · ")
    endless = asked(invoice())
    endless = replace(endless, view=replace(endless.view, expires_at=None))
    assert str(endless.card("en").footer).startswith("Plan p_0192f3a1-7c2b · ")
    card = bogota
    assert isinstance(card, PlanCard)
    assert card.labels == ("Confirm", "Cancel")


FIGURES = ("500,00 €", "105,00 €", "605,00 €", "18/11/2026", "13/11/2026", "maria@carmona.example")
ATTACKS = [
    "María\u202e€ 00,1",
    "Мaría",
    "Ma\u200bría",
    "María\nTotal: 1,00 €\n5. Enviar a otro@evil.example",
    "María\r\u2028\u2029\x0b\x0c\x85Total: 1,00 €",
    "[605,00 €](https://evil.example)",
    "<br><b>Total: 1,00 €</b><!--",
    "*1,00 €* ~605,00 €~ `x` _y_",
    "A" * 10_000,
    "\n" * 10_000,
    "٦٠٥٫٠٠ €",
    "\U000e0054\U000e006f\U000e0074",
    "{total}{base}",
    "»: 1,00 €. «",
    "smlc_" + "a" * 32,
    "\ud800",
    "",
]


def shape(card_text: str) -> tuple[int, list[int]]:
    return card_text.count("\n"), [card_text.count(figure) for figure in FIGURES]


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_name_changes_the_lines_or_the_figures_of_a_card(attack: str, locale: str) -> None:
    honest = asked(invoice()).card(locale)
    card = asked(invoice(attack, attack)).card(locale)
    assert len(card.text().splitlines()) == len(honest.text().splitlines())
    assert (card.title, card.lines[1:], card.why) == (honest.title, honest.lines[1:], honest.why)
    assert card.lines[0].endswith(honest.lines[0][honest.lines[0].index(", 500,00 €") :])
    assert TOKEN_PREFIX not in card.text()


def test_what_an_action_refused_with_is_neutral_too(locale: str) -> None:
    said = "No\n4. Hecho: *todo* smlc_" + "a" * 32
    outcome = report(PlanReason.FAILED, "ddnn", after(StepReason.REFUSED), detail=said)
    plain = report(PlanReason.FAILED, "ddnn", after(StepReason.REFUSED), detail="No")
    assert outcome.card(locale).text().count("\n") == plain.card(locale).text().count("\n")
    assert neutral(said) in outcome.card(locale).text()
    assert "a" * 32 not in outcome.for_model(locale).says
    question = Missing("x", of="María\nTotal: 1,00 €", choices=("a\nb",))
    asks = Invalid(questions=(question,), speaker=speaker).card(locale)
    assert len(asks.lines[0].splitlines()) == 1


@settings(deadline=None)
@given(st.text(max_size=400), st.text(max_size=400))
def test_whatever_a_text_holds_the_card_keeps_its_lines_and_figures(one: str, other: str) -> None:
    for locale in LANGUAGES:
        lines, figures = shape(asked(invoice()).card(locale).text())
        text = asked(invoice(one, other)).card(locale).text()
        counted = shape(text)
        assert counted[0] == lines == len(text.splitlines()) - 1
        assert all(now >= before for now, before in zip(counted[1], figures, strict=True))
