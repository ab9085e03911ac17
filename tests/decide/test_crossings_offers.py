"""Undo, retry, yes and newer plans cross each other in every order: of two, one is what happens."""

import asyncio

import pytest
from crossed import AFUERA, World, crossings
from decide_bench import DONE, act, carta, crear, firmar, told
from pedidos import ANA

from semel import Ask, Who

pytestmark = pytest.mark.no_store

REVOKED = ("Refused", "revoked")
OTHER = Who("o-1", "ana", "c-2", "es")


def row_of(world, plan):
    return world.store.read(lambda tx: tx.one("plans.find", org="o-1", plan=plan))


async def partly_done(world: World):
    """A safe plan whose letter was refused: it may be retried, and it may be taken back."""
    AFUERA.goes = {"carta.enviar": "refuse"}
    world.safe("carta.enviar")
    report = await act(world.engine(), crear(), carta())
    AFUERA.goes = {}
    assert report.retry_token
    assert report.undo_token
    return report


@pytest.mark.parametrize("engines", [("one", "one"), ("one", "two")])
def test_undo_crosses_retry_and_one_of_them_is_worth_nothing(engines):
    ends = []

    def verbs(world: World, report):
        one, two = (world.engine(name) for name in engines)
        return [one.person(ANA).undo(report.undo_token), two.person(ANA).retry(report.retry_token)]

    async def judge(world: World, report, found) -> None:
        undo, retry = found
        ends.append((told(undo), told(retry)))
        plan = row_of(world, report.view.plan)
        if told(undo) == DONE:
            assert told(retry) == REVOKED
            assert (world.notes(), world.sends("carta.enviar")) == ([], 0)
            assert plan["undone_by"] == undo.view.plan
        else:
            assert (told(undo), told(retry)) == (REVOKED, DONE)
            assert (world.notes(), world.sends("carta.enviar")) == (["Logo"], 1)
            assert plan["undone_by"] is None

    count = crossings(partly_done, verbs, judge)
    assert len(set(ends)) == 2
    print(f"undo × retry: {count} schedules")
    assert count >= 8


@pytest.mark.parametrize("verb", ["undo", "retry"])
def test_two_presses_of_one_offer_and_a_reload_are_one_change(verb):
    def verbs(world: World, report):
        one, two = world.engine("one"), world.engine("two")
        token = report.undo_token if verb == "undo" else report.retry_token
        return [
            getattr(one.person(ANA), verb)(token),
            getattr(two.person(ANA), verb)(token),
            one.person(ANA).status(report.view.plan),
        ]

    async def judge(world: World, report, found) -> None:
        assert told(found[0]) == told(found[1]) == DONE
        assert found[0].view.plan == found[1].view.plan
        assert [found[0].replayed, found[1].replayed].count(False) == 1
        assert len(world.plans()) == (2 if verb == "undo" else 1)
        assert world.notes() == ([] if verb == "undo" else ["Logo"])
        assert world.sends("carta.enviar") == int(verb == "retry")

    count = crossings(partly_done, verbs, judge)
    print(f"{verb} × {verb} × reload: {count} schedules")
    assert count >= 60


async def one_card(world: World):
    return await act(world.engine(), crear("uno"), carta(), firmar())


def test_a_newer_plan_crosses_the_yes_to_the_older_one():
    ends = set()

    def verbs(world: World, ask):
        one, two = world.engine("one"), world.engine("two")
        return [
            one.person(ANA).confirm(ask.token),
            act(two, crear("dos"), firmar(), message="m-2"),
        ]

    async def judge(world: World, ask, found) -> None:
        older, newer = found
        assert isinstance(newer, Ask)
        ends.add((told(older), newer.view.because))
        plan = row_of(world, ask.view.plan)
        if told(older) == DONE:
            assert plan["reason"] == "finished"
            assert (world.notes(), world.sends("carta.enviar")) == (["uno"], 1)
        else:
            assert told(older) == REVOKED
            assert plan["reason"] == "superseded"
            assert (world.notes(), world.sends("carta.enviar")) == ([], 0)
        # The newer one's card is the one that a bare yes answers.
        said = await world.engine().person(ANA).says("sí")
        assert (told(said), said.view.plan) == (DONE, newer.view.plan)

    count = crossings(one_card, verbs, judge)
    assert len(ends) == 3  # before it, while it runs (which is said), and after it
    print(f"newer plan × yes: {count} schedules")
    assert count >= 25


