"""Each state of a card, from what really happened, in both languages: its sheet and its HTML."""

import re
from pathlib import Path

import pytest
from cards_read import Read
from facturas_desk import ANA, ASIDE, LUIS
from sheet_flows import FLOWS, SENTENCE, Office, office

import semel
from semel import Ask, Outcome, Report, Running, Who
from semel.channels.cards import Sheet, State, sheet
from semel.channels.web import Person, card, csrf, draw, fragment, sprite
from semel.words.voice import Voice

LANGUAGES = ("es", "en")
TEMPLATES = Path(semel.__file__).parent / "channels/web/templates"
DECIDES = {"confirm", "cancel", "retry", "undo", "resolve"}
NOT_YET = {State.AWAITING, State.RUNNING, State.RUNNING_SAFE, State.CANCELLING, State.UNDOING}


def reader(language: str) -> Person:
    return Person(Who(ANA.org, ANA.person, ANA.conversation, language), "s-1")


def place(kind: str, id: str, label: str) -> str | None:
    pages = {"factura": "facturas", "semel.plan": "planes"}
    return f"/{pages[kind]}/{id}" if kind in pages else None


def spoken(outcome: Outcome, language: str = "es") -> Sheet:
    return sheet(outcome, Voice.of(language, "Europe/Madrid"), place)


def html_is_sound(desk: Office, outcome: Outcome, language: str) -> None:
    person = reader(language)
    html = str(fragment(desk.engine, person, outcome, "/p", links=place).html)
    read = Read.of(html)
    assert read.faults == []
    assert read.tags[0][0] == "section"
    assert {"card", "group"} <= {*read.tags[0][1]["class"].split(), read.tags[0][1]["role"]}
    assert read.tags[0][1]["lang"] == language
    ids = read.ids()
    assert len(ids) == len({*ids})
    for tag, at in read.tags:
        assert not {"style", "onclick", "srcdoc"} & {*at}, (tag, at)
        assert tag not in {"script", "style", "iframe", "img"}
        for name in ("aria-labelledby", "aria-describedby", "form"):
            assert {*at.get(name, "").split()} <= {*ids}, (tag, at)
    for form, action in zip(read.forms, read.actions, strict=True):
        assert form["csrf"] == [csrf(desk.engine, person)]
        (do,) = form["do"]
        assert do in DECIDES
        assert action.endswith(f"/{do}")
        assert action.startswith("/p/plans/p_")
    # A token is where it is sent from, and nowhere else.
    tokens = re.findall(r"smlc_[\w-]+", html)
    assert len(tokens) == sum("token" in form for form in read.forms)
    assert not any("smlc_" in text for text in read.texts)
    assert not re.search(r"\{\w+\}", " ".join(read.texts))


@pytest.mark.parametrize("name", FLOWS)
def test_a_flow_comes_to_its_state_in_both_languages(name, tmp_path):
    state, flow = FLOWS[name]
    with office(tmp_path) as desk:
        outcome = flow(desk)
        shown = [spoken(outcome, language) for language in LANGUAGES]
        for one, language in zip(shown, LANGUAGES, strict=True):
            assert one.state == state, one.title
            assert bool(one.announce) is (state != "superseded")
            assert one.announce.count("\n") == 0
            assert one.final is (one.state not in NOT_YET | {State.IN_DOUBT, State.LATER})
            html_is_sound(desk, outcome, language)
        spanish, english = shown
        assert (spanish.title, spanish.words) != (english.title, english.words)
        assert len(spanish.steps) == len(english.steps)
        assert [one.do for one in spanish.buttons] == [one.do for one in english.buttons]


@pytest.mark.no_store
def test_every_state_is_reached():
    assert {state for state, _ in FLOWS.values()} == {*State} - {State.RUNNING_SAFE}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_says_what_it_does_and_what_cannot_be_undone(language, tmp_path):
    with office(tmp_path) as desk:
        shown = spoken(FLOWS["awaiting"][1](desk), language)
    title, button, strong, say = {
        "es": (
            "¿Emitir la factura por 605,00 € y enviar la factura por email a maria@carmona.example?",
            "Emitir y enviar",
            "Los pasos 2 y 3 no se pueden deshacer.",
            "Plan con 4 pasos. Necesita tu confirmación: ",
        ),
        "en": (
            "Issue the invoice for 605,00 € and e-mail the invoice to maria@carmona.example?",
            "Issue and send",
            "Steps 2 and 3 cannot be undone.",
            "Plan of 4 steps. It needs your confirmation: ",
        ),
    }[language]
    assert shown.title == title
    assert [(one.do, one.kind) for one in shown.buttons] == [("cancel", "plain"), ("confirm", "go")]
    assert shown.buttons[1].label == button
    assert shown.strong == strong
    if language == "en":
        assert shown.announce == say + title
    assert [step.once for step in shown.steps] == [False, True, True, False]
    assert [[tag.icon for tag in step.tags] for step in shown.steps] == [
        [], ["once"], ["mail", "once"], [],
    ]  # fmt: skip
    assert [(row.value, row.sum) for row in shown.totals] == [
        ("500,00 €", False), ("105,00 €", False), ("605,00 €", True), ("18/11/2026", False),
    ]  # fmt: skip
    assert "10:10" in shown.foot.expires


