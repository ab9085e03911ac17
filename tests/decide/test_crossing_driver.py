"""The driver goes through all orders there are, misses no fault, and leaves out only what is equal."""

import asyncio
from itertools import permutations
from math import comb

import pytest
from crossing import ACTOR, Crossing, SwitchedStore, every
from decide_bench import NOW
from memory_pedidos import store_of

from semel.runtime.answers import answer
from semel.testing import MovableClock

pytestmark = pytest.mark.no_store


async def operations(crossing, kinds, seen):
    """An actor that does so many operations and notes the order in which they came."""
    who = ACTOR.get()
    for number, kind in enumerate(kinds):
        turn = asyncio.get_running_loop().create_future()
        crossing.later(
            kind, lambda turn=turn, n=(who, number): (seen.append(n), turn.set_result(0))
        )
        await turn


def orders(*actors):
    """Every order in which the actors' operations came."""
    found = []

    async def play(crossing: Crossing) -> None:
        seen: list[tuple[int, int]] = []
        await crossing.run([operations(crossing, kinds, seen) for kinds in actors])
        found.append(tuple(seen))

    count = every(play)
    assert count == len(found) == len(set(found))
    return found


@pytest.mark.parametrize(("one", "two"), [(1, 1), (2, 2), (3, 3), (4, 2), (5, 3)])
def test_writes_are_run_in_every_order_there_is(one, two):
    assert len(orders(["write"] * one, ["write"] * two)) == comb(one + two, one)


def test_three_actors_are_run_in_every_order_too():
    found = orders(["write"] * 2, ["write"] * 2, ["write"])
    assert len(found) == len(set(permutations([0, 0, 1, 1, 2]))) == 30


def test_reads_among_themselves_are_run_in_one_order_and_beside_a_write_in_all():
    assert len(orders(["read"] * 3, ["read"] * 3)) == 1
    assert len(orders(["read", "read"], ["write"])) == 3
    assert len(orders(["read"], ["read"], ["write"])) == 4
    assert len(orders(["call"] * 2, ["write"] * 2)) == 1
    assert len(orders(["call"] * 2, ["call"] * 2)) == 6


def test_an_update_that_is_lost_between_a_read_and_a_write_is_found():
    clock = MovableClock(NOW)
    ends = []

    async def play(crossing: Crossing) -> None:
        store = store_of(clock)
        store.transact(lambda tx: tx.app.run("notas.add", org="o", id="n", text="0", now="x"))
        switched = SwitchedStore(store, crossing)

        def text(tx):
            return int(tx.app.one("notas.get", org="o", id="n")["text"])

        async def adds() -> None:
            found = await answer(switched.submit_read(text))
            row = {"org": "o", "id": "n", "text": str(found + 1)}
            await answer(switched.submit(lambda tx: tx.app.run("notas.edit", **row)))

        await crossing.run([adds(), adds()])
        ends.append(store.read(text))

    # Six orders of two reads and two writes, of which the reads' own order makes no difference.
    assert every(play) == 4
    assert sorted(ends) == [1, 1, 2, 2]


def test_what_waits_for_time_goes_on_when_nobody_else_can():
    seen = []

    async def play(crossing: Crossing) -> None:
        async def waits() -> None:
            await asyncio.sleep(3600)
            await operations(crossing, ["write"], seen)

        await crossing.run([waits(), operations(crossing, ["write"] * 2, seen)])

    assert every(play) == 1
    assert seen == [(1, 0), (1, 1), (0, 0)]


def test_actors_that_wait_for_each_other_are_no_schedule():
    async def never() -> None:
        await asyncio.get_running_loop().create_future()

    async def stuck(crossing: Crossing) -> None:
        await crossing.run([never()])

    with pytest.raises(AssertionError, match="Nobody can go on"):
        every(stuck)
