"""The primary is killed at named moments of a step of every class, and the standby promoted: 0 / 0 / 0.

The process goes on: its URL names both servers, and it wants the one that takes writes.
"""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from crash_world import Mundo, WorldClock
from cut_lives import armed
from lives import ANSWERS, CARTA, COBRO, CREAR, FIRMAR, RESERVA, VUELO, Pedidos
from pair import Pair, pair

import counts
import stores
from semel.errors import CommitUnknown, Unreachable
from semel.runtime import core, proof, resolve, run
from semel.testing.crash import Verdict

pytestmark = pytest.mark.only_on("postgres", "a file has no standby")

PAUSES = ((core, "ASK_AGAIN_SECONDS"), (proof, "INSIST_SECONDS"), (run, "AWAY_SECONDS"))
IN_THE_SEND, IN_THE_COMMIT = "in the send", "in the mark's commit"
MOMENTS = (
    "commit:mark:before",
    IN_THE_COMMIT,
    "commit:mark:after",
    IN_THE_SEND,
    "send:after",
    "commit:made:after",
    "between two steps",
)
LOCAL = ("commit:local:before", "commit:local:after")
STEPS = (CARTA, COBRO, RESERVA, VUELO)


class Loser:
    """Loses the primary at one moment of a life, once."""

    def __init__(self, both: Pair, moment: str) -> None:
        self.both = both
        self.moment = moment
        self.lost = False
        self.local = 0
        self.watcher: threading.Thread | None = None

    def __call__(self, point: str) -> None:
        if point == "commit:local:after":
            self.local += 1
        met = {
            IN_THE_COMMIT: point == "commit:mark:before",
            "between two steps": point == "commit:local:after" and self.local == 1,
        }.get(self.moment, point == self.moment)
        if met and not self.lost:
            self.lost = True
            self._lose()

    def _lose(self) -> None:
        if self.moment != IN_THE_COMMIT:
            self.both.fail_over()
            return
        # The COMMIT is on the primary's disk and waits for the standby, which is away.
        self.both.freeze()
        self.watcher = threading.Thread(target=self._in_the_commit)
        self.watcher.start()

    def _in_the_commit(self) -> None:
        self.both.waiting()
        self.both.primary.kill()
        self.both.thaw()
        self.both.promote()

    def over(self) -> None:
        if self.watcher is not None:
            self.watcher.join()


def places() -> list[tuple[str, Pedidos]]:
    """Each moment of each class, so that the first few are of different ones."""
    found: list[tuple[str, Pedidos]] = []
    for turn, _ in enumerate(MOMENTS):
        for number, step in enumerate(STEPS):
            name = f"{step[0].partition('.')[0]}-{turn}"
            life = Pedidos(name, Path(), (CREAR, step, FIRMAR), patience=ANSWERS)
            found.append((MOMENTS[(turn + 2 * number) % len(MOMENTS)], life))
    plan = (CREAR, FIRMAR)
    return [
        *found[:5],
        *((p, Pedidos(f"local-{n}", Path(), plan)) for n, p in enumerate(LOCAL)),
        *found[5:],
    ]


def test_a_primary_that_is_lost_anywhere_loses_doubles_and_belies_nothing(
    tmp_path, monkeypatch, made
):
    quick(monkeypatch)
    wanted, wrong, met = counts.of("R8"), [], set()
    chosen = places()[:wanted]
    for number, (moment, life) in enumerate(chosen):
        with pair(made, tmp_path / f"{number}") as both, monkeypatch.context() as here:
            here.setenv(stores.SERVER, both.url)
            loser = Loser(both, moment)
            world = tmp_path / f"{number}" / "world"
            try:
                verdict = outlived(life, world, loser, here)
                noted = stores.rows(world / "pedidos.db", "SELECT timeline FROM semel_database")
                assert noted == [(2,)], "It goes on and has not noticed that the server is another."
            finally:
                loser.over()
                stores.forget(world / "pedidos.db")
                stores.hang_up(both.url)
            assert loser.lost, (moment, life.name)
            met.add(moment)
            wrong += [
                f"{life.name} at {moment}: {kind}: {what}"
                for kind in ("duplicates", "false", "lost")
                for what in getattr(verdict, kind)
            ]
    assert wrong == []
    assert len(chosen) == wanted
    counts.ran("R8", len(chosen))
    print(f"failover: {len(chosen)} primaries lost at {len(met)} moments, 0 wrong")


def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGTARGETSESSIONATTRS", "read-write")
    monkeypatch.delenv(stores.UNSAFE, raising=False)
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))
    for module, name in PAUSES:
        monkeypatch.setattr(module, name, (0.1,) * 300)


def outlived(life: Pedidos, world: Path, loser: Loser, here: pytest.MonkeyPatch) -> Verdict:
    """Live through the loss; whoever is told that the database is away comes back later."""
    world.mkdir(parents=True)
    WorldClock(world)
    arrive = Mundo.arrive

    def arriving(mundo: Mundo, *what: str) -> None:
        arrive(mundo, *what)
        loser(IN_THE_SEND)

    here.setattr(Mundo, "arrive", arriving)
    try:
        asyncio.run(lived(life, world, loser))
    except (Unreachable, CommitUnknown):
        loser.over()
        asyncio.run(_later(life, world))
    loser.over()
    return life.judge(world)


async def lived(life: Pedidos, world: Path, hook: Callable[[str], object]) -> None:
    with armed(hook):
        await life.first(world)


async def _later(life: Pedidos, world: Path) -> None:
    async with life.life(world) as again:
        await again.waits()
        await again.swept()
        await life.lives(again)


def test_a_mark_that_the_standby_may_not_have_sends_nothing(tmp_path, monkeypatch, made):
    """A COMMIT that waits is not made; neither is one whose wait somebody has cut short."""
    quick(monkeypatch)
    seen: list[tuple[str, int]] = []
    life = Pedidos("cut-short", Path(), (CREAR, CARTA, FIRMAR), patience=ANSWERS)
    with pair(made, tmp_path / "pair") as both:
        monkeypatch.setenv(stores.SERVER, both.url)
        world = tmp_path / "world"
        world.mkdir()
        mundo = Mundo(world, WorldClock(world), {})

        def watch() -> None:
            try:
                both.waiting()
                seen.append(("it waits", sum(mundo.arrived().values())))
                cut = both.cut_short()
                both.waiting(but=cut)
                seen.append(("it was cut short, and is looked for", sum(mundo.arrived().values())))
            finally:
                both.thaw()

        watcher = threading.Thread(target=watch)

        def freeze(point: str) -> None:
            if point == "commit:mark:before" and watcher.ident is None:
                both.freeze()
                watcher.start()

        try:
            asyncio.run(lived(life, world, freeze))
            watcher.join()
            verdict = life.judge(world)
        finally:
            stores.forget(world / "pedidos.db")
            stores.hang_up(both.url)
    assert seen == [("it waits", 0), ("it was cut short, and is looked for", 0)]
    assert verdict == Verdict()
    assert sum(mundo.arrived(CARTA[0]).values()) == 1
