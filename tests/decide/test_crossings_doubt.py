"""Late proofs cross what a person says, and sweeps what a person takes back, in every order."""

import pytest
from crossed import AFUERA, World, crossings
from decide_bench import DONE, act, crear, firmar, fuera, states, told
from pedidos import ANA

from semel import Made, NotDone
from semel.domain.plan import Owner
from semel.runtime import look, resolve
from semel.runtime.answer import Happened
from semel.runtime.proof import Send, made, refused

pytestmark = pytest.mark.no_store

NO = NotDone({"es": "No lo acepta.", "en": "It does not accept it."})


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))


async def in_doubt(world: World):
    """A plan whose letter got no answer, by now settled; its report."""
    engine = world.engine()
    ask = await act(engine, crear(), fuera("carta.enviar"), firmar())
    AFUERA.goes = {"carta.enviar": "gone"}
    report = await engine.person(ANA).confirm(ask.token)
    AFUERA.goes = {}
    assert told(report) == ("Report", "in_doubt")
    world.clock.move(minutes=3)
    await engine.sweep()
    return report


def late(world: World, report, refusal=None):
    """What the send that nobody waited for brings back at last."""
    engine = world.engine("one")
    core, plan = engine._core, report.view.plan
    action = core.catalog.get("carta.enviar")

    def work(tx):
        stored = look.load(tx, "o-1", plan)
        attempt = look.attempts_of(tx, "o-1", plan, 2)[0]
        send = Send(Owner("o-1", plan, 1), action, stored.steps[1], False, attempt.id)
        if refusal is not None:
            return refused(tx, send, refusal)
        return made(tx, send, Made(id="late"))

    return core.transact("not_made" if refusal else "made", work)


def events(world, plan):
    rows = world.store.read(lambda tx: tx.all("events.of_plan", org="o-1", plan=plan))
    return [str(row["kind"]) for row in rows]


def test_a_late_proof_crosses_a_person_who_says_that_it_did_not_happen():
    ends = set()

    def verbs(world: World, report):
        engine = world.engine("two")
        return [late(world, report), engine.person(ANA).did_not(report.view.plan, 2)]

    async def judge(world: World, report, found) -> None:
        shown = await world.engine().person(ANA).status(report.view.plan)
        kinds = events(world, report.view.plan)
        step = shown.view.steps[1]
        ends.add((states(shown)[1], "contradicted" in kinds, told(found[1])))
        if step.state == "done":
            assert step.resolution is None
            assert "answered" not in kinds
        else:
            # The person was first. What came after cannot be undone, and it is said.
            assert step.resolution == "did_not"
            assert kinds[-1] == "contradicted"
        assert shown.view.reason == "failed"
        assert world.signed() == 0

    count = crossings(in_doubt, verbs, judge)
    assert ends == {
        ("done", False, ("Report", "failed")), ("not_done failed", True, ("Report", "failed"))
    }  # fmt: skip
    print(f"late proof × did not: {count} schedules")
    assert count >= 4


def test_a_late_refusal_crosses_a_person_who_says_that_it_happened():
    ends = set()

    def verbs(world: World, report):
        engine = world.engine("two")
        return [
            late(world, report, NO),
            engine.person(ANA).resolve(report.view.plan, 2, Happened()),
        ]

    async def judge(world: World, report, found) -> None:
        shown = await world.engine().person(ANA).status(report.view.plan)
        step = shown.view.steps[1]
        ends.add((str(step.state), str(step.resolution)))
        assert step.state in {"done", "not_done"}
        assert (step.state == "done") is (step.resolution == "happened")
        assert world.signed() == 0

    count = crossings(in_doubt, verbs, judge)
    assert ends == {("done", "happened"), ("not_done", "None")}
    print(f"late refusal × happened: {count} schedules")
    assert count >= 4


def test_a_late_proof_crosses_a_retry_after_a_person_said_that_it_did_not_happen():
    async def answered(world: World):
        report = await in_doubt(world)
        return await world.engine().person(ANA).did_not(report.view.plan, 2)

    def verbs(world: World, report):
        return [late(world, report), world.engine("two").person(ANA).retry(report.retry_token)]

    async def judge(world: World, report, found) -> None:
        shown = await world.engine().person(ANA).status(report.view.plan)
        assert world.sends("carta.enviar") <= 1
        assert told(shown) == DONE
        assert world.signed() == 1

    count = crossings(answered, verbs, judge)
    print(f"late proof × retry: {count} schedules")
    assert count >= 6


def test_two_sweeps_and_a_person_cross_a_letter_whose_day_has_come():
    async def planned(world: World):
        engine = world.engine()
        ask = await act(engine, crear(), ("nota.avisar", {"nota": "$1", "dias": 5}))
        assert told(await engine.person(ANA).confirm(ask.token)) == DONE
        [child] = [row for row in world.plans() if row["kind"] == "later"]
        world.clock.move(days=5)
        return child["plan"]

    ends = set()

    def verbs(world: World, child):
        return [
            world.engine("one").sweep(),
            world.engine("two").sweep(),
            world.engine("three").person(ANA).cancel(child),
        ]

    async def judge(world: World, child, found) -> None:
        shown = await world.engine().person(ANA).status(child)
        sent = world.sends("carta.enviar")
        ends.add((told(shown), sent))
        assert sent == int(told(shown) == DONE)
        [answer] = states(found[2])
        # Taken over and not begun, it can still be stopped; then it waits for nobody.
        assert answer in {"started", states(shown)[0]}

    count = crossings(planned, verbs, judge)
    assert ends == {(DONE, 1), (("Report", "cancelled"), 0)}
    print(f"sweep × sweep × cancel of a later plan: {count} schedules")
    assert count >= 300
