"""Lives of plans through a proxy that cuts COMMITs: what is told and done must be as if it had not.

The lives are those of the kill matrix (tests/crash). Every COMMIT that is chosen is cut in one of
the ways of ``cutting``; the process goes on, and at the end a judge looks at the world, and what the
person was told is compared with what they are told when nothing is cut.
"""

import asyncio
import os
import socket
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from beside import beside
from crash_judge import rows
from crash_world import WorldClock
from cutting import MODES, Proxy
from lives import CREAR, Life, Pedidos, lives
from pedidos import ANA

import stores
from semel import Outcome, Tx
from semel.runtime import points
from semel.runtime.faces import AgentFace, PersonFace
from semel.testing.crash import Verdict

SPARE = 10
"""Turns beside one for each cut that is wanted: the rarest kind is cut once in every turn."""
PLACES = ("act", "confirm", "retry", "undo", "resolve", "cancel", "says", "status")


KINDS = tuple(kind for kind in points.TRANSACTIONS if kind != points.APP)
"""Every kind but the application's own, of which only the application can know what it did."""


@dataclass
class Cuts:
    """Chooses which COMMITs are cut, evenly over kinds and ways, and counts them."""

    proxy: Proxy
    enough: int
    modes: Sequence[str] = MODES
    kinds: Sequence[str] = KINDS
    made: Counter[tuple[str, str]] = field(default_factory=Counter)
    _spared: str | None = None

    def __call__(self, point: str) -> None:
        kind = point.removeprefix("commit:").removesuffix(":before")
        if point != f"commit:{kind}:before" or kind not in self.kinds:
            return
        # What is looked for after a cut is not cut itself: nobody is that unlucky for ever.
        spared, self._spared = self._spared, None
        if spared == kind or not self.wants(kind):
            return
        mode = min(self.modes, key=lambda mode: self.made[kind, mode])
        self.made[kind, mode] += 1
        self._spared = kind
        self.proxy.arm(own_port(), mode)

    def wants(self, kind: str) -> bool:
        """Whether a kind has not been cut often enough."""
        return sum(self.made[kind, mode] for mode in self.modes) < self.enough


def own_port() -> int:
    """The client's port of the connection on which this thread is in a transaction."""
    connection = threading.current_thread()._connection
    with socket.socket(fileno=os.dup(connection.pgconn.socket)) as line:
        return line.getsockname()[1]


@contextmanager
def armed(hook: Callable[[str], object]):
    points.arm(hook)
    try:
        yield
    finally:
        points.arm(None)


def told(outcome: Outcome) -> tuple[str, bool]:
    said = outcome.for_model("en")
    return said.status, outcome.replayed


@contextmanager
def listened(heard: list[object]):
    """Keep what every verb answers, in order, while the block lasts."""

    def wrap(kind, name):
        plain = getattr(kind, name)

        async def verb(self, *args, **more):
            try:
                outcome = await plain(self, *args, **more)
            except Exception as no:
                heard.append((name, type(no).__name__))
                raise
            heard.append((name, *told(outcome)))
            return outcome

        setattr(kind, name, verb)
        return kind, name, plain

    kept = [
        wrap(kind, name)
        for kind in (AgentFace, PersonFace)
        for name in PLACES
        if name in vars(kind)
    ]
    try:
        yield
    finally:
        for kind, name, plain in kept:
            setattr(kind, name, plain)


@dataclass
class Tally:
    """What came of all lives."""

    made: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    lives: int = 0


def cut_all(folder: Path, server: str, enough: int, set_env: Callable[[str, str], None]) -> Tally:
    """Live every life, with cuts, until each kind of transaction was cut often enough."""
    with Proxy(server) as proxy:
        set_env(stores.SERVER, proxy.url)
        cuts, tally = Cuts(proxy, enough), Tally()
        plain: dict[str, list[object]] = {}
        uses: dict[str, set[str]] = {}
        for turn in range(enough + SPARE):
            for life in [*lives(folder), *beside(folder), Onces(folder)]:
                if turn and not any(cuts.wants(kind) for kind in uses[life.name]):
                    continue
                if life.name not in plain:
                    seen: set[str] = set()
                    plain[life.name] = _lived(tally, life, folder / f"{life.name}-plain", seen.add)
                    uses[life.name] = {name.split(":")[1] for name in seen if ":" in name} & {
                        *KINDS
                    }
                heard = _lived(tally, life, folder / f"{life.name}-{turn}", cuts)
                if heard != plain[life.name]:
                    tally.wrong.append(f"{life.name}: told {heard}, not {plain[life.name]}")
            if not any(cuts.wants(kind) for kind in KINDS):
                break
        tally.made = cuts.made
    return tally


def _lived(tally: Tally, life: Pedidos, world: Path, hook: Callable[[str], object]) -> list[object]:
    verdict, heard = live(life, world, hook)
    tally.lives += 1
    for kind in ("duplicates", "false", "lost"):
        tally.wrong += [f"{life.name}: {kind}: {what}" for what in getattr(verdict, kind)]
    stores.forget(world / "pedidos.db")
    return heard


class Onces(Pedidos):
    """A call that happens once for its key, and a replay of it."""

    def __init__(self, template: Path) -> None:
        super().__init__("once", template, (CREAR,))

    async def lives(self, life: Life) -> None:
        def note(tx: Tx) -> str:
            tx.run(
                "notas.add", org=ANA.org, id="n-1", text="Una", now="2026-10-19T08:00:00.000000Z"
            )
            return "n-1"

        for _ in range(2):
            if await life.engine.once("k-1", note, org=ANA.org) != "n-1":
                raise AssertionError("It has another value.")

    def judge(self, world: Path) -> Verdict:
        notes = rows(world / "pedidos.db", "SELECT count(*) FROM notas")[0][0]
        return Verdict() if notes == 1 else Verdict(duplicates=(f"{notes} notes",))


def live(life: Pedidos, world: Path, hook: Callable[[str], object]) -> tuple[Verdict, list[object]]:
    """Live once in *world*; what the judge finds, and what was told."""
    world.mkdir(parents=True)
    WorldClock(world)
    heard: list[object] = []
    with listened(heard), armed(hook):
        asyncio.run(life.first(world))
    return life.judge(world), heard
