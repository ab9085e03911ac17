"""What SQL has words for and Python has not: WHERE, chosen columns, ORDER BY, LIMIT, INSERT."""

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import cast

from semel.errors import Conflict
from semel.ports import Row, Value
from semel.storage.memory.shape import Schema
from semel.storage.memory.tables import Tables


def insert(t: Tables, schema: Schema, p: Mapping[str, Value], **fixed: Value) -> None:
    """Add a row whose columns are the parameters of their name, save for the *fixed* ones."""
    row = {c: fixed[c] if c in fixed else p[c] for c in schema.columns}
    t[schema].insert(row)


def named(t: Tables, schema: Schema, p: Mapping[str, Value], **where: Value) -> Row | None:
    """The row whose key the parameters name, if its columns are as said; nothing equals NULL."""
    row = t[schema].get(*[p[column] for column in schema.key])
    if row is None or any(v is None or row[column] != v for column, v in where.items()):
        return None
    return row


def after(row: Row, column: str) -> int:
    """The number that follows the one in *column*."""
    return cast("int", row[column]) + 1


def pick(row: Row | None, *columns: str) -> list[Row]:
    """A row's *columns*, or all of them; no row when there is none."""
    if row is None:
        return []
    return [{column: row[column] for column in columns} if columns else row]


def picked(rows: Iterable[Row], *columns: str) -> list[Row]:
    """The *columns* of each row."""
    return [{column: row[column] for column in columns} for row in rows]


def distinct(rows: Iterable[Row], *columns: str) -> list[Row]:
    """Each combination of values of *columns* once, in their order."""
    found = {tuple([row[column] for column in columns]) for row in rows}
    return ordered([dict(zip(columns, values, strict=True)) for values in found], *columns)


def ordered(rows: Iterable[Row], *columns: str) -> list[Row]:
    """The rows by *columns*; a name with a minus goes the other way, and then for all of them."""
    down = columns[0].startswith("-")
    return sorted(rows, key=itemgetter(*(c.removeprefix("-") for c in columns)), reverse=down)


def first(rows: list[Row], limit: Value) -> list[Row]:
    """As many rows as LIMIT says; a negative one means all of them."""
    if not isinstance(limit, int):
        raise Conflict("The database refused the limit: it is no number.")
    return rows if limit < 0 else rows[:limit]


def before(instant: Value, now: Value) -> bool:
    """Whether *instant* is at or before *now*; nothing is, when either is not known."""
    return isinstance(instant, str) and isinstance(now, str) and instant <= now
