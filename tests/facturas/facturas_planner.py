"""The sentences, and an organization that is all names: an id is its name in brackets."""

import json
from datetime import date
from pathlib import Path

from semel.facts import JSON
from semel_facturas.grammar import fold
from semel_facturas.planner import Lookup, NotUnderstood, Period, Planned, plan

UTTERANCES = json.loads(
    (Path(__file__).parents[1] / "data" / "utterances.json").read_text(encoding="utf-8")
)
CONTACTS = (
    "María Carmona",
    "María López",
    "Talleres Ruiz SL",
    "Acme Studio",
    "Lucía Ferrer",
    "Ana",
    "Ana Gil",
)
EXPENSES = (
    ("Hosting", date(2025, 12, 2)),
    ("Julio", date(2026, 1, 9)),
    ("Tren", date(2026, 7, 30)),
    ("Hosting", date(2026, 9, 2)),
    ("Adobe", date(2026, 10, 5)),
    ("Tinta", date(2026, 10, 20)),
    *(("Café", date(2026, 8, day)) for day in range(1, 7)),
    *(("Peaje", date(2024, 1 + number // 25, 1 + number % 25)) for number in range(51)),
)
STORY = (
    "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, y envíasela por correo"
)
TWIN = "Make an invoice for María Carmona for the logo design, €500 plus VAT, and email it to her"
ACTIONS = frozenset(
    {
        "contacto.actualizar",
        "contacto.borrar",
        "contacto.crear",
        "factura.cancelar_recordatorios",
        "factura.crear_borrador",
        "factura.emitir",
        "factura.enviar",
        "factura.programar_recordatorios",
        "factura.registrar_cobro",
        "gasto.borrar",
        "gasto.crear",
        "recordatorio.enviar_ahora",
    }
)
"""All that a plan of the grammar may consist of."""


class Books(Lookup):
    """An organization with a few contacts, one issued invoice of María's, and some expenses."""

    def contacts(self, name: str) -> list[tuple[str, str]]:
        words = fold(name).split()
        return [
            (f"<{full}>", full) for full in CONTACTS if fold(full).split()[: len(words)] == words
        ]

    def invoices(self, number: str) -> list[tuple[str, str]]:
        return [(f"<{number}>", "<María Carmona>")] if number == "2026-0001" else []

    def expenses(self, words: str, period: Period | None) -> list[tuple[str, str]]:
        names = [
            f"{name}, {day:%d/%m/%Y}"
            for name, day in EXPENSES
            if not words or fold(name) == fold(words)
            if period is None or period[0] <= day <= period[1]
        ]
        return [(f"<{name}>", name) for name in names]

    def today(self) -> date:
        return date(2026, 11, 13)


def told(text: str, locale: str = "es") -> Planned | NotUnderstood:
    return plan(text, locale, Books())


def planned(text: str, locale: str = "es") -> list[dict[str, JSON]]:
    answer = told(text, locale)
    assert isinstance(answer, Planned), answer
    return answer.steps


def only(text: str) -> tuple[str, dict[str, JSON]]:
    """The action and the input of the one step of a sentence, in either locale."""
    (step,) = planned(text)
    assert planned(text, "en") == [step]
    return step["action"], step["input"]


def refused(text: str, locale: str = "es") -> NotUnderstood:
    answer = told(text, locale)
    assert isinstance(answer, NotUnderstood), answer
    return answer


def lines(text: str) -> list[dict[str, str]]:
    return planned(text)[0]["input"]["lineas"]
