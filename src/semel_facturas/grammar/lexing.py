"""From a sentence to its tokens: words, numbers, amounts, days, months, addresses."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "word", "number", "money", "percent", "date", "invoice", "taxid", "email", "sep", "euro"
]

_TOKEN = re.compile(
    r"""
    (?P<email>[^\s,;:!?¿¡()"«»“”<>@]+@[^\s,;:!?¿¡()"«»“”<>]*[^\s,;:.!?¿¡()"«»“”<>])
    |(?P<date>[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}([/.-])[0-9]{1,2}\3[0-9]{4}
        |[0-9]{1,2}/[0-9]{1,2})(?![\w/%-]|[.,][0-9])
    |(?P<invoice>(?:[a-z]{1,4}-)?[0-9]{4}-[0-9]{1,8})(?![\w-])
    |(?P<taxid>[a-z]-?[0-9]{7}-?[0-9a-z]|[0-9]{8}-?[a-z])(?![\w@-])
    |(?P<number>[0-9]+(?:[.,'’][0-9]+)*)(?=eur|\W|$)
    |(?P<euro>€|(?:euros?|eur)\b)
    |(?P<percent>%|(?:por\ ciento|percent|per\ cent)\b)
    |(?P<abbreviation>(?:incl|inc|excl)(?=\.))\.
    |(?P<sep>[,;:.!?¿¡()])
    |(?P<word>\+|[^\s,;:.!?¿¡()+€%"«»“”]+(?:\.[^\s,;:.!?¿¡()+€%"«»“”]+)*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:[.,'][0-9]{3})+")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of a language that stand for numbers and days, and how it groups thousands."""

    thousands: str
    numbers: dict[str, int]
    months: dict[str, int]  # by their name and by its first three letters
    days: dict[str, int]

    def month(self, word: str) -> int | None:
        """The month that *word* is when it stands alone: "Mar" may be a person, "12 mar" not."""
        spelled = [name for name in self.months if self.months[name] == self.months.get(word)]
        return self.months[word] if word == max(spelled, key=len, default=None) else None


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a sentence: as written, as compared, and what it is worth."""

    kind: Kind
    text: str
    fold: str
    amount: Decimal | None = None
    day: date | None = None
    month: int | None = None


def fold(text: str) -> str:
    """*text* without accents or capitals: the form in which words are compared."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(char for char in plain if not unicodedata.combining(char))


def amount(text: str, thousands: str) -> Decimal | None:
    """The number that *text* spells, or None when it could be two numbers.

    With both marks the last one is the decimal one. A lone mark before three digits groups
    thousands only if it is the language's own: "1,234" in Spanish is not guessed.
    """
    digits = text.replace("’", "'")
    whole, mark, rest = digits, "", ""
    last = max(digits.rfind(char) for char in ".,'")
    if last >= 0 and digits.count(digits[last]) == 1 and len(digits) - last <= 3:
        whole, mark, rest = digits[:last], digits[last], digits[last + 1 :]
    marks = set(re.sub("[0-9]", "", whole))
    if marks:
        alone = not mark and sum(map(whole.count, marks)) == 1
        if not _GROUPED.fullmatch(whole) or len(marks) > 1 or (alone and marks != {thousands}):
            return None
        whole = whole.replace(marks.pop(), "")
    return Decimal(f"{whole}.{rest or '0'}") if len(whole) <= 9 else None


def tokens(text: str, lexicon: Lexicon, today: date) -> list[Token]:
    """The tokens of *text*, amounts and dates already read; quotation marks are left out."""
    raw = []
    for found in _TOKEN.finditer(unicodedata.normalize("NFC", text)):
        kind = str(found.lastgroup)
        raw.append(_worth(kind, found[kind], lexicon, today))
    return list(_joined(raw, lexicon, today))


def _worth(kind: str, text: str, lexicon: Lexicon, today: date) -> Token:
    """A token, with the number or the day that it stands for."""
    word = fold(text)
    match kind:
        case "number":
            return Token("number", text, word, amount(text, lexicon.thousands))
        case "date":
            first, second, *rest = (int(part) for part in re.split("[/.-]", text))
            iso = re.match("[0-9]{4}", text)
            year, day = (first, rest[0]) if iso else (rest[0] if rest else None, first)
            return Token("date", text, word, day=_day(year, second, day, today))
        case "word" if word in lexicon.numbers:
            return Token("number", text, word, Decimal(lexicon.numbers[word]))
        case "word" if word in lexicon.days:
            return Token("date", text, word, day=today + timedelta(days=lexicon.days[word]))
        case "invoice" | "taxid" | "email" | "percent" | "euro" | "sep":
            return Token(kind, text, word)
        case _:
            return Token("word", text, word, month=lexicon.month(word.removesuffix("'s")))


def _joined(raw: list[Token], lexicon: Lexicon, today: date) -> Iterator[Token]:
    """*raw* with "500" and "€" made one amount, and "12 de noviembre" one day."""
    at = 0
    while at < len(raw):
        pair = raw[at : at + 2]
        kinds = [token.kind for token in pair]
        size = 1
        token = raw[at]
        if kinds in (["number", "euro"], ["euro", "number"], ["number", "percent"]):
            size, text = 2, " ".join(token.text for token in pair)
            value = pair[kinds.index("number")].amount
            token = Token("percent" if "percent" in kinds else "money", text, fold(text), value)
        elif named := _named_day([token.fold for token in raw[at : at + 6]], lexicon):
            size, year, month, day = named
            text = " ".join(token.text for token in raw[at : at + size])
            token = Token("date", text, fold(text), day=_day(year, month, day, today))
        yield token
        at += size


def _named_day(words: list[str], lexicon: Lexicon) -> tuple[int, int | None, int, int] | None:
    """How many of *words* are a day with its month in letters, and its year, month and day."""
    words = [*words, "", "", ""]
    size = 2
    if words[0] in lexicon.months:
        month, day = lexicon.months[words[0]], words[1]
    else:
        size += words[1] in {"de", "of"}
        month, day = lexicon.months.get(words[size - 1], 0), words[0]
    ordinal = re.fullmatch("([0-9]{1,2})(?:st|nd|rd|th)?", day)
    if not month or not ordinal:
        return None
    after = size + (words[size] in {"de", "del", "of", ","})
    year = re.fullmatch("[0-9]{4}", words[after]) if after < len(words) else None
    if year:
        return after + 1, int(year[0]), month, int(ordinal[1])
    return size, None, month, int(ordinal[1])


def _day(year: int | None, month: int, day: int, today: date) -> date | None:
    """That day, or None when the calendar has no such day; without a year, the nearest one."""
    days = []
    for each in [year] if year is not None else [today.year - 1, today.year, today.year + 1]:
        try:
            days.append(date(each, month, day))
        except ValueError:  # 31 February: the sentence is answered, not guessed at
            continue
    return min(days, key=lambda found: abs(found - today), default=None)
