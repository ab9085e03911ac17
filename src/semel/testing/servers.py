"""A real PostgreSQL server in a folder, for tests: made, started, killed, and gone afterwards."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from semel.testing._programs import (
    Failed,
    as_somebody,
    children,
    chosen,
    free_port,
    give,
    lives,
    major,
    postgres_servers,
    run,
)

__all__ = ["Postgres", "postgres", "postgres_servers"]

READY_SECONDS = 60.0
"""How long a server may take to come up; recovery after a kill takes longest, and far less."""
STOP_SECONDS = 30.0
"""How long it may take to go down before it is made to."""
POLL_SECONDS = 0.01

WATCH = 'read -r _; kill -QUIT "$0"'
"""A shell that waits until this process is gone, however it went, and takes the server along."""

Setting = str | int | bool


@contextmanager
def postgres(
    directory: Path,
    *,
    version: int | None = None,
    bin: Path | None = None,
    port: int | None = None,
    **settings: Setting,
) -> Iterator["Postgres"]:
    """A PostgreSQL server that runs while the block does.

    It listens on 127.0.0.1 only, and whoever reaches it there is let in as ``semel``. As root,
    which PostgreSQL refuses to run as, it runs in a user namespace, or as ``nobody`` where there
    are none. If this process dies, it goes down too.

    Args:
        directory: where its data and its log are; made when missing. Data that is there is used.
        version: the major version, of those in :func:`postgres_servers`; by default the first.
        bin: the folder of the server's programs, instead.
        port: by default a free one; it stays the same over restarts.
        settings: as in ``postgresql.conf``: ``fsync="off"``, ``max_connections=200``.

    Raises:
        Unreachable: there is no such server, or it did not start; the message says why.
    """
    server = Postgres(directory.absolute(), chosen(version, bin), port or free_port())
    server._make(settings)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@dataclass(eq=False)
class Postgres:
    """A PostgreSQL server of a test's own; :func:`postgres` makes it."""

    directory: Path
    bin: Path
    port: int
    _process: "subprocess.Popen[bytes] | None" = None
    _watch: "subprocess.Popen[bytes] | None" = None

    @property
    def version(self) -> int:
        """Its major version."""
        return major(self.bin)

    @property
    def url(self) -> str:
        """Where its own database is, ``postgres``."""
        return self.at("postgres")

    def at(self, name: str) -> str:
        """Where a database is."""
        return f"postgresql://semel@127.0.0.1:{self.port}/{name}"

    def database(self, name: str, template: str | None = None) -> str:
        """Create a database, empty or as a copy of another; where it is.

        Raises:
            Unreachable: it could not be created; the message is the server's.
        """
        copied = f" TEMPLATE {_quoted(template)}" if template else ""
        self._tell(f"CREATE DATABASE {_quoted(name)}{copied}")
        return self.at(name)

    def drop(self, name: str) -> None:
        """Drop a database if it is there, whoever is connected to it.

        Raises:
            Unreachable: it could not be dropped; the message is the server's.
        """
        self._tell(f"DROP DATABASE IF EXISTS {_quoted(name)} WITH (FORCE)")

    def start(self) -> None:
        """Start it on the data that is there; after a kill it recovers first.

        Raises:
            Unreachable: it did not come up; the message is the end of its log.
        """
        if self._process is not None and self._process.poll() is None:
            return
        data = self.directory / "data"
        with (self.directory / "log").open("ab") as out:
            self._process = subprocess.Popen(  # noqa: S603 - a program of the server
                [*as_somebody(), str(self.bin / "postgres"), "-D", str(data)],
                # A Ctrl-C in the terminal is for this process, which then stops the server.
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
            )  # fmt: skip
        self._watch = subprocess.Popen(  # noqa: S603 - as above
            ["/bin/sh", "-c", WATCH, str(self._process.pid)],
            stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        limit = time.monotonic() + READY_SECONDS
        while not _is_ready(data / "postmaster.pid", self._process.pid):
            if self._process.poll() is not None or time.monotonic() > limit:
                log = (self.directory / "log").read_text("utf-8", "replace")[-2000:]
                self.stop()
                raise Failed(f"The PostgreSQL server did not start. Its log ends with:\n{log}")
            time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        """Stop it; whoever is connected is thrown out."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
        self._ended()
        self._forget_memory()

    def kill(self) -> None:
        """Kill it and each of its processes with SIGKILL, as when the machine stops.

        What it had not written is lost to it; the clients are left without an answer.
        """
        if self._process is None:
            return
        parent = self._process.pid
        with contextlib.suppress(ProcessLookupError):
            # It must not see its children die: it would begin to recover before it dies itself.
            os.kill(parent, signal.SIGSTOP)
        orphans = children(parent)
        for pid in (*orphans, parent):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        while any(lives(pid) for pid in orphans):
            time.sleep(POLL_SECONDS)
        self._ended()

    def _make(self, settings: dict[str, Setting]) -> None:
        """Make its data, if there are none, and write down its settings."""
        data = self.directory / "data"
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        give(self.directory)
        if not (data / "PG_VERSION").exists():
            run(
                *as_somebody(), str(self.bin / "initdb"), "-D", str(data), "--username=semel",
                "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync",
            )  # fmt: skip
        lines: dict[str, Setting] = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            # In the folder, where a kill leaves it to be removed with the rest.
            "dynamic_shared_memory_type": "mmap",
        }
        lines |= settings
        text = "".join(f"{name} = {_literal(value)}\n" for name, value in lines.items())
        # It is read after postgresql.conf, which the server's own programs may have written.
        (data / "semel.conf").write_text(text, encoding="utf-8")
        main = data / "postgresql.conf"
        if "semel.conf" not in main.read_text(encoding="utf-8"):
            with main.open("a", encoding="utf-8") as file:
                file.write("include 'semel.conf'\n")
        give(data / "semel.conf")

    def _tell(self, sql: str) -> None:
        run(
            str(self.bin / "psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1",
            f"--command={sql}", self.url,
        )  # fmt: skip

    def _ended(self) -> None:
        if self._watch is not None:
            self._watch.kill()
            self._watch.communicate()
        self._process = self._watch = None

    def _forget_memory(self) -> None:
        """A killed server leaves a few bytes of shared memory behind, which nobody would remove."""
        lines = _lines(self.directory / "data" / "postmaster.pid")
        remove = shutil.which("ipcrm")
        if len(lines) > 6 and lines[6].split() and remove:
            subprocess.run(  # noqa: S603 - a number that the server has written
                [remove, "-m", lines[6].split()[1]], capture_output=True, check=False
            )


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []


def _is_ready(path: Path, pid: int) -> bool:
    """Whether the server says so in its lock file, as it does for pg_ctl."""
    lines = _lines(path)
    says = lines[7].strip() if len(lines) > 7 and lines[0] == str(pid) else ""
    return says in {"ready", "standby"}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: Setting) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "'" + str(value).replace("'", "''") + "'"
