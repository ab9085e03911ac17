"""One reading statement by itself: a round trip, and no transaction around it."""

from collections.abc import Mapping

import psycopg

from semel.ports import Row, Value
from semel.storage.postgres.connection import Connection, is_broken, translate, translated
from semel.storage.postgres.talk import Outdated
from semel.storage.postgres.workers import Worker


def asked(worker: Worker, sql: str, params: Mapping[str, Value]) -> Row | None:
    """The first row of a statement, asked once more where the connection had died unused."""
    connection, fresh = worker.connection()
    try:
        return _first(connection, sql, params)
    except Outdated:
        pass
    except psycopg.Error as no:
        if fresh or not is_broken(connection):
            raise translate(no) from no
    with translated():
        return _first(worker.connection()[0], sql, params)


def _first(connection: Connection, sql: str, params: Mapping[str, Value]) -> Row | None:
    answers, error = connection.talk([(sql, params)])
    if error is not None:
        raise error
    return answers[0].rows[0] if answers[0].rows else None
