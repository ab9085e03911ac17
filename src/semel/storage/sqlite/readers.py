"""Connections that only read, beside the writer: one for each that is at it, kept for the next."""

import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from semel.errors import StorageError
from semel.ports import Row, Value
from semel.storage.sqlite.connection import connect, translate
from semel.storage.sqlite.numbered import numbered


class Readers:
    """Lends connections that may not write.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._free: list[sqlite3.Connection] = []
        self._closed = False

    def take(self) -> sqlite3.Connection:
        """A connection, which is to be given back.

        Raises:
            StorageError: nothing is read any more.
        """
        if self._closed:
            raise StorageError("The store is closed; nothing was read.")
        try:
            return self._free.pop()
        except IndexError:
            return connect(self._path, create=False, read_only=True)

    def give_back(self, connection: sqlite3.Connection) -> None:
        """Keep a connection for the next one who reads."""
        self._free.append(connection)
        if self._closed:
            self.close()

    def first(self, sql: str, params: Mapping[str, Value]) -> Row | None:
        """The first row of one statement, whose snapshot is its own."""
        connection = self.take()
        try:
            # All rows: one that is left unread would keep the snapshot.
            rows: list[Row] = connection.execute(*numbered(sql, params)).fetchall()
        except sqlite3.Error as no:
            raise translate(no, self._path) from no
        finally:
            self.give_back(connection)
        return rows[0] if rows else None

    def close(self) -> None:
        """Let go of the file; a read that is under way does it again when it ends."""
        self._closed = True
        with suppress(IndexError):
            while True:
                self._free.pop().close()
