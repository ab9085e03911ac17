"""One transaction on one connection: what waits is sent with what is asked, in one round trip.

What opens a transaction or a savepoint waits in a queue until a statement needs its answer, and
travels with that; so do statements that nobody asks an answer of. A savepoint in which nothing was
asked costs nothing at all.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import psycopg
from psycopg import errors

from semel.errors import Bug, Busy, CommitUnknown, SemelError, StorageError, TimeLimit
from semel.ports import Clock, Value
from semel.storage.block import Block
from semel.storage.postgres.connection import (
    Again,
    Connection,
    is_broken,
    translate,
)
from semel.storage.postgres.numbered import ROWS_MAX, surely, takes_rows
from semel.storage.postgres.talk import Answer, Said

ENDED = "A statement ended the step's transaction; nothing was written."

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

LIMITS = {
    "statement_timeout": 1.0,
    # Sooner than the statement's own end, so that the server says which of the two it was.
    "lock_timeout": 0.9,
    "idle_in_transaction_session_timeout": 1.0,
}
"""What the server keeps of a transaction's limit, as shares of it."""

WHOLE = ("transaction_timeout", 2.0)
"""From version 17 on: half a batch whose other half is lost is not idle, and has no other end."""

WHOLE_SINCE = 170_000


@lru_cache(maxsize=16)
def opening(limit_seconds: float, version: int) -> str:
    """The statement that sets a transaction's limits and tells the time.

    They are set in each transaction: behind a pooler the next one may have another session.
    """
    shares = {**LIMITS, **dict([WHOLE] if version >= WHOLE_SINCE else [])}
    limits = [
        f"set_config('{name}', '{int(limit_seconds * share * 1000)}', true)"
        for name, share in shares.items()
    ]
    return f"SELECT {', '.join(limits)}, {CLOCK}"


CLOCK = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now"

OPENS = "SELECT set_config"

ROWS = "INSERT"
"""Rows that go in together have no text of their own."""