def test_a_possible_duplicate_stands_beside_what_exists(tmp_path):
    with office(tmp_path) as desk:
        outcome = FLOWS["duplicate"][1](desk)
        shown = spoken(outcome)
        html = str(draw(desk.engine, reader("es"), outcome, links=place))
    (pair,) = shown.twins
    assert [head.label for head in pair.heads] == ["2026-0001", ""]
    assert shown.buttons[1].label == "Crear otra"
    assert all(len(row.cells) == 2 for row in pair.rows)
    equal = {row.name for row in pair.rows if not row.differs}
    assert {"Cliente", "Concepto", "Total"} <= equal
    assert f'<a class="aside" href="{pair.heads[0].url}">Ver la existente</a>' in html
    assert shown.announce.endswith("Posible duplicado: «2026-0001».")


def test_a_changed_fact_shows_both_figures_and_asks_again(tmp_path):
    with office(tmp_path) as desk:
        outcome = FLOWS["changed"][1](desk)
    shown = spoken(outcome)
    assert isinstance(outcome, Ask)
    assert shown.variant == "changed"
    (changed,) = shown.steps[0].changed
    assert "maria@carmona.example" in changed
    assert "nueva@carmona.example" in changed
    assert shown.notes[0].warns


def test_a_bulk_delete_wants_words_and_nothing_is_pressed_by_enter(tmp_path):
    with office(tmp_path) as desk:
        outcome = FLOWS["typed"][1](desk)
        shown = spoken(outcome)
        read = Read.of(str(draw(desk.engine, reader("es"), outcome)))
    button = shown.buttons[1]
    assert (button.kind, button.label) == ("once", "Borrar")
    assert button.typed is not None
    assert button.typed.accepts == ("4", "borrar", "delete")
    assert [(row.name, row.value) for row in shown.totals] == [("Gastos", "4"), ("Suma", "48,40 €")]
    buttons = [at for tag, at in read.tags if tag == "button"]
    # The first button of the typed form is the one that Enter would press, and it does nothing.
    hidden = next(at for at in buttons if "hidden" in at)
    assert "disabled" in hidden
    field = next(at for tag, at in read.tags if tag == "input" and at.get("name") == "words")
    form = next(at for tag, at in read.tags if tag == "form" and at.get("id") == field["form"])
    assert form["method"] == "post"
    assert field["data-words"] == "4|borrar|delete"
    assert next(at for at in buttons if at.get("value") == "confirm")["aria-disabled"] == "true"


def test_a_doubt_is_answered_by_its_step_and_sent_again_only_with_words(tmp_path):
    with office(tmp_path) as desk:
        outcome = FLOWS["in_doubt"][1](desk)
        shown = spoken(outcome)
        (doubt,) = shown.doubts
        assert [dict(one.fields) for one in doubt.answers] == [
            {"position": "3", "answer": "happened"}, {"position": "3", "answer": "look_again"},
        ]  # fmt: skip
        assert doubt.again is not None
        assert dict(doubt.again.fields) == {"position": "3", "answer": "send_anyway"}
        assert doubt.again.typed is not None
        read = Read.of(str(draw(desk.engine, reader("es"), outcome)))
        assert [form["answer"] for form in read.forms] == [
            ["look_again"], ["happened"], ["send_anyway"],
        ]  # fmt: skip
        desk.clock.move(seconds=3600)
        settled = spoken(desk.status(outcome)).doubts[0]
        assert [dict(one.fields)["answer"] for one in settled.answers] == [
            "happened", "did_not", "look_again",
        ]  # fmt: skip
        assert settled.again is None
        # An answer that was drawn before the last bound had passed counts for nothing.
        assert dict(settled.answers[1].fields)["settled"] == "1"
        assert dict(settled.answers[1].fields)["epoch"] == str(outcome.view.epoch)
    # Nothing of a doubt is the obvious thing to press.
    assert {button.kind for button in doubt.answers} == {"plain"}


