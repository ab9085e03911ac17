"""`make crash`: every plan killed at every point of its run and at points of its recovery.

In as many processes as there are cores. Inside one transaction the points differ only in what the
database has to take back, so of those a sample is drawn where there are many: every commit and every
send of every plan is killed at, and every point at all of the plans that this is said of.
"""

import argparse
import asyncio
import contextlib
import gc
import hashlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "spec"))
sys.path.insert(0, str(Path(__file__).parents[1] / "doubt"))
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from beside import beside
from calls_once import Once
from crash_world import Mundo, WorldClock
from lives import lives
from notas import open_notas
from pedidos import open_pedidos
from scenarios import Maria, Mixed, SafeLocal, SafeOutside

import counts
import semel_facturas
import stores
from semel.runtime import resolve
from semel.runtime.points import SENDS
from semel.testing import points as all_points
from semel.testing import postgres
from semel.testing.crash import Point, Scenario, Tally, fork, matrix
from semel_facturas.story.clock import StoryClock

DISTINCT_MIN = 40
"""Points that a matrix must have killed at, by name, to be called one."""
WHOLE = ("maria", "mixed", "safe", "safe-outside", "all-ok")
"""Plans that are killed at every point, inside transactions too."""
INSIDE = 8
"""Of the points inside the transactions of other plans, one in so many."""
SAMPLES = {"smoke": 2, "quick": 3, "full": 0}
"""Points of each plan at the levels of `make prove`; 0: all."""
WARM = ("all-ok",)
"""The plan that is lived once before a sample is drawn."""


@dataclass(frozen=True)
class Drawn:
    """This process's share: of all points, or of the plans when a sample is drawn.

    Args:
        index: which process this is.
        count: of how many.
        sample: points of each plan in all; 0: all.
        second: points of each recovery; 0: all.
        seed: another one draws other points.
    """

    index: int
    count: int
    sample: int
    second: int
    seed: int

    def first(self, scenario: str, points: Sequence[Point]) -> list[Point]:
        if self.sample:
            return self._few(points, self.sample, scenario)
        numbers = {point: self._number(scenario, point) for point in points}
        return [
            point
            for point in points
            if (scenario in WHOLE or between(point) or numbers[point] % INSIDE == 0)
            and numbers[point] // INSIDE % self.count == self.index
        ]

    def again(self, scenario: str, killed: Point, points: Sequence[Point]) -> list[Point]:
        # What follows a kill inside a transaction follows one before it too.
        if not between(killed):
            return []
        return self._few(points, self.second or len(points), scenario, killed)

    def _few(self, points: Sequence[Point], count: int, *what: object) -> list[Point]:
        """So many of *points*, those between transactions as often as all the others."""
        order = sorted(points, key=lambda point: self._number(*what, point))
        outer = [point for point in order if between(point)]
        few = {*outer[: (count + 1) // 2]}
        few |= {*[point for point in order if point not in few][: count - len(few)]}
        return [point for point in points if point in few]

    def _number(self, *what: object) -> int:
        text = repr((self.seed, *what)).encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:8])


def between(point: Point) -> bool:
    """Whether a point lies between two transactions: at a commit, or at the outside."""
    return point[0].startswith(("commit:", *(f"{send}:" for send in SENDS)))


def scenarios(folder: Path, smtp: str, mail: Path) -> list[Scenario]:
    """Everything that is killed; *folder* holds a world of each application to begin from."""
    facturas, notas, pedidos = folder / "facturas", folder / "notas", folder / "pedidos"

    async def make() -> None:
        clock = StoryClock()
        url = stores.url(facturas / "books.db", "facturas")
        async with semel_facturas.open(url, home=facturas, clock=clock) as engine:
            await semel_facturas.seed(engine)
        async with open_notas(notas):
            pass
        outside = Mundo(pedidos, WorldClock(folder), {})
        async with open_pedidos(pedidos, outside, clock=clock):
            pass

    for home in (facturas, notas, pedidos):
        home.mkdir(parents=True)
    if fork(lambda: asyncio.run(make())) != 0:
        raise SystemExit("The worlds of the matrix could not be made.")
    return [
        Maria(facturas, smtp, mail),
        Mixed(notas),
        SafeLocal(notas),
        SafeOutside(notas),
        Once(notas),
        *lives(pedidos),
        *beside(pedidos),
    ]


def warm(plans: Sequence[Scenario], folder: Path) -> None:
    """Live once in this process: its children then find everything loaded and compiled.

    A process that forks has one thread; what a life starts ends with it.
    """
    for plan in plans:
        world = folder / plan.name
        world.mkdir(parents=True)
        plan.prepare(world)
        plan.run(world)
        plan.recover(world)
    if threading.active_count() != 1:
        raise SystemExit("A life has left a thread behind, and what forks must have one.")
    gc.collect()
    gc.freeze()
    gc.disable()


