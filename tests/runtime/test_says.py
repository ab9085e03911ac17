"""A person's next message: a clear yes confirms the one pending question, everything else ends it."""

import asyncio

import pytest
from app import ANA, EVA, LUIS
from notas_bench import act, crear, deny, enviar, opened, reprice, told

from semel import Ask, Who
from semel.domain.report import Refusal

RISKY = crear("Logo", urgente=True)
DONE = ("Report", "finished")
NOTHING = ("Refused", "nothing_pending")


@pytest.mark.parametrize("text", ["sí", "si", "Sí, por favor", "vale", "👍", "yes please"])
def test_a_clear_yes_confirms_once(tmp_path, text):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await bench.asked(engine, RISKY)
            assert told(await engine.person(ANA).says(text)) == DONE
            assert told(await engine.person(ANA).says(text)) == NOTHING
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


@pytest.mark.parametrize(
    "text",
    ["no", "no, no lo confirmes", "no apruebo", "desconfirmo", "no sí", "sí que no", "nosé", "",
     "todavía no, sí mañana", "yesterday", "not yes", "I can't confirm this", "¿sí?", "ok?",
     "sí, pero más barato", "confirmo la 2026-0004", "Disallow", "\ud83d", "sí " * 300],
)  # fmt: skip
def test_b12_anything_that_is_no_clear_yes_cancels_and_runs_nothing(tmp_path, text):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            assert told(await engine.person(ANA).says(text)) == ("Report", "cancelled")
            assert bench.notes() == []
            assert bench.steps() == [("not_done", "cancelled")]
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Refused", "revoked")
            assert told(await engine.person(ANA).says("sí")) == NOTHING

    asyncio.run(main())


