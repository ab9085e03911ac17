"""What a step plans for later: shown on the card, covered by the yes, written with its step or not."""

import asyncio
from datetime import timedelta

import pytest
from agreement import agrees
from decide_bench import (
    DONE,
    NOW,
    act,
    avisar,
    carta,
    crear,
    guion,
    opened,
    recordar,
    told,
)
from encargos import Recordar
from pedidos import ANA, Carta

from semel import CONFIRM, SAFE, Ask, Invalid, NotDone
from semel.facts import Text, instant_text
from semel.testing import interrupt_at

STALE = ("Report", "stale")


def waiting(bench):
    return bench.sql("SELECT count(*) FROM semel_plans WHERE kind = 'later' AND state = 'running'")[
        0
    ][0]


def no_avisar(note):
    return "nota.no_avisar", {"nota": note}


async def confirmed(bench, engine, *steps, message="m-1"):
    ask = await bench.asked(engine, *steps, message=message)
    return await engine.person(ANA).confirm(ask.token)


def test_it_is_shown_on_the_card_with_its_day_and_its_figures(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, avisar(await bench.note(engine, "Logo")))
            [later] = ask.view.steps[0].later
            assert later.not_before == instant_text(NOW + timedelta(days=5))
            assert later.facts == {"text": Text("Logo")}
            assert later.will == Carta.will
            text = ask.card("es").text()
            assert "24/10/2026" in text
            assert text.count("Logo") >= 2
            assert waiting(bench) == 0
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            assert waiting(bench) == 1
            [(child,)] = bench.sql("SELECT plan FROM semel_plans WHERE kind = 'later'")
            shown = await engine.person(ANA).status(child)
            assert shown.view.due == later.not_before
            await agrees(engine, ask.view.plan, child)

    asyncio.run(main())


