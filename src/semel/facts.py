"""Facts: typed values that a preview shows, a yes covers and a step checks again.

A fact is material unless it is written ``volatile=True``: then it is shown, but a change between
the yes and the run does not make the plan stale (the next number of a series, say).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import lru_cache
from typing import TypeAlias

JSON: TypeAlias = "str | int | bool | list[JSON] | dict[str, JSON] | None"
"""What is stored and hashed: no float anywhere."""

EXPONENT = {"EUR": 2, "USD": 2, "GBP": 2, "CHF": 2, "JPY": 0}
"""Decimals of a currency, ISO 4217; another currency is refused rather than guessed."""

EXPONENT_MAX = 1000
"""``1e999999999`` is eleven characters, and a gigabyte in plain notation."""

# An own context: the process may have set another precision or rounding for its own sums.
EXACT = Context(prec=60, rounding=ROUND_HALF_UP)


def decimal_text(amount: Decimal, decimals: int | None = None) -> str:
    """Plain notation without exponent; *decimals* fixed, or as few as the value needs.

    Raises:
        ValueError: the value is not finite, is of a size beyond 10^±1000, or has more digits than
            *decimals*.
    """
    if not amount.is_finite():
        raise ValueError(f"{amount} is not a finite number.")
    if abs(amount.adjusted()) > EXPONENT_MAX:
        raise ValueError(f"{str(amount)[:40]} is too large or too small to be written out.")
    if decimals is None:
        text = format(amount, "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text in {"-0", "", "-"} else text
    try:
        fixed = amount.quantize(Decimal(1).scaleb(-decimals), context=EXACT)
    except InvalidOperation:
        raise ValueError(f"{str(amount)[:40]} has more than {EXACT.prec} digits.") from None
    if fixed != amount:
        raise ValueError(f"{amount} has more than {decimals} decimals.")
    return format(abs(fixed) if fixed.is_zero() else fixed, "f")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A typed value of a preview or of a result."""

    volatile: bool = False

    def plain(self) -> JSON:
        """The value as canonical JSON, the same text for the same meaning."""
        raise TypeError(f"{type(self).__name__} is not one of the kinds of facts.")


@dataclass(frozen=True, slots=True)
class Money(Fact):
    """An amount in a currency, exact: ``Money(Decimal("605.00"))``."""

    amount: Decimal
    currency: str = "EUR"

    def __post_init__(self) -> None:
        self.plain()

    def plain(self) -> JSON:
        """``["605.00", "EUR"]``.

        Raises:
            ValueError: an unknown currency, or more decimals than it has.
            TypeError: the amount is no Decimal; a float would bring its noise along.
        """
        if self.currency not in EXPONENT:
            raise ValueError(f"{self.currency} is not a known currency.")
        if not isinstance(self.amount, Decimal):
            raise TypeError("An amount of money is a Decimal.")
        return [decimal_text(self.amount, EXPONENT[self.currency]), self.currency]


@dataclass(frozen=True, slots=True)
class Date(Fact):
    """A day of the calendar."""

    day: date

    def plain(self) -> JSON:
        """``"2026-11-18"``."""
        return self.day.isoformat()


@dataclass(frozen=True, slots=True)
class Instant(Fact):
    """A moment, the same one everywhere; *zone* only says how a person reads it."""

    at: datetime
    zone: str = "Europe/Madrid"

    def plain(self) -> JSON:
        """``["2026-11-13T08:00:00.000000Z", "Europe/Madrid"]``.

        Raises:
            ValueError: the moment has no time zone.
        """
        return [instant_text(self.at), self.zone]


@dataclass(frozen=True, slots=True)
class Email(Fact):
    """An e-mail address, shown whole."""

    address: str

    def plain(self) -> JSON:
        """The address as it is."""
        return self.address


@dataclass(frozen=True, slots=True)
class Count(Fact):
    """How many."""

    number: int

    def plain(self) -> JSON:
        """The number."""
        return self.number


@dataclass(frozen=True, slots=True)
class Text(Fact):
    """Words, from a person or from data; neutralised when shown, digested as they are."""

    text: str

    def plain(self) -> JSON:
        """The text as it is."""
        return self.text


