"""The offline planner: sixty sentences people say, and what stands in the way of others."""

import re
from collections import Counter
from pathlib import Path

import pytest
from facturas_planner import ACTIONS, STORY, TWIN, UTTERANCES, lines, planned, refused, told

from semel.facts import JSON
from semel_facturas.planner import REASONS, NotUnderstood, Planned, sentence

pytestmark = pytest.mark.no_store

pytestmark = pytest.mark.no_store


def outcome(answer: Planned | NotUnderstood) -> dict[str, JSON]:
    """*answer* as the file of sentences writes it."""
    if isinstance(answer, Planned):
        return {"steps": answer.steps}
    match answer.reason:
        case "unknown_contact":
            return {"unknown_contact": answer.detail}
        case "ambiguous_contact":
            return {"ambiguous": answer.detail}
        case _:
            return {"not_understood": True}


def test_there_are_sixty_sentences_half_of_them_in_each_language():
    assert Counter(said["locale"] for said in UTTERANCES) == {"es": 30, "en": 30}
    assert len({said["text"] for said in UTTERANCES}) == 60


@pytest.mark.parametrize("said", UTTERANCES, ids=[said["text"][:60] for said in UTTERANCES])
def test_a_sentence_is_read_as_expected(said):
    assert outcome(told(said["text"], said["locale"])) == said["expect"]


@pytest.mark.parametrize("said", UTTERANCES, ids=[said["text"][:60] for said in UTTERANCES])
def test_the_language_of_the_sentence_decides_and_not_the_locale(said):
    other = {"es": "en", "en": "es"}[said["locale"]]
    assert outcome(told(said["text"], other)) == said["expect"]


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        (STORY + ", y recuérdale el pago", "reminder_days", ""),
        (STORY + ", y recuérdale el pago 0 días antes", "days", "0 días antes"),
        (STORY + ", y recuérdale el pago cinco días antes si la he marcado pagada", "partly", "si la he marcado pagada"),
        (STORY + ", y recuérdaselo cinco días antes y recuérdaselo dos días antes", "partly", "recuérdaselo dos días antes"),
        (STORY + ", y recuérdale a Ana el pago cinco días antes", "partly", "Ana"),
        (STORY + ", cinco días antes", "partly", "cinco días antes"),
        ("Haz una factura a Ana por el logo, recuérdaselo 5 días antes, 500 €", "partly", "500 €"),
        (TWIN + ", and remind her 90 days before it's due", "days", "90 days before"),
        (TWIN.replace(", €500 plus VAT", "") + ", and remind her five days before", "no_amount", "the logo design"),
        ("Prepara un borrador para Acme Studio: logo 500 €, y recuérdaselo cinco días antes", "draft_sent", ""),
        ("Haz una factura a Acme Studio por el logo, 605 € IVA incluido", "vat_included", ""),
        ("Haz una factura a Acme Studio por el logo, 605 € con IVA", "vat_unclear", ""),
        ("Apunta un gasto de gasolina, 45 €", "vat_unsaid", ""),
        ("Apunta un gasto de gasolina, 45 € con IVA", "vat_unsaid", ""),
        ("Haz una factura a Acme Studio por logo 500 € y libro 80 € al 4 %", "vat_rates", ""),
        ("Haz una factura a Acme Studio por el logo, 500 dólares", "currency", "dólares"),
        ("Haz una factura a Acme Studio por el logo, $500", "currency", "$500"),
        ("Haz una factura por el logo, 500 €", "no_contact", ""),
        ("Haz una factura a Acme Studio, 500 €", "no_concept", ""),
        ("Haz una factura a Acme Studio por el logo", "no_amount", "el logo"),
        ("Haz una factura a Acme Studio por el logo, 1,234 €", "amount", "1,234 €"),
        ("Invoice Acme Studio for the logo, €1.234", "amount", "€ 1.234"),
        ("Haz una factura a Acme Studio por el logo, 0 €", "amount", "0 €"),
        ("Haz una factura a Acme Studio por el logo, 500 €, vence el 31/02/2027", "day", "31/02/2027"),
        ("Haz una factura a Acme Studio por 3 horas, 120 €", "unit_or_total", "horas"),
        ("Haz una factura a Acme Studio por consultoría a 40 €/hora", "unit_or_total", "consultoría"),
        ("Prepara un borrador para Acme Studio: logo 500 €, y envíaselo", "draft_sent", ""),
        ("Emite el borrador de María Carmona", "which_draft", ""),
        ("Issue the draft for Acme Studio", "which_draft", ""),
        ("Envía la factura por correo", "which_invoice", ""),
        ("Envía la factura 2026-0099 por correo", "unknown_invoice", "2026-0099"),
        ("Envíale a María Carmona la factura 2026-0001", "partly", "María Carmona"),
        (STORY + ". Y compra pan", "partly", "compra pan"),
        (STORY + " mañana", "partly", "mañana"),
        (STORY + " certificado", "partly", "certificado"),
        (STORY + " a otra@correo.es", "partly", "a otra@correo.es"),
        (STORY + " a Lucía Ferrer", "partly", "Lucía Ferrer"),
        ("Haz una factura a Acme Studio por el logo, 500 €, no la envíes", "partly", "no la envíes"),
        ("Haz una factura a Acme Studio por el logo, 500 €?", "partly", "?"),
        ("¿Haz una factura a Acme Studio por el logo, 500 €?", "partly", "¿ … ?"),
        ("Haz una factura a Acme Studio por el logo, 500 €, y.", "partly", "y"),
        ("Invoice Acme Studio for the logo, €500, and", "partly", "and"),
        ("Haz una factura a Acme Studio por el logo, unos 500 €", "partly", "unos"),
        ("Haz una factura a Acme Studio por media hora a 40 €", "partly", "por media hora"),
        ("Haz una factura a Acme Studio por 3h de diseño a 40 €", "partly", "por 3h de diseño"),
        ("Haz una factura a Acme Studio por el logo, -50 €", "partly", "-50 €"),
        ("Haz una factura a Acme Studio por el logo, 500 € menos 15 % de IRPF", "partly", "menos 15 % de IRPF"),
        ("Haz una factura a Acme Studio por logo, 500 €, y otra a Ana por cartel, 80 €", "partly", "otra a Ana por cartel … 80 €"),
        ("Make an invoice for the logo and delete it for Ana, €500", "partly", "for the logo and delete it"),
        ("", "not_understood", ""),
        ("¿?", "not_understood", ""),
    ],
)  # fmt: skip
def test_what_stands_in_the_way_is_named(text, reason, detail):
    no = refused(text)
    assert (no.reason, no.detail) == (reason, detail)


