"""Settled: when nothing that was sent can still arrive, and only then "it did not happen" counts."""

import pytest
from dudas import (
    CARTA,
    COBRO,
    RESERVA,
    SETTLED,
    VUELO,
    Process,
    at_once,
    beside,
    crear,
    does,
    opened,
    run,
    told,
)
from pedidos import ANA, OUTSIDE

from semel import DidNot, LookAgain, SendAnyway
from semel.domain.key import step_key

IN_DOUBT = [("in_doubt", None), ("not_done", "not_reached")]
FAILED = ("Report", "failed")
NOT_SETTLED = ("Refused", "not_settled")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    at_once(monkeypatch)


async def doubtful(banco, engine, action, goes="gone"):
    """A step in doubt, and one after it; its plan's number."""
    banco.afuera.goes |= {action: goes, f"{action}?": "dark"}
    if "hang" in goes:
        banco.impatient()
    ask = await banco.asked(engine, does(action, await banco.note(engine)), crear())
    assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "in_doubt")
    assert banco.steps() == IN_DOUBT
    return ask.view.plan


async def shown(engine, plan):
    """What the card of now says of the doubt."""
    view = (await engine.person(ANA).status(plan)).view
    return view.epoch, view.steps[0].doubt


async def read_and_answered(engine, plan):
    """A person reads the card and says that it did not happen."""
    epoch, doubt = await shown(engine, plan)
    return await engine.person(ANA).resolve(plan, 1, DidNot(epoch, settled=doubt.settled))


@pytest.mark.parametrize("action", OUTSIDE)
def test_what_has_come_back_is_settled_when_its_bounds_have_passed(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, action)
            for seconds in (0, 45, 44.999999):
                banco.clock.move(seconds=seconds)
                assert not (await shown(engine, plan))[1].settled
                assert told(await read_and_answered(engine, plan)) == NOT_SETTLED
                assert banco.steps() == IN_DOUBT
            banco.clock.move(seconds=0.000001)
            _, doubt = await shown(engine, plan)
            assert doubt.settled
            assert doubt.settles_at == "2026-10-19T08:01:30.000000Z"
            assert told(await read_and_answered(engine, plan)) == FAILED
            assert banco.steps() == [("not_done", "failed"), ("not_done", "not_reached")]
            assert set(banco.attempts()) == {"absent"}

    run(main())


@pytest.mark.parametrize("action", OUTSIDE)
def test_while_the_call_is_still_running_nothing_is_settled_however_long(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, action, "hang lost")
            for _ in range(3):
                banco.clock.move(days=400)
                await engine.sweep()
                assert not (await shown(engine, plan))[1].settled
                assert told(await read_and_answered(engine, plan)) == NOT_SETTLED
            assert banco.steps() == IN_DOUBT
            assert "settled" not in banco.events()
            # It really was on its way all that time: who had believed "not there" would be wrong.
            await banco.release(engine)
            assert banco.arrived(action) == 1
            assert (await shown(engine, plan))[1].settled

    run(main())


