"""What the pages say, in Spanish and in English: each language is a module with the same names."""

from datetime import date
from types import SimpleNamespace
from typing import Literal

from semel_facturas.web.words import en, es

Language = Literal["es", "en"]
SAYS: dict[Language, SimpleNamespace] = {
    "es": SimpleNamespace(**es.SAYS),
    "en": SimpleNamespace(**en.SAYS),
}
MONTHS = {"es": es.MONTHS, "en": en.MONTHS}


def language(text: str) -> Language:
    """The language that a page is written in for somebody who reads *text*; else English."""
    return "es" if text.lower().startswith("es") else "en"


def words(locale: str) -> SimpleNamespace:
    """The sentences of a language, by name."""
    return SAYS[language(locale)]


def month(day: date, locale: str) -> str:
    """The name of a day's month."""
    return MONTHS[language(locale)][day.month - 1]


def counted(number: int, forms: tuple[str, str]) -> str:
    """A number with its noun, of which *forms* has the singular and the plural."""
    return f"{number} {forms[number != 1]}"