def test_two_yeses_and_a_no_cross_and_the_plan_runs_once_or_never():
    ends = set()

    def verbs(world: World, ask):
        one, two = world.engine("one"), world.engine("two")
        return [
            one.person(ANA).confirm(ask.token),
            two.person(ANA).confirm(ask.token),
            one.person(ANA).says("mejor mañana"),
        ]

    async def judge(world: World, ask, found) -> None:
        plan = row_of(world, ask.view.plan)
        ran = plan["reason"] == "finished"
        ends.add((ran, told(found[2])))
        assert (world.notes(), world.sends("carta.enviar")) == ((["uno"], 1) if ran else ([], 0))
        assert told(found[0]) == told(found[1]) == (DONE if ran else REVOKED)
        if ran:
            assert [found[0].replayed, found[1].replayed].count(False) == 1

    count = crossings(one_card, verbs, judge)
    assert {ran for ran, _ in ends} == {True, False}
    print(f"yes × yes × no: {count} schedules")
    assert count >= 150


async def two_cards(world: World):
    """The same words in two conversations; neither card could show the other's note."""
    engine = world.engine()
    one = await act(engine, crear("Logo"), firmar())
    two = await act(engine, crear("Logo"), firmar(), message="m-2", who=OTHER)
    assert one.view.because == two.view.because == ()
    return one, two


def test_two_look_alikes_that_are_confirmed_at_once_are_never_two_unseen():
    ends = set()

    def verbs(world: World, asks):
        one, two = world.engine("one"), world.engine("two")
        return [one.person(ANA).confirm(asks[0].token), two.person(OTHER).confirm(asks[1].token)]

    async def judge(world: World, asks, found) -> None:
        assert world.notes() == ["Logo"]
        assert world.signed() == 1
        kinds = sorted(told(one) for one in found)
        [second] = [one for one in found if told(one) != DONE]
        ends.add(kinds[0] if kinds[0] != DONE else kinds[1])
        # Whichever was second shows the first one's note before it makes another.
        shown = second.view.steps[0].similar
        assert [match.label for match in shown] == ["Logo"]

    count = crossings(two_cards, verbs, judge)
    assert ends == {("Ask", None), ("Report", "stale")}
    print(f"look-alike yes × look-alike yes: {count} schedules")
    assert count >= 150


def test_three_safe_look_alikes_at_once_are_one_note_and_two_cards_that_show_it():
    async def nothing(world: World):
        return await asyncio.sleep(0)

    def verbs(world: World, _):
        whos = [Who("o-1", "ana", f"c-{number}", "es") for number in range(3)]
        return [
            act(world.engine(who.conversation), crear("Logo"), message=who.conversation, who=who)
            for who in whos
        ]

    async def judge(world: World, _, found) -> None:
        assert sorted(told(one) for one in found) == [("Ask", None), ("Ask", None), DONE]
        asks = [one for one in found if isinstance(one, Ask)]
        assert all(len(one.view.steps[0].similar) == 1 for one in asks)
        assert world.notes() == ["Logo"]

    count = crossings(nothing, verbs, judge)
    print(f"look-alike × look-alike × look-alike: {count} schedules")
    assert count >= 80


def test_equal_calls_cross_and_are_one_plan():
    async def nothing(world: World):
        world.safe("carta.enviar")
        return await asyncio.sleep(0)

    def verbs(world: World, _):
        return [act(world.engine(name), crear(), carta()) for name in ("one", "two", "three")]

    async def judge(world: World, _, found) -> None:
        assert {told(one) for one in found} == {DONE}
        assert len({one.view.plan for one in found}) == len(world.plans()) == 1
        assert [one.replayed for one in found].count(False) == 1
        assert (world.notes(), world.sends("carta.enviar")) == (["Logo"], 1)

    count = crossings(nothing, verbs, judge)
    print(f"call × call × call: {count} schedules")
    assert count >= 200
