"""Two processes' engines on one database: decide at one, watch at the other, stop from the first."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from app import ANA
from notas_bench import crear, until
from web_bench import RISKY, following, site, upto

import counts

pytestmark = pytest.mark.only_on("postgres", "two machines share no file")

JSON = {"accept": "application/json"}
TOLD_SECONDS = 0.25
"""From a decision at one instance to its event at the other; a busy machine is given more."""


@asynccontextmanager
async def two(tmp_path):
    """Two sites on one database, each with an engine and an outside of its own."""
    async with site(tmp_path) as first, site(tmp_path) as second:
        yield first, second


def test_a_yes_at_one_is_watched_at_the_other_and_stopped_from_the_first(tmp_path):
    async def main():
        async with two(tmp_path) as (first, second):
            nota = await first.bench.note(first.engine)
            number, token = await first.asked_for(("carta.enviar", {"nota": nota}), crear("Dos"))
            second.bench.mundo.goes = "hang"
            async with first.browser() as here, second.browser() as there:
                async with following(here, number) as stream:
                    assert (await anext(stream)).data["state"] == "awaiting"
                    press = asyncio.create_task(
                        there.post(
                            f"/plans/{number}/confirm", data=second.form(token), headers=JSON
                        )
                    )
                    await second.bench.mundo.hanging.wait()
                    running = await anext(stream)
                    assert running.data["state"] == "running"
                    stop = await here.post(
                        f"/plans/{number}/cancel", data=first.form(), headers=JSON
                    )
                    assert stop.json()["state"] == "cancelling"
                    second.bench.mundo.released.set()
                    told = await upto(stream, final=True)
                answer = (await press).json()
                assert told[-1].data["state"] == answer["state"] == "cancelled_mid"
                assert told[-1].data["html"] == answer["html"]
            assert len(second.bench.mundo.letters) == 1
            assert first.bench.notes() == ["Logo"]

    asyncio.run(main())


def test_a_decision_elsewhere_is_told_by_word_and_not_by_the_pause(tmp_path):
    async def main():
        async with two(tmp_path) as (first, second):
            clock = asyncio.get_running_loop().time
            took = []
            for turn in range(5):
                number, _ = await first.asked_for(RISKY, message=f"m-{turn}")
                stream = first.engine.person(ANA).watch(number)
                await anext(stream)
                await until_idle(first)
                began = clock()
                await second.engine.person(ANA).cancel(number)
                await anext(stream)
                took.append(clock() - began)
                await stream.aclose()
            # A pause while a plan only asks is a second: five of them would not all be this short.
            assert sorted(took)[2] < TOLD_SECONDS * 2, took

    asyncio.run(main())


async def until_idle(made):
    """Until the poller has looked and waits for its bell."""
    watch = made.engine._core.watch
    looks = watch.looks
    await until(lambda: watch.looks > looks)


def test_twenty_presses_over_two_instances_are_one_effect_and_equal_pages(tmp_path):
    rounds = counts.of("R12.web")
    done = 0

    async def main():
        nonlocal done
        async with (
            two(tmp_path) as (first, second),
            first.browser(**JSON) as here,
            second.browser(**JSON) as there,
        ):
            for turn in range(rounds):
                nota = await first.bench.note(first.engine)
                number, token = await first.asked_for(
                    ("carta.enviar", {"nota": nota}), message=f"m-{turn}"
                )
                answers = await asyncio.gather(
                    *(
                        browser.post(f"/plans/{number}/confirm", data=made.form(token))
                        for made, browser in [(first, here), (second, there)] * 10
                    )
                )
                assert {answer.status_code for answer in answers} == {200}
                pages = {answer.json()["html"] for answer in answers}
                assert len(pages) == 1, [answer.json()["state"] for answer in answers]
                told = [answer.json()["outcome"]["replayed"] for answer in answers]
                assert told.count(False) == 1
                assert len(first.bench.mundo.letters) == turn + 1
                done += 1

    asyncio.run(main())
    counts.ran("R12.web", done)
    assert done >= rounds


def test_another_process_goes_on_where_one_was_stopped(tmp_path):
    async def main():
        async with site(tmp_path) as first:
            number, token = await first.asked_for()
        # Its form was made by the first, and its keys are the second's too.
        async with site(tmp_path, bench=first.bench) as second, second.browser(**JSON) as there:
            assert (await there.get(f"/plans/{number}")).json()["state"] == "awaiting"
            answer = await there.post(f"/plans/{number}/confirm", data=second.form(token))
            assert answer.json()["state"] == "done"
            assert first.bench.notes() == ["Logo"]

    asyncio.run(main())