class Wire:
    """One connection in one transaction: a queue of what waits, and what was asked."""

    def __init__(
        self, connection: Connection, clock: Clock, *, lent: bool, trusting: bool = False
    ) -> None:
        self.connection = connection
        self.block = Block()
        self.touched = False
        """Whether a statement of the application's has run that may leave traces in the session."""
        self.fatal: SemelError | None = None
        """Why this transaction cannot go on, whatever a handler makes of the error."""
        self._clock = clock
        self._lent = lent
        self._queue: list[Said] = []
        self._trusting = trusting
        self._trusted = False
        """Whether a statement waits that was trusted to do what it has not done yet."""
        self._since = 0.0
        self._server: datetime | None = None

    def begin(self, how: str, limit_seconds: float) -> None:
        """Let the transaction begin with its first statement."""
        limits = opening(limit_seconds, self.connection.info.server_version)
        self._queue += [(how, None), (limits, None)]

    @property
    def begun(self) -> bool:
        """Whether the server has heard of the transaction."""
        return self._server is not None

    def later(self, sql: str, params: Mapping[str, Value] | None = None) -> None:
        """Send a statement with the next one that is asked; rows go in together."""
        if params is None or not takes_rows(sql):
            self._queue.append((sql, params))
            return
        rows = self._queue[-1][1] if self._queue else None
        if isinstance(rows, list) and len(rows) < ROWS_MAX:
            rows.append((sql, params))
        else:
            self._queue.append((ROWS, [(sql, params)]))

    def trust(self, sql: str, params: Mapping[str, Value]) -> int:
        """Send a statement that inserts a row with the next one that is asked; how many those are.

        Where it turns out not to, the transaction is run again without trust, so that its handler
        hears of that from the statement itself.
        """
        if not self._trusting:
            return self.ask((sql, params))[0].count
        self.check()
        if len(self._queue) >= ROWS_MAX:
            self.settle()
        self._queue.append((surely(sql), params))
        self._trusted = True
        return 1

    def settle(self) -> None:
        """Find out about what was trusted, before it is taken back or the work's error counts."""
        if self._trusted and self.fatal is None:
            self.ask()

    def save(self, depth: int) -> str:
        """Open a savepoint; what was said. Where one was just opened, that is the same place."""
        last = self._queue[-1][0] if self._queue else ""
        if not last.startswith("SAVEPOINT"):
            last = f"SAVEPOINT semel_{depth}"
            self.later(last)
        return last

    def cut(self, text: str) -> bool:
        """Forget what waits since *text*, itself included; False when it was sent already."""
        for place in reversed(range(len(self._queue))):
            if self._queue[place][0] == text:
                del self._queue[place:]
                return True
        self._queue.clear()
        return False

    def release(self, depth: int) -> None:
        """Close a savepoint; one that was not sent by now need never be.

        The server is not told: the next one of this name stands for itself, and the end of the
        transaction, or of the savepoint around it, ends them all.
        """
        text = f"SAVEPOINT semel_{depth}"
        for place in reversed(range(len(self._queue))):
            if self._queue[place][0] == text:
                del self._queue[place]
                return

    def ask(self, *said: Said) -> list[Answer]:
        """Run statements, and before them whatever waits, in one round trip."""
        self.check()
        try:
            return self._execute(said)
        except SemelError as no:
            self._note(no)
            raise
        except (psycopg.Error, UnicodeEncodeError) as no:
            error = self._meant(no)
            self._note(error)
            raise error from no

    def _meant(self, no: psycopg.Error | UnicodeEncodeError) -> SemelError:
        error = translate(no)
        ends = isinstance(error, TimeLimit | Busy) or is_broken(self.connection)
        # Whatever else was refused in this batch: where nothing is trusted, its handler is told.
        return Again() if self._trusted and not ends else error

    def _note(self, no: SemelError) -> None:
        self.block.spoil()
        if isinstance(no, Again | TimeLimit):
            # Whatever a handler makes of it: this transaction is over.
            self.fatal = no

    def _execute(self, said: Sequence[Said]) -> list[Answer]:
        waiting, self._queue = self._queue, []
        began = self._clock.monotonic()
        # What opens the transaction tells the time.
        unread = len(waiting) if self.begun else 0
        answers, error = self.connection.talk([*waiting, *said], unread)
        if not self.begun:
            self._look(waiting, answers, began)
        if len(answers) >= len(waiting):
            self._trusted = False
        if error is None:
            return answers[len(waiting) :]
        if len(answers) < len(waiting):
            # What failed was sent on trust; nobody is there who could go on from it.
            self.fatal = self._meant(error)
        raise error

    def _look(self, said: Sequence[Said], answers: Sequence[Answer], began: float) -> None:
        """Take the server's time from the answer to what has opened the transaction."""
        for (text, _), answer in zip(said, answers, strict=False):
            if text.startswith(OPENS):
                self._server = EPOCH + timedelta(microseconds=answer.rows[0]["now"])
                self._since = began

    def now(self) -> datetime:
        """The database's clock, or the one that a test has lent."""
        if self._lent:
            return self._clock.now()
        if self._server is None:
            self.ask(("SELECT 1 AS awake", None))
        if self._server is None:
            raise Bug("The database did not tell the time.")
        return self._server + timedelta(seconds=self._clock.monotonic() - self._since)

    def check(self) -> None:
        """Refuse to end well what cannot.

        Raises:
            SemelError: a statement was refused, and its error was not let out.
        """
        if self.fatal is not None:
            raise self.fatal
        self.block.check()

    def commit(self) -> None:
        """Send what waits, and COMMIT; a transaction of which the server has not heard is none.

        Raises:
            Conflict: a deferred constraint refused it.
            Again: it was in another one's way.
            StorageError: the transaction was not there any more.
            CommitUnknown: the connection was lost, and nobody knows on which side of it.
        """
        waiting, self._queue = self._queue, []
        if not self.begun and not any(values is not None for _, values in waiting):
            return
        try:
            answers, error = self.connection.talk([*waiting, ("COMMIT", None)], len(waiting))
            if error is not None:
                raise error
        except errors.IdleInTransactionSessionTimeout as no:
            raise TimeLimit from no
        except psycopg.Error as no:
            if is_broken(self.connection):
                raise CommitUnknown from no
            raise self._meant(no) from no
        if self.connection.unsure:
            # Here it is made, and on the server that may have to go on it perhaps is not.
            raise CommitUnknown
        if answers[-1].word != b"COMMIT":
            raise StorageError(ENDED)
