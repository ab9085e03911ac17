"""What is said to the server in one round trip: a batch of statements, prepared, and its answers.

The driver's cursors do this too, one statement at a time and through a generator for every turn,
at several times the processor's cost. The protocol, the values and the errors are the driver's own
here as well; what is left out is its cursor.
"""

import re
import select
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result

from semel.ports import Value

Said = tuple[str, Mapping[str, Value] | None]
"""A statement, and its parameters; None where it has none and ``%`` is only itself."""

PREPARED_MAX = 1000
"""Statements that a session keeps prepared; an application has some dozens, in a few types each."""

PARAM = re.compile(r"%\(([a-z_]+)\)s|%%")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a statement came to: its rows, how many it changed or found, and the server's word."""

    rows: list[dict[str, Any]]
    count: int
    word: str


@dataclass(frozen=True, slots=True)
class Numbered:
    """A statement as the protocol has it, ``$1``, and the names of what goes in, in order."""

    sql: bytes
    names: tuple[str, ...]


@lru_cache(PREPARED_MAX)
def numbered(sql: str) -> Numbered:
    """A statement bound for the driver, with its parameters by their numbers."""
    names: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        name = found[1]
        return "%" if name is None else f"${names.setdefault(name, len(names) + 1)}"

    return Numbered(PARAM.sub(number, sql).encode(), tuple(names))


Key = tuple[str, tuple[int, ...]]
"""What is prepared once: a statement with parameters of these types."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A statement as it is sent."""

    key: Key
    sql: bytes
    values: Sequence[Any]
    formats: Sequence[pq.Format]


class Session(psycopg.Connection[dict[str, Any]]):
    """A connection that can be told many statements at once, and keeps them prepared.

    ``prepare_threshold`` is what says whether it may: behind a pooler it is None.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._statements: dict[Key, bytes] = {}
        self._dumps = Transformer(self)
        self._loads = Transformer(self)
        self._poll = select.poll()
        self._made = 0

    def talk(self, batch: Sequence[Said]) -> tuple[list[Answer], psycopg.Error | None]:
        """Send *batch* as a whole; the answers up to the first statement that is refused, and why.

        What follows a refused statement is not run. Outside a transaction all of it is one.

        Raises:
            psycopg.DataError: a value that no column holds; nothing was sent.
            psycopg.OperationalError: the connection is lost.
        """
        # All values are looked at before anything is sent: half a batch could not be taken back.
        told = [self._told(sql, params) for sql, params in batch]
        line = self.pgconn
        line.enter_pipeline_mode()
        try:
            coming = [step for one in told for step in self._send(one)]
            line.pipeline_sync()
            return self._hear(coming)
        finally:
            with suppress(psycopg.Error):  # the line is dead, and the first error says so
                line.exit_pipeline_mode()

    def _told(self, sql: str, params: Mapping[str, Value] | None) -> _Told:
        known = Numbered(sql.encode(), ()) if params is None else numbered(sql)
        many = [params[name] for name in known.names] if params else []
        values = self._dumps.dump_sequence(many, [PyFormat.AUTO] * len(many))
        types = tuple(self._dumps.types or ())
        return _Told((sql, types), known.sql, values, self._dumps.formats or [])

    def _send(self, one: _Told) -> list[bytes | None]:
        """Send one statement; of each answer to come, what it prepares, None for the last."""
        line = self.pgconn
        name = self._statements.get(one.key)
        if name is not None:
            line.send_query_prepared(name, one.values, one.formats)
            return [None]
        if self.prepare_threshold is None or len(self._statements) >= PREPARED_MAX:
            line.send_query_params(one.sql, one.values, one.key[1], one.formats)
            return [None]
        self._made += 1
        name = self._statements[one.key] = b"semel_%d" % self._made
        line.send_prepare(name, one.sql, one.key[1])
        line.send_query_prepared(name, one.values, one.formats)
        return [name, None]

    def _hear(self, coming: Sequence[bytes | None]) -> tuple[list[Answer], psycopg.Error | None]:
        answers, error = list[Answer](), None
        steps = iter(coming)
        for result in self._results():
            match result.status:
                case pq.ExecStatus.PIPELINE_ABORTED:
                    self._forget(next(steps, None))
                case pq.ExecStatus.FATAL_ERROR:
                    error = error_from_result(result)
                    self._forget(next(steps, None))
                case _ if next(steps, None) is None:
                    answers.append(self._answer(result))
        if self.pgconn.status != pq.ConnStatus.OK:
            raise _lost(self.pgconn, error)
        return answers, error

    def _forget(self, name: bytes | None) -> None:
        """What follows an error is not even parsed: the server knows no such statement."""
        if name is not None:
            self._statements = {k: n for k, n in self._statements.items() if n != name}

    def _results(self) -> Iterator[pq.abc.PGresult]:
        """The results of a batch, up to its end or the connection's; others run meanwhile."""
        line = self.pgconn
        # A line that is lost says so by its state, when what the server last said has been read.
        with suppress(psycopg.OperationalError):
            while line.flush():
                self._wait(select.POLLIN | select.POLLOUT)
            while True:
                while not line.is_busy():
                    result = line.get_result()
                    if result is None:
                        if line.status != pq.ConnStatus.OK:
                            return
                    elif result.status == pq.ExecStatus.PIPELINE_SYNC:
                        return
                    else:
                        yield result
                self._wait(select.POLLIN)

    def _wait(self, what: int) -> None:
        self._poll.register(self.pgconn.socket, what)
        self._poll.poll()
        self.pgconn.consume_input()

    def _answer(self, result: pq.abc.PGresult) -> Answer:
        word = (result.command_status or b"").decode()
        if result.status != pq.ExecStatus.TUPLES_OK:
            return Answer([], result.command_tuples or 0, word)
        names = [(result.fname(n) or b"").decode() for n in range(result.nfields)]
        self._loads.set_pgresult(result)
        rows = self._loads.load_rows(
            0, result.ntuples, lambda row: dict(zip(names, row, strict=True))
        )
        return Answer(rows, result.ntuples, word)


def _lost(line: pq.abc.PGconn, error: psycopg.Error | None) -> psycopg.Error:
    """Why there is no answer any more: what the server said before it went, if it said anything."""
    if error is not None and error.sqlstate:
        return error
    return psycopg.OperationalError(line.error_message.decode("utf-8", "replace"))