def test_an_ambiguous_name_offers_the_full_names():
    no = refused("Haz una factura a María por el logo, 500 €")
    assert no.choices == ("María Carmona", "María López")
    assert "María Carmona, María López" in sentence(no, "es")


def test_a_full_name_wins_over_the_longer_names_that_begin_with_it():
    assert planned("Haz una factura a Ana por el logo, 500 €")[0]["input"]["contacto"] == "<Ana>"


@pytest.mark.parametrize(
    ("text", "contact", "concept"),
    [
        ("Haz una factura de 90 € a Acme Studio por el logo", "<Acme Studio>", "Logo"),
        ("Haz una factura por el logo para Acme Studio, 90 €", "<Acme Studio>", "Logo"),
        ("Envíale a Acme Studio una factura por el logo, 90 €", "<Acme Studio>", "Logo"),
        ("Haz una factura a la Acme Studio por «el logo», 90 €", "<Acme Studio>", "Logo"),
        ("Make Acme Studio an invoice for the logo, €90", "<Acme Studio>", "Logo"),
        ("Make an invoice for the logo for Acme Studio, €90", "<Acme Studio>", "Logo"),
        ("Make an invoice for the logo to Acme Studio, €90", "<Acme Studio>", "Logo"),
        ("Invoice Acme Studio €90 for IT support", "<Acme Studio>", "IT support"),
    ],
)
def test_people_put_the_parts_in_the_order_they_like(text, contact, concept):
    made = planned(text)[0]["input"]
    assert made["contacto"] == contact
    assert made["lineas"] == [{"concepto": concept, "precio": "90.00"}]


def test_where_nothing_says_that_the_name_ends_nothing_is_guessed():
    assert refused("Factura a Acme Studio diseño y maquetación, 90 €").reason == "no_concept"


