"""What the facts of the bundled actions are called: in the reader's language, on every card."""

import re

import pytest
from facturas_desk import borrador, emitir, gasto

from semel import Ask, Outcome
from semel.channels.cards import sheet
from semel.domain.action import LANGUAGES, wording_of
from semel.testing import interrupt_at
from semel.words.voice import Voice
from semel_facturas.actions import actions
from semel_facturas.actions.names import NAMES

SAME = {"base", "email", "total"}
"""Words that English has too."""

SPANISH = re.compile(rf"\b({'|'.join({*NAMES} - SAME)})(_\w+)?(?=:|$)", re.IGNORECASE)


def named(outcome: Outcome, language: str) -> list[str]:
    """The names of facts that stand on a card with room."""
    drawn = sheet(outcome, Voice.of(language, "Europe/Madrid"))
    groups = [step for group in drawn.groups for step in group.steps]
    return [
        *(row.name for row in drawn.totals),
        *(row.name for pair in drawn.twins for row in pair.rows),
        *(text.partition(":")[0] for step in (*drawn.steps, *groups) for text in step.changed),
    ]


def lines(outcome: Outcome) -> list[str]:
    """The English card as text, in the parts of its lines."""
    return re.split(r" · |\n|; | \(", outcome.card("en").text())


def spanish(outcome: Outcome) -> list[str]:
    """Where an English card of either kind, or what a model reads, calls a fact in Spanish."""
    said = [*named(outcome, "en"), *lines(outcome), *outcome.for_model("en").says.split("; ")]
    return [text for text in said if SPANISH.search(text)]


@pytest.mark.no_store
@pytest.mark.parametrize("action", actions(None), ids=lambda one: one.name)
def test_every_action_names_its_facts_in_each_language(action):
    words = [said for key, said in wording_of(action).items() if key.startswith("fact.")]
    assert words
    assert all(set(said) == set(LANGUAGES) for said in words)
    assert not [said for said in words if SPANISH.search(said["en"])]


def test_beside_a_record_that_it_is_like(desk):
    desk.done(borrador(desk.maria), emitir("$1"))
    ask = desk.asked(borrador(desk.maria))
    assert named(ask, "en") == [
        "Taxable base", "VAT", "Total", "Due", "Customer", "Concept", "Created", "State", "Total",
    ]  # fmt: skip
    assert named(ask, "es")[3:] == [
        "Vence", "Cliente", "Concepto", "Creada", "Estado", "Total",
    ]  # fmt: skip
    text = ask.card("en").text()
    assert "customer: " in text
    assert "cliente: " in ask.card("es").text()
    assert not spanish(ask)


def test_in_the_column_of_a_bulk(desk):
    each = [desk.made(desk.done(gasto("10", f"Gasto {n}"))) for n in range(4)]
    ask = desk.asked(("gasto.borrar", {"gastos": each}))
    assert named(ask, "en") == ["Expenses", "Sum"]
    assert not spanish(ask)


def changes(desk, number: int) -> None:
    """As another program of the application would change it, in the middle of a call too."""
    text = (
        "UPDATE contacts SET email = ?, version = version + 1 WHERE contact = ? RETURNING contact"
    )
    assert desk.sql(text, f"nueva{number}@carmona.example", desk.maria)


def test_where_a_figure_has_changed_before_the_yes_and_after_it(desk):
    ask = desk.asked(("factura.enviar", {"factura": desk.issued()}))
    changes(desk, 1)
    again = desk.yes(ask)
    assert isinstance(again, Ask)
    assert named(again, "en") == ["Address"]
    assert "address: before maria@carmona.example, now nueva1@" in again.card("en").text()
    assert "address: before maria@carmona.example, now nueva1@" in again.for_model("en").says
    assert "dirección: antes maria@carmona.example" in again.card("es").text()
    with interrupt_at("commit:confirm:after", lambda: changes(desk, 2)):
        ended = desk.yes(again)
    assert "address: before nueva1@" in ended.card("en").text()
    assert named(ended, "en") == ["Address"]
    assert not spanish(again) + spanish(ended)
