"""The outside of the tests: one file of lines, each on disk before an answer, shared by processes.

It behaves like four kinds of other sides: one that de-duplicates by key, one that can be looked at,
one that can also close keys, and one that can only be sent to. A test says how the next sending
goes; what arrived is in the file, whoever died meanwhile.
"""

import asyncio
import fcntl
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from semel import NotDone

REFUSED = {"es": "No lo acepta (550).", "en": "It does not accept it (550)."}


class Afuera:
    """What arrived, what was closed, and how the next sendings go."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.goes: dict[str, str | list[str]] = {}
        """How a sending of an action goes: ok, refuse, lost (it arrives, no answer comes), gone (it
        does not arrive, no answer comes), hang (it waits, then arrives), "hang refuse" or any other
        (it waits, then goes like that); under its name and "?", dark (no look is answered). A list
        says it for one sending after the other; the last one stays."""
        self.calls: list[tuple[str, str]] = []
        """What this process has called, in order: the verb and the action."""
        self.hanging = asyncio.Event()
        self.released = asyncio.Event()
        self.on_hang: Callable[[], None] = lambda: None
        """Told of every sending that waits."""

    @contextmanager
    def _locked(self) -> Iterator[list[dict[str, str]]]:
        """The lines, with nobody else at the file; what is appended is on disk at the end."""
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            size = os.fstat(handle).st_size
            text = os.pread(handle, size, 0).decode()
            lines = [json.loads(line) for line in text.splitlines()]
            before = len(lines)
            yield lines
            new = "".join(json.dumps(line) + "\n" for line in lines[before:])
            if new:
                os.pwrite(handle, new.encode(), size)
                os.fsync(handle)
        finally:
            os.close(handle)

    def lines(self) -> list[dict[str, str]]:
        """Everything that arrived and everything that was closed."""
        with self._locked() as lines:
            return list(lines)

    def arrived(self, action: str | None = None) -> Counter[str]:
        """How often each key arrived."""
        return Counter(
            line["key"]
            for line in self.lines()
            if line["verb"] == "arrived" and action in {None, line["action"]}
        )

    async def send(self, action: str, key: str, nota: str) -> str:
        """Send once; *goes* says how it goes. What arrives under a closed key is refused."""
        self.calls.append(("send", action))
        goes = self._next(action)
        if goes.startswith("hang"):
            await self._hang()
            goes = goes.removeprefix("hang").strip() or "ok"
        if goes == "refuse":
            raise NotDone(REFUSED)
        if goes == "gone":
            raise ConnectionError("no answer")
        self.arrive(action, key, nota)
        if goes == "lost":
            raise ConnectionError("no answer")
        return f"{action}:{key}"

    def _next(self, action: str) -> str:
        goes = self.goes.get(action, "ok")
        if isinstance(goes, str):
            return goes
        return goes.pop(0) if len(goes) > 1 else goes[0]

    async def _hang(self) -> None:
        self.hanging.set()
        self.on_hang()
        while not self.released.is_set():
            try:
                await self.released.wait()
            except asyncio.CancelledError:
                # A request on its way does not come back because its caller stopped waiting.
                continue

    def arrive(self, action: str, key: str, nota: str = "") -> None:
        """A sending arrives: once by key where the other side remembers it, else each time."""
        with self._locked() as lines:
            known = [(line["verb"], line["key"]) for line in lines if line["action"] == action]
            if ("closed", key) in known:
                raise NotDone(REFUSED)
            if action == "cobro.hacer" and ("arrived", key) in known:
                return
            lines.append({"verb": "arrived", "action": action, "key": key, "nota": nota})

    async def look(self, action: str, keys: Sequence[str]) -> str | None:
        """Which of the keys has arrived."""
        self.calls.append(("look", action))
        if self.goes.get(f"{action}?") == "dark":
            raise ConnectionError("no answer")
        return next((key for key in keys if self.arrived(action)[key]), None)

    async def close(self, action: str, keys: Sequence[str]) -> None:
        """Close keys: nothing can arrive under them any more; what has arrived stays."""
        self.calls.append(("close", action))
        if self.goes.get(f"{action}?") == "dark":
            raise ConnectionError("no answer")
        with self._locked() as lines:
            lines += [{"verb": "closed", "action": action, "key": key} for key in keys]
