"""A small transaction over either database, and the demo world in it."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

import semel_facturas.books
import stores
from semel.ports import Row, Tx, Value
from semel.storage.postgres.binding import bound
from semel.storage.sql import load
from semel_facturas.books.contacts import Contact
from semel_facturas.books.drafts import create_draft
from semel_facturas.books.invoices import Invoice, issue
from semel_facturas.books.money import Line
from semel_facturas.books.payments import Payment, record_payment

BOOKS = Path(semel_facturas.books.__file__).parent
NOW = "2026-10-19T08:00:00.000000Z"
TODAY = date(2026, 10, 19)
DUE = date(2026, 11, 18)
ORG = "carmona-demo"
LOGO = Line("Diseño del logo", Decimal(1), Decimal(500), Decimal(0), Decimal(21))

STATEMENTS = {"sqlite": load(BOOKS / "sqlite"), "postgres": bound(load(BOOKS / "postgres"))}
REFUSED = (sqlite3.IntegrityError, psycopg.IntegrityError)
"""What a database says of a row that a constraint or a trigger does not let in."""

Connection = Any
"""A connection of either driver: both have ``execute``, and rows by column name."""


class BooksTx:
    """Named statements on one connection."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.statements = STATEMENTS[stores.kind()]

    def one(self, statement: str, /, **params: Value) -> Row | None:
        rows = self.all(statement, **params)
        return rows[0] if rows else None

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        return [dict(row) for row in self.connection.execute(self.statements[statement], params)]

    def run(self, statement: str, /, **params: Value) -> int:
        changed: int = self.connection.execute(self.statements[statement], params).rowcount
        return changed


class Books:
    """The books' tables alone; calling them opens a transaction on a connection of its own."""

    def __init__(self, path: Path, app: str = "books") -> None:
        self.path = path
        self.url = stores.url(path, app)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        if stores.kind() == "postgres":
            with psycopg.connect(self.url, autocommit=True, row_factory=dict_row) as server:
                yield server
            return
        connection = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = OFF")
        try:
            yield connection
        finally:
            connection.close()

    def migrate(self, wanted: str = "*.sql") -> None:
        """Make the tables; a database of the session's server may have them from another test."""
        if wanted == "*.sql" and "invoices" in stores.tables(self.path):
            return
        for script in sorted((BOOKS / stores.kind() / "migrations").glob(wanted)):
            text = script.read_text(encoding="utf-8")
            if wanted != "*.sql" and stores.kind() == "postgres":
                # Known to the pool, which then throws a database away that is half migrated.
                self.sql(text)
                continue
            with self.connect() as connection:
                if stores.kind() == "postgres":
                    connection.execute(text.encode())
                else:
                    connection.executescript(text)

    @contextmanager
    def __call__(self) -> Iterator[BooksTx]:
        with self.connect() as connection:
            connection.execute("BEGIN" if stores.kind() == "postgres" else "BEGIN IMMEDIATE")
            yield BooksTx(connection)
            connection.execute("COMMIT")

    def sql(self, text: str, **params: Value) -> list[tuple[Any, ...]]:
        """Run any SQL, as somebody who goes round the program would."""
        return stores.rows(self.path, text, *([params] if params else []))


@dataclass(frozen=True)
class World:
    """The demo world in a fresh database."""

    books: Books
    maria: Contact
    new_id: Callable[[], str]

    def draft(self, tx: Tx, *lines: Line, due_date: date = DUE, now: str = NOW) -> Invoice:
        lines = lines or (LOGO,)
        return create_draft(
            tx, ORG, self.new_id(), contact=self.maria, lines=lines, due_date=due_date, now=now
        )

    def paid(self, invoice: Invoice, amount: str, now: str = NOW) -> Payment:
        with self.books() as tx:
            return record_payment(
                tx, invoice, self.new_id(), amount=Decimal(amount), day=TODAY, today=TODAY, now=now
            )

    def issued(self, issue_date: date = TODAY, due: date = DUE) -> Invoice:
        with self.books() as tx:
            return issue(tx, ORG, self.draft(tx, due_date=due), issue_date, NOW)
