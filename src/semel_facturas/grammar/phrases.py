"""Phrases as data, and what differs between two languages.

A table has a phrase a line, as ``tag: slot slot slot``. A slot is a word or several (``una|otra``),
brackets hold what may be missing, and ``<money>`` stands for a token of that kind. A phrase is
compared slot by slot, so no sentence can make matching slow.
"""

import re
from dataclasses import dataclass

from .lexing import Lexicon, Token


class Phrases:
    """A table of phrases, looked up by their first word."""

    def __init__(self, table: str) -> None:
        """Read *table*; a line ``@name = …`` names words that later lines use as ``@name``."""
        self._by_first: dict[str, list[tuple[str, list[frozenset[str]]]]] = {}
        names: dict[str, str] = {}
        for line in table.strip().splitlines():
            name, pattern = re.split(" = |: ", line, maxsplit=1)
            pattern = re.sub("@[a-z]+", lambda used: names.get(used[0], used[0]), pattern)
            if name.startswith("@"):
                names[name] = pattern
                continue
            for variant in _variants(pattern):
                slots = [frozenset(slot.split("|")) for slot in variant.split()]
                for word in slots[0]:
                    self._by_first.setdefault(word, []).append((name, slots[1:]))

    def match(self, tokens: list[Token], at: int) -> tuple[str, int] | None:
        """The tag and the end of the longest phrase that starts at *at*."""
        best: tuple[str, int] | None = None
        for key in _keys(tokens[at]) if at < len(tokens) else ():
            for tag, slots in self._by_first.get(key, ()):
                end = at + 1 + len(slots)
                if end > len(tokens) or (best and end <= best[1]):
                    continue
                following = tokens[at + 1 : end]
                if not any(map(frozenset.isdisjoint, slots, map(_keys, following))):
                    best = (tag, end)
        return best


def _variants(pattern: str) -> list[str]:
    """The phrases that *pattern* stands for, with and without what is in brackets."""
    optional = re.search(r"\[([^\[\]]*)\]", pattern)
    if not optional:
        return [pattern]
    before, after = pattern[: optional.start()], pattern[optional.end() :]
    kept = _variants(before + optional[1] + after)
    return list(dict.fromkeys(kept + _variants(before + after)))


def _keys(token: Token) -> tuple[str, ...]:
    """What a slot may call *token*: a number word is a word as well as a number."""
    if token.kind == "word":
        return (token.fold,) if token.month is None else ("<month>", token.fold)
    return (f"<{token.kind}>", token.fold)


@dataclass(frozen=True, slots=True)
class Language(Lexicon):
    """What differs between the two languages."""

    openers: Phrases  # how a sentence begins
    clauses: Phrases  # what the sentence of a new invoice or expense may go on with
    parts: Phrases  # the same for an order about what is already in the books
    reminder: Phrases  # what a reminder needs; it only ever goes out for an unpaid invoice
    paying: Phrases  # after the name of who has paid
    joins: frozenset[str]  # what may stand between two clauses
    articles: frozenset[str]
    to: frozenset[str]  # before the name of a contact
    about: frozenset[str]  # before a concept
    by: frozenset[str]  # before a supplier
    at: frozenset[str]  # before the price of one


def months(names: str) -> dict[str, int]:
    """The months by their name and by its first three letters."""
    return {
        key: number
        for number, name in enumerate(names.split(), start=1)
        for key in (name, name[:3])
    }


def numbers(words: str) -> dict[str, int]:
    """The numbers that are written in letters, from two on, a comma between them."""
    return {
        word: number
        for number, spellings in enumerate(words.split(","), start=2)
        for word in spellings.split()
    }
