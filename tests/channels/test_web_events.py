"""Live events: each change once and in order, again after a lost line, and an end when it is over."""

import asyncio

import pytest
from app import ANA
from notas_bench import crear, until
from web_bench import RISKY, following, site, token_in, upto

pytestmark = pytest.mark.only_on("sqlite", "two processes on one server have tests of their own")

JSON = {"accept": "application/json"}


def test_each_change_comes_once_and_in_order(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            number, token = await made.asked_for(RISKY, crear("Dos"), crear("Tres"))
            async with following(ana, number) as stream:
                first = await anext(stream)
                assert (first.name, first.id, first.data["final"]) == ("card", 2, False)
                assert token_in(first.data["html"]) == token
                await ana.post(f"/plans/{number}/confirm", data=made.form(token))
                told = [first, *await upto(stream, final=None)]
            assert told[-1].name == "end"
            assert told[-1].data == {"why": "final"}
            seqs = [event.id for event in told[:-1]]
            assert seqs == sorted(set(seqs))
            assert all(event.id == event.data["seq"] for event in told[:-1])
            assert told[-2].data["final"] is True
            assert told[-2].id == len(made.bench.events(number))
            assert token_in(told[-2].data["html"]) is None

    asyncio.run(main())


def test_a_step_that_runs_is_shown_while_it_runs(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            nota = await made.bench.note(made.engine)
            number, token = await made.asked_for(("carta.enviar", {"nota": nota}), crear("Dos"))
            made.bench.mundo.goes = "hang"
            async with following(ana, number) as stream:
                await anext(stream)
                press = asyncio.create_task(
                    ana.post(f"/plans/{number}/confirm", data=made.form(token), headers=JSON)
                )
                await made.bench.mundo.hanging.wait()
                shown = await anext(stream)
                assert shown.data["final"] is False
                assert 'value="cancel"' in shown.data["html"]
                stopped = await ana.post(f"/plans/{number}/cancel", data=made.form(), headers=JSON)
                assert stopped.json()["outcome"]["status"] == "running"
                await anext(stream)
                made.bench.mundo.released.set()
                told = await upto(stream, final=True)
            answer = (await press).json()
            assert answer["html"] == told[-1].data["html"]
            assert made.bench.notes() == ["Logo"]

    asyncio.run(main())


def test_who_comes_back_gets_what_is_now_and_nothing_when_that_is_known(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            number, token = await made.asked_for()
            # Time alone may change a question, so it is told anew to whoever comes back.
            async with following(ana, number, **{"last-event-id": "2"}) as stream:
                assert (await anext(stream)).id == 2
            await ana.post(f"/plans/{number}/confirm", data=made.form(token))
            async with following(ana, number, **{"last-event-id": "2"}) as stream:
                told = [event async for event in stream]
            assert [event.name for event in told] == ["card", "end"]
            last = str(told[0].id)
            answer = await ana.get(f"/plans/{number}/events", headers={"last-event-id": last})
            assert answer.status_code == 204
            for odd in ("x", "-1", "99", "9" * 30, ""):
                async with following(ana, number, **{"last-event-id": odd}) as stream:
                    assert (await anext(stream)).id == told[0].id

    asyncio.run(main())


def test_a_running_plan_that_is_known_is_not_told_again(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            nota = await made.bench.note(made.engine)
            number, token = await made.asked_for(("carta.enviar", {"nota": nota}))
            made.bench.mundo.goes = "hang"
            press = asyncio.create_task(
                ana.post(f"/plans/{number}/confirm", data=made.form(token), headers=JSON)
            )
            await made.bench.mundo.hanging.wait()
            seq = await made.engine.person(ANA).seq(number)
            async with following(ana, number, **{"last-event-id": str(seq)}) as stream:
                made.bench.mundo.released.set()
                assert (await anext(stream)).id > seq
            await press

    asyncio.run(main())


def test_a_stream_ends_with_its_session(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana, made.browser("luis") as luis:
            number, _ = await made.asked_for()
            async with following(ana, number) as stream:
                await anext(stream)
                made.signed_out.add("ana")
                # The plan moves, by who may decide for others; she is not told how.
                await luis.post(f"/plans/{number}/cancel", data=made.form(name="luis"))
                told = [event async for event in stream]
            assert [(event.name, event.data) for event in told] == [("end", {"why": "session"})]

    asyncio.run(main())


def test_a_right_to_look_that_is_gone_ends_a_stream(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana, made.browser("luis") as luis:
            number, _ = await made.asked_for()
            async with following(luis, number) as stream:
                await anext(stream)
                await made.engine.write(
                    lambda tx: tx.run(
                        "permisos.deny", org="o-1", person="luis", permission="semel.decide"
                    )
                )
                await ana.post(f"/plans/{number}/cancel", data=made.form())
                told = [event async for event in stream]
            assert [event.name for event in told] == ["end"]
            assert "smlc_" not in str(told)

    asyncio.run(main())


def test_a_server_that_is_stopped_says_so_and_lets_go(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            number, _ = await made.asked_for()
            async with following(ana, number) as stream:
                await anext(stream)
                await made.engine.drain()
                told = [event async for event in stream]
            assert [(event.name, event.data) for event in told] == [("end", {"why": "drain"})]
            assert made.engine._core.watch._followers == {}

    asyncio.run(main())


def test_one_look_serves_everybody_and_nobody_is_looked_at_for_nothing(tmp_path):
    async def main():
        async with site(tmp_path) as made:
            number, token = await made.asked_for()
            face = made.engine.person(ANA)
            streams = [face.watch(number) for _ in range(50)]
            assert [await anext(stream) for stream in streams] == [2] * 50
            watch = made.engine._core.watch
            looks = watch.looks
            assert looks < 10
            await face.confirm(token)
            last = await face.seq(number)
            for stream in streams:
                while await anext(stream) < last:
                    pass
            assert watch.looks - looks < 50
            for stream in streams:
                await stream.aclose()
            await until(watch._poller.done)
            assert made.engine._core.heard._bells == {}
            # And it begins again.
            assert await anext(face.watch(number)) == last

    asyncio.run(main())


def test_a_commit_here_is_told_at_once(tmp_path):
    async def main():
        async with site(tmp_path) as made:
            number, _ = await made.asked_for()
            face = made.engine.person(ANA)
            stream = face.watch(number)
            await anext(stream)
            clock = asyncio.get_running_loop().time
            began = clock()
            await face.cancel(number)
            assert await anext(stream) > 2
            assert clock() - began < 0.25
            await stream.aclose()

    asyncio.run(main())


def test_a_plan_of_nobodys_is_followed_by_nobody(tmp_path):
    async def main():
        async with site(tmp_path) as made:
            number, _ = await made.asked_for(name="eva")
            for plan in (number, "p_none", "ñ", ""):
                assert [seq async for seq in made.engine.person(ANA).watch(plan)] == []
                assert await made.engine.person(ANA).seq(plan) is None

    asyncio.run(main())


def test_what_time_alone_changes_is_drawn_anew(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            number, token = await made.asked_for()
            made.bench.move(minutes=9, seconds=59, milliseconds=800)
            async with following(ana, number) as stream:
                first = await anext(stream)
                assert first.data["left"] == 0
                made.bench.move(milliseconds=300)
                await made.engine.sweep()
                told = await upto(stream, final=True)
            assert told[-1].data["final"] is True
            assert token not in str(told[-1].data)

    asyncio.run(main())
