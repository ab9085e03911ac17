"""The same call again is answered from what the first plan is by now, and always says so."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from agreement import agrees
from decide_bench import (
    DONE,
    Bench,
    act,
    carta,
    cobro,
    crear,
    elsewhere,
    firmar,
    opened,
    states,
    told,
)
from pedidos import ANA

from semel import Ask, Engine, Report
from semel.domain.plan import PROPOSALS_MAX
from semel.testing import interrupt_at

FOUR = crear(), carta(), firmar(), cobro()
GONE = "not_done cancelled"


async def asked(bench: Bench, engine: Engine) -> Any:
    return await bench.asked(engine, *FOUR)


async def finished(bench: Bench, engine: Engine) -> Any:
    return await engine.person(ANA).confirm((await asked(bench, engine)).token)


async def failed(bench: Bench, engine: Engine) -> Any:
    bench.afuera.goes = {"carta.enviar": "refuse"}
    return await finished(bench, engine)


async def stale(bench: Bench, engine: Engine) -> Any:
    ask = await asked(bench, engine)

    def edit() -> None:
        bench.edit(bench.sql("SELECT id FROM notas")[0][0], "Otra")

    with interrupt_at("commit:local:after", edit):
        return await engine.person(ANA).confirm(ask.token)


async def in_doubt(bench: Bench, engine: Engine) -> Any:
    bench.afuera.goes = {"carta.enviar": "lost"}
    return await finished(bench, engine)


async def cancelled(bench: Bench, engine: Engine) -> Any:
    return await engine.person(ANA).cancel((await asked(bench, engine)).view.plan)


async def said_no(bench: Bench, engine: Engine) -> Any:
    await asked(bench, engine)
    return await engine.person(ANA).says("no")


async def cancelled_after_two(bench: Bench, engine: Engine) -> Any:
    ask = await asked(bench, engine)
    with (
        elsewhere(bench) as other,
        interrupt_at("send:before", lambda: other.person(ANA).cancel(ask.view.plan)),
    ):
        return await engine.person(ANA).confirm(ask.token)


async def expired(bench: Bench, engine: Engine) -> Any:
    ask = await asked(bench, engine)
    bench.move(minutes=10)
    return ask


async def expired_and_swept(bench: Bench, engine: Engine) -> Any:
    ask = await expired(bench, engine)
    await engine.sweep()
    return ask


async def retried(bench: Bench, engine: Engine) -> Any:
    report = await failed(bench, engine)
    bench.afuera.goes = {}
    return await engine.person(ANA).retry(report.retry_token)


# What the first plan is by now; what the same call gets, what a model reads in it, and its steps.
TABLE: list[
    tuple[Callable[[Bench, Engine], Awaitable[Any]], tuple[str, str | None], str, list[str]]
]
TABLE = [
    (asked, ("Ask", None), "needs_person", ["waiting"] * 4),
    (finished, DONE, "already_done", ["done"] * 4),
    (failed, ("Report", "failed"), "partial",
     ["done", "not_done refused", *["not_done not_reached"] * 2]),
    (stale, ("Report", "stale"), "partial",
     ["done", "not_done stale", *["not_done not_reached"] * 2]),
    (in_doubt, ("Report", "in_doubt"), "in_doubt",
     ["done", "in_doubt", *["not_done not_reached"] * 2]),
    (cancelled, ("Report", "cancelled"), "cancelled", [GONE] * 4),
    (said_no, ("Report", "cancelled"), "cancelled", [GONE] * 4),
    (cancelled_after_two, ("Report", "cancelled"), "cancelled", ["done"] * 2 + [GONE] * 2),
    (expired, ("Report", "expired"), "expired", ["not_done not_reached"] * 4),
    (expired_and_swept, ("Report", "expired"), "expired", ["not_done not_reached"] * 4),
    (retried, DONE, "already_done", ["done"] * 4),
]  # fmt: skip


@pytest.mark.parametrize(("first", "again", "status", "found"), TABLE)
@pytest.mark.parametrize("instance", ["here", "elsewhere"])
def test_the_same_call_again_gets_what_the_plan_is_by_now_and_runs_nothing(
    tmp_path, first, again, status, found, instance
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            was = await first(bench, engine)
            number = was.view.plan
            sent, notes, signed = bench.afuera.sent(), bench.notes(), bench.signed()
            answers = []
            with elsewhere(bench) as other:
                steps = {"steps": [{"action": name, "input": given} for name, given in FOUR]}
                for _ in range(3):
                    if instance == "here":
                        answers.append(await act(engine, *FOUR))
                    else:
                        answers.append(other.agent.act(ANA, steps, message="m-1"))
            for answer in answers:
                assert (told(answer), answer.replayed) == (again, True)
                assert answer.view.plan == number
                assert states(answer) == found
                read = answer.for_model("es")
                assert read.status == status
                assert read.plan == number
                assert "smlc_" not in str(read.plain())
            assert answers[0] == answers[1] == answers[2]
            if first is asked:
                assert answers[0].token == was.token
                assert answers[0].view.expires_at == was.view.expires_at
            assert (bench.afuera.sent(), bench.notes(), bench.signed()) == (sent, notes, signed)
            assert len(bench.plans()) == 1
            await agrees(engine, number)

    asyncio.run(main())


@pytest.mark.parametrize("first", [expired, cancelled, said_no])
def test_after_a_no_or_no_answer_a_new_message_is_a_new_wish(tmp_path, first):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await first(bench, engine)
            again = await act(engine, *FOUR, message="m-2")
            assert isinstance(again, Ask)
            assert again.view.because == ()
            assert told(await engine.person(ANA).confirm(again.token)) == DONE

    asyncio.run(main())


def test_what_is_undone_is_said_to_be_and_not_done_again(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, crear("uno"), crear("dos"))
            assert told(await engine.person(ANA).undo(done.undo_token)) == DONE
            again = await act(engine, crear("uno"), crear("dos"))
            assert isinstance(again, Report)
            assert again.replayed
            assert again.view.undone_by is not None
            assert "deshac" in again.for_model("es").says
            assert bench.notes() == []

    asyncio.run(main())


def test_superseded_it_is_asked_anew_until_the_message_has_led_to_five(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            for number in range(PROPOSALS_MAX):
                ask = await act(engine, crear(f"nota {number}"), firmar())
                assert isinstance(ask, Ask)
                assert not ask.replayed
            assert bench.plans() == [
                *[("ended", "superseded")] * (PROPOSALS_MAX - 1), ("asking", None)
            ]  # fmt: skip
            assert told(await act(engine, crear("otra"), firmar())) == ("Refused", "too_many")
            assert told(await act(engine, crear("nota 0"), firmar())) == ("Refused", "too_many")
            # The last card stands, its call is a replay, and a new message is free.
            last = await act(engine, crear(f"nota {PROPOSALS_MAX - 1}"), firmar())
            assert (last.replayed, last.token) == (True, ask.token)
            assert isinstance(await act(engine, crear("otra"), firmar(), message="m-2"), Ask)

    asyncio.run(main())


def test_one_question_stands_and_the_ones_before_it_answer_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            tokens = []
            for number in range(4):
                ask = await bench.asked(
                    engine, crear(f"n{number}"), firmar(), message=f"m-{number}"
                )
                tokens.append(ask.token)
                pending = "SELECT count(*) FROM semel_plans WHERE state = 'asking'"
                assert bench.sql(pending) == [(1,)]
            for token in tokens[:-1]:
                assert told(await engine.person(ANA).confirm(token)) == ("Refused", "revoked")
            said = await engine.person(ANA).says("sí")
            assert (told(said), said.view.plan) == (DONE, ask.view.plan)
            assert bench.notes() == ["n3"]

    asyncio.run(main())
