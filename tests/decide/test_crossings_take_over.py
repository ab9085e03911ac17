"""A take-over crosses the run of an owner that lives on: nothing twice, and nothing said wrongly."""

import pytest
from crossed import AFUERA, World, crossings
from decide_bench import act, crear, firmar, fuera, states, told
from pedidos import ANA

from semel import Report

pytestmark = pytest.mark.no_store

# Each effect with the end of a send that is the hardest for it and still ends soon.
WAYS = [("carta.enviar", "lost"), ("cobro.hacer", "ok"), ("reserva.hacer", "ok"),
        ("vuelo.reservar", "ok")]  # fmt: skip


def asked(action):
    async def prepare(world: World):
        return await act(world.engine(), crear(), fuera(action), firmar())

    return prepare


def once(world: World, action: str, found: list[str]) -> None:
    """What is said of three steps is so, and nothing happened twice."""
    arrived = world.sends(action)
    assert len(world.notes()) == int(found[0] == "done")
    assert arrived <= 1
    assert world.signed() == int(found[2] == "done") <= 1
    if found[1] == "done":
        assert arrived == 1
    elif found[1] != "in_doubt":
        assert arrived == 0, found


@pytest.mark.parametrize(("action", "goes"), WAYS)
def test_a_take_over_crosses_the_run_of_an_owner_that_lives(action, goes):
    ends = set()

    def verbs(world: World, ask):
        AFUERA.goes = {action: goes}
        # Taken for dead: it was paused, and goes on as if nothing had happened.
        world.dead.add("one")
        return [world.engine("one").person(ANA).confirm(ask.token), world.engine("two").sweep()]

    async def judge(world: World, ask, found) -> None:
        engine = world.engine("three")
        world.dead.add("two")  # what nobody finished, a third instance takes up
        await engine.sweep()
        report = await engine.agent.status(ANA, ask.view.plan)
        assert isinstance(report, Report)
        once(world, action, states(report))
        ends.add((told(report), *states(report)))

    count = crossings(asked(action), verbs, judge)
    print(f"take-over × run of {action}, {goes}: {count} schedules, {len(ends)} ends")
    assert count >= 200
