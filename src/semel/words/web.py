"""The sentences of the web itself, beside those of the cards."""

from collections.abc import Mapping

from semel.words.en.web import WEB as EN
from semel.words.es.web import WEB as ES

SENTENCES: Mapping[str, Mapping[str, str]] = {"es": ES, "en": EN}


def language(locale: str) -> str:
    """The language of a locale, or of what a browser would accept; English where there is none."""
    found = locale.replace("_", "-").split(",")[0].split(";")[0].split("-")[0].strip().lower()
    return found if found in SENTENCES else "en"


def sentence(name: str, locale: str) -> str:
    """The sentence of that name."""
    return SENTENCES[language(locale)][name]