def test_b09_an_ok_after_a_question_finds_nothing_pending(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            closed = await engine.person(ANA).says("¿cuánto es el IVA?")
            assert told(closed) == ("Report", "cancelled")
            assert bench.events(ask.view.plan) == ["proposed", "asked", "cancelled"]
            assert bench.sql("SELECT body FROM semel_events WHERE kind = 'cancelled'") == [
                ('{"why":"message"}',)
            ]  # fmt: skip
            assert told(await engine.person(ANA).says("ok")) == NOTHING
            assert bench.notes() == []
            again = await bench.asked(engine, RISKY, message="m-2")
            assert again.token != ask.token
            assert told(await engine.person(ANA).says("ok")) == DONE

    asyncio.run(main())


@pytest.mark.parametrize("source", ["voice", "forwarded", "caption", "edited", "group", "button"])
def test_a_yes_that_was_not_typed_is_never_a_yes(tmp_path, source):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await bench.asked(engine, RISKY)
            assert told(await engine.person(ANA).says("sí", source=source)) == (
                "Report", "cancelled"
            )  # fmt: skip
            assert bench.notes() == []

    asyncio.run(main())


@pytest.mark.parametrize(
    ("text", "source"),
    [("👍", "reaction"), ("sí", "reaction"), ("", "sticker"), ("", "voice"), (" ", "image")],
)
def test_a_message_that_says_nothing_leaves_the_question_as_it_is(tmp_path, text, source):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            before = bench.dump()
            left = await engine.person(ANA).says(text, source=source)
            assert isinstance(left, Ask)
            assert (left.view, left.token) == (ask.view, ask.token)
            assert bench.dump() == before
            assert told(await engine.person(ANA).says("sí")) == DONE

    asyncio.run(main())


@pytest.mark.parametrize("text", ["sí", "no", "¿cuánto?"])
def test_nothing_pending_leaves_the_message_an_ordinary_one(tmp_path, text):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            before = bench.dump()
            assert told(await engine.person(ANA).says(text)) == NOTHING
            assert bench.dump() == before

    asyncio.run(main())


@pytest.mark.parametrize(
    ("text", "outcome"), [("sí", ("Refused", "expired")), ("no", NOTHING), ("¿y eso?", NOTHING)]
)
def test_a_message_after_the_questions_time_runs_nothing(tmp_path, text, outcome):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            bench.move(minutes=10)
            assert told(await engine.person(ANA).says(text)) == outcome
            assert bench.plans() == [("ended", "expired")]
            assert bench.events(ask.view.plan)[-1] == "expired"
            assert told(await engine.person(ANA).says("sí")) == NOTHING
            assert bench.notes() == []

    asyncio.run(main())


def test_a_yes_of_somebody_else_or_elsewhere_answers_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await bench.asked(engine, RISKY)
            before = bench.dump()
            for who in (LUIS, EVA, Who("o-1", "ana", "c-2"), Who("o-2", "ana", "c-1")):
                assert told(await engine.person(who).says("sí")) == NOTHING
            assert bench.dump() == before
            assert told(await engine.person(ANA).says("sí")) == DONE

    asyncio.run(main())


def test_a_bare_yes_answers_the_newest_question_only(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await bench.asked(engine, crear("Vieja", urgente=True))
            await bench.asked(engine, crear("Nueva", urgente=True), message="m-2")
            assert told(await engine.person(ANA).says("sí")) == DONE
            assert told(await engine.person(ANA).says("sí")) == NOTHING
            assert bench.notes() == ["Nueva"]

    asyncio.run(main())


def test_a_yes_to_facts_that_changed_is_a_new_question_not_a_run(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine, "Logo", "605")
            await bench.asked(engine, enviar(note))
            await engine.write(reprice(note, "1605"))
            changed = await engine.person(ANA).says("sí")
            assert isinstance(changed, Ask)
            assert changed.changed
            assert bench.mundo.sends == 0
            assert told(await engine.person(ANA).says("sí")) == DONE

    asyncio.run(main())


def test_a_yes_without_the_right_leaves_the_question(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await bench.asked(engine, RISKY)
            await engine.write(deny("ana", "notas.crear"))
            refused = await engine.person(ANA).says("sí")
            assert refused.why is Refusal.FORBIDDEN
            assert bench.plans() == [("asking", None)]

    asyncio.run(main())


def test_a_bulk_delete_is_confirmed_by_its_words_and_cancelled_by_a_yes(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            notes = [await bench.note(engine) for _ in range(3)]
            step = ("nota.borrar_muchas", {"notas": notes})
            await bench.asked(engine, step)
            assert told(await engine.person(ANA).says("sí")) == ("Report", "cancelled")
            await bench.asked(engine, step, message="m-2")
            assert told(await engine.person(ANA).says("BORRAR 3", source="voice")) == (
                "Report", "cancelled"
            )  # fmt: skip
            await bench.asked(engine, step, message="m-3")
            assert len(bench.notes()) == 3
            assert told(await engine.person(ANA).says("BORRAR 3")) == DONE
            assert bench.notes() == []

    asyncio.run(main())


def test_a_yes_said_twice_at_once_runs_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            for number in range(20):
                texto = f"Nota {number}"
                await bench.asked(engine, crear(texto, urgente=True), message=texto)
                outcomes = await asyncio.gather(*(engine.person(ANA).says("sí") for _ in range(5)))
                assert {told(outcome) for outcome in outcomes} <= {DONE, NOTHING}
                assert [outcome.replayed for outcome in outcomes if told(outcome) == DONE].count(
                    False
                ) == 1
            assert len(bench.notes()) == 20

    asyncio.run(main())


def test_a_no_and_a_yes_at_once_have_one_winner(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            won = []
            for number in range(20):
                texto = f"Nota {number}"
                ask = await bench.asked(engine, crear(texto, urgente=True), message=texto)
                words = ("sí", "no") if number % 2 else ("no", "sí")
                await asyncio.gather(*(engine.person(ANA).says(text) for text in words))
                status = told(await engine.person(ANA).status(ask.view.plan))
                assert status in {DONE, ("Report", "cancelled")}
                assert (texto in bench.notes()) == (status == DONE)
                won.append(status)
            assert (await act(engine, crear("Nota 0", urgente=True), message="Nota 0")).replayed

    asyncio.run(main())
