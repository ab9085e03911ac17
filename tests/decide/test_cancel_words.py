"""«Cancela» and "no" in a text channel stop what runs and nothing else; what a model is told."""

import asyncio

import pytest
from agreement import agrees
from decide_bench import (
    DONE,
    EVA,
    act,
    apuntar,
    armed,
    avisar,
    carta,
    cobro,
    crear,
    elsewhere,
    firmar,
    opened,
    plan,
    states,
    told,
)
from pedidos import ANA, LUIS

from semel import SAFE, Running, Who
from semel.testing import interrupt_at

NOTHING = ("Refused", "nothing_pending")
CANCELLED = ("Report", "cancelled")
STOPS = ["cancela", "Cancelar", " «cancel»! ", "no", "No, gracias", "para", "stop"]
NOT_STOPS = ["cancela la factura", "no sé", "¿cancelar?", "sí", "ok", "deshacer", "reintentar", ""]
FOUR = crear(), carta(), firmar(), cobro()


async def hanging(bench, engine, *steps, who=ANA, message="m-1"):
    """A plan whose letter is on its way, and the task that waits for it."""
    bench.afuera.goes = {"carta.enviar": "hang"}
    ask = await bench.asked(engine, *(steps or FOUR), who=who, message=message)
    yes = asyncio.create_task(engine.person(who).confirm(ask.token))
    await bench.afuera.hanging.wait()
    return ask, yes


@pytest.mark.parametrize("text", STOPS)
def test_a_word_stops_the_plan_that_runs_and_says_what_still_ends(tmp_path, text):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask, yes = await hanging(bench, engine)
            answer = await engine.person(ANA).says(text)
            assert isinstance(answer, Running)
            assert answer.view.cancelled
            assert states(answer) == ["done", "started", "waiting", "waiting"]
            bench.afuera.released.set()
            report = await yes
            assert told(report) == CANCELLED
            assert states(report)[1:3] == ["done", "not_done cancelled"]
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize("text", NOT_STOPS)
def test_other_words_stop_nothing(tmp_path, text):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            _, yes = await hanging(bench, engine)
            assert told(await engine.person(ANA).says(text)) == NOTHING
            assert told(await engine.person(ANA).says("cancela", source="voice")) == NOTHING
            bench.afuera.released.set()
            assert told(await yes) == DONE

    asyncio.run(main())


def test_with_a_question_pending_the_word_answers_the_question_and_what_runs_goes_on(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask, yes = await hanging(bench, engine)
            pending = await bench.asked(engine, crear("otra"), firmar(), message="m-2")
            answer = await engine.person(ANA).says("cancela")
            assert (told(answer), answer.view.plan) == (CANCELLED, pending.view.plan)
            bench.afuera.released.set()
            assert told(await yes) == DONE
            assert "cancel_pressed" not in bench.events(ask.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize(
    "who",
    [LUIS, EVA, Who("o-1", "ana", "c-2", "es"), Who("o-2", "ana", "c-1", "es")],
    ids=["who may decide", "a stranger", "another conversation", "another organization"],
)
def test_the_word_reaches_only_the_plans_of_this_person_in_this_conversation(tmp_path, who):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask, yes = await hanging(bench, engine)
            assert told(await engine.person(who).says("cancela")) == NOTHING
            assert "cancel_pressed" not in bench.events(ask.view.plan)
            bench.afuera.released.set()
            assert told(await yes) == DONE

    asyncio.run(main())


def test_with_nothing_running_the_word_leaves_what_is_done_and_what_is_planned(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", SAFE)
            await act(engine, apuntar("hoy"))
            ask = await bench.asked(engine, avisar(await bench.note(engine)), message="m-2")
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            before = bench.dump()
            for text in ("cancela", "no", "cancel"):
                assert told(await engine.person(ANA).says(text)) == NOTHING
            assert bench.dump() == before
            bench.move(days=5)
            assert len((await engine.sweep()).resumed) == 2
            assert bench.afuera.arrived("carta.enviar").total() == 2

    asyncio.run(main())


def test_an_undo_that_runs_can_be_stopped_by_the_word(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, crear("uno"), crear("dos"), crear("tres"))
            with elsewhere(bench) as other:
                heard, passed = [], []

                def hook(name: str) -> None:
                    passed.append(name)
                    if name == "commit:local:after" and passed.count(name) == 1:
                        heard.append(other.person(ANA).says("cancela"))

                with armed(hook):
                    undone = await engine.person(ANA).undo(done.undo_token)
            assert told(heard[0]) == told(undone) == CANCELLED
            assert states(undone) == ["done", "not_done cancelled", "not_done cancelled"]
            assert bench.notes() == ["dos", "uno"]
            await agrees(engine, done.view.plan, undone.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("point", "occurrence", "done"),
    [("commit:confirm:after", 1, 0), ("commit:local:after", 1, 1), ("send:before", 1, 2),
     ("commit:local:after", 2, 3)],
)  # fmt: skip
def test_the_model_hears_what_was_done_what_was_not_and_not_to_do_it(
    tmp_path, point, occurrence, done
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, *FOUR)
            with (
                elsewhere(bench) as other,
                interrupt_at(point, lambda: other.person(ANA).cancel(ask.view.plan), occurrence),
            ):
                report = await engine.person(ANA).confirm(ask.token)
            replayed = await engine.agent.act(ANA, plan(*FOUR), message="m-1")
            looked = await engine.agent.status(ANA, ask.view.plan)
            for outcome in (report, replayed, looked):
                answer = outcome.for_model("es")
                assert (answer.status, answer.next) == ("cancelled", "nothing")
                assert "No lo hagas por tu cuenta." in answer.says
                assert answer.says.count("«Logo»") == 4
                assert (f"{done} de 4 pasos" in answer.says) is (done > 0)
                first, _, rest = answer.says.partition("No se hizo: ")
                assert rest.count("«Logo»") == 4 - done
                assert first.count("«Logo»") == done
                assert "do not" in outcome.for_model("en").says.lower()
            assert replayed.replayed
            assert bench.afuera.sent() == int(done >= 2)

    asyncio.run(main())


def test_while_the_last_send_ends_the_model_is_told_to_look_later(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask, yes = await hanging(bench, engine)
            running = await engine.person(ANA).cancel(ask.view.plan)
            answer = running.for_model("es")
            assert (answer.status, answer.next) == ("running", "poll")
            text = running.card("es").text()
            assert "cancel" in text.lower(), text
            bench.afuera.released.set()
            await yes

    asyncio.run(main())
