"""Hearing what other instances announce: one thread, one session that has said LISTEN.

Nothing depends on it. What is announced is read from the tables anyway, a little later; so a line
that is lost, or a pooler that keeps no session, costs a waiter some milliseconds and no answer.
"""

import os
import select
import threading
from collections.abc import Callable

import psycopg

from semel.storage.postgres.connection import Connection, connect, translated

CHANNEL = "semel"


class Ears(threading.Thread):
    """Calls *heard* with each word that is announced, until it is closed or the line is lost.

    Args:
        url: the database.
        heard: called in this thread.

    Raises:
        Unreachable: there is no server.
    """

    def __init__(self, url: str, heard: Callable[[str], None]) -> None:
        super().__init__(name="semel-ears", daemon=True)
        self._heard = heard
        self._connection: Connection = connect(url)
        self._wakes, self._wake = os.pipe()
        self.direct = self._connection.keeps
        """Whether this session is kept: behind a pooler nobody can listen."""
        if self.direct:
            with translated():
                self._connection.execute(f"LISTEN {CHANNEL}")

    def run(self) -> None:
        """Listen until :meth:`close`, or until the line is lost."""
        line = self._connection.pgconn
        try:
            while True:
                ready, _, _ = select.select([line.socket, self._wakes], [], [])
                if self._wakes in ready:
                    return
                line.consume_input()
                while (notice := line.notifies()) is not None:
                    self._heard(notice.extra.decode("utf-8", "replace"))
        except psycopg.Error:
            return
        finally:
            self._connection.close()

    def close(self) -> None:
        """Stop listening; from any thread but its own."""
        os.write(self._wake, b".")
        if self.ident is not None:
            self.join()
        else:
            self._connection.close()
        os.close(self._wake)
        os.close(self._wakes)


def announce(connection: Connection, word: str) -> None:
    """Tell whoever listens; outside any transaction, so no plan waits for it.

    Raises:
        StorageError: it could not be told, which changes nothing.
    """
    with translated():
        connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, word))
