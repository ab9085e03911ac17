"""Tokens of a yes, a retry and an undo: kinds never mix, and one press is one run."""

import asyncio

import pytest
from dudas import CARTA, DUE, Process, armed, beside, crear, does, firmar, opened, told
from pedidos import ANA, LUIS

from semel import Ask, Report, Who

DONE = ("Report", "finished")
FAILED = ("Report", "failed")
NOT_FOUND = ("Refused", "not_found")
ROUNDS = 50
VERBS = ("confirm", "retry", "undo")


async def offered(banco, engine, message="m-1"):
    """A plan that failed after its first step: it may be retried, or taken back."""
    banco.afuera.goes[CARTA] = "refuse"
    report = await banco.pressed(
        engine, crear(message), does(CARTA, "$1"), firmar("$1"), message=message
    )
    assert told(report) == FAILED
    banco.afuera.goes[CARTA] = "ok"
    return report


def outwardly(answer):
    """An answer as it leaves: what it is and everything that is said of it."""
    return (
        repr(answer),
        answer.card("es").text(),
        answer.card("en").text(),
        str(answer.for_model("es").plain()),
    )


@pytest.mark.parametrize("kind", VERBS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_token_of_one_kind_is_to_the_other_verbs_what_it_is_to_a_stranger(tmp_path, kind, verb):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await offered(banco, engine)
            ask = await banco.asked(engine, crear("b"), does(CARTA, "$1"), message="m-2")
            token = {
                "confirm": ask.token, "retry": report.retry_token, "undo": report.undo_token
            }[kind]  # fmt: skip
            rows = banco.sql(
                "SELECT plan, state, reason, epoch, version FROM semel_plans ORDER BY plan"
            )
            person = engine.person(ANA)
            if kind == verb:
                assert isinstance(await getattr(person, verb)(token), Report)
                return
            answer = await getattr(person, verb)(token)
            for stranger in (LUIS, Who("o-2", "ana", "c-1", "es"), Who("o-1", "ana", "c-9", "es")):
                theirs = await getattr(engine.person(stranger), kind)(token)
                assert outwardly(answer) == outwardly(theirs)
            assert outwardly(answer) == outwardly(await getattr(person, verb)("smlc_never-was"))
            assert told(answer) == NOT_FOUND
            # Nothing was consumed: for what it is, it still opens.
            assert (
                banco.sql(
                    "SELECT plan, state, reason, epoch, version FROM semel_plans ORDER BY plan"
                )
                == rows
            )
            assert banco.calls()["send"] == 1
            assert told(await getattr(person, kind)(token)) == DONE

    asyncio.run(main())


@pytest.mark.parametrize("verb", VERBS)
def test_a_used_token_of_another_kind_tells_no_more(tmp_path, verb):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await offered(banco, engine)
            person = engine.person(ANA)
            await person.retry(report.retry_token)
            if verb != "retry":
                answer = await getattr(person, verb)(report.retry_token)
                nothing = await getattr(person, verb)("smlc_never-was")
                assert outwardly(answer) == outwardly(nothing)
            else:
                assert (await person.retry(report.retry_token)).replayed

    asyncio.run(main())


@pytest.mark.parametrize("kind", ["retry", "undo"])
def test_an_offer_of_an_earlier_decision_is_worth_nothing(tmp_path, kind):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await offered(banco, engine)
            token = getattr(report, f"{kind}_token")
            # Whatever was decided since, it moved the epoch.
            banco.sql("UPDATE semel_plans SET epoch = epoch + 1")
            answer = await getattr(engine.person(ANA), kind)(token)
            assert told(answer) == ("Refused", "revoked")
            assert banco.calls()["send"] == 1
            assert banco.sql("SELECT gone FROM notas") == [(0,)]

    asyncio.run(main())


def test_r14_two_presses_at_once_are_one_run_fifty_times(tmp_path):
    rounds = 0

    async def main():
        nonlocal rounds
        async with opened(tmp_path) as (banco, engine), beside(banco, Process("other")) as other:
            for number in range(ROUNDS):
                report = await offered(banco, engine, f"m-{number}")
                before = banco.calls()["send"]
                answers = await asyncio.gather(
                    *(one.person(ANA).retry(report.retry_token) for one in [engine, other] * 2)
                )
                assert {told(answer) for answer in answers} == {DONE}
                assert [answer.replayed for answer in answers].count(False) == 1
                assert banco.calls()["send"] == before + 1
                rounds += 1
            assert banco.arrived(CARTA) == len(banco.afuera.arrived(CARTA)) == ROUNDS
            assert banco.sql("SELECT count(*), min(signed), max(signed) FROM notas") == [
                (ROUNDS, 1, 1)
            ]
            assert banco.events().count("retried") == ROUNDS

    asyncio.run(main())
    assert rounds == ROUNDS


def test_r14_a_retry_and_an_undo_at_once_are_one_of_them_fifty_times(tmp_path):
    won = {"retry": 0, "undo": 0}

    async def main():
        async with opened(tmp_path) as (banco, engine), beside(banco, Process("other")) as other:
            for number in range(ROUNDS):
                report = await offered(banco, engine, f"m-{number}")
                presses = [
                    engine.person(ANA).retry(report.retry_token),
                    other.person(ANA).undo(report.undo_token),
                ]
                # Each is the first one to the door in half of the rounds.
                done = await asyncio.gather(*(presses if number % 2 else reversed(presses)))
                refused = [one for one in done if told(one) == ("Refused", "revoked")]
                assert len(refused) == 1
                ((gone, signed),) = banco.sql(
                    "SELECT gone, signed FROM notas WHERE text = ?", f"m-{number}"
                )
                assert (gone, signed) in {(1, 0), (0, 1)}
                won["undo" if gone else "retry"] += 1
            assert banco.arrived(CARTA) == won["retry"]

    asyncio.run(main())
    assert sum(won.values()) == ROUNDS
    assert min(won.values()) > 0


@pytest.mark.parametrize("point", ["commit:retry:before", "commit:retry:after"])
def test_b28_a_press_whose_answer_was_lost_is_pressed_again_and_runs_once(tmp_path, point):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            report = await offered(banco, engine)

            def lost(name):
                if name == point:
                    raise ConnectionError("the answer is lost")

            with armed(lost), pytest.raises(ConnectionError):
                await engine.person(ANA).retry(report.retry_token)
            banco.clock.move(seconds=DUE)
            async with beside(banco, Process("two")) as other:
                await other.sweep()
                again = await other.person(ANA).retry(report.retry_token)
            # Taken or not is read from the row: it was pressed in its time, and that counts.
            assert told(again) == DONE
            assert again.replayed == point.endswith("after")
            assert banco.arrived(CARTA) == 1
            assert banco.calls()["send"] == 2
            assert banco.sql("SELECT signed FROM notas") == [(1,)]

    asyncio.run(main())


@pytest.mark.parametrize("point", ["commit:confirm:before", "commit:confirm:after"])
def test_b28_a_yes_whose_answer_was_lost_is_said_again_and_counts_once(tmp_path, point):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            ask = await banco.asked(engine, crear(), does(CARTA, "$1"))

            def lost(name):
                if name == point:
                    raise ConnectionError("the answer is lost")

            with armed(lost), pytest.raises(ConnectionError):
                await engine.person(ANA).confirm(ask.token)
            banco.clock.move(seconds=DUE)
            async with beside(banco, Process("two")) as other:
                await other.sweep()
                again = await other.person(ANA).confirm(ask.token)
                assert told(again) == DONE
                # Used is what it is, not unknown: a day later it still leads to what it led to.
                banco.clock.move(days=1)
                later = await other.person(ANA).confirm(ask.token)
                assert (told(later), later.replayed) == (DONE, True)
            assert again.replayed == point.endswith("after")
            assert banco.arrived(CARTA) == 1
            assert banco.sql("SELECT text FROM notas") == [("Nueva",)]

    asyncio.run(main())


def test_b40_a_press_of_the_next_day_by_another_client_gets_what_is_stored(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await offered(banco, engine)
            banco.afuera.goes[CARTA] = "hang"
            async with beside(banco, Process("two")) as other:
                first = asyncio.create_task(engine.person(ANA).retry(report.retry_token))
                await banco.afuera.hanging.wait()
                second = asyncio.create_task(other.person(ANA).retry(report.retry_token))
                banco.afuera.released.set()
                answers = await asyncio.gather(first, second)
            assert [(told(one), one.replayed) for one in answers] == [(DONE, False), (DONE, True)]
            banco.clock.move(days=1)
            async with beside(banco, Process("three")) as third:
                answer = await third.person(ANA).retry(report.retry_token)
            assert (told(answer), answer.replayed) == (DONE, True)
            assert banco.arrived(CARTA) == 1

    asyncio.run(main())


def test_a_question_of_the_same_message_does_not_take_the_offers_place(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await offered(banco, engine)
            plan = {"steps": [{"action": "nota.crear", "input": {"text": "m-1"}}]}
            # The loop words itself anew for the same message: that asks, and the offer stands.
            assert isinstance(await engine.agent.act(ANA, plan, message="m-1"), Ask)
            assert told(await engine.person(ANA).retry(report.retry_token)) == DONE
            assert banco.sql("SELECT count(*) FROM notas") == [(1,)]

    asyncio.run(main())
