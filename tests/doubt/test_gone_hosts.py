"""A host that is gone for good by somebody's word: what it was sending settles, and nobody else's."""

import pytest
from dudas import (
    CARTA,
    SETTLED,
    Process,
    at_once,
    beside,
    dies_at,
    does,
    firmar,
    opened,
    run,
    told,
)
from pedidos import ANA

UNO, DOS, TRES = ("uno:boot:ns:7:9", "dos:boot:ns:7:9", "tres:boot:ns:7:9")


@pytest.fixture(autouse=True)
def _(monkeypatch):
    at_once(monkeypatch)


async def dies_in_the_send(banco, engine, message="m-1"):
    """The number of a plan whose process dies before the first byte has left."""
    ask = await banco.asked(engine, does(CARTA, await banco.note(engine)), message=message)
    await dies_at(engine, "send:before", engine.person(ANA).confirm(ask.token))
    return ask.view.plan


def test_its_senders_count_as_dead_and_the_bounds_still_count(tmp_path):
    async def main():
        async with opened(tmp_path, Process(UNO)) as (banco, engine):
            number = await dies_in_the_send(banco, engine)
            async with beside(banco, Process(DOS)) as other:
                person = other.person(ANA)
                done = await other.gone("uno", "the operator")
                assert done.handed_on == (number,)
                await other.sweep()
                await other.settle()
                assert banco.plan() == ("ended", "in_doubt")
                assert told(await person.did_not(number, 1)) == ("Refused", "not_settled")
                banco.clock.move(seconds=SETTLED)
                await other.sweep()
                assert "settled" in banco.events()
                assert told(await person.did_not(number, 1)) == ("Report", "failed")
                said = banco.sql("SELECT host, said_by FROM semel_gone")
                assert said == [("uno", "the operator")]

    run(main())


def test_without_the_word_and_by_another_hosts_nothing_ever_settles(tmp_path):
    async def main():
        async with opened(tmp_path, Process(UNO)) as (banco, engine):
            number = await dies_in_the_send(banco, engine)
            async with beside(banco, Process(DOS)) as other:
                banco.clock.move(seconds=SETTLED)
                done = await other.gone("un", "the operator")
                assert (done.handed_on, done.doubts) == ((), ())
                await other.gone("tres", "the operator")
                for _ in range(3):
                    banco.clock.move(seconds=SETTLED)
                    await other.sweep()
                    await other.settle()
                person = other.person(ANA)
                assert told(await person.did_not(number, 1)) == ("Refused", "not_settled")
                assert "settled" not in banco.events()

    run(main())


def test_a_doubt_that_was_there_before_the_word_settles_by_itself(tmp_path):
    async def main():
        async with opened(tmp_path, Process(UNO)) as (banco, engine):
            number = await dies_in_the_send(banco, engine)
            async with beside(banco, Process(DOS)) as other:
                banco.clock.move(seconds=SETTLED)
                await other.sweep()
                await other.settle()
                assert banco.plan() == ("ended", "in_doubt")
                done = await other.gone("uno", "the operator")
                assert (done.handed_on, done.doubts) == ((), (number,))
                banco.clock.move(seconds=SETTLED)
                await other.sweep()
                assert banco.events()[-1] == "settled"

    run(main())


def test_a_new_machine_of_that_name_is_another_one(tmp_path):
    async def main():
        async with opened(tmp_path, Process(UNO)) as (banco, engine):
            await engine.gone("uno", "the operator")
            banco.clock.move(seconds=1)
            number = await dies_in_the_send(banco, engine)
            async with beside(banco, Process(DOS)) as other:
                for _ in range(3):
                    banco.clock.move(seconds=SETTLED)
                    await other.sweep()
                    await other.settle()
                person = other.person(ANA)
                assert told(await person.did_not(number, 1)) == ("Refused", "not_settled")

    run(main())


def test_a_plan_of_another_host_is_left_alone_and_a_count_changes_nothing(tmp_path):
    async def main():
        async with opened(tmp_path, Process(UNO)) as (banco, engine):
            nota = await banco.note(engine)
            ask = await banco.asked(engine, firmar(nota))
            await dies_at(engine, "commit:confirm:after", engine.person(ANA).confirm(ask.token))
            async with beside(banco, Process(TRES)) as third:
                counted = await third.gone("uno", "the operator", dry=True)
                assert counted.handed_on == (ask.view.plan,)
                assert banco.sql("SELECT count(*) FROM semel_gone")[0][0] == 0
                assert (await third.gone("dos", "the operator")).handed_on == ()
                assert (await third.sweep()).running == 1
                await third.gone("uno", "the operator")
                assert (await third.sweep()).resumed == (ask.view.plan,)

    run(main())
