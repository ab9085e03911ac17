"""What is said to the server in one round trip: a batch of statements, prepared, and its answers.

The driver's cursors do this too, one statement at a time and through a generator for every turn,
at several times the processor's cost. The protocol, the values and the errors are the driver's own
here as well; what is left out is its cursor.
"""

import select
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result

from semel.ports import Value
from semel.storage.postgres.numbered import PREPARED_MAX, numbered
from semel.storage.postgres.turn import Seat

Rows = list[tuple[str, Mapping[str, Value]]]
"""Rows that go in together: the statement of each, which takes rows, and its parameters."""

Said = tuple[str, Mapping[str, Value] | Rows | None]
"""A statement, and its parameters: None where it has none and ``%`` is only itself. Rows that go in
together are their own statement."""


@dataclass(slots=True)
class Answer:
    """What a statement came to: its rows, how many it changed or found, and the server's word."""

    rows: list[dict[str, Any]]
    count: int
    word: bytes


UNREAD = Answer([], 0, b"")
"""An answer that nobody reads."""

Key = tuple[bytes, tuple[int, ...]]
"""What is prepared once: a statement with parameters of these types."""


class Outdated(psycopg.NotSupportedError):
    """What was prepared does not fit the tables any more, which another instance has migrated.

    It is forgotten; the transaction may be run again.
    """


GIVEN_UP = "SyncRepWaitForLSN"
"""Where the server warns that it waits for the standby no longer. Its words are in its language,
and the warning has no code of its own."""

CHANGED = ("0A000", "26000")
"""What a server says of a prepared statement whose columns have changed, or that it lacks."""


@dataclass(slots=True)
class _Told:
    """A statement as it is sent."""

    key: Key
    values: Sequence[Any]
    formats: Sequence[pq.Format]
    known: bool = False
    """Whether it was prepared before."""


Step = bytes | _Told
"""What an answer that is to come is about: the name of what is prepared, or a statement."""

# As plain numbers: they are compared for each answer, and an enumeration's members are slow.
ALIVE = int(pq.ConnStatus.OK)
SYNC = int(pq.ExecStatus.PIPELINE_SYNC)
ROWS = int(pq.ExecStatus.TUPLES_OK)
FAILED = int(pq.ExecStatus.FATAL_ERROR)
ABORTED = int(pq.ExecStatus.PIPELINE_ABORTED)


