"""A process that is paused between its mark and its first byte: what is too old does not leave."""

import pytest
from dudas import (
    CARTA,
    COBRO,
    NOW,
    RESERVA,
    VUELO,
    crear,
    does,
    opened,
    run,
    told,
)
from pedidos import ANA

from semel.runtime.outside import OWN_SHARE
from semel.testing import interrupt_at

DEADLINE = 30
EVERY = [CARTA, COBRO, RESERVA, VUELO]


def paused(banco, seconds):
    """What a pause of so many seconds does to the clock."""
    return lambda: banco.clock.move(seconds=seconds)


@pytest.mark.parametrize("point", ["commit:mark:after", "send:before"])
@pytest.mark.parametrize("name", EVERY)
def test_what_is_as_old_as_its_deadline_does_not_leave_and_that_is_a_proof(tmp_path, name, point):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            ask = await banco.asked(engine, does(name, await banco.note(engine)), crear())
            with interrupt_at(point, paused(banco, DEADLINE)):
                report = await engine.person(ANA).confirm(ask.token)
            assert banco.arrived(name) == 0
            assert "send" not in banco.calls()
            assert told(report) == ("Report", "failed")
            assert banco.steps() == [("not_done", "refused"), ("not_done", "not_reached")]
            assert report.view.steps[0].detail == "send.too_old"
            assert banco.attempts(name) == ["refused"]
            # Nothing has happened, so what is left may be done by a press.
            again = await engine.person(ANA).retry(report.retry_token)
            assert told(again) == ("Report", "finished")
            assert banco.arrived(name) == 1

    run(main())


@pytest.mark.parametrize("name", EVERY)
def test_what_is_younger_leaves_with_the_time_that_is_left(tmp_path, name):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            action, given = banco.actions[name], []
            plain = action.run

            async def notes(i, ctx, *prepared):
                given.append(ctx.deadline)
                return await plain(i, ctx, *prepared)

            action.run = notes
            ask = await banco.asked(engine, does(name, await banco.note(engine)))
            with interrupt_at("commit:mark:after", paused(banco, DEADLINE - 10)):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "finished")
            assert banco.arrived(name) == 1
            assert given == [pytest.approx(10 * OWN_SHARE)]

    run(main())


def test_a_clock_that_was_set_back_makes_nothing_younger(tmp_path):
    """A machine's clock goes back by an hour in the pause; the other one knows how long it was."""

    async def main():
        async with opened(tmp_path) as (banco, engine):
            ask = await banco.asked(engine, does(CARTA, await banco.note(engine)))

            def pause() -> None:
                banco.clock.move(seconds=DEADLINE)
                banco.clock._now = NOW

            with interrupt_at("commit:mark:after", pause):
                report = await engine.person(ANA).confirm(ask.token)
            assert banco.arrived(CARTA) == 0
            assert told(report) == ("Report", "failed")

    run(main())