def test_quantities_rates_and_several_lines():
    assert lines(
        "Factura a Acme Studio 2,5 horas de diseño a 40 € la hora y logo 50 €, más IVA al 10 %"
    ) == [
        {"concepto": "Horas de diseño", "cantidad": "2.5", "precio": "40.00", "iva": "10"},
        {"concepto": "Logo", "precio": "50.00", "iva": "10"},
    ]
    assert lines("Invoice Acme Studio for logo €500 at 21% and book €80 at 4%") == [
        {"concepto": "Logo", "precio": "500.00", "iva": "21"},
        {"concepto": "Book", "precio": "80.00", "iva": "4"},
    ]
    assert lines("Invoice Acme Studio for two posters at €40 each")[0]["cantidad"] == "2"


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("con vencimiento el 18/12/2026", "2026-12-18"),
        ("vence el 2026-12-18", "2026-12-18"),
        ("que venza el 18 de diciembre de 2026", "2026-12-18"),
        ("que venza el 2 de enero", "2027-01-02"),
        ("a 30 días", "2026-12-13"),
        ("vencimiento a quince días", "2026-11-28"),
    ],
)
def test_a_due_date_is_a_day_whatever_way_it_is_said(words, day):
    steps = planned(f"Haz una factura a Acme Studio por el logo, 500 €, {words}")
    assert steps[0]["input"]["vencimiento"] == day


def test_an_old_invoice_is_sent_and_reminded_of_in_one_sentence():
    steps = planned("Envía la factura 2026-0001 por correo y recuérdale el pago una semana antes")
    given = {"factura": "<2026-0001>"}
    assert steps == [
        {"action": "factura.enviar", "input": given},
        {"action": "factura.programar_recordatorios", "input": {**given, "dias_antes": [7]}},
    ]


def test_what_a_reminder_needs_is_a_concept_where_there_is_no_reminder():
    assert lines("Haz una factura a Acme Studio por el pago de la luz, 20 €") == [
        {"concepto": "Pago de la luz", "precio": "20.00"}
    ]


def test_how_far_the_sentence_goes_decides_the_steps():
    base = "una factura a Acme Studio por el logo, 500 €"
    draft, issue, send = "factura.crear_borrador", "factura.emitir", "factura.enviar"
    remind = "factura.programar_recordatorios"
    for text, actions in {
        f"Haz {base}": [draft],
        f"Emite {base}": [draft, issue],
        f"Haz {base}, y emítela": [draft, issue],
        f"Envía {base}": [draft, issue, send],
        f"Haz y envía {base}": [draft, issue, send],
        f"Haz {base}, emítela y mándasela por correo electrónico": [draft, issue, send],
        f"Haz {base}, y envíasela a Acme por correo": [draft, issue, send],
        f"Haz {base}, y recuérdaselo 5 días antes": [draft, issue, remind],
        f"Haz {base}, y recuérdale a Acme el pago 5 días antes": [draft, issue, remind],
        f"Envía {base}, y recuérdaselo por correo un día antes": [draft, issue, send, remind],
    }.items():
        assert [step["action"] for step in planned(text)] == actions, text


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_every_reason_has_its_sentence_in_both_languages(reason):
    no = NotUnderstood(reason, "«{can}» y {0}", ("María Carmona", "María López"))
    spanish, english = sentence(no, "es-ES"), sentence(no, "en-GB")
    assert spanish != english
    for text in (spanish, english):
        assert text[-1] in ".?"
        if no.detail in text or reason in {
            "partly",
            "unknown_contact",
            "ambiguous_contact",
            "currency",
        }:
            assert no.detail in text  # quoted as it is, whatever it contains
    assert all(text.strip() == text for text in (spanish, english))


@pytest.mark.parametrize("locale", ["es", "en"])
@pytest.mark.parametrize("reason", sorted(REASONS))
def test_a_whole_sentence_that_a_reason_gives_as_an_example_makes_a_plan(reason, locale):
    given = re.findall('[«"]([A-Z][^»"]*)[»"]', sentence(NotUnderstood(reason), locale))
    for example in given:
        assert planned(example, locale)


def test_the_sentences_that_the_documentation_lists_are_understood_and_do_everything():
    page = (Path(__file__).parents[2] / "docs" / "start.md").read_text(encoding="utf-8")
    table = page.partition("| Spanish | English |\n|---|---|\n")[2].partition("\n\n")[0]
    for column, locale in ((1, "es"), (2, "en")):
        listed = [row.split("|")[column].strip() for row in table.splitlines()]
        steps = [step for text in listed for step in planned(text, locale)]
        assert {step["action"] for step in steps} == ACTIONS
