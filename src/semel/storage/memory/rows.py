"""What SQL has words for and Python has not: chosen columns, ORDER BY, LIMIT, INSERT from names."""

from collections.abc import Iterable, Mapping
from operator import itemgetter

from semel.errors import Conflict
from semel.ports import Row, Value
from semel.storage.memory.shape import Schema
from semel.storage.memory.tables import Tables


def insert(t: Tables, schema: Schema, p: Mapping[str, Value], **fixed: Value) -> None:
    """Add a row whose columns are the parameters of their name, save for the *fixed* ones."""
    row = {c: fixed[c] if c in fixed else p[c] for c in schema.columns}
    t[schema].insert(row)


def pick(row: Row | None, *columns: str) -> list[Row]:
    """A row's *columns*, or all of them; no row when there is none."""
    if row is None:
        return []
    return [{column: row[column] for column in columns} if columns else row]


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
