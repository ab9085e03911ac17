"""Cancel of a question, of a plan that waits, and of what has ended: nothing runs, and once."""

import asyncio

import pytest
from agreement import agrees
from decide_bench import (
    DONE,
    EVA,
    act,
    avisar,
    carta,
    crear,
    elsewhere,
    firmar,
    opened,
    plan,
    states,
    told,
)
from pedidos import ANA, LUIS

from semel import Who

CANCELLED = ("Report", "cancelled")
REVOKED = ("Refused", "revoked")
NOT_FOUND = ("Refused", "not_found")


def test_a_question_that_is_cancelled_runs_nothing_and_its_button_is_worth_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear(), carta(), firmar())
            report = await engine.person(ANA).cancel(ask.view.plan)
            assert told(report) == CANCELLED
            assert states(report) == ["not_done cancelled"] * 3
            assert report.retry_token is report.undo_token is None
            assert told(await engine.person(ANA).confirm(ask.token)) == REVOKED
            assert told(await engine.person(ANA).says("sí")) == ("Refused", "nothing_pending")
            assert bench.notes() == bench.afuera.lines() == []
            assert bench.events(ask.view.plan) == ["proposed", "asked", "cancelled", "rejected"]
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


def test_cancelled_from_another_instance_the_question_is_gone_here_too(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear(), carta())
            with elsewhere(bench) as other:
                assert told(other.person(ANA).cancel(ask.view.plan)) == CANCELLED
            assert told(await engine.person(ANA).confirm(ask.token)) == REVOKED
            assert bench.notes() == []

    asyncio.run(main())


def test_a_cancel_after_the_end_changes_nothing_whatever_the_end(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            person, ends = engine.person(ANA), []
            ask = await bench.asked(engine, crear("uno"), firmar())
            await person.confirm(ask.token)
            ends.append(ask.view.plan)
            cancelled = await bench.asked(engine, crear("dos"), firmar(), message="m-2")
            await person.cancel(cancelled.view.plan)
            ends.append(cancelled.view.plan)
            bench.afuera.goes = {"carta.enviar": "refuse"}
            failed = await bench.asked(engine, crear("tres"), carta(), message="m-3")
            await person.confirm(failed.token)
            ends.append(failed.view.plan)
            bench.afuera.goes = {"carta.enviar": "lost"}
            doubt = await bench.asked(engine, crear("cuatro"), carta(), message="m-4")
            await person.confirm(doubt.token)
            ends.append(doubt.view.plan)
            late = await bench.asked(engine, crear("cinco"), firmar(), message="m-5")
            bench.move(minutes=11)
            await engine.sweep()
            ends.append(late.view.plan)
            for number in ends:
                await person.status(number)  # what it offers stands before the file is read
            before = bench.dump()
            reasons = [told(await person.cancel(number))[1] for number in ends]
            assert reasons == ["finished", "cancelled", "failed", "in_doubt", "expired"]
            assert bench.dump() == before

    asyncio.run(main())


def test_a_question_whose_time_is_over_can_still_be_taken_back(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear(), firmar())
            bench.move(minutes=11)
            assert told(await engine.person(ANA).cancel(ask.view.plan)) == CANCELLED
            assert (await engine.sweep()).expired == ()
            assert bench.plans() == [("ended", "cancelled")]

    asyncio.run(main())


STRANGERS = [EVA, Who("o-1", "eva", "c-9", "es"), Who("o-2", "ana", "c-1", "es"),
             Who("o-2", "luis", "c-1", "es")]  # fmt: skip


@pytest.mark.parametrize(
    "who", STRANGERS, ids=lambda who: f"{who.org}-{who.person}-{who.conversation}"
)
def test_for_a_stranger_no_plan_exists_byte_for_byte_and_none_changes(tmp_path, who):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            asking = await bench.asked(engine, crear("uno"), firmar())
            done = await act(engine, crear("dos"), message="m-2")
            before = bench.dump()
            answers = [
                await engine.person(who).cancel(number)
                for number in (asking.view.plan, done.view.plan, "p_none", "", "p_ñ")
            ]
            assert {told(answer) for answer in answers} == {NOT_FOUND}
            assert len({repr(answer) for answer in answers}) == 1
            assert len({answer.card("es").text() for answer in answers}) == 1
            assert len({str(answer.for_model("es").plain()) for answer in answers}) == 1
            assert bench.dump() == before

    asyncio.run(main())


def test_who_may_decide_for_others_may_cancel_and_is_named(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear(), firmar())
            report = await engine.person(LUIS).cancel(ask.view.plan)
            assert told(report) == CANCELLED
            assert "luis" in bench.sql("SELECT body FROM semel_events ORDER BY seq")[-1][0]
            assert told(await engine.person(ANA).confirm(ask.token)) == REVOKED

    asyncio.run(main())


def test_cancel_from_another_conversation_of_the_same_person_is_a_cancel(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear(), firmar())
            other = Who("o-1", "ana", "c-2", "es")
            assert told(await engine.person(other).cancel(ask.view.plan)) == CANCELLED
            # Where the question was not put, nothing else of the plan is offered.
            assert bench.plans() == [("ended", "cancelled")]

    asyncio.run(main())


def test_a_letter_that_waits_for_its_day_is_cancelled_and_never_leaves(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, avisar(await bench.note(engine)))
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            child = bench.sql("SELECT plan FROM semel_plans WHERE kind = 'later'")[0][0]
            report = await engine.person(ANA).cancel(child)
            assert told(report) == CANCELLED
            assert states(report) == ["not_done cancelled"]
            bench.move(days=6)
            assert (await engine.sweep()).resumed == ()
            assert bench.afuera.lines() == []
            await agrees(engine, child)

    asyncio.run(main())


def test_the_model_that_asks_again_hears_cancelled_and_gets_no_second_card(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            steps = crear(), firmar()
            ask = await bench.asked(engine, *steps)
            await engine.person(ANA).cancel(ask.view.plan)
            again = await engine.agent.act(ANA, plan(*steps), message="m-1")
            assert (told(again), again.replayed) == (CANCELLED, True)
            answer = again.for_model("es")
            assert (answer.status, answer.next) == ("cancelled", "nothing")
            assert answer.says.startswith("No se ha hecho nada: el plan se canceló.")
            assert "No lo hagas por tu cuenta." in answer.says
            assert bench.plans() == [("ended", "cancelled")]

    asyncio.run(main())
