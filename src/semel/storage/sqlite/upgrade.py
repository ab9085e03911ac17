"""Migrations on SQLite: each statement in one transaction with the note that it was applied."""

import sqlite3
from collections.abc import Sequence

from semel.storage.migrate import SCHEMA, Migration, missing


def upgrade(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> list[Migration]:
    """Apply what the database lacks, and return it.

    Raises:
        SchemaNewer: the database has a migration that this program does not know.
    """
    if not lacking(connection, migrations):
        return []
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(SCHEMA["sqlite"])
        # Another process may have done it while this one waited for its turn.
        todo = lacking(connection, migrations)
        for migration in todo:
            _apply(connection, migration)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return todo


def lacking(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> list[Migration]:
    """The migrations that the database lacks, in order."""
    begun = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'semel_schema'")
    if begun.fetchone() is None:
        return missing(migrations, [])
    rows = connection.execute("SELECT component, number, name FROM semel_schema").fetchall()
    return missing(migrations, [(r["component"], r["number"], r["name"]) for r in rows])


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    """Run a migration's statements one by one: executescript() would commit half of them."""
    pending = ""
    for line in migration.sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            connection.execute(pending)
            pending = ""
    if pending.strip():
        # The last statement may lack its semicolon; it must not be skipped and noted as applied.
        connection.execute(pending)
    connection.execute(
        "INSERT INTO semel_schema (component, number, name) VALUES (?, ?, ?)",
        (migration.component, migration.number, migration.name),
    )
