"""Between columns and values: a column of another type than its table promises is a bug."""

from datetime import date, datetime
from decimal import Decimal

from semel import Bug, Row
from semel.facts import read_instant


def text(row: Row, column: str) -> str:
    """The text of a column that is never empty."""
    value = maybe(row, column)
    if value is None:
        raise Bug(f"Column {column} holds nothing.")
    return value


def maybe(row: Row, column: str) -> str | None:
    """The text of a column, or None."""
    value = row[column]
    if value is not None and not isinstance(value, str):
        raise Bug(f"Column {column} holds {type(value).__name__}, not text.")
    return value


def whole(row: Row, column: str) -> int:
    """The integer of a column."""
    value = row[column]
    if not isinstance(value, int):
        raise Bug(f"Column {column} holds {type(value).__name__}, not an integer.")
    return value


def decimal(row: Row, column: str) -> Decimal:
    """The decimal of a TEXT column."""
    return Decimal(text(row, column))


def day(row: Row, column: str) -> date | None:
    """The date of a column, or None."""
    value = maybe(row, column)
    return None if value is None else date.fromisoformat(value)


def instant(row: Row, column: str) -> datetime:
    """The instant of a column."""
    return read_instant(text(row, column))