NAMES: Mapping[str, type[Fact]] = {
    "money": Money,
    "date": Date,
    "instant": Instant,
    "email": Email,
    "count": Count,
    "text": Text,
}


def instant_text(at: datetime) -> str:
    """UTC with microseconds, so that text order is time order: ``2026-10-19T08:00:00.000000Z``.

    Raises:
        ValueError: *at* has no time zone, or is in no year from 1 to 9999 of UTC.
    """
    if at.tzinfo is UTC:  # as those of a database are
        # At a third of what isoformat costs: most instants of a program are of one day.
        time = (at.hour, at.minute, at.second, at.microsecond)
        return "%sT%02d:%02d:%02d.%06dZ" % (_day(at.year, at.month, at.day), *time)  # noqa: UP031 - half the cost
    if at.utcoffset() is None:
        raise ValueError(f"The instant {at} has no time zone.")
    try:
        moment = at.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"The instant {at} is outside the calendar in UTC.") from None
    # Not strftime: it writes the year 999 in three digits, and text order would not be time order.
    return f"{moment.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


@lru_cache(maxsize=64)
def _day(year: int, month: int, day: int) -> str:
    return f"{year:04}-{month:02}-{day:02}"


def read_instant(text: str) -> datetime:
    """The inverse of :func:`instant_text`."""
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is UTC and instant_text(at) == text:
            return at
    except ValueError:
        pass  # what is written otherwise is for the other one to read or to refuse
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


TYPES: Mapping[type[Fact], str] = {cls: name for name, cls in NAMES.items()}


def store_facts(facts: Mapping[str, Fact]) -> dict[str, JSON]:
    """Facts as JSON, each with its type, so that they can be shown again in any language."""
    stored: dict[str, JSON] = {}
    for name, fact in facts.items():
        entry: dict[str, JSON] = {"type": TYPES[type(fact)], "value": fact.plain()}
        if fact.volatile:
            entry["volatile"] = True
        stored[name] = entry
    return stored


SHORT = 1000
"""Characters of the names and texts of facts that need no second look before they are kept."""


def plain_texts(facts: Mapping[str, Fact]) -> dict[str, JSON] | None:
    """Facts as they are stored, where they are a few short texts of ASCII, as most are.

    Those are what their type says, and have one spelling; of anything else that is found out by
    storing it and reading it back.
    """
    stored: dict[str, JSON] = {}
    count = 0
    for name, fact in facts.items():
        if type(fact) is not Text or type(fact.text) is not str or type(name) is not str:
            return None
        count += len(name) + len(fact.text)
        # Its length first: a text may be of any size, and is not copied to be looked at.
        if count > SHORT or not (name + fact.text).isascii() or type(fact.volatile) is not bool:
            return None
        entry: dict[str, JSON] = {"type": "text", "value": fact.text}
        if fact.volatile:
            entry["volatile"] = True
        stored[name] = entry
    return stored


def read_facts(stored: JSON) -> dict[str, Fact]:
    """The inverse of :func:`store_facts`."""
    if not isinstance(stored, dict):
        raise ValueError("Stored facts are an object.")  # noqa: TRY004 - the text is wrong, not a type
    return {name: _fact(entry) for name, entry in stored.items()}


def _fact(entry: JSON) -> Fact:
    volatile = isinstance(entry, dict) and entry.get("volatile") is True
    match entry:
        case {"type": "text", "value": str(text)}:
            fact: Fact = Text(text, volatile=volatile)
        case {"type": "money", "value": [str(amount), str(currency)]}:
            fact = Money(_decimal(amount), currency, volatile=volatile)
        case {"type": "date", "value": str(day)}:
            fact = Date(date.fromisoformat(day), volatile=volatile)
        case {"type": "instant", "value": [str(at), str(zone)]}:
            fact = Instant(read_instant(at), zone, volatile=volatile)
        case {"type": "email", "value": str(address)}:
            fact = Email(address, volatile=volatile)
        case {"type": "count", "value": int(number)}:
            fact = Count(number, volatile=volatile)
        case _:
            raise ValueError("A stored fact has a type and a value.")
    return fact


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text[:40]} is not a number.") from None
