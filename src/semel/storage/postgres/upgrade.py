"""Migrations on PostgreSQL: all of them in one transaction, behind a lock, with their notes."""

from collections.abc import Sequence

from semel.storage.migrate import SCHEMA, Migration, missing
from semel.storage.postgres.connection import Connection

LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('semel.migrate', 0))"
"""Instances that start together take turns; the server lets go of it at the COMMIT."""


def upgrade(connection: Connection, migrations: Sequence[Migration]) -> list[Migration]:
    """Apply what the database lacks, and return it.

    Raises:
        SchemaNewer: the database has a migration that this program does not know.
    """
    if not lacking(connection, migrations):
        return []
    with connection.transaction():
        connection.execute(LOCK)
        connection.execute(SCHEMA["postgres"])
        # Another instance may have done it while this one waited for its turn.
        todo = lacking(connection, migrations)
        for migration in todo:
            # The server parses the text whole; a transaction block keeps or drops all of it.
            connection.execute(migration.sql.encode())
            connection.execute(
                "INSERT INTO semel_schema (component, number, name) VALUES (%s, %s, %s)",
                (migration.component, migration.number, migration.name),
            )
    return todo


def lacking(connection: Connection, migrations: Sequence[Migration]) -> list[Migration]:
    """The migrations that the database lacks, in order."""
    row = connection.execute("SELECT to_regclass('semel_schema') IS NOT NULL AS begun").fetchone()
    if row is None or not row["begun"]:
        return missing(migrations, [])
    rows = connection.execute("SELECT component, number, name FROM semel_schema").fetchall()
    return missing(migrations, [(r["component"], r["number"], r["name"]) for r in rows])
