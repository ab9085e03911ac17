"""Serving the application on loopback, until it is told to stop."""

import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from semel_facturas.application import open, seed
from semel_facturas.web.application import application

LOOPBACK = "127.0.0.1"


async def serve(url: str, home: Path, port: int, ready: Callable[[str], None]) -> None:
    """Serve the demo; *ready* is told where it can be reached."""
    async with open(url, home=home) as engine:
        await seed(engine)
        listening = socket.create_server((LOOPBACK, port))
        config = uvicorn.Config(application(engine, home=home), log_level="warning", lifespan="off")
        ready(f"http://{LOOPBACK}:{listening.getsockname()[1]}")
        await uvicorn.Server(config).serve(sockets=[listening])
