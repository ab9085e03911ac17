"""A message is answered once: repeated, at once, on two instances, and after a kill."""

import asyncio
import json
from pathlib import Path

import pytest
from assistant_desk import (
    ANA,
    EXPENSE,
    EXPENSE_STEPS,
    LUIS,
    SENTENCE,
    Fake,
    run,
    table,
)
from assistant_dying import killed

import stores
from semel import Ask, Who
from semel_facturas.assistant.loop import HISTORY_BYTES, memory, remembered
from semel_facturas.assistant.saying import HISTORY_TURNS
from semel_facturas.assistant.words import ES
from semel_facturas.books import conversation
from semel_facturas.books.conversation import CLAIM_SECONDS


def test_the_same_form_twenty_times_at_one_instant_is_one_message_and_one_plan(tmp_path: Path):
    async def work() -> None:
        async with table(tmp_path) as at:
            request = at.engine.new_id()
            shown = await asyncio.gather(*(at.say(SENTENCE, request=request) for _ in range(20)))
            assert len({one.plans for one in shown}) == 1
            assert len(await at.plans()) == 1
            assert [one.role for one in await at.lines()] == ["person", "assistant", "plan"]

    run(work())


BOTH = pytest.mark.only_on("sqlite postgres", "two instances are what PostgreSQL is there for")


@BOTH
def test_the_same_form_on_two_instances_is_one_message_and_one_plan(tmp_path: Path):
    async def work() -> None:
        fake = Fake([[("actuar", EXPENSE_STEPS)], "Listo."])
        async with table(tmp_path, fake) as at:
            other = at.another(fake)
            await other.engine.start(sweeps=False)
            try:
                request = at.engine.new_id()
                shown = await asyncio.gather(
                    *(one.say(EXPENSE, request=request) for one in [at, other] * 5)
                )
                assert {one.text for one in shown} == {"Listo."}
                assert len(fake.asked) == 2
                assert at.count("expenses") == 1
            finally:
                await other.engine.stop()

    run(work())


def test_a_form_that_comes_again_with_other_words_is_another_message(tmp_path: Path):
    async def work() -> None:
        async with table(tmp_path) as at:
            request = at.engine.new_id()
            await at.say("hola", request=request)
            for _ in range(2):
                await at.say(EXPENSE, request=request)
            said = [one.text for one in await at.lines() if one.role == "person"]
            assert said == ["hola", EXPENSE]
            assert at.count("expenses") == 1

    run(work())


def test_the_same_id_from_somebody_else_is_a_message_of_their_own(tmp_path: Path):
    async def work() -> None:
        async with table(tmp_path) as at:
            request = at.engine.new_id()
            await at.say(SENTENCE, request=request)
            assert await at.assistant.shown(LUIS, request) is None
            await at.say("hola", LUIS, request)
            assert [one.text for one in await at.lines(LUIS) if one.role == "person"] == ["hola"]

    run(work())


@BOTH
def test_messages_at_once_are_answered_one_after_the_other_in_their_order(tmp_path: Path):
    async def work() -> None:
        inside, most = 0, 0

        async def before() -> None:
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            for _ in range(20):
                await asyncio.sleep(0)
            inside -= 1

        fake = Fake(["Vale."], before=before)
        async with table(tmp_path, fake) as at:
            other = at.another(fake)
            await other.engine.start(sweeps=False)
            try:
                texts = [f"Hola {n}" for n in range(6)]
                ids = [at.engine.new_id() for _ in texts]
                for n, (id, text) in enumerate(zip(ids, texts, strict=True)):
                    await (at, other)[n % 2].assistant.hear(ANA, id, text)
                for id in ids:
                    await at.assistant.wait(ANA, id)
                assert most == 1
                lines = [one for one in await at.lines() if one.role != "plan"]
                assert sorted(one.answers or "" for one in lines if one.role == "assistant") == (
                    sorted(ids)
                )
                answered = [one.answers for one in lines if one.role == "assistant"]
                assert answered == ids
            finally:
                await other.engine.stop()

    run(work())


@BOTH
def test_what_one_instance_is_saying_is_read_at_the_other(tmp_path: Path):
    async def work() -> None:
        seen = asyncio.Event()
        fake = Fake([[("buscar_contacto", {"nombre": "x"})], "Y esto es todo."])

        async def before() -> None:
            if len(fake.asked) == 2:
                await seen.wait()

        fake.before = before
        fake.preface = "Lo miro."
        async with table(tmp_path, fake) as at:
            other = at.another(fake)
            await other.engine.start(sweeps=False)
            try:
                message = await at.assistant.hear(ANA, at.engine.new_id(), "¿quién es x?")
                async for shown in other.assistant.follow(ANA, message):
                    if shown.text == "Lo miro.":
                        assert shown.state == "open"
                        seen.set()
                assert shown.text == "Lo miro.\n\nY esto es todo."
                assert shown.state == "answered"
            finally:
                await other.engine.stop()

    run(work())


KILLED = ["unheard", "before the answer", "after the answer", "before the plan", "after the plan"]
MESSAGE = "01a22f90-f4d8-7248-bbb2-28e7686a8116"


def begun(home: Path, *texts: str) -> None:
    """The demo world, in which this was said by a process that ended well."""

    async def work() -> None:
        async with table(home) as at:
            for text in texts:
                await at.say(text)

    run(work())