def shard(drawn: Drawn, only: Sequence[str], folder: Path) -> Tally:
    """Run this process's share of the points."""
    # A refused send and a doubt are logged, and here they are what is asked for.
    logging.getLogger("semel").addHandler(logging.NullHandler())
    logging.getLogger("semel").propagate = False
    # The other side of a matrix needs no rest between two sends.
    resolve.RESEND_SECONDS = (0, 0)
    mail = folder / "mail"
    command = [sys.executable, "-m", "semel_facturas.sink", "--folder", str(mail)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sink:
        try:
            smtp = sink.stdout.readline().split()[1]
            plans = scenarios(folder / "templates", smtp, mail)
            # A few points of each plan are not worth finding them in every process.
            mine = plans[drawn.index :: drawn.count] if drawn.sample else plans
            first = [plan for plan in plans if plan.name in (WARM if drawn.sample else WHOLE)]
            warm(first, folder / "warm")
            return matrix(
                [plan for plan in mine if not only or plan.name in only],
                drawn,
                folder / "worlds",
                lambda text: print(text, file=sys.stderr, flush=True),
            )
        finally:
            sink.terminate()


def told(total: Tally, *, whole: bool, seconds: float) -> bool:
    """Say on stderr what was covered; False when it is less than a matrix promises."""
    every = {*all_points()}
    missing = total.untouched()
    print(
        f"{total.runs - total.second} runs with one kill, {total.second} with a second one;"
        f" {len(total.killed)} points by name, {len(total.killed & every)} of the engine's own"
        f" {len(every)}; transactions without a kill: {', '.join(missing) or 'none'};"
        f" {seconds:.0f} s",
        file=sys.stderr,
    )
    return len(total.killed) >= DISTINCT_MIN and not (whole and missing)


def main() -> int:
    options = argparse.ArgumentParser(description="Kill every plan at every point, then look.")
    options.add_argument("--sample", type=int, default=0, help="points of each plan; 0: all")
    options.add_argument("--second", type=int, default=2, help="points of each recovery; 0: all")
    options.add_argument("--seed", type=int, default=1, help="another one draws other points")
    options.add_argument("--only", nargs="+", default=[], help="these plans, by their names")
    options.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    options.add_argument("--bar", help="count for this bar of make prove, at its level")
    options.add_argument("--shard", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.bar:
        given.sample = SAMPLES[counts.level()]
        given.second = 1 if given.sample else 2
    if given.shard:
        index, count = map(int, given.shard.split("/"))
        drawn = Drawn(index, count, given.sample, given.second, given.seed)
        memory = Path("/dev/shm")
        # A killed process loses nothing that it gave to the system, so no disk is needed.
        place = memory if os.access(memory, os.W_OK) else None
        with tempfile.TemporaryDirectory(prefix="semel-crash-", dir=place) as folder:
            if stores.JOURNAL not in os.environ:
                os.environ.update(stores.begin(given.store, Path(folder) / "journal"))
            tally = shard(drawn, given.only, Path(folder))
        print(json.dumps(asdict(tally) | {"killed": sorted(tally.killed)}))
        return 0
    with contextlib.ExitStack() as stack:
        if given.store == "postgres" and stores.SERVER not in os.environ:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="semel-crash-"))
            server = stack.enter_context(postgres(Path(folder), **stores.SETTINGS))
            os.environ[stores.SERVER] = server.url
        return everywhere(given)


def everywhere(given: argparse.Namespace) -> int:
    """Run the shares in as many processes as there are cores, and add them up."""
    began, count = time.monotonic(), max(os.cpu_count() or 1, 1)
    command = [sys.executable, __file__, *sys.argv[1:]]
    shards = [
        subprocess.Popen(
            [*command, "--shard", f"{index}/{count}"], stdout=subprocess.PIPE, text=True
        )
        for index in range(count)
    ]
    total = Tally()
    for process in shards:
        said, _ = process.communicate()
        if process.returncode != 0:
            print(f"It ended with {process.returncode}.", file=sys.stderr)
            print("crash: a process of the matrix failed", flush=True)
            return 1
        counted = json.loads(said.splitlines()[-1])
        total.add(Tally(**{**counted, "killed": {*counted["killed"]}}))
    whole = not given.sample and not given.only
    covered = told(total, whole=whole, seconds=time.monotonic() - began)
    print(total.line())
    if given.bar:
        counts.ran(given.bar, total.runs)
        counts.ran("R1.second", total.second)
    return 0 if total.held and (covered or given.only) else 1


if __name__ == "__main__":
    sys.exit(main())
