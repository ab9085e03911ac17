"""Serving the application on loopback, until it is told to stop."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from semel import Engine
from semel_facturas.application import furnish, open, seed
from semel_facturas.web.application import application
from semel_facturas.web.doors import Doors

LOOPBACK = "127.0.0.1"

HEADERS_BYTES = 16 * 1024
"""Of a request's head, as most servers have it: a browser's with its cookie is a tenth of that."""

OPEN_MAX = 512
"""Connections at once: a person has one for each open card and a few more, and this is a demo."""

LAST_SECONDS = 2.0
"""What an answer gets to leave when everything that was on its way has ended."""


async def serve(
    url: str,
    home: Path,
    port: int,
    ready: Callable[[str], None],
    told: asyncio.Event | None = None,
    *,
    lang: str | None = None,
) -> None:
    """Serve the demo until it is told to end or cancelled; then nothing new begins.

    The step in flight ends and its plan is handed on; whoever follows a plan is let go at once.

    Args:
        url: the database.
        home: folder of the key and of the mail.
        port: of the loopback interface; 0 for any that is free.
        ready: called with the address, once it can be reached.
        told: set when it shall end.
        lang: what everybody reads who has not chosen; without it, each their own.

    Raises:
        OSError: the port cannot be had.
    """
    ending = told or asyncio.Event()
    with socket.create_server((LOOPBACK, port)) as listening:
        async with open(url, home=home) as engine:
            await seed(engine)
            await furnish(engine)
            doors = Doors(application(engine, home=home, lang=lang))
            server = _Server(_config(doors))
            serving = asyncio.ensure_future(server.serve(sockets=[listening]))
            waiting = asyncio.ensure_future(ending.wait())
            ready(f"http://{LOOPBACK}:{listening.getsockname()[1]}")
            try:
                await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                waiting.cancel()
                await _end(engine, doors, server, serving)


def _config(doors: Doors) -> uvicorn.Config:
    return uvicorn.Config(
        doors,
        http="h11",
        ws="none",
        lifespan="off",
        # What it logs goes where this program's log goes; who asked for what is nobody's business.
        log_config=None,
        access_log=False,
        server_header=False,
        # Nothing stands before it, so a header that says so lies.
        proxy_headers=False,
        h11_max_incomplete_event_size=HEADERS_BYTES,
        limit_concurrency=OPEN_MAX,
    )


async def _end(
    engine: Engine, doors: Doors, server: uvicorn.Server, serving: "asyncio.Task[None]"
) -> None:
    """Let nobody in any more, let out who only listens, and wait for what is on its way."""
    server.should_exit = True
    doors.close()
    await engine.drain()
    # Who still waits, waits for a plan that another process runs: it does not end with this one.
    for let_go in (lambda: None, doors.clear, serving.cancel):
        let_go()
        if serving in (await asyncio.wait({serving}, timeout=LAST_SECONDS))[0]:
            break
    if not serving.cancelled():
        serving.result()


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are the program's own: it ends what is in flight before it lets go."""
        yield
