"""An undo is offered exactly when all that ran can be taken back: risk, data, doubt, time, person."""

import asyncio
from datetime import timedelta

import pytest
from decide_bench import (
    DONE,
    EVA,
    NOW,
    act,
    apuntar,
    avisar,
    carta,
    crear,
    editar,
    elsewhere,
    firmar,
    fuera,
    guion,
    opened,
    running,
    told,
)
from encargos import Word
from pedidos import ANA, LUIS

from semel import CONFIRM, SAFE, Made, Who
from semel.facts import instant_text
from semel.runtime.answer import Happened
from semel.testing import interrupt_at


async def said_yes(bench, engine, *steps, message="m-9"):
    """A plan that asks, confirmed; its outcome."""
    ask = await bench.asked(engine, *steps, message=message)
    return await engine.person(ANA).confirm(ask.token)


async def one_safe(bench, engine):
    return await act(engine, crear())


async def two_safe(bench, engine):
    return await act(engine, crear(), editar("$1", "Nuevo"))


async def asked_as_a_look_alike(bench, engine):
    await act(engine, crear(), message="m-0")
    return await said_yes(bench, engine, crear())


async def asked_as_a_further_plan(bench, engine):
    await act(engine, crear("uno"), message="m-9")
    return await said_yes(bench, engine, crear("dos"))


async def with_a_signature(bench, engine):
    return await said_yes(bench, engine, crear(), firmar())


async def safe_without_undo(bench, engine):
    note = await bench.note(engine)
    assert told(await said_yes(bench, engine, avisar(note), message="m-0")) == DONE
    return await act(engine, ("nota.no_avisar", {"nota": note}))


async def without_undo_data(bench, engine):
    bench.guion.run_is = lambda i, ctx: Made()
    return await act(engine, guion())


async def risky_with_undo(bench, engine):
    bench.guion.risk_is = lambda i, ctx: CONFIRM
    return await said_yes(bench, engine, guion())


async def a_letter_that_left(bench, engine):
    return await act(engine, crear(), carta())


async def failed_after_one(bench, engine):
    bench.afuera.goes = {"carta.enviar": "refuse"}
    return await act(engine, crear(), carta())


async def failed_before_any(bench, engine):
    bench.afuera.goes = {"carta.enviar": "refuse"}
    return await act(engine, carta(await bench.note(engine)))


async def in_doubt(bench, engine):
    bench.afuera.goes = {"carta.enviar": "lost"}
    return await act(engine, crear(), carta())


async def a_person_said_it_did_not(bench, engine):
    bench.afuera.goes = {"carta.enviar": "gone"}
    report = await act(engine, crear(), carta())
    bench.move(minutes=3)
    await engine.sweep()
    found = await engine.person(ANA).did_not(report.view.plan, 2)
    assert told(found) == ("Report", "failed")
    return found


async def a_person_said_it_happened(bench, engine):
    report = await in_doubt(bench, engine)
    return await engine.person(ANA).resolve(report.view.plan, 2, Happened())


async def a_flight_that_was_closed(bench, engine):
    bench.afuera.goes = {"vuelo.reservar": "gone"}
    return await act(engine, crear(), fuera("vuelo.reservar"))


async def a_send_that_nobody_closed(bench, engine):
    report = await failed_after_one(bench, engine)
    bench.sql("UPDATE semel_attempts SET outcome = 'unknown' WHERE position = 2")
    return report


async def cancelled_after_one(bench, engine):
    ask = await bench.asked(engine, crear(), firmar(), carta())
    with (
        elsewhere(bench) as other,
        interrupt_at("commit:local:after", lambda: other.person(ANA).cancel(ask.view.plan)),
    ):
        return await engine.person(ANA).confirm(ask.token)


async def cancelled_as_a_question(bench, engine):
    ask = await bench.asked(engine, crear(), firmar())
    return await engine.person(ANA).cancel(ask.view.plan)


async def stale_after_one(bench, engine):
    note = await bench.note(engine)
    ask = await bench.asked(engine, crear(), firmar(note))
    with interrupt_at("commit:local:after", lambda: bench.edit(note, "Otra")):
        return await engine.person(ANA).confirm(ask.token)


async def with_a_letter_that_waits(bench, engine):
    return await act(engine, apuntar())


async def with_a_letter_that_left_later(bench, engine):
    report = await act(engine, apuntar(dias=0))
    await engine.settle()
    assert bench.afuera.arrived().total() == 1
    return report


