"""Cancel crosses a run of three steps in every order: what it answers is what happens."""

import pytest
from crossed import AFUERA, World, crossings
from decide_bench import act, crear, firmar, fuera, states, told
from pedidos import ANA, LUIS

from semel import Report, Running
from semel.runtime import resolve

pytestmark = pytest.mark.no_store

GONE = "not_done cancelled"
OUTSIDE = ["carta.enviar", "cobro.hacer", "reserva.hacer", "vuelo.reservar"]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))


def asked(action):
    """A world with a plan of three steps that asks; its card."""

    async def prepare(world: World):
        ask = await act(world.engine(), crear(), fuera(action), firmar())
        assert ask.token
        return ask

    return prepare


def holds(answer, ended):
    """What a cancel's answer says is true of the plan's end, for every step."""
    for now, then in zip(states(answer), states(ended), strict=True):
        if now == "waiting":
            assert isinstance(answer, Running)
            assert answer.view.cancelled
            assert then in {GONE, "not_done not_reached"}
        elif now == "started":
            assert then != "started"
        else:
            assert then == now


async def ended(world, ask):
    report = await world.engine().agent.status(ANA, ask.view.plan)
    assert isinstance(report, Report), report
    return report


WAYS = [(action, goes) for action in OUTSIDE for goes in ("ok", "refuse", "lost", "gone")]


@pytest.mark.parametrize(("action", "goes"), [*WAYS, ("nota.firmar", "ok")])
def test_a_cancel_from_another_instance_crosses_a_yes_and_its_run(action, goes):
    ends = set()

    def verbs(world: World, ask):
        AFUERA.goes = {action: goes}
        one, two = world.engine("one"), world.engine("two")
        return [one.person(ANA).confirm(ask.token), two.person(LUIS).cancel(ask.view.plan)]

    async def judge(world: World, ask, found) -> None:
        report = await ended(world, ask)
        holds(found[1], report)
        now = states(report)
        done = now.count("done")
        assert len(world.notes()) == int(done >= 1)
        if action == "nota.firmar":
            assert world.signed() == max(done - 1, 0)
        else:
            arrived = AFUERA.arrived().total()
            assert arrived <= 1
            assert arrived == int(now[1] == "done") or now[1] == "in_doubt"
            assert world.signed() == int(done == 3)
        ends.add((told(found[0]), told(found[1]), *now))

    count = crossings(asked(action), verbs, judge)
    print(f"cancel × yes of {action}, {goes}: {count} schedules, {len(ends)} ends")
    assert count >= 8
    assert len(ends) >= 5


def test_two_cancels_cross_a_run():
    pressed = set()

    def verbs(world: World, ask):
        one, two = world.engine("one"), world.engine("two")
        return [
            one.person(ANA).confirm(ask.token),
            one.person(ANA).cancel(ask.view.plan),
            two.person(LUIS).cancel(ask.view.plan),
        ]

    async def judge(world: World, ask, found) -> None:
        report = await ended(world, ask)
        for answer in found[1:]:
            holds(answer, report)
        detail = await world.engine().operator.show(ask.view.plan)
        assert detail is not None
        kinds = [str(event["kind"]) for event in detail.events]
        assert kinds.count("cancel_pressed") + kinds.count("cancelled") <= 1
        pressed.add(tuple(states(report)))

    count = crossings(asked("carta.enviar"), verbs, judge)
    print(f"cancel × cancel × yes: {count} schedules, {len(pressed)} ends")
    assert count >= 80
    assert len(pressed) == 4
