"""Every outcome in words, for the person and for the model: what holds of all of them."""

import json
import re

import pytest
from words_outcomes import NOTHING, OUTCOMES
from words_views import PLAN, asked, invoice, report

from semel.domain.consent import TOKEN_PREFIX
from semel.domain.plan import PlanReason, PlanState
from semel.domain.report import Ask, Invalid, Refusal, Refused, Report, Running
from semel.words import Words, speaker
from semel.words.card import PlanCard

LANGUAGES = ("es", "en")
WORLD = {
    "es": "hech[oa]|hizo|haciendo|se sabe|no existe|cancelado",
    "en": "was done|being done|nothing has happened|done:|already done|not known|has done|not exist|undone"
    "|not done",
}
FORMS = {
    "asks": ("confirm", "cancel"),
    "runs": ("cancel",),
    "runs an undo": ("cancel",),
    "waits for its day": ("cancel",),
    "failed at the mail, can be retried": ("retry",),
    "resolved: it did not": ("retry",),
    "later: stale": ("retry",),
    "finished, can be undone": ("undo",),
    "in doubt": ("resolve", "resolve"),
    "in doubt for good": ("resolve", "resolve"),
    "in doubt and settled": ("resolve", "resolve", "resolve"),
}
"""The buttons of the outcomes that have some; every question has those of the first."""


def first_sentence(says: str) -> str:
    return re.split(r"(?<=[.?])(?=\s)", says)[0]


@pytest.fixture(params=LANGUAGES)
def locale(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_model_is_told_the_world_first_and_what_it_may_do(name: str, locale: str) -> None:
    outcome, status, next_ = OUTCOMES[name]
    answer = outcome.for_model(locale)
    assert (answer.status, answer.next) == (status, next_)
    assert re.search(WORLD[locale], first_sentence(answer.says), re.IGNORECASE), answer.says
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
    assert card.buttons == FORMS.get("asks" if isinstance(outcome, Ask) else name, ())


@pytest.mark.parametrize("name", OUTCOMES)
def test_every_button_says_what_it_does(name: str, locale: str) -> None:
    card = OUTCOMES[name][0].card(locale)
    assert isinstance(card, PlanCard)
    assert len(card.labels) == len(card.buttons)
    assert len(set(card.labels)) == len(card.labels)
    assert len(card.answers) == card.buttons.count("resolve")


def test_what_was_done_is_told_with_the_figures_of_the_result() -> None:
    finished, _, _ = OUTCOMES["finished"]
    assert finished.for_model("es").says == (
        "Hecho: Borrador creado: 605,00 €; Factura 2026-0001 emitida; "
        "Factura enviada a maria@carmona.example; Recordatorio puesto: 13/11/2026. "
        "No queda nada por hacer ni por repetir."
    )
    again, _, _ = OUTCOMES["finished before"]
    assert first_sentence(again.for_model("es").says) == (
        "Esto ya se hizo el 19/10/2026 a las 10:02: no hay nada que repetir."
    )
    assert first_sentence(again.for_model("en").says) == (
        "This was already done on 19/10/2026 at 10:02: there is nothing to repeat."
    )
    assert again.card("es").title == (
        "Los 4 pasos ya se hicieron el 19/10/2026 a las 10:02; no se ha repetido nada."
    )
    assert "primera vez" not in again.card("es").text()


def test_what_does_not_exist_is_one_sentence_whoever_asks(locale: str) -> None:
    bare = Refused(why=Refusal.NOT_FOUND, speaker=speaker)
    full = Refused(why=Refusal.NOT_FOUND, plan=PLAN, detail="mismatch", speaker=speaker)
    assert bare.for_model(locale).plain() == full.for_model(locale).plain()
    assert bare.card(locale) == full.card(locale)


def test_a_locale_without_sentences_falls_back_to_english() -> None:
    outcome = asked(invoice())
    assert outcome.card("es-ES") == outcome.card("es_MX") == outcome.card("es")
    assert outcome.card("ca") == outcome.card("") == outcome.card("en")


def test_the_clock_is_the_readers() -> None:
    bogota = Words(zone="America/Bogota")
    assert str(bogota.card(asked(invoice()), "en").footer).startswith("Expires at 05:41 · ")
    doubt, _, _ = OUTCOMES["in doubt"]
    assert "el 19/10/2026 a las 03:31" in bogota.card(doubt, "es").text()
    waits, _, _ = OUTCOMES["waits for its day"]
    assert bogota.card(waits, "en").title.startswith("Planned for 13/11/2026 at 03:00: ")


def test_nothing_is_offered_where_nothing_was_kept() -> None:
    for name in NOTHING:
        card = OUTCOMES[name][0].card("es")
        assert (card.buttons, card.footer) == ((), None)


def test_the_views_of_the_tests_are_of_the_states_they_are_named_after() -> None:
    states = {Ask: PlanState.ASKING, Running: PlanState.RUNNING, Report: PlanState.ENDED}
    for outcome, _, _ in OUTCOMES.values():
        if isinstance(outcome, Ask | Running | Report):
            assert outcome.view.state is states[type(outcome)]
    assert report(PlanReason.FINISHED, "dddd").view.plan == PLAN