async def with_a_letter_that_was_taken_back(bench, engine):
    report = await act(engine, apuntar())
    child = bench.sql("SELECT plan FROM semel_plans WHERE kind = 'later'")[0][0]
    await engine.person(ANA).cancel(child)
    return report


async def an_undo(bench, engine):
    return await engine.person(ANA).undo((await two_safe(bench, engine)).undo_token)


async def an_undo_whose_own_answer_could_be_undone(bench, engine):
    bench.guion.undo_is = lambda data, ctx: bench.guion.write(Word(paso="otra"), ctx)
    return await engine.person(ANA).undo((await act(engine, guion())).undo_token)


async def undone_before(bench, engine):
    report = await two_safe(bench, engine)
    assert told(await engine.person(ANA).undo(report.undo_token)) == DONE
    return report


async def retried_to_its_end(bench, engine):
    report = await failed_after_one(bench, engine)
    bench.afuera.goes = {}
    assert told(await engine.person(ANA).retry(report.retry_token)) == DONE
    return report


OFFERED = [one_safe, two_safe, asked_as_a_look_alike, asked_as_a_further_plan, failed_after_one,
           a_flight_that_was_closed, cancelled_after_one, stale_after_one,
           with_a_letter_that_waits, with_a_letter_that_was_taken_back]  # fmt: skip
NOT_OFFERED = [with_a_signature, safe_without_undo, without_undo_data, risky_with_undo,
               a_letter_that_left, failed_before_any, in_doubt, a_person_said_it_did_not,
               a_person_said_it_happened, a_send_that_nobody_closed, cancelled_as_a_question,
               with_a_letter_that_left_later, an_undo,
               an_undo_whose_own_answer_could_be_undone, undone_before,
               retried_to_its_end]  # fmt: skip


@pytest.mark.parametrize("case", [*OFFERED, *NOT_OFFERED], ids=lambda case: case.__name__)
def test_it_is_offered_when_everything_that_ran_can_be_taken_back(tmp_path, case):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            for action in ("carta.enviar", "vuelo.reservar"):
                bench.asks(action, SAFE)
            report = await case(bench, engine)
            shown = await engine.person(ANA).status(report.view.plan)
            assert (shown.undo_token is not None) is (case in OFFERED)
            assert (shown.undo_until is not None) is (case in OFFERED)
            # What a reload shows is the same live button.
            assert (await engine.person(ANA).status(report.view.plan)) == shown
            if case in OFFERED:
                assert told(await engine.person(ANA).undo(shown.undo_token)) == DONE

    asyncio.run(main())


STRANGERS = [EVA, LUIS, Who("o-1", "ana", "c-2", "es"), Who("o-2", "ana", "c-1", "es")]


@pytest.mark.parametrize(
    "who", STRANGERS, ids=lambda who: f"{who.org} {who.person} {who.conversation}"
)
def test_it_is_offered_to_nobody_else_and_their_press_opens_nothing(tmp_path, who):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, crear())
            shown = await engine.person(who).status(done.view.plan)
            assert getattr(shown, "undo_token", None) is None
            pressed = await engine.person(who).undo(done.undo_token)
            assert told(pressed) == ("Refused", "not_found")
            assert repr(pressed) == repr(await engine.person(who).undo("smlc_nothing"))
            assert bench.notes() == ["Logo"]
            assert told(await engine.person(ANA).undo(done.undo_token)) == DONE

    asyncio.run(main())


@pytest.mark.parametrize(("seconds", "stands"), [(3599, True), (3600, False), (3601, False)])
def test_the_hour_is_counted_from_the_end_by_the_clock(tmp_path, seconds, stands):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, crear())
            assert done.undo_until == instant_text(NOW + timedelta(hours=1))
            bench.move(seconds=seconds)
            shown = await engine.person(ANA).status(done.view.plan)
            assert (shown.undo_token is not None) is stands
            pressed = await engine.person(ANA).undo(done.undo_token)
            assert told(pressed) == (DONE if stands else ("Refused", "offer_expired"))
            assert bench.notes() == ([] if stands else ["Logo"])

    asyncio.run(main())


def test_while_the_process_is_being_stopped_it_offers_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, crear())
            await engine.drain()
            shown = await engine.person(ANA).status(done.view.plan)
            assert shown.undo_token is None
            async with running(bench) as other:
                shown = await other.person(ANA).status(done.view.plan)
                assert shown.undo_token == done.undo_token

    asyncio.run(main())
