"""Sentences about a guarded tool's call: the world first, then what a model may do.

What a person or a model typed is neutralised where it is put in, as everywhere.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from semel.domain.canonical import kept
from semel.words.en.guarded import GUARDED as EN
from semel.words.es.guarded import GUARDED as ES
from semel.words.figures import day_and_time, put
from semel.words.neutral import inside, neutral_email, quotable

SENTENCES: Mapping[str, Mapping[str, str]] = {"es": ES, "en": EN}

STATUS_TOOL = {"es": "consultar_estado", "en": "check_status"}
"""What the tool that tells how a job stands is called."""

_ID = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*")
"""An id stays as it is, its underscores too: a model or a person looks for exactly that."""

_SHOWN = frozenset({str, int, float})
"""What JSON holds that is shown: neither truths nor what holds others."""

GIVEN_MAX = 4
"""Arguments that are shown of a tool that has no sentence of its own."""


@lru_cache(maxsize=256)
def language(locale: str) -> str:
    """The language of a locale; English for every one that has no sentences here."""
    found = locale.replace("_", "-").split("-")[0].lower()
    return found if found in SENTENCES else "en"


def places(shown: str, result: object = None) -> dict[str, str]:
    """What may stand in a tool's sentence: its arguments, and what it returned.

    Args:
        shown: the arguments as JSON.
        result: the value as JSON: its fields by name, or itself as ``id`` and ``result``.
    """
    given = kept(shown)
    found = {str(name): _text(value) for name, value in given.items() if _is_shown(value)}
    if isinstance(result, Mapping):
        found |= {str(name): _text(value) for name, value in result.items() if _is_shown(value)}
    elif _is_shown(result):
        found |= {"id": _text(result), "result": _text(result)}
    return found


def say(locale: str, name: str, /, **values: str) -> str:
    """The sentence of that name with texts in its places; they are shown as they are."""
    return put(_sentence(locale, name), values)


@lru_cache(maxsize=256)
def _sentence(locale: str, name: str) -> str:
    """The sentence of that name, with its places."""
    return SENTENCES[language(locale)][name]


def named(
    locale: str, tool: str, words: Mapping[str, str], shown: str, result: object = None
) -> str:
    """What a call does, in the tool's own words or by its name and its first arguments.

    Args:
        locale: the language.
        tool: the tool's name.
        words: its own sentence by language, if it has one.
        shown: the arguments as JSON.
        result: the value as JSON, when there is one.
    """
    if words:
        own = words.get(language(locale)) or words.get("en") or next(iter(words.values()))
        return put(own, places(shown, result)).rstrip(".")
    given = []
    for name, value in kept(shown).items():
        if _is_shown(value):
            given.append(f"{name}: {_text(value)}")
            if len(given) == GIVEN_MAX:
                break
    before, after = _around(locale, tool, bool(given))
    return f"{before}{'; '.join(given)}{after}"


@lru_cache(maxsize=256)
def _around(locale: str, tool: str, given: bool) -> tuple[str, str]:
    """What stands around the arguments of a tool; a program has few, and asks for them all day."""
    # No text that is shown has this character in it.
    name = "unnamed.with" if given else "unnamed"
    before, _, after = say(locale, name, tool=_text(tool), given="\0").partition("\0")
    return before, after


def at(instant: str, zone: str) -> dict[str, str]:
    """The day and the time of an instant."""
    day, time = day_and_time(instant, zone)
    return {"day": day, "time": time}


def reason(why: str) -> str:
    """Somebody else's words for why nothing happened."""
    return quotable(inside(why, 500))


def _is_shown(value: object) -> bool:
    return type(value) in _SHOWN and value != ""


def _text(value: object) -> str:
    text = str(value)
    if _ID.fullmatch(text):
        return text
    # An address is never shortened out of sight.
    return neutral_email(text) if "@" in text and " " not in text else inside(text)
