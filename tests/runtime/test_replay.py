"""What the same call gets back, read from what has become of its plan by now."""

import asyncio

import pytest
from app import ANA
from notas_bench import act, crear, enviar, firmar, opened, told, waited_for

from semel import Ask, Invalid, Refused, Report, Running
from semel.domain.report import Refusal
from semel.runtime import wait
from semel.testing import recorded

RISKY = crear("Logo", urgente=True)


def test_the_same_call_while_asking_gets_the_same_card_token_and_expiry(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            first = await bench.asked(engine, RISKY)
            before = bench.dump()
            bench.move(minutes=4)
            again = await act(engine, RISKY)
            assert isinstance(again, Ask)
            assert again.replayed
            assert not first.replayed
            assert (again.token, again.view) == (first.token, first.view)
            assert first.view.expires_at == "2026-10-19T08:10:00.000000Z"
            assert bench.dump() == before

    asyncio.run(main())


def test_a_plan_that_has_just_run_is_told_as_reading_it_back_tells_it(tmp_path):
    async def main():
        async with opened(tmp_path) as (_, engine):
            steps = [crear("Logo"), crear("Mari\u0301a")]
            first, again = await act(engine, *steps), await act(engine, *steps)
            assert isinstance(first, Report)
            assert not first.replayed
            assert again.replayed
            assert again.view == first.view
            # In the same order, and each figure in the same spelling.
            assert repr(again.view) == repr(first.view)

    asyncio.run(main())


def test_a_replay_is_one_read_and_no_transaction(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await bench.asked(engine, RISKY)
            with recorded() as passed:
                await act(engine, RISKY)
            assert [name for name in passed if name.startswith(("commit", "statement"))] == []

    asyncio.run(main())


def test_the_same_call_while_running_here_waits_and_is_then_told_running(tmp_path, monkeypatch):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            bench.mundo.goes = "hang"
            ask = await bench.asked(engine, enviar(note))
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await bench.mundo.hanging.wait()
            with monkeypatch.context() as patch:
                patch.setattr(wait, "WAIT_SECONDS", 0.01)
                told_early = asyncio.create_task(act(engine, enviar(note)))
                await waited_for(engine, 2)
                bench.move(seconds=20)
                again = await told_early
                assert isinstance(again, Running)
                assert again.replayed
            waiting = asyncio.create_task(act(engine, enviar(note)))
            bench.mundo.released.set()
            assert told(await yes) == ("Report", "finished")
            assert told(await waiting) == ("Report", "finished")
            assert len(bench.mundo.letters) == 1

    asyncio.run(main())


def test_the_same_call_on_another_instance_polls_twenty_seconds_and_is_told_running(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine), bench.engine() as other:
            note = await bench.note(engine)
            bench.mundo.goes = "hang"
            ask = await bench.asked(engine, enviar(note))
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await bench.mundo.hanging.wait()
            polling = asyncio.create_task(act(other, enviar(note)))
            await waited_for(other, 1)
            while not polling.done():
                # A second of the engine's clock for every turn of the loop.
                bench.move(seconds=1)
                await asyncio.wait({polling}, timeout=0.005)
            assert isinstance(polling.result(), Running)
            assert bench.clock.monotonic() >= 20
            bench.mundo.released.set()
            assert told(await yes) == ("Report", "finished")
            assert told(await act(other, enviar(note))) == ("Report", "finished")

    asyncio.run(main())


def test_the_same_call_after_the_end_gets_the_report_as_of_now(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            first = await act(engine, crear())
            assert told(first) == ("Report", "finished")
            assert not first.replayed
            bench.move(days=20)
            again = await act(engine, crear())
            assert isinstance(again, Report)
            assert again.replayed
            assert again.view == first.view
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


def test_the_same_call_after_a_no_is_cancelled_and_never_a_second_card(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await bench.asked(engine, RISKY)
            assert told(await engine.person(ANA).says("no")) == ("Report", "cancelled")
            for _ in range(3):
                again = await act(engine, RISKY)
                assert told(again) == ("Report", "cancelled")
                assert again.replayed
            assert bench.plans() == [("ended", "cancelled")]
            assert bench.notes() == []

    asyncio.run(main())


@pytest.mark.parametrize("swept", [False, True])
def test_the_same_call_after_its_time_is_expired_whoever_noticed_first(tmp_path, swept):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            bench.move(minutes=10)
            if swept:
                assert (await engine.sweep()).expired == (ask.view.plan,)
            for _ in range(2):
                again = await act(engine, RISKY)
                assert told(again) == ("Report", "expired")
                assert again.replayed
            assert bench.events(ask.view.plan) == ["proposed", "asked", "expired"]
            # The person's answer is a new message, and so a new plan.
            assert (await bench.asked(engine, RISKY, message="m-2")).view.plan != ask.view.plan

    asyncio.run(main())


def test_the_same_call_after_a_newer_plan_took_its_place_is_evaluated_afresh(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            first = await bench.asked(engine, RISKY)
            second = await bench.asked(engine, crear("Web", urgente=True))
            third = await bench.asked(engine, RISKY)
            assert len({first.view.plan, second.view.plan, third.view.plan}) == 3
            assert len({first.token, second.token, third.token}) == 3
            assert not third.replayed
            superseded = ("ended", "superseded")
            assert bench.plans() == [superseded, superseded, ("asking", None)]
            assert bench.counts()["semel_keys"] == 2
            for old in (first, second):
                gone = await engine.person(ANA).confirm(old.token)
                assert told(gone) == ("Refused", "revoked")
            assert told(await engine.person(ANA).confirm(third.token)) == ("Report", "finished")
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


def test_one_message_leads_to_five_proposals_at_most(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            for number in range(5):
                await bench.asked(engine, crear(f"Logo {number}", urgente=True))
            before = bench.dump()
            for texto in ("Logo 0", "Logo 5"):  # one that was superseded, and one more
                again = await act(engine, crear(texto, urgente=True))
                assert told(again) == ("Refused", "too_many")
            assert bench.dump() == before
            # The last one still asks, and another message is another matter.
            assert isinstance(await act(engine, crear("Logo 4", urgente=True)), Ask)
            await bench.asked(engine, crear("Logo 0", urgente=True), message="m-2")

    asyncio.run(main())


def test_what_was_not_kept_is_evaluated_afresh(tmp_path):
    async def main():
        async with opened(tmp_path) as (_, engine):
            missing = await act(engine, firmar("n-1"))
            assert isinstance(missing, Invalid)
            assert [problem.code for problem in missing.problems] == ["record_not_found"]
            await engine.write(
                lambda tx: tx.run("notas.insert", org="o-1", id="n-1", texto="a", importe="1")
            )
            await engine.write(
                lambda tx: tx.run(
                    "permisos.deny", org="o-1", person="ana", permission="notas.firmar"
                )
            )
            forbidden = await act(engine, firmar("n-1"))
            assert isinstance(forbidden, Refused)
            assert (forbidden.why, forbidden.detail) == (Refusal.FORBIDDEN, "notas.firmar")
            await engine.write(
                lambda tx: tx.run(
                    "permisos.allow", org="o-1", person="ana", permission="notas.firmar"
                )
            )
            assert isinstance(await act(engine, firmar("n-1")), Ask)

    asyncio.run(main())
