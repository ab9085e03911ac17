"""The world that peers act on: a file with a line for each effect, synced before it counts.

It is read by processes in environments of their own, so it knows the standard library only.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Refused(Exception):
    """The world does not do what it was asked: the key was closed before."""


class World:
    """Effects that happen once for each time they are asked for, unless a key says otherwise."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def send(self, value: str, key: str | None = None) -> str:
        """Let it happen, and return what came out of it.

        A world that is given a key remembers it: with a key that it has seen, nothing happens and
        what came out the first time is returned.

        Raises:
            Refused: the key was closed.
        """
        with self._held() as lines:
            for line in lines:
                if key is not None and line["key"] == key:
                    if line["closed"]:
                        raise Refused(key)
                    return str(line["value"])
            self._write({"value": value, "key": key, "closed": False})
        return value

    def find(self, key: str | None = None) -> str | None:
        """What came out of the effect with this key, or of the first one of all."""
        with self._held() as lines:
            there = [line for line in lines if not line["closed"] and key in {None, line["key"]}]
        return str(there[0]["value"]) if there else None

    def close(self, keys: list[str]) -> None:
        """See to it that nothing happens with these keys any more; what happened stays."""
        with self._held() as lines:
            for key in set(keys) - {line["key"] for line in lines}:
                self._write({"value": None, "key": key, "closed": True})

    def effects(self) -> list[str]:
        """What came out of each effect, in the order in which they happened."""
        with self._held() as lines:
            return [str(line["value"]) for line in lines if not line["closed"]]

    def _write(self, line: dict[str, object]) -> None:
        with self.path.open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    @contextmanager
    def _held(self) -> Iterator[list[dict[str, object]]]:
        with self.path.with_suffix(".lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            text = self.path.read_text("utf-8") if self.path.exists() else ""
            yield [json.loads(line) for line in text.splitlines()]
