"""Seeing what a handler does outside its transaction, through Python's audit events.

What a C library does by itself, a database driver that opens its own socket for one, raises no such
event and is not seen.
"""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CONNECTS = "opens a connection"

DOES = {
    "_thread.start_new_thread": "starts a thread",
    "ftplib.connect": CONNECTS,
    "os.exec": "starts a process",
    "os.fork": "starts a process",
    "os.forkpty": "starts a process",
    "os.link": "changes a file",
    "os.mkdir": "changes a file",
    "os.posix_spawn": "starts a process",
    "os.remove": "changes a file",
    "os.rename": "changes a file",
    "os.rmdir": "changes a file",
    "os.symlink": "changes a file",
    "os.system": "starts a process",
    "os.truncate": "changes a file",
    "socket.connect": CONNECTS,
    "socket.getaddrinfo": CONNECTS,
    "socket.gethostbyname": CONNECTS,
    "socket.sendmsg": CONNECTS,
    "socket.sendto": CONNECTS,
    "sqlite3.connect": "opens a database of its own",
    "subprocess.Popen": "starts a process",
}
"""What an audit event means for a handler; ``open`` is looked at by itself."""

WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC

_seen: ContextVar[list[str] | None] = ContextVar("semel_watch", default=None)
_installed: list[bool] = []


@contextmanager
def watched() -> Iterator[list[str]]:
    """Note what is done inside the block, in this context: each kind once, in order."""
    if not _installed:
        # A hook stays for good; outside a block it only looks whether there is one.
        _installed.append(True)
        sys.addaudithook(_hook)
    seen: list[str] = []
    token = _seen.set(seen)
    start = threading.Thread.start

    def noted(thread: threading.Thread) -> None:
        # Python 3.11 raises no event for it. Who has another context starts it unnoticed.
        _hook("_thread.start_new_thread", ())
        start(thread)

    setattr(threading.Thread, "start", noted)  # noqa: B010 - it is a method to mypy
    try:
        yield seen
    finally:
        setattr(threading.Thread, "start", start)  # noqa: B010 - as above
        _seen.reset(token)


def _hook(event: str, args: tuple[object, ...]) -> None:
    seen = _seen.get(None)
    if seen is None:
        return
    does = _writes(args) if event == "open" else DOES.get(event)
    if does is not None and does not in seen:
        seen.append(does)


def _writes(args: tuple[object, ...]) -> str | None:
    """Whether a file was opened to be written; what Python keeps of an import is no handler's."""
    path, _, flags = args
    text = os.fsdecode(path) if isinstance(path, str | bytes) else ""
    if not isinstance(flags, int) or not flags & WRITES:
        return None
    return None if text == os.devnull or "__pycache__" in text else "writes a file"
