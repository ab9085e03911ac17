"""A small transaction over sqlite3, and the demo world in it."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

import semel_facturas.books
from semel.ports import Row, Tx, Value
from semel.storage.sql import load
from semel_facturas.books.contacts import Contact
from semel_facturas.books.drafts import create_draft
from semel_facturas.books.invoices import Invoice, issue
from semel_facturas.books.money import Line
from semel_facturas.books.payments import Payment, record_payment

SQL = Path(semel_facturas.books.__file__).parent / "sqlite"
NOW = "2026-10-19T08:00:00.000000Z"
TODAY = date(2026, 10, 19)
DUE = date(2026, 11, 18)
ORG = "carmona-demo"
LOGO = Line("Diseño del logo", Decimal(1), Decimal(500), Decimal(0), Decimal(21))


class SqliteTx:
    """Named statements on one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.statements = load(SQL)

    def one(self, statement: str, /, **params: Value) -> Row | None:
        rows = self.all(statement, **params)
        return rows[0] if rows else None

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        return [dict(row) for row in self.connection.execute(self.statements[statement], params)]

    def run(self, statement: str, /, **params: Value) -> int:
        return self.connection.execute(self.statements[statement], params).rowcount


class Books:
    """A database file; calling it opens a transaction on a connection of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    def migrate(self, wanted: str = "*.sql") -> None:
        connection = self.connect()
        for script in sorted((SQL / "migrations").glob(wanted)):
            connection.executescript(script.read_text(encoding="utf-8"))
        connection.close()

    @contextmanager
    def __call__(self) -> Iterator[SqliteTx]:
        connection = self.connect()
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield SqliteTx(connection)
            connection.execute("COMMIT")
        finally:
            connection.close()

    def sql(self, text: str, **params: Value) -> list[tuple[Value, ...]]:
        """Run any SQL, as somebody who goes round the program would."""
        connection = self.connect()
        try:
            return [tuple(row) for row in connection.execute(text, params)]
        finally:
            connection.close()


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
