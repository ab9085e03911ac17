"""The real clock, the real randomness and this process, as the core's ports.

The only module of the library where time and chance come from; everything else is handed them.
"""

import os
import re
import secrets
import socket
import time
from datetime import UTC, datetime
from pathlib import Path

from semel.ports import Clock, Entropy, Host

PIECE, PIECES = 16, 64
"""Bytes that an id takes at most, and how many such pieces are drawn at once."""

NUMBER = re.compile(r"[0-9]{1,19}")


class SystemClock(Clock):
    """The machine's clock."""

    def now(self) -> datetime:
        """The present instant, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()


class SystemEntropy(Entropy):
    """The operating system's randomness.

    What ids take is cut from a larger draw: they have to be unique and are no secrets, and each
    draw lets every other thread run. What is longer, as a token is, is drawn by itself.
    """

    def __init__(self) -> None:
        self._pieces = list[bytes]()
        self._process = 0

    def bytes(self, count: int) -> bytes:
        """*count* unpredictable bytes."""
        if count > PIECE:
            return secrets.token_bytes(count)
        if self._process != os.getpid():
            # A forked process has its parent's pieces, and so would have its ids.
            self._process, self._pieces = os.getpid(), []
        try:
            return self._pieces.pop()[:count]
        except IndexError:
            drawn = secrets.token_bytes(PIECE * PIECES)
            self._pieces += [drawn[n : n + PIECE] for n in range(PIECE, len(drawn), PIECE)]
            return drawn[:count]


class ThisProcess(Host):
    """This process, by machine, boot, process namespace, number and start time (proc(5)).

    A process number comes back; the same number with the same start time in the same boot does
    not. Where ``/proc`` is missing nobody is ever known to be dead, and plans wait for their time.
    """

    def __init__(self) -> None:
        self._place = f"{socket.gethostname()}:{_read('sys/kernel/random/boot_id')}:{_namespace()}"
        self._pid = -1
        self._identity = ""

    @property
    def identity(self) -> str:
        """``host:boot:namespace:pid:start``; taken anew in a forked child."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._identity = f"{self._place}:{self._pid}:{_started(self._pid) or 0}"
        return self._identity

    def is_dead(self, identity: str) -> bool:
        """True only when *identity* ran here and certainly runs no more."""
        place, _, start = identity.rpartition(":")
        place, _, pid = place.rpartition(":")
        numbers = all(NUMBER.fullmatch(part) for part in (pid, start))
        if place != self._place or not numbers or not _read("sys/kernel/random/boot_id"):
            return False
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
        except (PermissionError, OverflowError):
            pass  # somebody else's process: it is there, and its start time may tell
        now = _started(int(pid))
        # Nobody started at 0: that process could not read its own start, so only its end tells.
        return now is not None and now != start and (start != "0" or now == "dead")


def _read(path: str) -> str:
    try:
        return Path("/proc", path).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]")
    except OSError:
        return ""


def _started(pid: int) -> str | None:
    """A process's start time in ticks since boot; None when nobody lets us see it."""
    stat = _read(f"{pid}/stat")
    if not stat:
        return None
    # The command's name may hold anything, brackets included: the fields begin after the last one.
    fields = stat.rpartition(")")[2].split()
    state, threads, start = fields[0], int(fields[17]), fields[19]
    # A zombie runs no more, it only waits for its parent to hear of it; unless it is only the
    # process's first thread that has ended, and others go on.
    return "dead" if state in {"Z", "X"} and threads <= 1 else start
