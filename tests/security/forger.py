"""Somebody who has the database and not the signing key: edits, deletes and adds any row of it."""

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

import stores

KEYS: Mapping[str, tuple[str, ...]] = {
    "semel_plans": ("org", "plan"),
    "semel_steps": ("org", "plan", "position"),
    "semel_attempts": ("org", "plan", "position", "id"),
    "semel_confirmations": ("org", "id"),
    "semel_keys": ("org", "key"),
    "semel_events": ("org", "plan", "seq"),
    "semel_effects": ("org", "kind", "id", "plan", "position"),
}
"""The audited tables, each with the columns of its primary key."""

KINDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "semel_plans": ("", ()),
    "semel_steps": ("step", ("position",)),
    "semel_attempts": ("attempt", ("position", "id")),
    "semel_confirmations": ("question", ("id",)),
    "semel_keys": ("key", ("key",)),
    "semel_events": ("event", ("seq",)),
    "semel_effects": ("effect", ("kind", "id", "position")),
}
"""What an audit calls a row of each."""

CHECKS = "SELECT conname FROM pg_constraint WHERE conrelid = ?::regclass AND contype = 'c'"
FILLED = """
SELECT attname FROM pg_attribute AS a
 WHERE attrelid = ?::regclass AND attnotnull AND attnum > 0 AND attidentity = ''
   AND NOT EXISTS (SELECT 1 FROM pg_constraint AS c
                    WHERE c.conrelid = a.attrelid AND c.contype = 'p' AND attnum = ANY(c.conkey))
"""
"""What a table refuses, on PostgreSQL: rows that cannot be, and empty cells."""

Cells = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A row of a table, as it was found."""

    table: str
    cells: Cells

    @property
    def plan(self) -> str:
        return str(self.cells["plan"])

    @property
    def name(self) -> str:
        """What an audit calls it within its plan."""
        kind, parts = KINDS[self.table]
        return " ".join([kind, *(str(self.cells[part]) for part in parts)]).strip()

    def where(self) -> tuple[str, list[Any]]:
        keys = KEYS[self.table]
        return " AND ".join(f'"{key}" = ?' for key in keys), [self.cells[key] for key in keys]


class Forger:
    """A connection that no constraint and no foreign key holds back."""

    def __init__(self, path: Path, connection: Any) -> None:
        self.path = path
        self._connection = connection

    def rows(self, table: str) -> list[Place]:
        names = stores.columns(self.path, table)
        listed = ", ".join(f'"{name}"' for name in names)
        order = ", ".join(f'"{key}"' for key in KEYS[table])
        found = self.run(f"SELECT {listed} FROM {table} ORDER BY {order}")
        return [Place(table, dict(zip(names, row, strict=True))) for row in found]

    def run(self, text: str, *params: Any) -> list[tuple[Any, ...]]:
        if isinstance(self._connection, sqlite3.Connection):
            return self._connection.execute(text, params).fetchall()
        return stores.execute(self._connection, text, *params)

    @contextmanager
    def edited(self, place: Place, column: str, value: Any) -> Iterator[Place]:
        """The row with another value in a column, and put back afterwards."""
        now = Place(place.table, {**place.cells, column: value})
        self._set(place, column, value)
        try:
            yield now
        finally:
            self._set(now, column, place.cells[column])

    def _set(self, place: Place, column: str, value: Any) -> None:
        where, keys = place.where()
        self.run(f'UPDATE {place.table} SET "{column}" = ? WHERE {where}', value, *keys)

    @contextmanager
    def deleted(self, place: Place) -> Iterator[None]:
        """Without the row, which is put back afterwards."""
        self.delete(place)
        try:
            yield
        finally:
            self.add(place)

    @contextmanager
    def added(self, place: Place) -> Iterator[None]:
        """With a row more."""
        self.add(place)
        try:
            yield
        finally:
            self.delete(place)

    def delete(self, place: Place) -> None:
        where, keys = place.where()
        self.run(f"DELETE FROM {place.table} WHERE {where}", *keys)

    def add(self, place: Place) -> None:
        names = ", ".join(f'"{name}"' for name in place.cells)
        marks = ", ".join("?" for _ in place.cells)
        values = place.cells.values()
        self.run(f"INSERT INTO {place.table} ({names}) VALUES ({marks})", *values)


@contextmanager
def forging(path: Path) -> Iterator[Forger]:
    """Open the database as its superuser does who wants to be held back by nothing."""
    name = stores.named(path.absolute())
    if name is None:
        with stores.connected(path) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            yield Forger(path, connection)
        return
    for table in KEYS:
        for (check,) in stores.rows(path, CHECKS, table):
            stores.rows(path, f'ALTER TABLE {table} DROP CONSTRAINT "{check}"')
        for (column,) in stores.rows(path, FILLED, table):
            stores.rows(path, f'ALTER TABLE {table} ALTER COLUMN "{column}" DROP NOT NULL')
    # A connection of its own: the one that is lent is put back as it was after each statement.
    url = stores.url(path, "notas")
    with psycopg.connect(url, autocommit=True, application_name=stores.MINE) as own:
        own.execute("SET session_replication_role = replica")
        yield Forger(path, own)


def drawn(label: str, number: int, below: int) -> int:
    """A number below another, always the same for a label and a number."""
    digest = hashlib.sha256(f"{label} {number}".encode()).digest()
    return int.from_bytes(digest[:8]) % below


def flipped(value: Any, at: int) -> Any:
    """The value with one byte of it changed: the one at *at*, counted round."""
    match value:
        case None:
            return "x"
        case bytes():
            place = at % len(value)
            return value[:place] + bytes([value[place] ^ 1]) + value[place + 1 :]
        case int():
            return value + 1
        case "":
            return "x"
        case str():
            place = at % len(value)
            other = "1" if value[place] != "1" else "2"
            return value[:place] + other + value[place + 1 :]
    raise TypeError(type(value))
