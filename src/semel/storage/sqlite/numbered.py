"""A statement with its parameters by their numbers: the driver looks for a name anew each time.

For a record of twenty columns that is a quarter of what its INSERT costs.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any

from semel.ports import Value

NUMBERED_MAX = 1000
"""Statements of which it is known; an application has some dozens."""

TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | \[[^\]]*\] | --[^\n]* | /\*.*?(?:\*/|$)
    | :(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?![\w$]) | (?P<other>[?@$:])""",
    re.DOTALL | re.VERBOSE,
)
"""What stands for itself, a parameter, or a sign that something else is one."""


def numbered(
    sql: str, params: Mapping[str, Value]
) -> "tuple[str, Mapping[str, Value] | tuple[Value, ...]]":
    """What the driver is given of a statement and its parameters.

    What it would say to a name that is missing, it is left to say.
    """
    text, given = _numbered(sql)
    try:
        return (sql, params) if given is None else (text, given(params))
    except KeyError:
        return sql, params


@lru_cache(NUMBERED_MAX)
def _numbered(sql: str) -> "tuple[str, Callable[[Mapping[str, Any]], tuple[Any, ...]] | None]":
    """The text with numbers, and what puts parameters in their order; None where names stay."""
    names = dict[str, int]()
    strange = False

    def number(found: re.Match[str]) -> str:
        nonlocal strange
        strange = strange or found["other"] is not None
        name = found["name"]
        return found[0] if name is None else f"?{names.setdefault(name, len(names) + 1)}"

    text = TOKEN.sub(number, sql)
    # A single one would be given by itself, and there is nothing to win.
    return text, None if strange or len(names) < 2 else itemgetter(*names)
