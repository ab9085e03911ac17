"""A channel that knows no message: equal plans are one request, until a time after their end."""

import asyncio
from datetime import timedelta

import pytest
from app import ANA, LUIS
from notas_bench import crear, enviar, opened, plan

from semel import SAFE, Ask, Invalid, Report, Who
from semel.domain.plan import SAME_SECONDS, NoMessage
from semel.domain.report import Status

SAME = NoMessage()
NOTE = plan(crear("Logo"))
RISKY = plan(crear("Logo", urgente=True))
SECOND = timedelta(seconds=1)


async def unnamed(engine, given=NOTE, who=ANA, without=SAME):
    return await engine.agent.act(who, given, message=without)


def test_an_equal_plan_is_the_same_request_until_an_hour_after_its_end(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            first = await unnamed(engine)
            bench.move(seconds=SAME_SECONDS - 1)
            again = await unnamed(engine)
            assert (first.replayed, again.replayed) == (False, True)
            assert again.view.plan == first.view.plan
            bench.move(seconds=1)
            new = await unnamed(engine)
            assert (new.replayed, new.view.plan == first.view.plan) == (False, False)
            assert (await unnamed(engine)).view.plan == new.view.plan
            assert bench.notes() == ["Logo", "Logo"]

    asyncio.run(main())


def test_the_time_is_the_channels_own(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await unnamed(engine)
            bench.move(seconds=5)
            assert (await unnamed(engine, without=NoMessage(6))).replayed
            assert not (await unnamed(engine, without=NoMessage(5))).replayed
            assert bench.notes() == ["Logo", "Logo"]

    asyncio.run(main())


def test_equal_calls_at_once_are_one_plan_at_the_very_end_of_the_time_too(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            for round_ in range(1, 4):
                answers = await asyncio.gather(*(unnamed(engine) for _ in range(8)))
                assert len({answer.view.plan for answer in answers}) == 1
                assert sum(not answer.replayed for answer in answers) == 1
                assert len(bench.notes()) == round_
                # Some of the next ones find the plan over, and some do not.
                bench.move(seconds=SAME_SECONDS)
            left = [NoMessage(SAME_SECONDS + n % 2) for n in range(8)]
            answers = await asyncio.gather(*(unnamed(engine, without=one) for one in left))
            assert sum(not answer.replayed for answer in answers) == 1
            assert len(bench.notes()) == 4

    asyncio.run(main())


def test_two_engines_at_once_make_one_plan(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine), bench.engine() as other:
            for round_ in range(1, 6):
                calls = [unnamed(each) for each in (engine, other) * 3]
                answers = await asyncio.gather(*calls)
                assert len({answer.view.plan for answer in answers}) == 1
                assert len(bench.notes()) == round_
                bench.move(seconds=SAME_SECONDS)

    asyncio.run(main())


def test_what_is_written_differently_and_means_the_same_is_one_request(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            for amount in ("500", 500, "500.00", 500.0):
                await unnamed(engine, plan(crear("Logo", amount)))
            assert bench.notes() == ["Logo"]
            # Another meaning, another person, another conversation, a message that has a name.
            await unnamed(engine, plan(crear("Logo", "501")))
            await unnamed(engine, who=LUIS)
            await unnamed(engine, who=Who(ANA.org, ANA.person, "c-2", "es"))
            await engine.agent.act(ANA, NOTE, message="m-1")
            assert len(bench.notes()) == 5

    asyncio.run(main())


def test_several_plans_in_a_row_ask_for_nothing_and_have_no_limit(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            for number in range(12):
                done = await unnamed(engine, plan(crear(f"Nota {number}")))
                assert isinstance(done, Report)
            assert len(bench.notes()) == 12

    asyncio.run(main())


def test_a_hundred_repeats_are_told_apart(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            for number in range(1, 101):
                assert not (await unnamed(engine)).replayed
                assert (await unnamed(engine)).replayed
                assert len(bench.plans()) == number
                bench.move(seconds=SAME_SECONDS)

    asyncio.run(main())


def test_a_question_stays_one_and_an_unanswered_one_is_asked_anew(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            first = await unnamed(engine, RISKY)
            again = await unnamed(engine, RISKY)
            assert isinstance(first, Ask)
            assert (again.view.plan, again.token) == (first.view.plan, first.token)
            bench.move(minutes=11)
            expired = await unnamed(engine, RISKY)
            assert expired.for_model("es").status is Status.EXPIRED
            # Only who has heard from the person since calls again.
            new = await unnamed(engine, RISKY)
            assert isinstance(new, Ask)
            assert new.view.plan != first.view.plan
            assert bench.notes() == []

    asyncio.run(main())


def test_a_no_is_not_asked_about_again_in_that_time(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await unnamed(engine, RISKY)
            await engine.person(ANA).says("no")
            bench.move(seconds=SAME_SECONDS - 1)
            again = await unnamed(engine, RISKY)
            assert again.for_model("es").status is Status.CANCELLED
            bench.move(seconds=1)
            assert isinstance(await unnamed(engine, RISKY), Ask)

    asyncio.run(main())


def test_two_plans_that_take_each_others_place_end_after_five(tmp_path):
    async def main():
        async with opened(tmp_path) as (_, engine):
            one, other = RISKY, plan(crear("Otra", urgente=True))
            answers = [await unnamed(engine, each) for each in (one, other) * 6]
            *asked, refused, standing = answers
            assert [isinstance(answer, Ask) and not answer.replayed for answer in asked] == [
                True
            ] * 10
            assert refused.for_model("es").status is Status.REFUSED
            # The question that stands is not touched by it.
            assert (standing.replayed, standing.view.plan) == (True, asked[-1].view.plan)

    asyncio.run(main())


def test_what_is_in_doubt_is_never_a_new_request(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.carta.asks, bench.mundo.goes = SAFE, "break"
            letter = plan(crear("Logo"), enviar("$1"))
            first = await unnamed(engine, letter)
            bench.move(days=30)
            again = await unnamed(engine, letter)
            assert again.view.plan == first.view.plan
            assert bench.mundo.sends == 1

    asyncio.run(main())


def test_what_still_runs_is_waited_for(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.carta.asks, bench.mundo.goes = SAFE, "hang"
            letter = plan(crear("Logo"), enviar("$1"))
            first = asyncio.create_task(unnamed(engine, letter))
            await bench.mundo.hanging.wait()
            bench.move(days=1)
            second = asyncio.create_task(unnamed(engine, letter))
            bench.mundo.released.set()
            assert (await first).view.plan == (await second).view.plan
            assert bench.mundo.sends == 1

    asyncio.run(main())


@pytest.mark.parametrize("bad", [{}, {"steps": []}, plan(("nada", {})), b"\xff"])
def test_what_cannot_be_read_is_kept_nowhere(tmp_path, bad):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            before = bench.dump()
            assert isinstance(await unnamed(engine, bad), Invalid)
            assert bench.dump() == before

    asyncio.run(main())
