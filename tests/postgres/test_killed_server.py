"""The server is killed with -9 in the middle of each kind of step, and started again: 0 / 0 / 0.

Every commit and every send of each life is a moment at which it dies, before and after; the process
itself goes on. fsync is on: what was answered has to be there when the server is back.
"""

import asyncio
import os
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest
from beside import beside
from crash_world import WorldClock
from cut_lives import Onces, armed, live
from lives import Pedidos, lives

import counts
import stores
from semel.errors import CommitUnknown, Unreachable
from semel.runtime import core, proof, resolve, run
from semel.runtime.points import SENDS
from semel.testing import Postgres, postgres
from semel.testing.crash import Verdict

pytestmark = pytest.mark.only_on("postgres", "a file has no server to kill")

FULL = counts.level() == "full"
"""Whether it is killed in every life and the kills are shared out to two servers at once."""
SHARES = 2 if FULL else 1
FEW = {"all-ok", "gone-carta", "gone-cobro", "gone-vuelo"}
"""The lives that come by each of the following."""
KINDS = ("confirm", "local", "mark", "made", "doubt")
if counts.level() != "smoke":
    KINDS += ("propose", "returned", "resend", "closed")
NAMES = {f"commit:{kind}:{when}" for kind in KINDS for when in ("before", "after")}
NAMES |= {f"{send}:{when}" for send in SENDS for when in ("before", "after")}
"""What it is killed at in any case."""
PAUSES = ((core, "ASK_AGAIN_SECONDS"), (proof, "INSIST_SECONDS"), (run, "AWAY_SECONDS"))


Moment = tuple[Pedidos, tuple[str, int]]


class Killer:
    """Kills the server at one moment of a life, and starts it again at once."""

    def __init__(self, server: Postgres, place: tuple[str, int]) -> None:
        self.server = server
        self.place = place
        self.passed = 0
        self.starting: Future[None] | None = None

    def __call__(self, point: str) -> None:
        self.passed += point == self.place[0]
        if point == self.place[0] and self.passed == self.place[1]:
            self.server.kill()
            # It comes up while the process goes on: nobody waits for it inside a transaction.
            self.starting = Future()
            threading.Thread(target=self._start).start()

    def _start(self) -> None:
        try:
            self.starting.set_result(self.server.start())
        except BaseException as no:
            self.starting.set_exception(no)

    def back(self) -> None:
        """Wait until the server is there again."""
        if self.starting is not None:
            self.starting.result()


def moments(life: Pedidos, world: Path) -> list[tuple[str, int]]:
    """The commits and sends of an undisturbed life, in order."""
    seen: dict[str, int] = {}
    found: list[tuple[str, int]] = []

    def note(point: str) -> None:
        if point.startswith(("commit:", *(f"{send}:" for send in SENDS))):
            seen[point] = seen.get(point, 0) + 1
            found.append((point, seen[point]))

    verdict, _ = live(life, world, note)
    # The server looks through all files that it has after each kill: the fewer databases, the faster.
    stores.forget(world / "pedidos.db")
    assert not any((verdict.duplicates, verdict.false, verdict.lost)), (life.name, verdict)
    return [place for place in found if not place[0].startswith("commit:app")]


def drawn(moments: list[Moment], number: int) -> list[Moment]:
    """The first moment of each name that is asked for, and of all the others every so manyth."""
    first: dict[str, Moment] = {}
    for life, place in moments:
        if place[0] in NAMES:
            first.setdefault(place[0], (life, place))
    others = [moment for moment in moments if moment not in first.values()]
    more = min(max(0, number - len(first)), len(others))
    # Spread over all lives: they stand one after the other.
    return [*first.values(), *(others[turn * len(others) // more] for turn in range(more))]


@pytest.mark.parametrize("share", range(SHARES))
def test_a_server_that_is_killed_anywhere_loses_doubles_and_belies_nothing(
    tmp_path, monkeypatch, share
):
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))
    for module, name in PAUSES:
        monkeypatch.setattr(module, name, (0.1,) * 300)
    direct = os.environ[stores.SERVER]
    with postgres(tmp_path / "server", fsync="on", synchronous_commit="on") as server:
        monkeypatch.setenv(stores.SERVER, server.url)
        try:
            plans = [*lives(tmp_path), *beside(tmp_path), Onces(tmp_path)]
            plans = [life for life in plans if FULL or life.name in FEW]
            whole = [
                (life, place)
                for life in plans
                for place in moments(life, tmp_path / f"{life.name}-plain")
            ]
            chosen = drawn(whole, counts.of("R7.server"))
            assert {place[0] for _, place in chosen} >= NAMES
            mine, wrong = chosen[share::SHARES], []
            for number, (life, place) in enumerate(mine):
                killer = Killer(server, place)
                world = tmp_path / f"{life.name}-{number}"
                verdict = outlived(life, world, killer)
                assert killer.starting is not None, (life.name, place)
                stores.forget(world / "pedidos.db")
                wrong += [
                    f"{life.name} at {place}: {kind}: {what}"
                    for kind in ("duplicates", "false", "lost")
                    for what in getattr(verdict, kind)
                ]
        finally:
            for path in [*stores.given()]:
                stores.forget(path)
            monkeypatch.setenv(stores.SERVER, direct)
    assert wrong == []
    counts.ran("R7.server", len(mine))
    print(f"server: {len(mine)} kills of {len(whole)} moments, 0 duplicates, 0 false, 0 lost")


def outlived(life: Pedidos, world: Path, killer: Killer) -> Verdict:
    """Live through a kill; whoever is told that the database is away comes back later."""
    world.mkdir(parents=True)
    WorldClock(world)
    try:
        asyncio.run(lived(life, world, killer))
    except (Unreachable, CommitUnknown):
        killer.back()
        asyncio.run(_later(life, world))
    killer.back()
    return life.judge(world)


async def lived(life: Pedidos, world: Path, killer: Killer) -> None:
    with armed(killer):
        await life.first(world)


async def _later(life: Pedidos, world: Path) -> None:
    """Time passes, so that whoever sweeps may have what nobody finishes; then all is repeated."""
    async with life.life(world) as again:
        await again.waits()
        await again.swept()
        await life.lives(again)
