"""Keyed: the same key and the same bytes again, while the other side remembers; else a doubt."""

import asyncio
from datetime import datetime, timedelta

import pytest
from dudas import (
    COBRO,
    NOW,
    Process,
    armed,
    at_once,
    beside,
    crear,
    does,
    elsewhere,
    opened,
    told,
)
from pedidos import ANA

from semel import Made
from semel.testing import interrupt_at

IN_DOUBT = ("Report", "in_doubt")
DONE = ("Report", "finished")
DAY = 86400
DEADLINE = 30
BOUNDS = 90
"""Deadline and delivery bound of the action."""


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    at_once(monkeypatch)


def test_every_send_of_a_step_is_the_same_key_and_the_same_bytes_however_late(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[COBRO] = ["gone", "lost", "ok"]

            def later(name):
                if name == "commit:returned:after":
                    banco.clock.move(hours=3)

            ask = await banco.asked(engine, does(COBRO, await banco.note(engine)))
            with armed(later):
                assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            sent = banco.actions[COBRO].sent
            assert len(sent) == 3
            assert len(set(sent)) == len(set(banco.keys())) == 1
            # The bytes hold the instant of the first send, and the clock shows another by now.
            assert b"2026-10-19T08:00:00" in sent[2][1]
            assert banco.clock.now() - NOW == timedelta(hours=6)
            assert banco.arrived(COBRO) == 1

    asyncio.run(main())


def moved_to(banco, seconds):
    """Let the clock show an instant; it may be one that has been."""
    banco.clock._now = NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("ttl", "bound", "elapsed", "again"),
    [
        (DAY, 60, DAY - BOUNDS - DAY / 10 - 1e-6, True),
        (DAY, 60, DAY - BOUNDS - DAY / 10, False),
        (3600, 60, 3600 - BOUNDS - 360 - 1e-6, True),
        (3600, 60, 3600 - BOUNDS - 360, False),
        # Below fifty minutes it is the five minutes that are kept free.
        (1800, 60, 1800 - BOUNDS - 300 - 1e-6, True),
        (1800, 60, 1800 - BOUNDS - 300, False),
        (DAY, 60, 10 * DAY, False),
        (None, 60, 3650 * DAY, True),
        # When nobody knows how long it may be on its way, a key that is forgotten is used once.
        (DAY, None, 0, False),
        (None, None, 3650 * DAY, True),
        # A clock that has gone back tells nothing.
        (DAY, 60, -1e-6, False),
        (None, 60, -1e-6, False),
    ],
)
@pytest.mark.parametrize("point", ["commit:returned:after", "prepare:after"])
def test_it_is_sent_again_inside_the_window_only_to_the_microsecond(
    tmp_path, ttl, bound, elapsed, again, point
):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.effect(COBRO, ttl=ttl, delivery_bound=bound)
            banco.afuera.goes[COBRO] = ["lost", "ok"]
            ask = await banco.asked(engine, does(COBRO, await banco.note(engine)))
            # After the first has come back, or when the second is prepared and not marked yet.
            occurrence = 1 if point.startswith("commit") else 2
            with interrupt_at(point, lambda: moved_to(banco, elapsed), occurrence):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == (DONE if again else IN_DOUBT)
            assert banco.attempts() == (["unknown", "made"] if again else ["unknown"])
            assert banco.calls()["send"] == (2 if again else 1)
            assert banco.arrived(COBRO) == 1

    asyncio.run(main())


