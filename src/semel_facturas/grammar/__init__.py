"""The grammar of the offline planner: what a sentence says, in either language.

It is data where it can be: a table of phrases for each language, which the readers of sentences
compare token by token. Nothing is looked up here.
"""

from datetime import date
from typing import TypeAlias

from .english import ENGLISH
from .lexing import Token, amount, fold, tokens
from .orders import ORDERS, Order
from .phrases import Language
from .reading import Reading
from .sentence import said
from .spanish import SPANISH

Read: TypeAlias = Reading | Order


def read(text: str, language: Language, today: date) -> Read:
    """What *text* says in *language*: of something new, or as an order about the books."""
    words = tokens(text, language, today)
    new, order = Reading(language, words, today), Order(language, words, today)
    at = 0
    while at < len(words):
        hit = language.clauses.match(words, at)
        if hit and hit[0] == "skip":
            at = hit[1]
        elif new.blank(at):
            at += 1
        else:
            break
    hit = language.openers.match(words, at)
    if not hit:
        return order if order.paid_by(at) else new
    reader = order if hit[0] in ORDERS else new
    reader.read(hit[0], at, hit[1])
    return reader


__all__ = [
    "ENGLISH",
    "SPANISH",
    "Language",
    "Order",
    "Read",
    "Reading",
    "Token",
    "amount",
    "fold",
    "read",
    "said",
    "tokens",
]
