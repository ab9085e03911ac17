"""What is missing, kept by a conversation: the card that is drawn of it later is the same card."""

import pytest
from hostile_texts import every
from sheet_flows import invalid, office, problem

from semel import Invalid, Missing
from semel.channels.cards import Sheet, keep, kept, sheet
from semel.domain.report import Problem
from semel.words import speaker
from semel.words.voice import Voice

LANGUAGES = ("es", "en")
MISSING = (
    Missing("vence", of="Bodega Sala"),
    Missing(
        "iva", ask={"es": "¿Qué IVA?", "en": "Which VAT?"}, choices=("21", "10"), stand_in=object()
    ),
)


def asks(*questions: Missing, problems: tuple[Problem, ...] = ()) -> Invalid:
    return Invalid(problems=problems, questions=questions, speaker=speaker)


def drawn(outcome: Invalid, language: str) -> Sheet:
    return sheet(outcome, Voice.of(language, "Europe/Madrid"))


@pytest.mark.parametrize("flow", [invalid, problem])
def test_what_an_engine_answered_is_drawn_the_same_in_both_languages(tmp_path, flow):
    with office(tmp_path) as desk:
        outcome = flow(desk)
    assert isinstance(outcome, Invalid)
    again = kept(keep(outcome))
    for language in LANGUAGES:
        assert drawn(again, language) == drawn(outcome, language)


@pytest.mark.no_store
def test_all_of_it_comes_back_but_what_the_rehearsal_went_on_with():
    problem = Problem("action_says_no", "steps[0].input", "No puede ser.")
    before, after = MISSING
    outcome = asks(before, after, problems=(problem,))
    again = kept(keep(outcome))
    assert again.problems == (problem,)
    assert again.questions[0] == before
    assert again.questions[1] == Missing("iva", ask=after.ask, choices=after.choices)
    assert keep(again) == keep(outcome)


@pytest.mark.no_store
def test_what_somebody_has_written_comes_back_and_is_harmless_when_it_is_drawn():
    texts = [text for text in every() if len(text) < 400]
    assert len(texts) > 500
    for text in texts:
        comes_back(text)


def comes_back(text: str) -> None:
    outcome = asks(
        Missing(text, of=text),
        Missing("iva", ask={"es": f"¿{text}?", "en": text}, choices=(text,)),
        problems=(Problem("action_says_no", text, text), Problem("unknown_action", text, text)),
    )
    told = keep(outcome)
    # Every database holds it, half a character and a character of nothing too.
    assert told.isascii()
    assert told.isprintable()
    for language in LANGUAGES:
        assert drawn(kept(told), language) == drawn(outcome, language)


@pytest.mark.no_store
def test_what_a_model_invents_does_not_fill_the_books():
    endless = asks(
        *[Missing("x" * 20_000, ask={"es": "y" * 20_000}, choices=("z" * 20_000,) * 60)] * 60,
        problems=(Problem("unknown_field", "w" * 20_000),) * 60,
    )
    told = keep(endless)
    assert len(told) < 500_000
    alone = asks(Missing("x" * 20_000, ask={"es": "y" * 20_000}, choices=("z" * 20_000,)))
    first, whole = drawn(kept(told), "es").questions[0], drawn(alone, "es").questions[0]
    assert (first.text, first.choices[0]) == (whole.text, whole.choices[0])


@pytest.mark.no_store
@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"problems": 1, "questions": []}',
        '{"problems": [["a", 1, "b"]], "questions": []}',
        '{"problems": [["a", "b", "c", "d"]], "questions": []}',
        '{"problems": [], "questions": [{}]}',
        '{"problems": [], "questions": [{"field": 1, "of": "", "ask": null, "choices": []}]}',
        '{"problems": [], "questions": [{"field": "", "of": "", "ask": [1], "choices": []}]}',
    ],
)
def test_another_text_is_none(text):
    with pytest.raises(ValueError, match="no invalid proposal"):
        kept(text)
