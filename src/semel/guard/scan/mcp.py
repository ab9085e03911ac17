"""The tools of an MCP server that is started for the question, asked over its pipes, and ended.

It speaks as much of the protocol as a list of tools needs. A server that knows no ``initialize``
is asked in the way of the protocol's stateless revision.
"""

import json
import os
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from semel.guard.scan.lexicon import KEYS
from semel.guard.scan.tool import ScanError, Tool

ANSWER_SECONDS = 30.0
"""What the whole conversation may take: a server may have to be fetched before it starts."""

END_SECONDS = 2.0
"""What a server has to end by itself once its input is closed; then it is killed."""

ANSWER_BYTES = 16 * 1024 * 1024
"""Bytes that a server may print in all: no list of tools is as long."""

PAGES_MAX = 100
"""Pages of a list: a server that always has a next one would be asked for ever."""

REVISION = "2025-06-18"
STATELESS = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


def scan(command: str, seconds: float = ANSWER_SECONDS) -> tuple[Tool, ...]:
    """The tools of the server that *command* starts; it has ended when this returns.

    Raises:
        ScanError: it does not start, does not answer in time, does not speak MCP, or has no tools.
    """
    try:
        words = shlex.split(command)
    except ValueError as no:
        raise ScanError(f"The command could not be read ({no}).") from no
    if not words:
        raise ScanError("There is no command to start a server with.")
    try:
        # A group of its own, so that what the command starts in turn ends with it.
        process = subprocess.Popen(  # noqa: S603 - the operator's own command
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as no:
        why = getattr(no, "strerror", None) or no
        raise ScanError(f"The server {words[0]} could not be started ({why}).") from no
    heard: SimpleQueue[bytes | None] = SimpleQueue()
    # A read of a pipe knows no time limit, so it waits elsewhere; a killed server ends it.
    ear = Thread(target=_hear, args=(process.stdout, heard), daemon=True)
    ear.start()
    try:
        found = tools(_listed(_Line(process.stdin, heard, time.monotonic() + seconds, seconds)))
    finally:
        _end(process)
        ear.join(END_SECONDS)
    if not found:
        raise ScanError("The server has no tools.")
    return found


def tools(listed: Sequence[object]) -> tuple[Tool, ...]:
    """The tools of a server's list; what has no name is left out."""
    return tuple(_tool(one) for one in listed if isinstance(one, Mapping) and _text(one, "name"))


def _tool(one: Mapping[str, Any]) -> Tool:
    hints, schema = one.get("annotations"), one.get("inputSchema")
    hints = hints if isinstance(hints, Mapping) else {}
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    names = tuple(map(str, properties)) if isinstance(properties, Mapping) else ()
    said = [_text(one, "title"), _text(hints, "title"), _text(one, "description")]
    return Tool(
        _text(one, "name"),
        ". ".join(text for text in said if text),
        names,
        read_only=_hint(hints, "readOnlyHint"),
        idempotent=_hint(hints, "idempotentHint"),
        key=next((name for name in names if name.lower() in KEYS), None),
    )


def _text(table: Mapping[str, Any], name: str) -> str:
    value = table.get(name)
    return value if isinstance(value, str) else ""


def _hint(hints: Mapping[str, Any], name: str) -> bool | None:
    value = hints.get(name)
    return value if isinstance(value, bool) else None


def _listed(line: "_Line") -> list[object]:
    """Every page of the list."""
    client = {"name": "semel scan", "version": "1"}
    hello = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": client}
    if line.ask("initialize", hello) is None:
        more: dict[str, object] = dict(STATELESS)
    else:
        more = {}
        line.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
    found: list[object] = []
    cursors: set[str] = set()
    given: dict[str, object] = {}
    for _ in range(PAGES_MAX):
        page = line.ask("tools/list", more | given)
        listed = page.get("tools") if page is not None else None
        if page is None or not isinstance(listed, list):
            raise ScanError("The server does not list its tools.")
        found += listed
        cursor = page.get("nextCursor")
        if not isinstance(cursor, str) or not cursor or cursor in cursors:
            return found
        cursors.add(cursor)
        given = {"cursor": cursor}
    raise ScanError(f"The server's list has more than {PAGES_MAX} pages.")


@dataclass(slots=True)
class _Line:
    """One request at a time to a server, each with its answer, until an instant."""

    inlet: IO[bytes] | None
    heard: "SimpleQueue[bytes | None]"
    until: float
    seconds: float
    number: int = field(default=0)

    def tell(self, message: Mapping[str, object]) -> None:
        """Write one message; a server that is gone is noticed by what it does not answer."""
        with suppress(OSError):
            if self.inlet is not None:
                # A server that reads nothing fills its pipe, and must not hold this up.
                os.set_blocking(self.inlet.fileno(), False)
                os.write(self.inlet.fileno(), json.dumps(message).encode() + b"\n")

    def ask(self, method: str, params: Mapping[str, object]) -> Mapping[str, Any] | None:
        """The result of a request, or None when the server answers with an error."""
        self.number += 1
        self.tell({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for message in self._messages():
            if message.get("id") == self.number and "method" not in message:
                result = message.get("result")
                return result if isinstance(result, Mapping) else None
        raise ScanError("The server closed its output before it had listed its tools.")

    def _messages(self) -> Iterator[Mapping[str, Any]]:
        while True:
            try:
                data = self.heard.get(timeout=max(0.0, self.until - time.monotonic()))
            except Empty:
                raise ScanError(f"The server gave no answer in {self.seconds:g} s.") from None
            if data is None:
                raise ScanError("The server prints too much for a list of tools.")
            if not data:
                return
            # Programs print a greeting where only messages belong; that is no answer.
            with suppress(ValueError, RecursionError):
                message = json.loads(data)
                if isinstance(message, Mapping):
                    yield message


def _hear(outlet: IO[bytes], heard: "SimpleQueue[bytes | None]") -> None:
    """Pass on each line and nothing at last, or None where there is too much."""
    left = ANSWER_BYTES
    with suppress(OSError, ValueError), outlet:
        while data := outlet.readline(left + 1):
            left -= len(data)
            if left < 0:
                heard.put(None)
                return
            heard.put(data)
    heard.put(b"")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Close the server's input, wait a little, and kill it and what it started."""
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    # Also where it ended by itself: what it left behind in its group ends, too.
    with suppress(OSError):
        os.killpg(process.pid, 9)
    process.wait()
