"""Facts as text: the figures of a card, in the same form in every language.

Money is ``1.234,50 €`` and a day is ``18/11/2026`` in Spanish and in English, so that two people
who read the same plan in two languages read the same figures.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from operator import itemgetter
from zoneinfo import ZoneInfo

from semel.facts import (
    EXPONENT,
    Count,
    Date,
    Email,
    Fact,
    Instant,
    Money,
    Text,
    decimal_text,
    read_instant,
)
from semel.words.neutral import inside, neutral_email

_PLACE = re.compile(r"\{([^\W\d]\w*)\}")


def fill(template: str, facts: Mapping[str, Fact]) -> str:
    """*template* with every ``{name}`` replaced by the fact of that name.

    Nothing else is special: no attributes, no formats, and a brace inside somebody's text is text.
    A name without a fact stays visible as ``{name}``.
    """

    def shown(place: re.Match[str]) -> str:
        fact = facts.get(place.group(1))
        return place.group() if fact is None else show(fact)

    return _PLACE.sub(shown, template)


def lacks(template: str, facts: Mapping[str, Fact]) -> bool:
    """Whether *template* names a fact that is not there."""
    return any(name not in facts for name in _PLACE.findall(template))


def put(template: str, values: Mapping[str, str]) -> str:
    """*template* with every ``{name}`` replaced by a text that may be shown as it is."""
    text, names, pick = _parts(template)
    try:
        return text % pick(values)
    except KeyError:
        return text % tuple([values.get(name, f"{{{name}}}") for name in names])


@lru_cache(maxsize=1024)
def _parts(
    template: str,
) -> tuple[str, Sequence[str], Callable[[Mapping[str, str]], str | tuple[str, ...]]]:
    """A template with ``%s`` in its places, their names, and what picks the texts of those.

    A program has so many sentences.
    """
    parts = _PLACE.split(template)
    # Every second one is a name: text, name, text, name, text.
    text = "%s".join(part.replace("%", "%%") for part in parts[::2])
    names = parts[1::2]
    return text, names, itemgetter(*names) if names else lambda _: ()


def show(fact: Fact) -> str:
    """A fact as a person reads it."""
    match fact:
        case Money():
            return _money(fact)
        case Date():
            return _day(fact.day)
        case Instant():
            return _moment(fact.at, fact.zone)
        case Count():
            return str(fact.number)
        case Email():
            return neutral_email(fact.address)
        case Text():
            return inside(fact.text)
        case _:
            raise TypeError(f"{type(fact).__name__} is not one of the kinds of facts.")


def clock(instant: str, zone: str) -> str:
    """The time of day of an instant text in a zone: ``12:41``."""
    return day_and_time(instant, zone)[1]


def day_and_time(instant: str, zone: str) -> tuple[str, str]:
    """The day and the time of day of an instant text in a zone: ``13/11/2026``, ``09:00``."""
    local, name = _in_zone(read_instant(instant), zone)
    return _day(local), f"{_time(local)}{name}"


def _money(fact: Money) -> str:
    amount = decimal_text(fact.amount, EXPONENT[fact.currency])
    sign = "-" if amount.startswith("-") else ""
    whole, _, cents = amount.removeprefix("-").partition(".")
    grouped = f"{int(whole):,}".replace(",", ".")
    unit = "€" if fact.currency == "EUR" else fact.currency
    return f"{sign}{grouped},{cents} {unit}" if cents else f"{sign}{grouped} {unit}"


def _day(day: date) -> str:
    # Not strftime: its years below 1000 have fewer digits on some systems.
    return f"{day.day:02}/{day.month:02}/{day.year:04}"


def _time(at: datetime) -> str:
    return f"{at.hour:02}:{at.minute:02}"


def _moment(at: datetime, zone: str) -> str:
    local, name = _in_zone(at, zone)
    return f"{_day(local)} {_time(local)}{name}"


def _in_zone(at: datetime, zone: str) -> tuple[datetime, str]:
    """The moment in its zone; in its own offset, and saying so, when there is no such zone."""
    try:
        return at.astimezone(ZoneInfo(zone)), ""
    except (KeyError, ValueError, OverflowError, OSError):
        return at, f" {at:%Z}"
