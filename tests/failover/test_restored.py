"""An older copy that was put back runs nothing again, once it is fenced; before that it says so.

Copies are made after every commit and every send of the plans of all classes, while they go on to their
end. In each one that is put back everything is repeated that might do something twice: sweeps, the
message, every token that was ever out, and whatever is offered.
"""

import asyncio
import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from copies import Books, Copy, Dumper, Files, Finding, Past, lived, pasts, put_back
from crash_world import WorldClock
from dudas import at_once
from lives import CARTA, SETTLES

import counts
import stores
from semel.runtime import wait
from semel.testing import Postgres, postgres

pytestmark = pytest.mark.no_store

PER_LIFE = 6
"""Copies of one life in one go; the next time it is lived others are made."""


def share(kind: str) -> int:
    """How many of the bar's copies are put back on this store."""
    whole = counts.of("R9")
    return whole // 3 if kind == "postgres" else whole - whole // 3


def chosen(life: Past, turn: int) -> "set[int]":
    """Which moments of a life are copied in its *turn*: spread over it, and others each time."""
    return {1 + turn + number * 4 for number in range(PER_LIFE)}


def copied(
    folder: Path, life: Past, turn: int, server: Postgres | None
) -> Iterator[tuple[Copy, Path, dict]]:
    """Live a life; each copy of it, with the world in which everything has happened."""
    world = folder / "first"
    world.mkdir(parents=True)
    WorldClock(world)
    books = Books(world, server, f"b_{folder.name}".replace("-", "_"))
    books.make()
    moments = chosen(life, turn)
    dumper = Dumper(books, world, moments.__contains__)
    tokens = asyncio.run(lived(life, books, world, dumper))
    books.drop()
    assert dumper.copies, life.name
    for number, copy in enumerate(dumper.copies):
        yield copy, folder / f"{number}", tokens


def outlives(life: Past, copy: Copy, place: Path, tokens: dict, server: Postgres | None) -> Finding:
    world = copy.path.parent
    shutil.copytree(world, place, ignore=shutil.ignore_patterns("*.db*", "*.copy"))
    books = Books(place, server, f"r_{place.parent.name}_{place.name}".replace("-", "_"))
    books.restore(copy.path)
    try:
        with pytest.MonkeyPatch.context() as patch:
            # Nobody waits here for a plan that another process would have to run.
            patch.setattr(wait, "WAIT_SECONDS", 0.0)
            return asyncio.run(put_back(life, books, place, tokens))
    finally:
        books.drop()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_an_older_copy_runs_nothing_again(tmp_path, monkeypatch, kind):
    at_once(monkeypatch)
    if kind == "sqlite":
        _held(tmp_path, kind, None)
        return
    monkeypatch.setenv("SEMEL_UNSAFE_DURABILITY", "1")
    fast = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    with postgres(tmp_path / "server", **fast) as server:
        _held(tmp_path, kind, server)


def _held(tmp_path: Path, kind: str, server: Postgres | None) -> None:
    wanted, done = share(kind), 0
    total = Finding()
    plans = pasts(tmp_path)
    for turn in itertools.count():
        for life in plans[turn % 2 :: 2] if wanted < 40 else plans:
            if done >= wanted:
                break
            for copy, place, tokens in copied(tmp_path / f"{life.name}-{turn}", life, turn, server):
                if done >= wanted:
                    break
                found = outlives(life, copy, place, tokens, server)
                total.wrong += [f"{life.name}, {copy.moment}: {one}" for one in found.wrong]
                total.open += found.open
                total.doubted += found.doubted
                total.answered += found.answered
                done += 1
        if done >= wanted:
            break
    assert total.wrong == []
    assert total.open >= wanted // 4
    assert (total.doubted, total.answered) == (total.open, total.open)
    counts.ran("R9", done)
    print(f"{kind}: {done} copies, {total.open} open plans in doubt, 0 run again")


def test_without_the_fence_a_file_does_it_again(tmp_path, monkeypatch):
    """It is what the fence is for: a file cannot tell that it is a copy."""
    at_once(monkeypatch)
    life = next(one for one in pasts(tmp_path) if one.name == "all-ok")
    copies = copied(tmp_path / "life", life, 1, None)
    copy, place, _ = next(one for one in copies if "commit:confirm" in one[0].moment)
    shutil.copytree(copy.path.parent, place, ignore=shutil.ignore_patterns("*.db*", "*.copy"))
    books = Books(place)
    books.restore(copy.path)

    async def main() -> int:
        async with life.on(books, place, "dos") as one:
            one.clock.move(SETTLES)
            await one.engine.sweep()
            await one.engine.settle()
            return sum(one.mundo.arrived(CARTA[0]).values())

    assert asyncio.run(main()) == 2


def test_a_copy_of_a_servers_files_is_not_told_and_runs_nothing_again_after_the_fence(
    tmp_path, monkeypatch
):
    at_once(monkeypatch)
    monkeypatch.setenv("SEMEL_UNSAFE_DURABILITY", "1")
    fast = {"fsync": "off", "wal_level": "replica", "max_wal_senders": 4}
    life = next(one for one in pasts(tmp_path) if one.name == "all-ok")
    world = tmp_path / "world"
    world.mkdir()
    WorldClock(world)
    with postgres(tmp_path / "server", **fast) as server:
        books = Files(world, server)
        books.make()
        dumper = Dumper(books, world, {2, 7}.__contains__)
        tokens = asyncio.run(lived(life, books, world, dumper))
        stores.hang_up(books.url)
    assert len(dumper.copies) == 2
    monkeypatch.setattr(wait, "WAIT_SECONDS", 0.0)
    for number, copy in enumerate(dumper.copies):
        place = tmp_path / f"{number}"
        shutil.copytree(world, place, ignore=shutil.ignore_patterns("*.copy"))
        with postgres(copy.path, **fast) as server:
            found = asyncio.run(put_back(life, Files(place, server), place, tokens))
            stores.hang_up(server.at("books"))
        assert found.wrong == [], copy.moment
        assert (found.open, found.doubted, found.answered) == (1, 1, 1), copy.moment
