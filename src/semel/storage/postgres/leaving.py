"""How a transaction leaves its session: as it found it, once its answer is out."""

from psycopg.pq import TransactionStatus

from semel.storage.postgres.connection import Connection, is_broken
from semel.storage.postgres.wire import Wire
from semel.storage.postgres.workers import Worker

TIDY = "CLOSE ALL; UNLISTEN *; RESET ALL; SELECT pg_advisory_unlock_all(); DISCARD TEMP"
"""What an application's statement may have left in a session. Prepared statements stay."""


def leave(worker: Worker, wire: Wire) -> None:
    """Take back what was not kept; what only leaves the session tidy waits for the answer."""
    if is_broken(wire.connection):
        worker.forget()
    elif wire.connection.info.transaction_status is not TransactionStatus.IDLE:
        worker.tidy = _roll_back_and_tidy if wire.touched else _roll_back
    elif wire.touched:
        worker.tidy = _tidy


def _roll_back(connection: Connection) -> None:
    connection.execute("ROLLBACK")


def _tidy(connection: Connection) -> None:
    connection.execute(TIDY)


def _roll_back_and_tidy(connection: Connection) -> None:
    connection.execute("ROLLBACK")
    connection.execute(TIDY)
