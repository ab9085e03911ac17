"""A statement's text as the protocol has it; and many rows, of several tables, in one statement.

What only inserts a row, and of which nobody asks anything, need not be a statement of its own: that
costs the driver and the server more than the row does.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

PREPARED_MAX = 1000
"""Statements that a session keeps prepared; an application has some dozens, in a few types each."""

ROWS_MAX = 50
"""Rows that go in together; a plan of ten steps, done at once, leaves 43. Each mixture of them is
prepared by itself."""

PARAM = re.compile(r"%\(([a-z_]+)\)s|%%")
ROW = re.compile(r"INSERT\s.*?\sVALUES\s*(\((?:%\([a-z_]+\)s|[^()])*\))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A statement as the protocol has it, ``$1``, and the names of what goes in, in order."""

    sql: bytes
    names: tuple[str, ...]
    named: frozenset[str]
    """The names without their order."""
    given: Callable[[Mapping[str, Any]], Sequence[Any]]
    """What goes in of parameters, in the order of the names."""


@lru_cache(PREPARED_MAX)
def takes_rows(sql: str) -> bool:
    """Whether a statement only inserts a row, so that others may go in with it."""
    return ROW.fullmatch(sql) is not None


@lru_cache(PREPARED_MAX)
def surely(sql: str) -> str:
    """A statement that :func:`takes_rows`, and fails where it has not inserted its one row.

    A trigger may leave a row out; who has trusted that it goes in has to hear of it.
    """
    counted = "SELECT 1 / (count(*) = 1)::int AS one FROM put"
    return f"WITH put AS ({sql} RETURNING 1) {counted}"


@lru_cache(PREPARED_MAX)
def numbered(*texts: str) -> Numbered:
    """A statement bound for the driver, with its parameters by their numbers.

    Of several, each of which :func:`takes_rows`, it is one that inserts a row for each of them. One
    row may refer to another, since a database looks for that when the statement is through.
    """
    names = list[str]()
    inserts = list[str]()
    for text, same in groupby(texts):
        row = ROW.fullmatch(text)
        parts = [row[1] if row and place else text for place, _ in enumerate(same)]
        inserts.append(", ".join(_numbered(part, names) for part in parts))
    *within, last = inserts
    if within:
        named = ", ".join(f"semel_{n} AS ({insert})" for n, insert in enumerate(within))
        last = f"WITH {named} {last}"
    return Numbered(last.encode(), tuple(names), frozenset(names), _given(names))


def _given(names: list[str]) -> Callable[[Mapping[str, Any]], Sequence[Any]]:
    if len(names) > 1:
        return itemgetter(*names)
    # Of a single name it would give the value itself.
    return lambda params: [params[name] for name in names]


def _numbered(text: str, names: list[str]) -> str:
    """A text with its parameters by their numbers, which go on after those of *names*."""
    before, own = len(names), dict[str, int]()

    def number(found: re.Match[str]) -> str:
        name = found[1]
        return "%" if name is None else f"${before + own.setdefault(name, len(own) + 1)}"

    done = PARAM.sub(number, text)
    names += own
    return done
