"""`make crash`: every plan killed at every point of its run, in as many processes as there are cores."""

import argparse
import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from notas import open_notas
from scenarios import Maria, Mixed, SafeLocal, SafeOutside

import semel_facturas
from semel.testing.crash import Point, Tally, matrix
from semel_facturas.story.clock import StoryClock


async def _facturas(home: Path) -> None:
    engine = semel_facturas.open(f"sqlite:///{home / 'books.db'}", home=home, clock=StoryClock())
    async with engine:
        await semel_facturas.seed(engine)


async def _notas(home: Path) -> None:
    async with open_notas(home):
        pass


def shard(index: int, count: int, sample: int, seed: int, folder: Path) -> Tally:
    """Run this process's share of the points."""

    def choose(points: list[Point]) -> list[Point]:
        mine = points[index::count]
        if not sample or len(mine) <= sample:
            return mine
        # A hash orders the points by the seed, so that another seed takes other ones.
        drawn = sorted(mine, key=lambda point: hashlib.sha256(f"{seed}{point}".encode()).digest())
        return sorted(drawn[:sample], key=mine.index)

    facturas, notas, mail = folder / "facturas", folder / "notas", folder / "mail"
    facturas.mkdir(parents=True)
    notas.mkdir()
    command = [sys.executable, "-m", "semel_facturas.sink", "--folder", str(mail)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sink:
        try:
            smtp = sink.stdout.readline().split()[1]
            _in_child(lambda: asyncio.run(_facturas(facturas)))
            _in_child(lambda: asyncio.run(_notas(notas)))
            plans = [
                Maria(facturas, smtp, mail),
                Mixed(notas),
                SafeLocal(notas),
                SafeOutside(notas),
            ]
            return matrix(
                plans, choose, folder / "worlds", lambda text: print(text, file=sys.stderr)
            )
        finally:
            sink.terminate()


def _in_child(work) -> None:
    """The parent of a matrix only forks: what starts threads is done in a child."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException as no:
            print(repr(no), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:
        raise SystemExit("The world of the matrix could not be made.")


def main() -> int:
    options = argparse.ArgumentParser(description="Kill every plan at every point, then look.")
    options.add_argument(
        "--sample", type=int, default=0, help="points per plan and process; 0: all"
    )
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--shard", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.shard:
        index, count = map(int, given.shard.split("/"))
        with tempfile.TemporaryDirectory(prefix="semel-crash-") as folder:
            tally = shard(index, count, given.sample, given.seed, Path(folder))
        print(json.dumps([tally.expected, tally.runs, tally.duplicates, tally.false, tally.lost]))
        return 0
    count = max(os.cpu_count() or 1, 1)
    command = [sys.executable, __file__, "--sample", str(given.sample), "--seed", str(given.seed)]
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
            print("crash: a process of the matrix failed", flush=True)
            return 1
        expected, runs, duplicates, false, lost = json.loads(said.splitlines()[-1])
        total.expected += expected
        total.runs += runs
        total.duplicates += duplicates
        total.false += false
        total.lost += lost
    print(total.line())
    return 0 if total.held else 1


if __name__ == "__main__":
    sys.exit(main())
