"""Look-alikes: the second of two equal things is shown beside the first and asked, never hidden."""

import asyncio

import pytest
from agreement import agrees
from decide_bench import (
    DONE,
    act,
    apuntar,
    carta,
    crear,
    elsewhere,
    firmar,
    opened,
    running,
    states,
    tirar,
    told,
)
from pedidos import ANA, LUIS

from semel import SAFE, Ask, Report, Who
from semel.domain.report import Because
from semel.facts import Text
from semel.testing import interrupt_at

OTHER = Who("o-1", "ana", "c-2", "es")
STALE = ("Report", "stale")


def pending(bench):
    return bench.sql("SELECT count(*) FROM semel_plans WHERE state = 'asking'")[0][0]


def test_the_same_words_in_two_messages_ask_with_both_shown(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            first = await act(engine, crear("Logo"), message="m-1")
            second = await act(engine, crear("Logo"), message="m-2")
            assert isinstance(second, Ask)
            assert second.view.because == (Because.LOOK_ALIKE,)
            [match] = second.view.steps[0].similar
            [(note,)] = bench.sql("SELECT id FROM notas")
            assert (match.kind, match.id, match.label) == ("nota", note, "Logo")
            assert match.facts == {"text": Text("Logo")}
            text = second.card("es").text()
            assert text.count("Logo") >= 2
            assert bench.notes() == ["Logo"]
            assert told(await engine.person(ANA).confirm(second.token)) == DONE
            assert bench.notes() == ["Logo", "Logo"]
            await agrees(engine, first.view.plan, second.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize(("seconds", "asks"), [(0, True), (599, True), (600, False), (601, False)])
def test_after_ten_minutes_it_is_another_wish(tmp_path, seconds, asks):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await act(engine, crear("Logo"), message="m-1")
            bench.move(seconds=seconds)
            second = await act(engine, crear("Logo"), message="m-2")
            assert isinstance(second, Ask) is asks
            assert bench.notes() == ["Logo"] * (1 if asks else 2)

    asyncio.run(main())


@pytest.mark.parametrize("who", [ANA, OTHER, LUIS], ids=["here", "elsewhere", "somebody else"])
def test_it_is_a_look_alike_whoever_asks_and_wherever(tmp_path, who):
    async def main():
        async with opened(tmp_path) as (_, engine):
            await act(engine, crear("Logo"), message="m-1")
            second = await act(engine, crear("Logo"), message="m-2", who=who)
            assert second.view.because == (Because.LOOK_ALIKE,)
            other = Who("o-2", "ana", "c-1", "es")
            assert told(await act(engine, crear("Logo"), message="m-3", who=other)) == DONE

    asyncio.run(main())


def test_two_safe_ones_at_once_from_two_conversations_are_one_note_and_one_question(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            async with running(bench) as second:
                outcomes = await asyncio.gather(
                    act(engine, crear("Logo"), message="m-1"),
                    act(second, crear("Logo"), message="m-2", who=OTHER),
                )
            assert sorted(type(one).__name__ for one in outcomes) == ["Ask", "Report"]
            [ask] = [one for one in outcomes if isinstance(one, Ask)]
            assert ask.view.because == (Because.LOOK_ALIKE,)
            assert len(ask.view.steps[0].similar) == 1
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


async def two_cards(bench, engine):
    """Two cards for the same words in two conversations; neither could show the other's note."""
    one = await bench.asked(engine, crear("Logo"), firmar())
    two = await bench.asked(engine, crear("Logo"), firmar(), message="m-2", who=OTHER)
    assert one.view.because == two.view.because == ()
    return one, two


def test_of_two_that_are_confirmed_one_after_the_other_the_second_is_asked_once_more(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            one, two = await two_cards(bench, engine)
            assert told(await engine.person(ANA).confirm(one.token)) == DONE
            again = await engine.person(OTHER).confirm(two.token)
            assert isinstance(again, Ask)
            assert again.again
            assert [match.label for match in again.view.steps[0].similar] == ["Logo"]
            assert "Logo" in again.card("es").text()
            assert bench.notes() == ["Logo"]
            assert told(await engine.person(OTHER).confirm(again.token)) == DONE
            assert bench.notes() == ["Logo", "Logo"]
            await agrees(engine, one.view.plan, two.view.plan)

    asyncio.run(main())


def test_of_two_whose_yeses_cross_the_second_stales_before_its_note_and_shows_the_first(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            one, two = await two_cards(bench, engine)
            with elsewhere(bench) as other:
                heard = []

                def cross() -> None:
                    heard.append(other.person(OTHER).confirm(two.token))

                with interrupt_at("commit:confirm:after", cross):
                    first = await engine.person(ANA).confirm(one.token)
            assert told(heard[0]) == DONE
            assert told(first) == STALE
            assert states(first) == ["not_done stale", "not_done not_reached"]
            assert [match.label for match in first.view.steps[0].similar] == ["Logo"]
            assert bench.notes() == ["Logo"]
            assert bench.signed() == 1
            assert told(await engine.person(ANA).retry(first.retry_token)) == DONE
            assert bench.notes() == ["Logo", "Logo"]
            await agrees(engine, one.view.plan, two.view.plan)

    asyncio.run(main())


def test_a_match_that_is_gone_by_the_yes_is_no_reason_to_ask_again(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await act(engine, crear("Logo"), message="m-1")
            ask = await act(engine, crear("Logo"), message="m-2")
            [(note,)] = bench.sql("SELECT id FROM notas")
            assert told(await act(engine, tirar(note), message="m-3", who=LUIS)) == DONE
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


def test_a_match_that_is_gone_while_it_runs_is_no_reason_to_stop(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await act(engine, crear("Logo"), message="m-1")
            ask = await act(engine, crear("Logo"), message="m-2")
            gone = "UPDATE notas SET gone = 1"
            with interrupt_at("commit:confirm:after", lambda: bench.sql(gone)):
                assert told(await engine.person(ANA).confirm(ask.token)) == DONE

    asyncio.run(main())


def test_one_gone_and_another_come_is_news_although_the_number_is_the_same(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await act(engine, crear("Logo"), message="m-1")
            ask = await act(engine, crear("Logo"), message="m-2")
            bench.sql("UPDATE notas SET gone = 1")
            bench.sql("INSERT INTO notas VALUES ('o-1', 'x', 'Logo', 0, 1, ?, 0)",
                      "2026-10-19T08:00:00.000000Z")  # fmt: skip
            again = await engine.person(ANA).confirm(ask.token)
            assert isinstance(again, Ask)
            assert [match.id for match in again.view.steps[0].similar] == ["x"]
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


def test_what_the_plan_itself_makes_is_no_look_alike(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            assert told(await act(engine, crear("Logo"), crear("Logo"))) == DONE
            assert bench.notes() == ["Logo", "Logo"]
            ask = await bench.asked(engine, crear("Web"), firmar(), crear("Web"), message="m-2")
            assert ask.view.because == ()
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            assert bench.notes() == ["Logo", "Logo", "Web", "Web"]
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


def test_what_the_plan_itself_made_is_none_in_its_retry_either(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {"carta.enviar": "refuse"}
            ask = await bench.asked(engine, crear("Logo"), carta(), crear("Logo"))
            report = await engine.person(ANA).confirm(ask.token)
            bench.afuera.goes = {}
            assert report.view.steps[2].similar == ()
            assert told(await engine.person(ANA).retry(report.retry_token)) == DONE
            assert bench.notes() == ["Logo", "Logo"]

    asyncio.run(main())


def test_while_a_plan_with_such_a_step_runs_another_with_it_asks_and_says_why(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", SAFE)
            bench.afuera.goes = {"carta.enviar": "hang"}
            first = asyncio.create_task(act(engine, crear("uno"), carta()))
            await bench.afuera.hanging.wait()
            second = await act(engine, crear("dos"), message="m-2")
            assert isinstance(second, Ask)
            assert second.view.because == (Because.STILL_RUNNING,)
            assert second.card("es").why
            # Another kind of step, or another conversation, is another wish.
            done = await act(engine, apuntar("x"), message="m-3")
            assert told(done) == DONE
            other = await act(engine, crear("tres"), message="m-4", who=OTHER)
            assert told(other) == DONE
            bench.afuera.released.set()
            assert isinstance(await first, Report)
            after = await act(engine, crear("cuatro"), message="m-5")
            assert told(after) == DONE
            assert pending(bench) == 1

    asyncio.run(main())
