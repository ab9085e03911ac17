"""A process dies by SIGKILL at each statement and each commit: both sides' rows agree ever after."""

import signal
from collections import Counter

import pytest
from hosts_bench import ANA, STOCK, Bench, act, opened, pedir, run, told
from hosts_bench import bench as on_host

import counts
import stores
from semel import Ask
from semel.testing import crash_at, recorded
from semel.testing.crash import fork

PARTS = 3
"""Of the points, so that several processes may share them."""
STEP = {"smoke": 4, "quick": 2, "full": 1}[counts.level()]
"""Of each part, every so many-th point."""

ORDER = pedir(3, urgente=True)


async def life(bench: Bench, *, sweep: bool) -> None:
    """The message, the yes, and what a restart does before both."""
    async with opened(bench) as engine:
        if sweep:
            await engine.sweep()
        outcome = await act(engine, ORDER)
        if isinstance(outcome, Ask):
            outcome = await engine.person(ANA).confirm(outcome.token)
        await engine.settle()
        outcome = await act(engine, ORDER)
        assert told(outcome) == ("Report", "finished"), told(outcome)


def points(passed: list[str]) -> list[tuple[str, int]]:
    """Before each statement, and on both sides of each commit: dying after one is before the next."""
    seen: Counter[str] = Counter()
    found = []
    for name in passed:
        seen[name] += 1
        if name.endswith(":before") or name.startswith("commit:"):
            found.append((name, seen[name]))
    return found


def agree(bench: Bench) -> int:
    """What semel says was ordered was ordered, and nothing else was; how many orders there are."""
    recorded = bench.sql("SELECT id, label FROM semel_effects ORDER BY id")
    ordered = bench.sql("SELECT id, unidades FROM tienda_pedido ORDER BY id")
    assert recorded == [(id, f"{unidades} × taza") for id, unidades in ordered]
    assert bench.left() == STOCK - sum(unidades for _, unidades in ordered)
    done = bench.sql("SELECT count(*) FROM semel_steps WHERE state = 'done'")[0][0]
    assert done == len(ordered)
    return done


@pytest.mark.parametrize("part", range(PARTS))
def test_a_kill_anywhere_leaves_both_sides_agreed(tmp_path, host, part):
    with on_host(host, tmp_path / "whole.db") as bench, recorded() as passed:
        run(life(bench, sweep=False))
        assert agree(bench) == 1
    kinds = {name for name, _ in points(passed)}
    assert {
        f"commit:{name}:{when}"
        for name in ("propose", "confirm", "local")
        for when in ("before", "after")
    } <= kinds
    own = [name for name, _ in points(passed) if name.startswith("app:INSERT")]
    assert len(own) == 3, "it is rehearsed twice and then made"
    chosen = points(passed)[part :: PARTS * STEP]
    for number, point in enumerate(chosen):
        path = tmp_path / f"{number}.db"
        with on_host(host, path) as bench:
            assert fork(lambda: dies(host, path, point)) == -signal.SIGKILL, point  # noqa: B023 - used at once
            agree(bench)
            assert fork(lambda: recovers(host, path)) == 0, point  # noqa: B023 - used at once
            assert agree(bench) == 1, point
        stores.forget(path)
    counts.ran("R1.hosts", len(chosen))


def dies(host: str, path: object, point: tuple[str, int]) -> None:
    with again(host, path) as bench, crash_at(*point):
        run(life(bench, sweep=False))


def recovers(host: str, path: object) -> None:
    with again(host, path) as bench:
        # Past the time at which the dead process's plan may be taken over.
        bench.clock.move(minutes=1)
        run(life(bench, sweep=True))


def again(host: str, path: object):
    """The shop in another process, as it stands."""
    return on_host(host, path, anew=False)
