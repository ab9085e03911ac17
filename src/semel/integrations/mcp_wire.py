"""The two ways to an MCP server: the pipes of a client that started it, and a loopback port."""

import asyncio
import hmac
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from threading import Semaphore, Thread
from typing import Any, cast

import uvicorn
from mcp.server import Server
from mcp.server.stdio import stdio_server
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from semel.errors import SemelError

LOOPBACK = "127.0.0.1"

LINE_BYTES = 4 * 1024 * 1024
"""A message of a client over its pipes; what a plan may hold is a quarter of it."""

OPEN_SECONDS = 2
"""What open streams get to end by themselves: a client that listens would never close its own."""


class NoPort(SemelError):
    """A port is somebody else's, or not for this user."""


async def over_stdio(server: Server[Any]) -> None:
    """Serve one client over this process's standard input and output, until it closes them."""
    with _standard_input() as lines:
        async with stdio_server(stdin=cast("Any", lines)) as (heard, told):
            await server.run(heard, told, server.create_initialization_options())


async def over_http(
    server: Server[Any], port: int, ready: Callable[[str], None], secret: str | None = None
) -> None:
    """Serve clients on this machine over streamable HTTP, until this is cancelled.

    Args:
        server: what they talk to.
        port: of the loopback interface; 0 for any that is free.
        ready: called with the address once it can be reached.
        secret: what each request must carry as its bearer token; None for none.

    Raises:
        NoPort: the port cannot be had.
    """
    app: ASGIApp = server.streamable_http_app(host=LOOPBACK)
    config = uvicorn.Config(
        _guarded(app, secret) if secret is not None else app,
        log_level="warning",
        lifespan="on",
        timeout_graceful_shutdown=OPEN_SECONDS,
    )
    try:
        listening = socket.create_server((LOOPBACK, port))
    except OSError as no:
        raise NoPort(f"The port {port} cannot be had ({no.strerror or no}).") from no
    with listening:
        http = _Http(config)
        serving = asyncio.ensure_future(http.serve(sockets=[listening]))
        ready(f"http://{LOOPBACK}:{listening.getsockname()[1]}/mcp")
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            http.should_exit = True
            await serving
            raise


class _Http(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are the program's own: it ends what is in flight before it lets go."""
        yield


def _guarded(app: ASGIApp, secret: str) -> ASGIApp:
    expected = f"Bearer {secret}".encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, expected):
                await PlainTextResponse("Unauthorized", 401)(scope, receive, send)
                return
        await app(scope, receive, send)

    return guarded


@contextmanager
def _standard_input() -> Iterator[AsyncIterator[str]]:
    """The lines of standard input, read where a signal need not wait for the client to write.

    Meanwhile nobody else of this process finds a client's messages there.
    """
    wire, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    loop, heard, room = asyncio.get_running_loop(), asyncio.Queue[str | None](), Semaphore()

    def read() -> None:
        # The loop may have gone: then nobody wants the line any more.
        with suppress(RuntimeError):
            for line in chain(_lines(wire), [None]):
                room.acquire()
                loop.call_soon_threadsafe(heard.put_nowait, line)

    async def lines() -> AsyncIterator[str]:
        while (line := await heard.get()) is not None:
            room.release()
            yield line

    Thread(target=read, name="mcp standard input", daemon=True).start()
    try:
        yield lines()
    finally:
        # The reader may still wait on its own descriptor, so that one stays open.
        os.dup2(wire, 0)


def _lines(wire: int) -> Iterator[str]:
    """Each line; one that is no UTF-8 becomes one that is no message, a longer one is the last."""
    rest = b""
    while (data := os.read(wire, 64 * 1024)) and len(rest) <= LINE_BYTES:
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            try:
                yield line.decode()
            except UnicodeDecodeError:
                yield "\ufffd"
