"""S2 on a card with room: no name and no words change a figure, an order, a step or a tag of it."""

import re
import unicodedata

import pytest
from cards_read import Read
from facturas_desk import ANA, borrador, emitir
from hostile_texts import every, spread
from sheet_flows import enviar, office

from semel import Ask, Engine, Outcome
from semel.channels.cards import Sheet, sheet
from semel.channels.web import Person, fragment
from semel.words.voice import Voice

CALM = "Calma Serena"
WORDS = "Trabajo honrado"
COUNT = 500
LANGUAGES = ("es", "en")
MARKS = set("*_~`<>[]")
LRM = "\u200e"


def harmless(shown: str) -> bool:
    """Whether a text cannot be seen as anything but one line of text."""
    hidden = {c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp", "Co", "Cs"}}
    digits = [c for c in shown if unicodedata.category(c) == "Nd" and c not in "0123456789"]
    links = "://" in shown or re.search(r"www\.\w", shown)
    return hidden <= {LRM} and not digits and not links and not MARKS & {*shown}


def pattern(text: str) -> re.Pattern[str]:
    spelled = re.escape(text).replace(re.escape(CALM), "(.*)").replace(re.escape(WORDS), "(.*)")
    return re.compile(spelled)


def texts_of(drawn: Sheet) -> list[str]:
    """Everything that a sheet says, in its order."""
    said = [drawn.kicker, drawn.aside, drawn.title, drawn.announce, drawn.why, drawn.strong]
    for step in drawn.steps:
        said += [f"{step.position} {step.mark} {step.once}", step.text, *step.notes, *step.changed]
        said += [tag.text for tag in step.tags]
    said += [f"{row.name} {row.value} {row.was} {row.sum}" for row in drawn.totals]
    return said + [f"{button.do} {button.label} {button.kind}" for button in drawn.buttons]


class Calm:
    """The card of a calm name, and what of another one is not as it would be with that."""

    def __init__(self, engine: Engine, outcome: Outcome) -> None:
        self.engine = engine
        self.sheets = {
            language: [pattern(text) for text in texts_of(self.sheet(outcome, language))]
            for language in LANGUAGES
        }
        read = self.read(outcome)
        self.shape, self.texts = read.shape, [pattern(text) for text in read.texts]

    def sheet(self, outcome: Outcome, language: str) -> Sheet:
        return sheet(outcome, Voice.of(language, "Europe/Madrid"))

    def read(self, outcome: Outcome) -> Read:
        return Read.of(str(fragment(self.engine, Person(ANA, "s-1"), outcome).html))

    def faults(self, outcome: Outcome) -> list[str]:
        read = self.read(outcome)
        found = [*read.faults, *wrong(read.texts, self.texts)]
        if read.shape != self.shape:
            found.append("other tags, or in another order")
        for language, honest in self.sheets.items():
            found += wrong(texts_of(self.sheet(outcome, language)), honest)
        return found


def wrong(texts: list[str], patterns: list[re.Pattern[str]]) -> list[str]:
    if len(texts) != len(patterns):
        return [f"{len(texts)} texts, not {len(patterns)}"]
    found = []
    for text, honest in zip(texts, patterns, strict=True):
        match = honest.fullmatch(text)
        if match is None:
            # A plan's number and its time are its own.
            if not re.fullmatch(r"p_[\w-]+", text):
                found.append(f"{text[:200]!r} is not {honest.pattern[:200]!r}")
        elif not all(map(harmless, match.groups())):
            found.append(f"{match.groups()!r:.200}")
    return found


def test_s2_no_text_changes_a_card_with_room(tmp_path):
    faults: list[tuple[str, str]] = []
    kept = 0
    with office(tmp_path) as desk:

        def contact(name: str, number: int) -> str:
            desk.face.call(
                desk.engine.write(
                    lambda tx: tx.run(
                        "contacts.add", org=ANA.org, contact=f"c-{number}", name=name,
                        nif="12345678Z", address="Calle Mayor 1", email="maria@carmona.example",
                        payment_days=30, now="2026-10-19T08:00:00.000000Z",
                    )
                )
            )  # fmt: skip
            return f"c-{number}"

        def asked(who: str, words: str) -> Outcome:
            line = {"concepto": words, "precio": "500"}
            return desk.act(borrador(who, lineas=[line]), emitir("$1"), enviar("$1"))

        calm = Calm(desk.engine, asked(contact(CALM, 0), WORDS))
        for number, text in enumerate(spread(every(), COUNT), start=1):
            # A database holds no half characters; the browser and JSON refuse them before.
            whole = text.encode("utf-8", "replace").decode().replace("\0", "")
            who = contact(whole if whole.strip(" ") else f"x{whole}", number)
            outcome = asked(who, text)
            if isinstance(outcome, Ask):
                kept += 1
            else:
                # Such words are no line: the name alone is shown.
                outcome = asked(who, WORDS)
            assert isinstance(outcome, Ask), text
            faults += [(text, fault) for fault in calm.faults(outcome)]
    assert faults == []
    assert number >= COUNT
    assert kept > 0


@pytest.mark.no_store
def test_the_check_sees_a_card_that_was_changed():
    honest = [pattern(f"Borrador para {CALM}: 500,00 €")]
    assert wrong(["Borrador para Eva: 500,00 €"], honest) == []
    assert wrong(["Borrador para Eva: 500,00 €\n2. Nada"], honest)
    assert wrong(["Borrador para Eva: 900,00 €"], honest)
    assert wrong(["Borrador para <b>: 500,00 €"], honest)
    assert Read.of("<p><b>x</p>").faults