def test_its_risk_is_part_of_the_step_that_plans_it(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await act(engine, recordar(note))
            assert isinstance(ask, Ask)
            assert ask.view.risk is CONFIRM
            bench.asks("carta.enviar", SAFE)
            assert told(await act(engine, recordar(note), message="m-2")) == DONE

    asyncio.run(main())


def plans_about(bench, note, days):
    """A step that shows nothing of what it plans: only the letter's own figures can differ."""

    def run(i, ctx):
        ctx.later(Carta, {"nota": note}, not_before=ctx.now + timedelta(days=days[0]))
        return bench.guion.write(i, ctx)

    bench.guion.run_is = run


@pytest.mark.parametrize("what", ["its figures", "its day", "its condition", "nothing"])
@pytest.mark.parametrize("moment", ["before the yes", "after the yes"])
def test_what_is_planned_otherwise_than_shown_is_not_planned(tmp_path, what, moment):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note, days = await bench.note(engine), [5]
            plans_about(bench, note, days)
            ask = await bench.asked(engine, guion())

            def changes():
                if what == "its figures":
                    bench.edit(note, "Otra")
                elif what == "its day":
                    days[0] = 6
                elif what == "its condition":
                    usual = bench.guion.write

                    def run(i, ctx):
                        at = ctx.now + timedelta(days=5)
                        ctx.later(Carta, {"nota": note}, not_before=at, unless="firmada")
                        return usual(i, ctx)

                    bench.guion.run_is = run

            if moment == "before the yes":
                changes()
                outcome = await engine.person(ANA).confirm(ask.token)
                if what != "nothing":
                    assert isinstance(outcome, Ask)
                    assert outcome.again
                    assert waiting(bench) == 0
                    outcome = await engine.person(ANA).confirm(outcome.token)
            else:
                with interrupt_at("commit:confirm:after", changes):
                    outcome = await engine.person(ANA).confirm(ask.token)
                if what != "nothing":
                    assert told(outcome) == STALE
                    assert waiting(bench) == 0
                    assert bench.notes() == (["Otra"] if what == "its figures" else ["Antes"])
                    outcome = await engine.person(ANA).retry(outcome.retry_token)
            assert told(outcome) == DONE
            assert waiting(bench) == 1
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


def test_in_a_step_that_rolls_back_nothing_is_planned(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note, calls = await bench.note(engine), []

            def run(i, ctx):
                ctx.later(Carta, {"nota": note}, not_before=ctx.now + timedelta(days=5))
                calls.append(i.paso)
                if len(calls) == 3:  # the card's rehearsal, that of the yes, and then the run
                    raise NotDone({"es": "Al final no.", "en": "Not after all."})
                return bench.guion.write(i, ctx)

            bench.guion.run_is = run
            report = await confirmed(bench, engine, guion())
            assert told(report) == ("Report", "failed")
            assert waiting(bench) == 0
            assert bench.sql("SELECT count(*) FROM semel_keys WHERE layer = 'later'") == [(0,)]
            assert told(await engine.person(ANA).retry(report.retry_token)) == DONE
            assert waiting(bench) == 1

    asyncio.run(main())


@pytest.mark.parametrize("step", ["refused", "cancelled", "not reached"])
def test_of_a_step_that_never_ran_nothing_is_planned(tmp_path, step):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, carta(note), avisar(note))
            bench.afuera.goes = {"carta.enviar": "refuse"}
            if step == "cancelled":
                await engine.person(ANA).cancel(ask.view.plan)
            elif step == "refused":
                bench.deny("notas")
                assert told(await engine.person(ANA).confirm(ask.token))[0] == "Refused"
            else:
                await engine.person(ANA).confirm(ask.token)
            assert waiting(bench) == 0

    asyncio.run(main())


def test_planned_twice_it_is_planned_once_and_the_second_plan_says_so(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            assert told(await confirmed(bench, engine, avisar(note))) == DONE
            second = await act(engine, avisar(note), message="m-2")
            assert isinstance(second, Invalid)
            assert second.problems[0].detail == "Ya estaba previsto."
            assert told(await confirmed(bench, engine, avisar(note, 6), message="m-3")) == DONE
            assert waiting(bench) == 2

    asyncio.run(main())


def test_planned_twice_in_one_plan_it_is_planned_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            # Where that is an error the card never comes, instead of half of it being done.
            assert isinstance(await act(engine, avisar(note), avisar(note)), Invalid)
            bench.asks("carta.enviar", SAFE)
            report = await act(engine, recordar(note), recordar(note), message="m-2")
            assert [s.made["nuevo"] for s in report.view.steps] == [Text("True"), Text("False")]
            assert waiting(bench) == 1
            again = await act(engine, recordar(note, 6), crear(), recordar(note, 6), message="m-3")
            assert told(again) == DONE
            assert waiting(bench) == 2
            bench.move(days=6)
            await engine.sweep()
            # The engine sweeps by itself now and then, and may have been the first at one of them.
            await engine.settle()
            assert bench.afuera.arrived().total() == 2

    asyncio.run(main())


def test_planned_again_after_it_was_taken_back_it_is_planned_and_leaves_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", SAFE)
            note = await bench.note(engine)
            for number in range(3):
                assert told(await act(engine, recordar(note), message=f"m-{number}")) == DONE
                assert waiting(bench) == 1
                assert told(await act(engine, no_avisar(note), message=f"n-{number}")) == DONE
                assert waiting(bench) == 0
            assert isinstance(await act(engine, no_avisar(note), message="n-9"), Invalid)
            assert told(await act(engine, recordar(note), message="m-9")) == DONE
            # What each message looked for, and might find due, has come to its end.
            await engine.settle()
            bench.move(days=5)
            await engine.sweep()
            assert bench.afuera.arrived("carta.enviar").total() == 1
            plans = [p for (p,) in bench.sql("SELECT plan FROM semel_plans")]
            await agrees(engine, *plans)

    asyncio.run(main())


@pytest.mark.parametrize("asked", [False, True])
def test_planned_and_taken_back_in_one_plan_it_never_leaves(tmp_path, asked):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", CONFIRM if asked else SAFE)
            note = await bench.note(engine)
            steps = recordar(note), no_avisar(note)
            outcome = await act(engine, *steps)
            if asked:
                outcome = await engine.person(ANA).confirm(outcome.token)
            assert told(outcome) == DONE
            assert waiting(bench) == 0
            bench.move(days=6)
            await engine.sweep()
            assert bench.afuera.calls == []
            # And once more after that, in one plan: it stands in the end.
            steps = recordar(note, 9), no_avisar(note), recordar(note, 9)
            outcome = await act(engine, *steps, message="m-2")
            if asked:
                outcome = await engine.person(ANA).confirm(outcome.token)
            assert told(outcome) == DONE
            assert waiting(bench) == 1

    asyncio.run(main())


def test_what_was_done_already_is_not_planned_for_the_same_instant_again(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", SAFE)
            note = await bench.note(engine)
            await act(engine, recordar(note, 0))
            await engine.settle()
            assert bench.afuera.arrived().total() == 1
            again = await act(engine, recordar(note, 0), message="m-2")
            assert again.view.steps[0].made == {"nuevo": Text("False")}
            await engine.settle()
            assert bench.afuera.arrived().total() == 1

    asyncio.run(main())


def test_a_step_that_would_plan_a_step_that_plans_is_no_plan(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)

            def run(i, ctx):
                ctx.later(Recordar, {"nota": note, "dias": 1}, not_before=ctx.now)
                return bench.guion.write(i, ctx)

            bench.guion.run_is = run
            assert told(await act(engine, guion())) == ("Refused", "broken")
            assert waiting(bench) == 0
            assert bench.notes() == ["Antes"]

    asyncio.run(main())