def test_what_ended_halfway_says_what_a_retry_does_and_what_it_cannot_take_back(tmp_path):
    with office(tmp_path) as desk:
        outcome = FLOWS["partial"][1](desk)
    shown = spoken(outcome)
    assert isinstance(outcome, Report)
    assert [(group.name, len(group.steps)) for group in shown.groups] == [
        ("Hecho", 2), ("No se pudo", 1), ("No se hizo por eso", 1),
    ]  # fmt: skip
    assert shown.title.startswith("Factura 2026-0001 emitida. Pero esto no se pudo: ")
    assert [button.label for button in shown.buttons] == ["Reintentar lo que falta"]
    assert shown.strong == "El paso 3 no se puede deshacer."
    assert shown.groups[1].steps[0].once
    assert shown.progress is not None
    assert shown.progress.marks == ("done", "done", "failed", "not")
    assert [one.label for one in shown.made] == ["2026-0001"]
    assert shown.foot.trace == f"/planes/{outcome.view.plan}"


def test_what_runs_says_which_step_it_is_at_and_stops_only_what_is_left(tmp_path):
    with office(tmp_path) as desk:
        outcome = FLOWS["running"][1](desk)
    shown = spoken(outcome)
    assert isinstance(outcome, Running)
    assert shown.says == shown.announce
    assert shown.says.startswith("Paso 3 de 4: ")
    assert [step.mark for step in shown.steps] == ["done", "done", "now", "todo"]
    assert [(one.do, one.waits) for one in shown.buttons] == [("cancel", False)]


def test_what_was_not_done_offers_the_sentence_once_more(tmp_path):
    with office(tmp_path) as desk:
        outcome = FLOWS["expired"][1](desk)
        shown = spoken(outcome)
        html = str(draw(desk.engine, reader("es"), outcome))
    assert shown.line
    assert shown.again == SENTENCE
    assert f'data-again="{SENTENCE}"' in html
    assert 'href="/?say=Factura+a+Mar%C3%ADa+Carmona+500+%2B+IVA+y+env%C3%ADasela"' in html


def test_a_plan_whose_place_was_taken_leads_to_the_newer_one(tmp_path):
    with office(tmp_path) as desk:
        outcome = FLOWS["superseded"][1](desk)
        html = str(draw(desk.engine, reader("es"), outcome, "/p"))
        views = desk.face.person(ANA).plans(5)
        (newest,) = (view.plan for view in views if view.state == "asking")
    assert isinstance(outcome, Report)
    assert outcome.view.newer == newest != outcome.view.plan
    assert f'href="/p/plans/{newest}"' in html


def test_whoever_may_only_look_has_no_yes_to_give(tmp_path):
    with office(tmp_path) as desk:
        ask = FLOWS["awaiting"][1](desk)
        # The same person in another conversation: the question is not theirs to answer there.
        shown = spoken(desk.status(ask, who=ASIDE))
        html = str(desk.face.call(card(desk.engine, Person(ASIDE, "s-2"), ask.view.plan)))
        stranger = str(desk.face.call(card(desk.engine, Person(LUIS, "s-3"), ask.view.plan)))
    assert [button.do for button in shown.buttons] == ["cancel"]
    assert shown.kicker == "Espera el sí de quien lo pidió"
    assert "smlc_" not in html
    assert Read.of(stranger).texts == ["Ese plan no existe."]


def test_a_plan_of_nobody_is_one_line_with_the_same_bytes_for_everybody(tmp_path):
    with office(tmp_path) as desk:
        plan = FLOWS["awaiting"][1](desk).view.plan
        eve = Person(Who("another-org", "eve", "main", "es"), "s-3")

        async def both() -> tuple[str, str]:
            known = await card(desk.engine, eve, plan)
            made_up = await card(desk.engine, eve, "p_00000000-0000-7000-8000-000000000000")
            return str(known), str(made_up)

        known, made_up = desk.face.call(both())
    assert known == made_up
    assert "semel-card" not in known
    assert Read.of(known).texts == ["Ese plan no existe."]


def test_a_card_is_within_its_element_and_all_its_symbols_are_there(tmp_path):
    with office(tmp_path) as desk:
        ask = FLOWS["awaiting"][1](desk)
        plan = ask.view.plan
        html = str(desk.face.call(card(desk.engine, reader("es"), plan, "/p")))
    assert html.startswith(f'<semel-card plan="{plan}" src="/p/plans/{plan}"><section class="card"')
    symbols = {at["id"] for tag, at in Read.of(str(sprite())).tags if tag == "symbol"}
    used = re.findall(r'icon\("(\w+)"', "".join(path.read_text() for path in TEMPLATES.iterdir()))
    drawn = {at["href"].removeprefix("#") for tag, at in Read.of(html).tags if tag == "use"}
    assert drawn | {f"i-{name}" for name in used} <= symbols
