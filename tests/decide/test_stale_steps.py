"""What changed between the yes and a step: the step does not run, both figures are shown, it asks."""

import asyncio

import pytest
from agreement import agrees
from decide_bench import DONE, carta, crear, editar, firmar, fuera, opened, states, told
from pedidos import ANA

from semel.facts import Text
from semel.testing import interrupt_at

STALE = ("Report", "stale")
OUTSIDE = ["carta.enviar", "cobro.hacer", "reserva.hacer", "vuelo.reservar"]
ACTIONS = ["nota.editar", "nota.firmar", *OUTSIDE]
# The step, and when the change comes: right after the yes, or right before that step.
PLACES = [(1, "at once"), (2, "at once"), (2, "before it"), (3, "at once"), (3, "before it")]


def step_of(action, note):
    return editar(note, "Editada") if action == "nota.editar" else (action, {"nota": note})


def count(bench, action, note):
    """How often the step's effect has happened."""
    if action in OUTSIDE:
        return bench.afuera.arrived(action).total()
    [(text, signed)] = bench.sql("SELECT text, signed FROM notas WHERE id = ?", note)
    return signed if action == "nota.firmar" else int(text == "Editada")


async def world(bench, engine, action, position):
    """Three notes and a plan of three steps, the action at its position, that asks."""
    notes = [await bench.note(engine, f"Nota {number}") for number in (1, 2, 3)]
    steps = [firmar(note) for note in notes]
    steps[position - 1] = step_of(action, notes[position - 1])
    return notes[position - 1], await bench.asked(engine, *steps)


@pytest.mark.parametrize(("position", "when"), PLACES)
@pytest.mark.parametrize("action", ACTIONS)
def test_a_changed_fact_stops_its_step_with_both_figures_and_a_retry_runs_the_new_ones(
    tmp_path, action, position, when
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note, ask = await world(bench, engine, action, position)
            before = position - 1
            moment = ("commit:confirm:after", 1)
            if when == "before it":
                moment = ("commit:local:after", before)
            with interrupt_at(moment[0], lambda: bench.edit(note, "Cambiada"), moment[1]):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == STALE
            assert states(report) == [
                *["done"] * before, "not_done stale", *["not_done not_reached"] * (3 - position)
            ]  # fmt: skip
            assert count(bench, action, note) == 0
            assert bench.afuera.sent() == 0
            shown = await engine.person(ANA).status(ask.view.plan)
            assert shown == report
            name = "antes" if action == "nota.editar" else "text"
            [change] = [one for one in shown.view.steps[before].changed if one.name == name]
            assert change.shown == Text(f"Nota {position}")
            assert change.now == Text("Cambiada")
            for words in ("es", "en"):
                text = shown.card(words).text()
                assert f"Nota {position}" in text
                assert "Cambiada" in text
            again = await engine.person(ANA).retry(shown.retry_token)
            assert told(again) == DONE
            assert count(bench, action, note) == 1
            assert again.view.steps[before].facts[name] == Text("Cambiada")
            assert again.view.steps[before].changed == ()
            assert bench.signed() == (3 if action == "nota.firmar" else 2)
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize("action", OUTSIDE)
@pytest.mark.parametrize("moment", ["prepare:before", "prepare:after"])
def test_changed_while_a_send_is_prepared_nothing_leaves(tmp_path, action, moment):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note, ask = await world(bench, engine, action, 2)
            with interrupt_at(moment, lambda: bench.edit(note, "Cambiada")):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == STALE
            assert states(report)[:2] == ["done", "not_done stale"]
            assert bench.afuera.calls == []
            assert "step_started" not in bench.events(ask.view.plan)
            assert told(await engine.person(ANA).retry(report.retry_token)) == DONE
            [line] = bench.afuera.lines()
            assert line["action"] == action

    asyncio.run(main())


@pytest.mark.parametrize("action", ACTIONS)
def test_what_is_gone_stops_its_step_and_is_not_offered_again(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note, ask = await world(bench, engine, action, 2)
            gone = "UPDATE notas SET gone = 1 WHERE id = ?"
            with interrupt_at("commit:confirm:after", lambda: bench.sql(gone, note)):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == STALE
            assert states(report) == ["done", "not_done stale", "not_done not_reached"]
            assert count(bench, action, note) == 0
            assert report.retry_token is None
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


def test_a_figure_that_changes_twice_is_shown_anew_each_time_and_the_old_button_runs_nothing(
    tmp_path,
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note, ask = await world(bench, engine, "carta.enviar", 1)
            with interrupt_at("commit:confirm:after", lambda: bench.edit(note, "Dos")):
                report = await engine.person(ANA).confirm(ask.token)
            bench.edit(note, "Tres")
            # The button of "Dos" is of figures that are no more.
            late = await engine.person(ANA).retry(report.retry_token)
            shown = await engine.person(ANA).status(ask.view.plan)
            assert bench.afuera.sent() == 0
            assert told(late) != DONE
            assert shown.retry_token != report.retry_token
            [change] = shown.view.steps[0].changed
            assert (change.shown, change.now) == (Text("Dos"), Text("Tres"))
            assert told(await engine.person(ANA).retry(shown.retry_token)) == DONE
            [line] = bench.afuera.lines()
            assert line["nota"] == note

    asyncio.run(main())


@pytest.mark.parametrize("text", ["Otra cosa", "Logo"])
@pytest.mark.parametrize("last", ["nota.firmar", *OUTSIDE])
def test_what_the_plan_made_itself_and_somebody_changed_is_not_what_was_shown(tmp_path, last, text):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("Logo"), fuera(last), carta())

            def edit() -> None:
                [(note,)] = bench.sql("SELECT id FROM notas")
                bench.edit(note, text)  # with the same words it is another version all the same

            with interrupt_at("commit:local:after", edit):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == STALE
            assert states(report) == ["done", "not_done stale", "not_done not_reached"]
            assert bench.afuera.sent() == bench.signed() == 0
            assert told(await engine.person(ANA).retry(report.retry_token)) == DONE
            assert bench.notes() == [text]
            assert bench.signed() == int(last == "nota.firmar")
            await agrees(engine, ask.view.plan)

    asyncio.run(main())
