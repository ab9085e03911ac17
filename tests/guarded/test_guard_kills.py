"""A guarded call whose process is killed with -9 anywhere, and then again in its recovery.

Whoever repeats it afterwards finds at most one effect outside, is told what is so, and no key is
stuck: every class but the one that nobody can be asked about comes to an end by itself.
"""

import os
import signal
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from contenders import start
from guard_bench import Bench
from guard_tools import BOUND, CLASSES, DEADLINE, SQL, Told, effects, no_power_cut, told, tool

import counts
import stores
from semel import Guard
from semel.runtime import points
from semel.testing import MovableClock

NOW = datetime(2026, 10, 19, 8, tzinfo=UTC)
EVERY = counts.level() == "full"
"""Whether the recovery is killed at every moment of it after every death, or at some."""
AGAIN_EVERY = 3
LATER = timedelta(seconds=DEADLINE + BOUND + 60)


def life(bench: Bench, kind: str, at: datetime, die: tuple[str, int] | None) -> Told:
    """A process that makes the call, and is killed when it passes a point so many times."""

    def work() -> Told:
        guard = opened(bench, kind, at)
        no_power_cut(guard)
        passed = 0

        def reached(name: str) -> None:
            nonlocal passed
            passed += die is not None and name == die[0]
            if die is not None and name == die[0] and passed == die[1]:
                os.kill(os.getpid(), signal.SIGKILL)

        points.arm(reached)
        said = told(guard, tool(bench, guard, kind, wait=0))
        guard.close()
        return said

    child = start(work)
    return child.value(-signal.SIGKILL if die else 0)


def opened(bench: Bench, kind: str, at: datetime) -> Guard:
    return Guard(
        bench.url, org=bench.org, sql=SQL if kind == "local" else None, clock=MovableClock(at)
    )


def passes(bench: Bench, kind: str, at: datetime) -> list[tuple[str, int]]:
    """The moments of a life, in order, each with how often its point was passed by then."""

    def work() -> list[str]:
        guard, names = opened(bench, kind, at), []
        points.arm(names.append)
        told(guard, tool(bench, guard, kind, wait=0))
        guard.close()
        return names

    seen: Counter[str] = Counter()
    found = []
    for name in start(work).value():
        seen[name] += 1
        found.append((name, seen[name]))
    return found


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if kind != "local"])
def test_killed_anywhere_and_again_in_the_recovery_a_call_happens_once(tmp_path, kind):
    lived(tmp_path, kind)


@pytest.mark.only_on("sqlite postgres", "Redis has no transaction that an effect could be part of")
def test_an_effect_in_the_guards_own_database_is_there_if_and_only_if_it_is_done(tmp_path):
    lived(tmp_path, "local")


def lived(tmp_path, kind: str) -> None:
    firsts = passes(bench_of(tmp_path / "plain"), kind, NOW)
    assert len(firsts) >= 3
    if counts.level() == "smoke" and stores.kind() != "sqlite":
        # The machine is one; what another store makes of a change is in the other tests of it.
        firsts = firsts[::AGAIN_EVERY]
    ends, deaths = Counter(), 0
    for number, die in enumerate(firsts):
        folder = tmp_path / f"{kind}-{number}"
        world = bench_of(folder / "once")
        life(world, kind, NOW, die)
        ends[judged(world, kind, die)] += 1
        deaths += 1
        if not EVERY and number % AGAIN_EVERY:
            continue
        # What is passed after this death, on a story of the same beginning.
        story = bench_of(folder / "story")
        life(story, kind, NOW, die)
        seconds = passes(story, kind, NOW + LATER)
        if not EVERY:
            seconds = seconds[number % max(1, len(seconds)) :][:1]
        for again, second in enumerate(seconds):
            world = bench_of(folder / str(again))
            life(world, kind, NOW, die)
            life(world, kind, NOW + LATER, second)
            ends[judged(world, kind, die, second)] += 1
            deaths += 2
    counts.ran("G1", deaths)
    assert ends["done"] > 0


def bench_of(folder) -> Bench:
    folder.mkdir(parents=True)
    return Bench(folder)


def judged(bench: Bench, kind: str, *deaths: tuple[str, int]) -> str:
    """The call is repeated by a process that lives; what it is told, and what there is."""
    at = NOW + LATER * 2
    for _ in range(2 if EVERY else 1):
        said = life(bench, kind, at, None)
        there = effects(bench, kind)
        case = (kind, deaths, said, there)
        assert there <= 1, case
        if said.word == "done":
            assert (there, said.value) == (1, "id-ana"), case
        else:
            assert (kind, said.word) == ("opaque", "in_doubt"), case
        at += LATER
    return said.word
