"""What must not be false of a row: the constraints that come again and again, as functions."""

from collections.abc import Callable
from typing import TypeAlias, cast

from semel.ports import Row

Check: TypeAlias = Callable[[Row], bool]


def one_of(column: str, words: str) -> Check:
    """A text of a closed set, or NULL."""
    known = frozenset(words.split())
    return lambda row: row[column] is None or row[column] in known


def between(column: str, low: int, high: int) -> Check:
    """A number with both its ends."""
    return lambda row: low <= cast("int", row[column]) <= high


def at_least(column: str, low: int) -> Check:
    """A number that has no upper end."""
    return lambda row: cast("int", row[column]) >= low


def long(column: str, length: int) -> Check:
    """Text or bytes of one length."""
    return lambda row: len(cast("str | bytes", row[column])) == length


def given(column: str) -> Check:
    """Text that is not empty."""
    return lambda row: row[column] != ""


def exactly(column: str, word: str, other: str) -> Check:
    """*other* is there in the rows whose *column* is *word*, and in no other row."""
    return lambda row: (row[column] == word) == (row[other] is not None)


def only(column: str, word: str, other: str) -> Check:
    """*other* is there at most in the rows whose *column* is *word*."""
    return lambda row: row[other] is None or row[column] == word


def plan_id(row: Row) -> bool:
    """A plan's number."""
    plan = str(row["plan"])
    return plan.startswith("p_") and len(plan) > len("p_")


def running_has_an_owner(row: Row) -> bool:
    """A running plan is somebody's, unless it waits for its day."""
    waits = row["kind"] == "later" and row["at"] == 0
    return row["state"] != "running" or row["owner"] is not None or waits


def only_a_doubt_is_looked_after(row: Row) -> bool:
    """A look is set for a plan in doubt alone."""
    doubt = row["state"] == "ended" and row["reason"] == "in_doubt"
    return row["look_after"] is None or doubt