@pytest.mark.parametrize("action", OUTSIDE)
def test_without_a_delivery_bound_nothing_is_ever_settled(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.effect(action, delivery_bound=None)
            plan = await doubtful(banco, engine, action)
            for _ in range(3):
                banco.clock.move(days=3650)
                await engine.sweep()
                _, doubt = await shown(engine, plan)
                assert (doubt.settled, doubt.settles_at) == (False, None)
                assert told(await read_and_answered(engine, plan)) == NOT_SETTLED
            assert banco.steps() == IN_DOUBT
            assert "settled" not in banco.events()

    run(main())


@pytest.mark.parametrize(
    ("dead", "settled"), [((), False), (("another",), False), (("one",), True)]
)
def test_a_sender_that_never_came_back_must_be_known_to_be_dead(tmp_path, dead, settled):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            plan = await doubtful(banco, engine, CARTA, "hang")
            banco.clock.move(seconds=SETTLED)
            async with beside(banco, Process("two", *dead)) as other:
                assert (await shown(other, plan))[1].settled is settled
                await other.sweep()
                assert ("settled" in banco.events()) is settled
                answer = await read_and_answered(other, plan)
                assert told(answer) == (FAILED if settled else NOT_SETTLED)

    run(main())


def test_known_to_be_dead_is_not_enough_before_the_bounds_have_passed(tmp_path):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            plan = await doubtful(banco, engine, CARTA, "hang")
            async with beside(banco, Process("two", "one")) as other:
                assert told(await read_and_answered(other, plan)) == NOT_SETTLED

    run(main())


@pytest.mark.parametrize("action", [CARTA, COBRO])
def test_the_sweeper_says_once_that_it_has_settled(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, action)
            looked = []
            for _ in range(60):
                banco.clock.move(seconds=3)
                looked += (await engine.sweep()).looked_at
            # However often it sweeps and whoever looks again: it became so once.
            for _ in range(3):
                await engine.person(ANA).resolve(plan, 1, LookAgain())
                banco.clock.move(hours=5)
                looked += (await engine.sweep()).looked_at
            assert looked == [plan]
            assert banco.events().count("settled") == 1
            ((at,),) = banco.sql("SELECT at FROM semel_events WHERE kind = 'settled'")
            assert at == "2026-10-19T08:01:30.000000Z"

    run(main())


@pytest.mark.parametrize("action", OUTSIDE)
def test_a_card_from_before_it_settled_does_not_answer_after(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, action)
            epoch, doubt = await shown(engine, plan)
            assert not doubt.settled
            banco.clock.move(seconds=SETTLED)
            person = engine.person(ANA)
            old = await person.resolve(plan, 1, DidNot(epoch, settled=doubt.settled))
            assert told(old) == NOT_SETTLED
            for wrong in (epoch - 1, epoch + 1, -1, 0):
                assert told(await person.resolve(plan, 1, DidNot(wrong, settled=True))) == (
                    "Refused", "revoked"
                )  # fmt: skip
            assert banco.steps() == IN_DOUBT
            assert told(await person.resolve(plan, 1, DidNot(epoch, settled=True))) == FAILED

    run(main())


def test_a_card_that_claims_to_be_settled_is_not_believed(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, CARTA)
            epoch, _ = await shown(engine, plan)
            answer = DidNot(epoch, settled=True)
            assert told(await engine.person(ANA).resolve(plan, 1, answer)) == NOT_SETTLED
            assert banco.steps() == IN_DOUBT

    run(main())


def test_a_card_of_before_it_was_sent_again_answers_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, CARTA)
            banco.clock.move(seconds=SETTLED)
            epoch, doubt = await shown(engine, plan)
            assert doubt.settled
            person = engine.person(ANA)
            banco.afuera.goes[CARTA] = "lost"
            await person.resolve(plan, 1, SendAnyway("ENVIAR OTRA VEZ"))
            assert banco.steps() == IN_DOUBT
            assert told(await person.resolve(plan, 1, DidNot(epoch, settled=True))) == (
                "Refused", "revoked"
            )  # fmt: skip
            assert banco.steps() == IN_DOUBT
            # The doubt of now is about both sends, and has not settled.
            _, doubt = await shown(engine, plan)
            assert (doubt.settled, doubt.sends) == (False, 2)

    run(main())


@pytest.mark.parametrize("action", OUTSIDE)
def test_after_did_not_a_retry_is_offered_and_sends_under_a_new_key(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, action)
            first = set(banco.keys())
            banco.clock.move(seconds=SETTLED)
            report = await engine.person(ANA).did_not(plan, 1)
            assert told(report) == FAILED
            assert report.view.steps[0].resolution == "did_not"
            assert report.view.steps[0].resolved_by == "ana"
            banco.afuera.goes[action] = "ok"
            assert told(await engine.person(ANA).retry(report.retry_token)) == (
                "Report",
                "finished",
            )
            (key,) = set(banco.keys()) - first
            assert dict(banco.afuera.arrived(action)) == {key: 1}
            if action != VUELO:
                assert key == step_key("o-1", plan, 1, 2)
            # What was resolved is of the round before.
            assert banco.sql("SELECT resolution, resolved_by, round FROM semel_steps") == [
                (None, None, 2), (None, None, 2)
            ]  # fmt: skip

    run(main())


@pytest.mark.parametrize("action", [CARTA, RESERVA])
def test_the_card_offers_did_not_only_when_it_counts(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, action)
            before = (await engine.person(ANA).status(plan)).card("es")
            assert "did_not" not in before.answers
            assert "ENVIAR OTRA VEZ" in before.text()
            banco.clock.move(seconds=SETTLED)
            after = (await engine.person(ANA).status(plan)).card("es")
            assert "did_not" in after.answers
            for card in (before, after):
                # What the other side may know it by, so that a person can look.
                assert banco.keys()[0] in card.text()

    run(main())
