"""B56: a cancel is not written over by what the step in flight comes to."""

import asyncio

import pytest
from agreement import agrees
from decide_bench import DONE, carta, cobro, crear, elsewhere, firmar, fuera, opened, states, told
from pedidos import ANA

from semel.domain.doubt import Happened
from semel.runtime import resolve
from semel.testing import interrupt_at

CANCELLED = ("Report", "cancelled")
GONE = "not_done cancelled"
OUTSIDE = ["carta.enviar", "cobro.hacer", "reserva.hacer", "vuelo.reservar"]


async def cancelled_in_flight(bench, engine, action, point="send:before"):
    """A plan of four whose second step is on its way when somebody else's tab cancels."""
    ask = await bench.asked(engine, crear(), fuera(action), firmar(), cobro())
    with (
        elsewhere(bench) as other,
        interrupt_at(point, lambda: other.person(ANA).cancel(ask.view.plan)),
    ):
        return await engine.person(ANA).confirm(ask.token)


@pytest.mark.parametrize("action", OUTSIDE)
def test_b56_a_the_step_in_flight_succeeds_and_two_of_four_are_done(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            report = await cancelled_in_flight(bench, engine, action)
            assert told(report) == CANCELLED
            assert states(report) == ["done", "done", GONE, GONE]
            assert bench.signed() == 0
            await agrees(engine, report.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize("action", OUTSIDE)
def test_b56_b_the_step_in_flight_is_refused_and_its_no_stands_on_its_own_row(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {action: "refuse"}
            report = await cancelled_in_flight(bench, engine, action)
            assert told(report) == CANCELLED
            assert states(report) == ["done", "not_done refused", GONE, GONE]
            assert report.view.steps[1].detail == "No lo acepta (550)."
            assert report.retry_token is None  # nobody wants what was cancelled
            assert bench.afuera.sent() == 1
            await agrees(engine, report.view.plan)

    asyncio.run(main())


# What was sent, whether it arrived, and what one can know of it after the cancel.
NO_ANSWER = [
    ("carta.enviar", "lost", "in_doubt", ["done", "in_doubt", "not_done not_reached"]),
    ("carta.enviar", "gone", "in_doubt", ["done", "in_doubt", "not_done not_reached"]),
    ("cobro.hacer", "lost", "in_doubt", ["done", "in_doubt", "not_done not_reached"]),
    ("cobro.hacer", "gone", "in_doubt", ["done", "in_doubt", "not_done not_reached"]),
    ("reserva.hacer", "lost", "cancelled", ["done", "done", GONE]),
    ("reserva.hacer", "gone", "in_doubt", ["done", "in_doubt", "not_done not_reached"]),
    ("vuelo.reservar", "lost", "cancelled", ["done", "done", GONE]),
    ("vuelo.reservar", "gone", "cancelled", ["done", GONE, GONE]),
]


@pytest.mark.parametrize(("action", "goes", "reason", "found"), NO_ANSWER)
def test_b56_the_step_in_flight_gets_no_answer_and_is_never_sent_again(
    tmp_path, action, goes, reason, found
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {action: goes}
            report = await cancelled_in_flight(bench, engine, action)
            assert told(report) == ("Report", reason)
            assert states(report) == [*found, found[-1]]
            assert bench.afuera.sent() == 1
            assert bench.afuera.arrived(action).total() == int(goes == "lost")
            calls = [verb for verb, _ in bench.afuera.calls]
            assert calls == {
                "reserva.hacer": ["send", "look"],
                "vuelo.reservar": ["send", "close", "look"],
            }.get(action, ["send"])
            await agrees(engine, report.view.plan)

    asyncio.run(main())


def test_b56_a_late_answer_about_the_step_in_doubt_leaves_the_plan_cancelled(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {"carta.enviar": "lost"}
            report = await cancelled_in_flight(bench, engine, "carta.enviar")
            assert told(report) == ("Report", "in_doubt")
            assert report.view.cancelled
            number = report.view.plan
            happened = await engine.person(ANA).resolve(number, 2, Happened())
            assert told(happened) == CANCELLED
            assert states(happened)[:2] == ["done", "done"]
            assert happened.retry_token is None
            assert bench.signed() == 0
            await agrees(engine, number)

    asyncio.run(main())


def test_b56_a_send_that_did_not_happen_leaves_the_plan_cancelled_too(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {"carta.enviar": "gone"}
            report = await cancelled_in_flight(bench, engine, "carta.enviar")
            bench.move(minutes=3)
            await engine.sweep()
            did_not = await engine.person(ANA).did_not(report.view.plan, 2)
            assert told(did_not) == CANCELLED
            assert states(did_not)[1] == GONE
            assert did_not.retry_token is None
            await agrees(engine, report.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize("occurrence", [1, 2])
def test_a_cancel_between_a_lost_send_and_its_repeat_stops_the_repeat(
    tmp_path, monkeypatch, occurrence
):
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))

    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {"cobro.hacer": "gone"}
            ask = await bench.asked(engine, crear(), cobro(), firmar())
            with (
                elsewhere(bench) as other,
                # Prepared anew and not yet marked again: the repeat's own statement has to look.
                interrupt_at(
                    "prepare:after", lambda: other.person(ANA).cancel(ask.view.plan), occurrence + 1
                ),
            ):
                report = await engine.person(ANA).confirm(ask.token)
            assert bench.afuera.sent() == occurrence
            assert told(report) == ("Report", "in_doubt")
            assert report.view.cancelled
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


def test_a_cancel_while_a_flight_is_run_anew_closes_it_and_runs_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {"vuelo.reservar": "gone"}
            ask = await bench.asked(engine, crear(), fuera("vuelo.reservar"), firmar())
            with (
                elsewhere(bench) as other,
                interrupt_at("prepare:after", lambda: other.person(ANA).cancel(ask.view.plan), 2),
            ):
                report = await engine.person(ANA).confirm(ask.token)
            assert bench.afuera.sent() == 1
            assert told(report) == CANCELLED
            assert states(report) == ["done", GONE, GONE]
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


def test_the_last_step_in_flight_finishes_the_plan_whatever_was_pressed(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear(), carta())
            with (
                elsewhere(bench) as other,
                interrupt_at("send:before", lambda: other.person(ANA).cancel(ask.view.plan)),
            ):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == DONE
            assert states(report) == ["done", "done"]
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize("goes", ["refuse", "lost"])
def test_the_last_step_in_flight_may_also_not_finish_it(tmp_path, goes):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {"carta.enviar": goes}
            ask = await bench.asked(engine, crear(), carta())
            with (
                elsewhere(bench) as other,
                interrupt_at("send:before", lambda: other.person(ANA).cancel(ask.view.plan)),
            ):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "cancelled" if goes == "refuse" else "in_doubt")
            await agrees(engine, ask.view.plan)

    asyncio.run(main())
