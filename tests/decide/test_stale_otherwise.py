"""A program that was updated, a risk that rose, a look-alike that appeared; and what may differ."""

import asyncio

import pytest
from agreement import agrees
from decide_bench import (
    DONE,
    carta,
    crear,
    elsewhere,
    firmar,
    guion,
    opened,
    running,
    states,
    told,
)
from encargos import Word
from pedidos import ANA, Firmar, Nota, One

from semel import CONFIRM, SAFE, TYPED, Ask, Local, Preview
from semel.facts import Count, Text
from semel.testing import interrupt_at

STALE = ("Report", "stale")


class Firmar2(Firmar, name="nota.firmar", effect=Local(), makes=Nota, allow="firmas", version=2):
    """Sign a note, by a newer program."""

    Input = One


def updated(bench):
    """From here on engines of this bench run the newer program."""
    bench.actions = [Firmar2() if a.name == "nota.firmar" else a for a in bench.actions]


def test_a_program_that_was_updated_while_it_asked_previews_again_at_the_yes(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, firmar(note))
            updated(bench)
            async with running(bench) as newer:
                again = await newer.person(ANA).confirm(ask.token)
                assert isinstance(again, Ask)
                assert again.again
                assert again.token != ask.token
                assert bench.signed() == 0
                assert told(await newer.person(ANA).confirm(ask.token)) == ("Refused", "revoked")
                assert told(await newer.person(ANA).confirm(again.token)) == DONE
                assert bench.signed() == 1

    asyncio.run(main())


@pytest.mark.parametrize("occurrence", [0, 1])
def test_a_plan_that_a_newer_program_resumes_stops_at_the_step_that_is_another_now(
    tmp_path, occurrence
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear(), firmar(), carta())

            def stop() -> None:
                engine._core.draining = True

            moment = "commit:local:after" if occurrence else "commit:confirm:after"
            with interrupt_at(moment, stop):
                await engine.person(ANA).confirm(ask.token)
            updated(bench)
            async with running(bench) as newer:
                await newer.sweep()
                report = await newer.person(ANA).status(ask.view.plan)
                assert told(report) == STALE
                assert states(report) == ["done", "not_done stale", "not_done not_reached"]
                assert bench.signed() == 0
                assert told(await newer.person(ANA).retry(report.retry_token)) == DONE
                assert bench.signed() == bench.afuera.sent() == 1
                await agrees(newer, ask.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("shown", "now", "runs"),
    [(SAFE, CONFIRM, False), (SAFE, TYPED, False), (CONFIRM, TYPED, False),
     (CONFIRM, CONFIRM, True), (CONFIRM, SAFE, True)],
)  # fmt: skip
def test_a_risk_that_rose_is_not_covered_by_the_yes_and_one_that_fell_is(
    tmp_path, shown, now, runs
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.guion.preview_is = lambda i, ctx: Preview(text=Text(i.paso), cuantos=Count(3))
            bench.guion.risk_is = lambda i, ctx: shown
            ask = await bench.asked(engine, firmar(await bench.note(engine)), guion("uno"))

            def rise() -> None:
                bench.guion.risk_is = lambda i, ctx: now

            with interrupt_at("commit:local:after", rise):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == (DONE if runs else STALE)
            assert ("uno" in bench.notes()) is runs
            assert states(report)[1] == ("done" if runs else "not_done stale")

    asyncio.run(main())


@pytest.mark.parametrize("action", ["carta.enviar", "vuelo.reservar"])
def test_a_risk_that_rose_while_a_send_was_prepared_lets_nothing_leave(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks(action, SAFE)
            ask = await bench.asked(engine, crear(), firmar(), (action, {"nota": "$1"}))
            with interrupt_at("prepare:after", lambda: bench.asks(action, CONFIRM)):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == STALE
            assert bench.afuera.sent() == 0

    asyncio.run(main())


@pytest.mark.parametrize("moment", ["commit:confirm:after", "commit:local:after"])
def test_a_look_alike_that_appeared_after_the_yes_is_shown_before_a_second_one_is_made(
    tmp_path, moment
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, firmar(note), crear("Logo"))

            def somebody() -> None:
                bench.sql(
                    "INSERT INTO notas VALUES ('o-1', 'x', 'Logo', 0, 1, ?, 0)",
                    "2026-10-19T07:59:00.000000Z",
                )

            with interrupt_at(moment, somebody):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == STALE
            assert states(report) == ["done", "not_done stale"]
            assert bench.notes().count("Logo") == 1
            [match] = report.view.steps[1].similar
            assert (match.kind, match.id, match.label) == ("nota", "x", "Logo")
            assert "Logo" in report.card("es").text()
            assert told(await engine.person(ANA).retry(report.retry_token)) == DONE
            assert bench.notes().count("Logo") == 2

    asyncio.run(main())


@pytest.mark.parametrize("moment", ["before the yes", "commit:confirm:after"])
def test_a_fact_that_is_marked_volatile_may_differ(tmp_path, moment):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, ("nota.fechar", {"nota": note}))
            if moment == "before the yes":
                bench.move(minutes=2)
                report = await engine.person(ANA).confirm(ask.token)
            else:
                with interrupt_at(moment, lambda: bench.move(seconds=20)):
                    report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == DONE
            assert bench.signed() == 1

    asyncio.run(main())


def test_a_fact_that_came_or_went_is_a_change_like_another_figure(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.guion.risk_is = lambda i, ctx: CONFIRM
            ask = await bench.asked(engine, firmar(await bench.note(engine)), guion("uno"))

            def changes() -> None:
                def preview(i: Word, ctx: object) -> Preview:
                    return Preview(aviso=Text("Importe alto"))

                bench.guion.preview_is = preview

            with interrupt_at("commit:confirm:after", changes):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == STALE
            found = {one.name: (one.shown, one.now) for one in report.view.steps[1].changed}
            assert found == {
                "aviso": (None, Text("Importe alto")), "text": (Text("uno"), None)
            }  # fmt: skip

    asyncio.run(main())


def test_what_changed_on_another_instance_between_two_steps_stales_here(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine, "Antes")
            ask = await bench.asked(engine, crear(), firmar(note))
            with elsewhere(bench) as other:

                def edits() -> None:
                    steps = [{"action": "nota.editar", "input": {"nota": note, "text": "Otra"}}]
                    done = other.agent.act(ANA, {"steps": steps}, message="m-2")
                    assert told(done) == DONE

                with interrupt_at("commit:confirm:after", edits):
                    report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == STALE
            assert bench.signed() == 0

    asyncio.run(main())
