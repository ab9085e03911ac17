"""A proxy before a PostgreSQL server that reads the protocol, and cuts a line at its COMMIT.

It stands where a network stands: it may lose what was sent, lose what was answered, or deliver
something after its sender has given up. Whoever arms it names the line by the client's own port.
"""

import asyncio
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit, urlunsplit

BEFORE = "before"
"""The line is cut before the COMMIT has reached the server: it is not made."""
HELD = "held"
"""The client's side is cut; the COMMIT arrives when somebody else has begun to look for it."""
UNANSWERED = "unanswered"
"""The COMMIT is made, and the line is cut before its answer has reached the client."""
ANSWERED = "answered"
"""The line is cut as soon as the client has the answer."""
STALLED = "stalled"
"""The client's side is cut; the server hears nothing, not even that, until its own limit ends it."""
MODES = (BEFORE, HELD, UNANSWERED, ANSWERED)

STARTUPS = {80877103, 80877104}
"""What asks for encryption (TLS, GSS) before the session begins; the server answers one byte."""


@dataclass(eq=False)
class Line:
    """One client's session through the proxy."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    commits: set[bytes] = field(default_factory=set)
    """The names of prepared statements that are a COMMIT."""
    mode: str | None = None
    """How the COMMIT that has been seen is cut."""
    batches: int = 0
    """How many the client has sent: the first one of a line only says hello."""

    def cut(self, *sides: asyncio.StreamWriter) -> None:
        for side in sides:
            with suppress(OSError, RuntimeError):
                side.transport.abort()


class Proxy:
    """``with Proxy(url) as proxy``: ``proxy.url`` is the same server, through it."""

    def __init__(self, url: str) -> None:
        self._behind = urlsplit(url)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="cutting-proxy")
        self._armed: dict[int, str] = {}
        self._held: list[Callable[[], None]] = []
        self._lines: list[Line] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.cuts: list[str] = []
        """The mode of every cut that was made, in order."""

    def __enter__(self) -> Self:
        self._thread.start()
        start = asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(start, self._loop).result()
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        self._deliver()
        for task in [*self._tasks]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for line in self._lines:
            line.cut(line.client, line.server)
        await asyncio.sleep(0)

    @property
    def url(self) -> str:
        return self.at(self._behind.path)

    def at(self, path: str) -> str:
        user = self._behind.username or "semel"
        place = f"{user}@127.0.0.1:{self.port}"
        return urlunsplit((self._behind.scheme, place, path, self._behind.query, ""))

    def arm(self, port: int, mode: str) -> None:
        """Cut the next COMMIT of the client at this port of its own."""
        self._armed[port] = mode

    @property
    def armed(self) -> int:
        """How many lines are armed and have not been cut."""
        return len(self._armed)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._tasks.add(task)
        try:
            host, port = self._behind.hostname, self._behind.port
            back, server = await asyncio.open_connection(host, port)
        except OSError:
            writer.transport.abort()
            self._tasks.discard(task)
            return
        line = Line(writer, server)
        self._lines.append(line)
        try:
            await asyncio.gather(self._up(line, reader), self._down(line, back))
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # Whatever ended it: what is left of the line is cut below, or stays as its way has it.
            pass
        finally:
            if line.mode not in {HELD, STALLED}:
                line.cut(line.server)
            line.cut(line.client)
            self._tasks.discard(task)

    async def _up(self, line: Line, reader: asyncio.StreamReader) -> None:
        """What the client says, message by message."""
        await self._greeting(line, reader)
        port = line.client.get_extra_info("peername")[1]
        batch = b""
        while True:
            kind = await reader.readexactly(1)
            size = await reader.readexactly(4)
            body = await reader.readexactly(struct.unpack("!i", size)[0] - 4)
            message = kind + size + body
            if self._is_commit(line, kind, body) and port in self._armed:
                line.mode = self._armed.pop(port)
                self.cuts.append(line.mode)
                if line.mode == BEFORE:
                    # What stands before it in the same packet did arrive.
                    line.server.write(batch)
                    await line.server.drain()
                    raise ConnectionAbortedError
                if line.mode == STALLED:
                    line.server.write(batch)
                    await line.server.drain()
                    line.cut(line.client)
                    raise ConnectionAbortedError
            batch += message
            if kind in {b"S", b"Q", b"X"}:
                if line.mode == HELD:
                    self._hold(line, batch)
                    raise ConnectionAbortedError
                line.server.write(batch)
                await line.server.drain()
                batch = b""
                if line.batches and line.mode is None:
                    # Somebody else asks something: what was held back arrives now.
                    self._deliver()
                line.batches += 1

    async def _greeting(self, line: Line, reader: asyncio.StreamReader) -> None:
        while True:
            size = await reader.readexactly(4)
            body = await reader.readexactly(struct.unpack("!i", size)[0] - 4)
            line.server.write(size + body)
            await line.server.drain()
            if struct.unpack("!i", body[:4])[0] not in STARTUPS:
                return

    def _is_commit(self, line: Line, kind: bytes, body: bytes) -> bool:
        if kind == b"Q":
            return body.rstrip(b"\0").strip().upper() == b"COMMIT"
        if kind == b"P":
            name, sql, _ = body.split(b"\0", 2)
            (line.commits.add if sql.strip().upper() == b"COMMIT" else line.commits.discard)(name)
        if kind == b"B":
            _, name, _ = body.split(b"\0", 2)
            return name in line.commits
        return False

    def _hold(self, line: Line, batch: bytes) -> None:
        def deliver() -> None:
            with suppress(OSError, RuntimeError):
                line.server.write(batch)
                line.server.close()

        self._held.append(deliver)
        line.cut(line.client)

    def _deliver(self) -> None:
        held, self._held = self._held, []
        for deliver in held:
            deliver()

    async def _down(self, line: Line, back: asyncio.StreamReader) -> None:
        """What the server answers, message by message."""
        first = True
        while True:
            kind = await back.readexactly(1)
            if first and kind in b"NG" and not line.batches:
                # The one byte that answers a wish for encryption.
                line.client.write(kind)
                continue
            first = False
            size = await back.readexactly(4)
            body = await back.readexactly(struct.unpack("!i", size)[0] - 4)
            done = kind == b"C" and body.rstrip(b"\0") == b"COMMIT"
            if done and line.mode == UNANSWERED:
                raise ConnectionAbortedError
            line.client.write(kind + size + body)
            await line.client.drain()
            if kind == b"Z" and line.mode == ANSWERED:
                raise ConnectionAbortedError