class Session(psycopg.Connection[dict[str, Any]]):
    """A connection that can be told many statements at once, and keeps them prepared.

    ``keeps`` says whether it may: behind a pooler it must not. The driver's own stays off:
    it answers a ROLLBACK with DEALLOCATE ALL, and so would forget these.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.keeps = False
        self._statements: dict[Key, bytes] = {}
        self._columns: dict[Key, list[str]] = {}
        self._dumps = Transformer(self)
        self._loads = Transformer(self)
        self._poll = select.poll()
        self._made = 0
        self.seat: Seat | None = None
        """The thread's place among others, where they take turns."""
        self.unsure = False
        """Whether a COMMIT was answered although the standby may not have it."""

    def noticed(self, notice: psycopg.errors.Diagnostic) -> None:
        """Hear of a wait for the standby that was given up: its COMMIT is answered all the same."""
        if notice.source_function == GIVEN_UP:
            self.unsure = True

    def talk(
        self, batch: Sequence[Said], unread: int = 0
    ) -> tuple[list[Answer], psycopg.Error | None]:
        """Send *batch* as a whole; the answers up to the first statement that is refused, and why.

        What follows a refused statement is not run. Outside a transaction all of it is one.

        Args:
            batch: the statements.
            unread: of so many of them, the first ones, nobody reads what they came to.

        Raises:
            psycopg.DataError: a value that no column holds; nothing was sent.
            psycopg.OperationalError: the connection is lost.
        """
        # All values are looked at before anything is sent: half a batch could not be taken back.
        told = [self._told(sql, params) for sql, params in batch]
        line = self.pgconn
        line.enter_pipeline_mode()
        try:
            coming: list[Step] = []
            for one in told:
                self._send(one, coming)
            line.pipeline_sync()
            return self._hear(coming, unread)
        finally:
            try:  # noqa: SIM105 - once in each round trip, at a tenth of the cost
                line.exit_pipeline_mode()
            except psycopg.Error:
                pass  # the line is dead, and the first error says so

    def _told(self, sql: str, params: Mapping[str, Value] | Rows | None) -> _Told:
        if params is None:
            return _Told((sql.encode(), ()), (), ())
        if isinstance(params, list):
            text = numbered(*[text for text, _ in params]).sql
            rows = [numbered(text).given(row) for text, row in params]
            many: Sequence[Any] = [*chain.from_iterable(rows)]
        else:
            known = numbered(sql)
            text, many = known.sql, known.given(params)
        values = self._dumps.dump_sequence(many, [PyFormat.AUTO] * len(many))
        return _Told((text, tuple(self._dumps.types or ())), values, self._dumps.formats or ())

    def _send(self, one: _Told, coming: list[Step]) -> None:
        """Send one statement, and note what its answers will be about."""
        line = self.pgconn
        name = self._statements.get(one.key)
        if name is not None:
            one.known = True
            line.send_query_prepared(name, one.values, one.formats)
            coming.append(one)
            return
        if not self.keeps or len(self._statements) >= PREPARED_MAX:
            line.send_query_params(one.key[0], one.values, one.key[1], one.formats)
            coming.append(one)
            return
        self._made += 1
        name = self._statements[one.key] = b"semel_%d" % self._made
        line.send_prepare(name, one.key[0], one.key[1])
        line.send_query_prepared(name, one.values, one.formats)
        coming += [name, one]

    def _hear(
        self, coming: Sequence[Step], unread: int
    ) -> tuple[list[Answer], psycopg.Error | None]:
        """The answers of a batch, up to its end or the connection's; others run meanwhile."""
        line, steps = self.pgconn, iter(coming)
        answers, error = list[Answer](), None
        # A line that is lost says so by its state, when what the server last said has been read.
        try:
            while line.flush():
                self._wait(select.POLLIN | select.POLLOUT)
            while True:
                while not line.is_busy():
                    result = line.get_result()
                    if result is None:
                        if line.status != ALIVE:
                            raise _lost(line, error)
                        continue
                    status = result.status
                    if status == SYNC:
                        return answers, error
                    step = next(steps, None)
                    if status in (FAILED, ABORTED):
                        if status == FAILED:
                            error = self._refusal(step, error_from_result(result))
                        self._forget(step)
                    elif isinstance(step, _Told):
                        read = len(answers) >= unread
                        answers.append(self._answer(step, result) if read else UNREAD)
                    # The mark of its end is there with it. To ask whether it is would be one more
                    # time that the interpreter's lock is let go of.
                    line.get_result()
                self._wait(select.POLLIN)
        except psycopg.OperationalError:
            raise _lost(line, error) from None

    def _refusal(self, step: Step | None, error: psycopg.Error) -> psycopg.Error:
        if isinstance(step, _Told) and step.known and error.sqlstate in CHANGED:
            self._statements.pop(step.key, None)
            self._columns.pop(step.key, None)
            return Outdated(str(error))
        return error

    def _forget(self, step: Step | None) -> None:
        """What follows an error is not even parsed: the server knows no such statement."""
        if isinstance(step, bytes):
            self._statements = {k: n for k, n in self._statements.items() if n != step}

    def _wait(self, what: int) -> None:
        if self.seat is None:
            self._poll.register(self.pgconn.socket, what)
            self._poll.poll()
        else:
            self.seat.wait(self.pgconn.socket, what)
        self.pgconn.consume_input()

    def _answer(self, told: _Told, result: pq.abc.PGresult) -> Answer:
        if result.status != ROWS:
            return Answer([], result.command_tuples or 0, result.command_status or b"")
        # What is prepared keeps its columns; the server refuses it when they have changed.
        names = self._columns.get(told.key)
        if names is None:
            names = [(result.fname(n) or b"").decode() for n in range(result.nfields)]
            if told.key in self._statements:
                self._columns[told.key] = names
        self._loads.set_pgresult(result)
        count = result.ntuples
        rows = self._loads.load_rows(0, count, lambda row: dict(zip(names, row, strict=True)))
        return Answer(rows, count, result.command_status or b"")


def _lost(line: pq.abc.PGconn, error: psycopg.Error | None) -> psycopg.Error:
    """Why there is no answer any more: what the server said before it went, if it said anything."""
    if error is not None and error.sqlstate:
        return error
    return psycopg.OperationalError(line.error_message.decode("utf-8", "replace"))