@pytest.mark.parametrize("where", ["before run", "in run"])
@pytest.mark.parametrize(
    ("ttl", "elapsed", "leaves"),
    [
        # The other side may have forgotten it by the time it arrives; else its own time is over.
        (BOUNDS + 10, 10 - 1e-6, True),
        (BOUNDS + 10, 10, False),
        (DAY, DEADLINE - 1e-6, True),
        (DAY, DEADLINE, False),
        (DAY, DAY, False),
        (DAY, -1e-6, False),
    ],
)
def test_a_sender_that_was_paused_after_its_mark_does_not_send_what_may_be_forgotten(
    tmp_path, ttl, elapsed, leaves, where
):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.effect(COBRO, ttl=ttl)
            action = banco.actions[COBRO]
            run = action.run

            async def pauses(i, ctx, prepared):
                moved_to(banco, elapsed)
                return await run(i, ctx, prepared)

            async def never_asks(i, ctx, prepared):
                return Made(id=await banco.afuera.send(COBRO, ctx.key, i.nota.id))

            action.run = pauses if where == "in run" else never_asks
            ask = await banco.asked(engine, does(COBRO, await banco.note(engine)), crear())
            if where == "in run":
                report = await engine.person(ANA).confirm(ask.token)
            else:
                with interrupt_at("send:before", lambda: moved_to(banco, elapsed)):
                    report = await engine.person(ANA).confirm(ask.token)
            assert banco.arrived(COBRO) == leaves
            if leaves:
                assert told(report) == DONE
                return
            # The only send there was did not leave: that is a proof, and a retry is offered.
            assert told(report) == ("Report", "failed")
            assert banco.steps() == [("not_done", "refused"), ("not_done", "not_reached")]
            assert report.view.steps[0].detail == "send.too_old"
            assert report.retry_token
            assert banco.attempts() == ["refused"]

    asyncio.run(main())


def test_a_second_send_that_was_paused_too_long_proves_nothing_about_the_first(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[COBRO] = ["lost", "ok"]
            ask = await banco.asked(engine, does(COBRO, await banco.note(engine)))
            with interrupt_at("send:before", lambda: banco.clock.move(seconds=DAY), 2):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == IN_DOUBT
            assert banco.attempts() == ["unknown", "refused"]
            assert banco.calls()["send"] == banco.arrived(COBRO) == 1

    asyncio.run(main())


def test_after_a_cancel_it_is_not_sent_again(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[COBRO] = ["hang lost", "ok"]
            ask = await banco.asked(engine, does(COBRO, await banco.note(engine)), crear())
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await banco.afuera.hanging.wait()
            assert told(await engine.person(ANA).cancel(ask.view.plan)) == ("Running", None)
            banco.afuera.released.set()
            assert told(await yes) == IN_DOUBT
            assert banco.steps() == [("in_doubt", None), ("not_done", "not_reached")]
            assert banco.attempts() == ["unknown"]
            assert banco.calls()["send"] == banco.arrived(COBRO) == 1

    asyncio.run(main())


@pytest.mark.parametrize("point", ["prepare:before", "prepare:after"])
def test_a_cancel_between_the_wish_to_send_again_and_its_mark_is_obeyed(tmp_path, point):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[COBRO] = ["gone", "ok"]
            ask = await banco.asked(engine, does(COBRO, await banco.note(engine)), crear())

            async def cancel():
                async with beside(banco, Process("other")) as other:
                    await other.person(ANA).cancel(ask.view.plan)

            with interrupt_at(point, lambda: elsewhere(cancel()), 2):
                assert told(await engine.person(ANA).confirm(ask.token)) == IN_DOUBT
            assert banco.attempts() == ["unknown"]
            assert banco.calls()["send"] == 1
            assert banco.arrived(COBRO) == 0

    asyncio.run(main())


def test_each_send_is_on_record_with_when_it_left_and_the_window_counts_from_the_first(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[COBRO] = "gone"

            def later(name):
                if name == "commit:returned:after":
                    banco.clock.move(hours=12)

            ask = await banco.asked(engine, does(COBRO, await banco.note(engine)))
            with armed(later):
                assert told(await engine.person(ANA).confirm(ask.token)) == IN_DOUBT
            rows = banco.sql("SELECT opened_at, deadline_at FROM semel_attempts ORDER BY rowid")
            times = [[datetime.fromisoformat(text) - NOW for text in row] for row in rows]
            noon, limit = timedelta(hours=12), timedelta(seconds=30)
            # A day after the first nothing is sent, although the second is only half a day old.
            assert times == [[timedelta(0), limit], [noon, noon + limit]]

    asyncio.run(main())
