"""A world that outlives its processes: a clock in a file, and an outside where things arrive late."""

import json
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from afuera import Afuera

from semel import Clock, NotDone

START = "2026-10-19T10:00:00+02:00"
FLIGHT = timedelta(seconds=80)
"""How long what is late is under way: longer than its sender waits, shorter than its bounds."""

Ways = Mapping[str, Sequence[str]]
"""How the first sendings of an action go, in order; the others go well."""


def replace(path: Path, text: str) -> None:
    """Write *text* so that whoever reads finds it whole."""
    beside = path.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.rename(path)


class WorldClock(Clock):
    """Shows the same time to every process of a world, runs as every clock does, and is moved."""

    def __init__(self, world: Path) -> None:
        self._path = world / "clock"
        if not self._path.exists():
            # The seconds since the machine's start are the same in all of its processes.
            replace(self._path, f"{START} {time.monotonic()}")

    def now(self) -> datetime:
        start, began = self._path.read_text(encoding="utf-8").split()
        return datetime.fromisoformat(start) + timedelta(seconds=time.monotonic() - float(began))

    def monotonic(self) -> float:
        return time.monotonic()

    def move(self, by: timedelta) -> None:
        start, began = self._path.read_text(encoding="utf-8").split()
        replace(self._path, f"{(datetime.fromisoformat(start) + by).isoformat()} {began}")

    def move_to(self, instant: datetime) -> None:
        """Go on to *instant*; when it has passed already, a clock does not go back."""
        self.move(max(instant - self.now(), timedelta()))


class Mundo(Afuera):
    """The outside of one world; its ways count on across processes.

    One more way is ``late``: no answer comes, and it arrives when the clock has moved far enough,
    unless its key has been closed by then.
    """

    def __init__(self, world: Path, clock: WorldClock, ways: Ways) -> None:
        super().__init__(world / "outside")
        self._clock = clock
        self._ways = ways
        self._tries = world / "tries"
        self._flying = world / "flying"

    async def send(self, action: str, key: str, nota: str) -> str:
        way = self._way(action)
        if way == "late":
            at = (self._clock.now() + FLIGHT).isoformat()
            replace(self._flying, json.dumps([*self.flying(), [at, action, key, nota]]))
            raise ConnectionError("no answer")
        self.goes[action] = way
        return await super().send(action, key, nota)

    def _way(self, action: str) -> str:
        tried = self._tries.read_text().split() if self._tries.exists() else []
        with self._tries.open("a") as file:
            file.write(f"{action}\n")
        ways = self._ways.get(action, ())
        count = tried.count(action)
        return ways[count] if count < len(ways) else "ok"

    def flying(self) -> list[list[str]]:
        """What is under way: when it arrives, of which action, under which key, about what."""
        found: list[list[str]] = json.loads(
            self._flying.read_text() if self._flying.exists() else "[]"
        )
        return found

    def land(self, now: datetime | None = None) -> None:
        """Let arrive what is due; without *now*, everything that still can."""
        stays = []
        for at, action, key, nota in self.flying():
            if now is not None and datetime.fromisoformat(at) > now:
                stays.append([at, action, key, nota])
                continue
            try:
                self.arrive(action, key, nota)
            except NotDone:
                continue
        replace(self._flying, json.dumps(stays))

    def has(self, action: str) -> bool:
        """What a person who looks would see: whether anything of an action is there."""
        return any(self.arrived(action).values())
