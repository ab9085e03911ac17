"""A bench for guarded tools: a place for their calls, and a world outside that forgets nothing.

The world is a file with a line for each thing that happened in it, on disk before the call returns;
it also plays a provider that knows keys: it remembers them, can be asked about them, and can close
them.
"""

import fcntl
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import stores
from semel import Guard
from semel.runtime import points


class World:
    """What is there outside, whoever says what of it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "world.txt"
        self.path.touch()

    def _append(self, line: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
            file.flush()
            os.fsync(file.fileno())

    def lines(self, kind: str = "sent") -> list[str]:
        """What happened, in order: ``sent``, ``refused`` or ``closed``."""
        every = self.path.read_text(encoding="utf-8").splitlines()
        return [line.partition(" ")[2] for line in every if line.partition(" ")[0] == kind]

    def sends(self, what: str, key: str = "") -> str:
        """Something happens; with a key that is known it is the same thing, once closed nothing."""
        with self.path.open("r+", encoding="utf-8") as file:
            # One provider: what it is asked by several processes, it does one after the other.
            fcntl.flock(file, fcntl.LOCK_EX)
            if key and key in self.lines("closed"):
                self._append(f"refused {what}")
                raise ConnectionError("This key is closed.")
            known = [line for line in self.lines() if key and line.endswith(f" {key}")]
            if not known:
                self._append(f"sent {what} {key}".rstrip())
        return f"id-{what}"

    def check(self, keys: Sequence[str]) -> str | None:
        """What was sent under one of these keys."""
        points.reach("world:check")
        for line in self.lines():
            what, _, key = line.partition(" ")
            if key in keys:
                return f"id-{what}"
        return None

    def void(self, keys: Sequence[str]) -> None:
        """Close keys for good."""
        with self.path.open("r+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            for key in keys:
                self._append(f"closed {key}")


@dataclass
class Bench:
    """A folder with a world, and guards whose calls are kept in one place."""

    folder: Path
    guards: list[Guard] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.world = World(self.folder)
        self.url = stores.url(self.folder / "guard.db", "guard")
        self.org = hashlib.sha256(str(self.folder).encode()).hexdigest()[:20]

    def guard(self, **given: Any) -> Guard:
        made = Guard(self.url, org=self.org, **given)
        self.guards.append(made)
        return made

    def close(self) -> None:
        for guard in self.guards:
            guard.close()