@pytest.mark.parametrize("where", KILLED)
def test_a_kill_in_the_middle_leaves_nothing_twice_and_a_true_sentence(tmp_path: Path, where: str):
    async def work() -> None:
        fake = Fake([[("actuar", EXPENSE_STEPS)], "Listo."])
        async with table(tmp_path, fake) as at:
            stalled = await at.assistant.shown(ANA, MESSAGE)
            assert stalled is not None
            assert stalled.state == "open"  # its process may be alive, as far as anybody knows
            at.clock.move(seconds=CLAIM_SECONDS + 1)
            stalled = await at.assistant.shown(ANA, MESSAGE)
            assert stalled is not None
            assert stalled.state == "stalled"
            shown = await at.say(EXPENSE, request=MESSAGE)
            lost = where in {"before the answer", "after the answer"}
            assert (shown.state, shown.text) == (
                ("lost", ES["lost"]) if lost else ("answered", "Listo.")
            )
            assert at.count("expenses") == (0 if lost else 1)
            assert len(await at.plans()) == (0 if lost else 1)
            assert await at.say(EXPENSE, request=MESSAGE) == shown

    begun(tmp_path)
    killed(tmp_path, MESSAGE, EXPENSE, where)
    run(work())


@pytest.mark.parametrize("where", ["before the answer", "after the answer"])
def test_a_killed_yes_is_not_read_again_whatever_is_asked_by_then(tmp_path: Path, where: str):
    async def work() -> None:
        async with table(tmp_path) as at:
            at.clock.move(seconds=CLAIM_SECONDS + 1)
            (first,) = await at.plans()
            if where == "before the answer":
                await at.engine.person(ANA).cancel(first)
            await at.engine.sweep()
            await at.engine.settle()
            # Another question is there by now, to which the old yes would be an answer.
            asks = await at.engine.agent.act(ANA, invoice(at.home), message="m-3")
            assert isinstance(asks, Ask)
            shown = await at.say("sí", request=MESSAGE)
            assert shown.text == ES["lost"]
            assert isinstance(await at.engine.person(ANA).status(asks.view.plan), Ask)

    begun(tmp_path, SENTENCE)
    killed(tmp_path, MESSAGE, "sí", where)
    run(work())


def invoice(home: Path) -> dict[str, object]:
    contact = stores.rows(home / "books.db", "SELECT contact FROM contacts")[0][0]
    line = {"concepto": "Otra cosa", "precio": "10"}
    draft = {"contacto": contact, "lineas": [line]}
    return {
        "steps": [
            {"action": "factura.crear_borrador", "input": draft},
            {"action": "factura.emitir", "input": {"factura": "$1"}},
        ]
    }


def test_a_message_that_takes_two_processes_with_it_is_told_instead(tmp_path: Path):
    async def work() -> None:
        async with table(tmp_path) as at:
            at.clock.move(seconds=CLAIM_SECONDS + 1)
            now, owner = at.engine.now(), at.engine.new_id()
            taken = await at.engine.write(lambda tx: conversation.take(tx, ANA, owner, now))
            assert taken is not None
            at.clock.move(seconds=CLAIM_SECONDS + 1)
            shown = await at.say(EXPENSE, request=MESSAGE)
            assert (shown.state, shown.text) == ("lost", ES["given_up"])
            assert at.count("expenses") == 0

    begun(tmp_path)
    killed(tmp_path, MESSAGE, EXPENSE, "before the plan")
    run(work())


def test_the_next_message_settles_what_was_left_before_it(tmp_path: Path):
    async def work() -> None:
        async with table(tmp_path) as at:
            at.clock.move(seconds=CLAIM_SECONDS + 1)
            await at.say("hola")
            left = await at.assistant.shown(ANA, MESSAGE)
            assert left is not None
            assert left.state == "answered"
            assert at.count("expenses") == 1

    begun(tmp_path)
    killed(tmp_path, MESSAGE, EXPENSE, "unheard")
    run(work())


def test_a_process_that_was_thought_dead_writes_no_answer(tmp_path: Path):
    async def work() -> None:
        async with table(tmp_path) as at:
            message, one, two = (at.engine.new_id() for _ in range(3))
            said = conversation.Said("tarde")
            ids = (at.engine.new_id(),)
            await at.engine.write(
                lambda tx: conversation.hear(tx, ANA, message, "hola", at.engine.now())
            )
            for owner in (one, two):
                await at.engine.write(
                    lambda tx, owner=owner: conversation.take(tx, ANA, owner, at.engine.now())
                )
                at.clock.move(seconds=CLAIM_SECONDS + 1)
            wrote = [
                await at.engine.write(
                    lambda tx, owner=owner: conversation.answer(
                        tx, ANA, message, owner, said, now=at.engine.now(), ids=ids
                    )
                )
                for owner in (one, two)
            ]
            assert wrote == [False, True]

    run(work())


def test_a_model_is_reminded_of_the_last_turns_of_its_conversation_only(tmp_path: Path):
    async def work() -> None:
        fake = Fake(["Vale."])
        async with table(tmp_path, fake) as at:
            for n in range(HISTORY_TURNS + 3):
                await at.say(f"mensaje {n}")
            sent = json.dumps([str(one) for one in fake.asked[-1]])
            assert [n for n in range(HISTORY_TURNS + 3) if f"mensaje {n}'" in sent] == list(
                range(2, HISTORY_TURNS + 3)
            )
            await at.say("aparte", Who("carmona-demo", "ana", "aside", "es"))
            assert len(fake.asked[-1]) == 1

    run(work())


@pytest.mark.no_store
def test_what_a_model_is_reminded_of_has_a_size():
    turns = [memory(f"{n}" + "x" * 9_000, "y") for n in range(30)]
    kept = remembered(turns)
    assert 0 < len(kept) <= 2 * (HISTORY_BYTES // 9_000)
    assert str(kept[-2].parts[0].content).startswith("29")
