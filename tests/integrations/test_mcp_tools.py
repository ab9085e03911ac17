"""The one tool over MCP, both revisions, a client and a server in one process."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from app import ANA, LUIS
from mcp import Client, MCPError
from notas_bench import Bench, crear, enviar, firmar, opened, plan

from semel import SAFE, Who
from semel.domain.consent import TOKEN_PREFIX
from semel.integrations.mcp import Served
from semel.integrations.tool import ELSEWHERE, LOST

MODES = ["auto", "legacy"]
"""What the SDK's client speaks: the revision of 2026-07-28, and the handshake before it."""
both = pytest.mark.parametrize("mode", MODES)
NOTE = plan(crear("Logo"))
RISKY = plan(crear("Logo", urgente=True))


@asynccontextmanager
async def client(
    folder: Path, mode: str = "auto", who: Who = ANA
) -> AsyncIterator[tuple[Bench, Any, Client]]:
    """A bench, its engine, and a client of its server."""
    async with opened(folder) as (bench, engine):
        served = Served(engine.agent, who)
        async with Client(served.server, mode=mode) as one:
            yield bench, engine, one
        await served.settle()


async def told(one: Client, given: object, **more: Any) -> dict[str, Any]:
    """What a model reads of a call of the tool: its text, which the structure repeats."""
    result = await one.call_tool("actuar", given, **more)  # type: ignore[arg-type]  # a hostile client sends anything
    assert not result.is_error
    (content,) = result.content
    value = json.loads(content.text)
    assert value == result.structured_content
    assert [*value] == ["status", "says", "next", "plan"]
    return value


@both
def test_a_server_has_two_tools_in_the_persons_language(tmp_path, mode):
    async def main():
        async with client(tmp_path, mode) as (_, engine, one):
            act, status = (await one.list_tools()).tools
            assert (act.name, status.name) == ("actuar", "consultar_estado")
            assert act.input_schema == engine.agent.schema()
            assert [*status.input_schema["properties"]] == ["plan"]
            assert (act.annotations.read_only_hint, status.annotations.read_only_hint) == (
                False,
                True,
            )
            english = Served(engine.agent, Who("o-1", "ana", "c-1", "en"))
            async with Client(english.server, mode=mode) as other:
                names = [tool.name for tool in (await other.list_tools()).tools]
                assert names == ["act", "check_status"]
                done = await other.call_tool("act", NOTE)
                assert done.structured_content["says"].startswith("Done: ")

    asyncio.run(main())


@both
def test_a_safe_plan_runs_at_once_and_a_repeat_says_when(tmp_path, mode):
    async def main():
        async with client(tmp_path, mode) as (bench, _, one):
            first, again = await told(one, NOTE), await told(one, NOTE)
            assert (first["status"], again["status"]) == ("done", "already_done")
            assert first["plan"] == again["plan"]
            assert "19/10/2026" in again["says"]
            assert bench.notes() == ["Logo"]
            looked = await one.call_tool("consultar_estado", {"plan": first["plan"]})
            assert looked.structured_content["status"] == "done"

    asyncio.run(main())


@both
def test_equal_calls_at_once_are_one_plan(tmp_path, mode):
    async def main():
        async with client(tmp_path, mode) as (bench, _, one):
            spelled = [NOTE, plan(crear("Logo", "500.00")), plan(crear("Logo", 500))] * 4
            answers = await asyncio.gather(*(told(one, each) for each in spelled))
            assert len({answer["plan"] for answer in answers}) == 1
            assert sorted(answer["status"] for answer in answers) == ["already_done"] * 11 + [
                "done"
            ]
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


@both
def test_a_request_that_is_issued_again_on_another_connection_gets_the_first_answer(tmp_path, mode):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            answers = []
            for other in (mode, *MODES):
                # Another connection, and another server: only the database is the same.
                async with Client(Served(engine.agent, ANA).server, mode=other) as one:
                    answers += [await told(one, NOTE), await told(one, RISKY)]
            assert {answer["plan"] for answer in answers[0::2]} == {answers[0]["plan"]}
            assert [answer["status"] for answer in answers[0::2]] == ["done", *["already_done"] * 2]
            assert {answer["plan"] for answer in answers[1::2]} == {answers[1]["plan"]}
            assert {answer["status"] for answer in answers[1::2]} == {"needs_person"}
            assert len(bench.plans()) == 2

    asyncio.run(main())


@both
def test_a_question_is_answered_elsewhere_and_no_token_passes_here(tmp_path, mode):
    async def main():
        async with client(tmp_path, mode) as (bench, engine, one):
            asked = await told(one, RISKY)
            assert (asked["status"], asked["next"]) == ("needs_person", "wait_person")
            assert asked["says"].endswith(ELSEWHERE["es"])
            assert bench.notes() == []
            person = engine.person(ANA)
            token = (await person.status(asked["plan"])).token
            # As text, as an argument, as a plan: a token is worth nothing on this side.
            for given in ({"token": token}, {"steps": [token]}, {"steps": [], "confirm": token}):
                assert (await told(one, given))["status"] == "invalid"
            looked = await one.call_tool("consultar_estado", {"plan": token})
            assert looked.structured_content["status"] == "refused"
            assert bench.notes() == []
            await person.confirm(token)
            done = await told(one, RISKY)
            assert (done["status"], done["plan"]) == ("already_done", asked["plan"])
            assert bench.notes() == ["Logo"]
            for answer in (asked, done, looked.structured_content):
                assert TOKEN_PREFIX not in json.dumps(answer)
                assert token.removeprefix(TOKEN_PREFIX) not in json.dumps(answer)

    asyncio.run(main())


FORGED: Sequence[dict[str, Any]] = [
    {"person": "luis"}, {"org": "o-2"}, {"who": {"org": "o-2", "person": "eva"}}, {"as": "eva@o-2"},
    {"conversation": "c-2"}, {"message": "m-2"}, {"semel/message": "m-2"}, {"confirmed": True},
    {"_meta": {"semel/message": "m-2"}}, {"token": f"{TOKEN_PREFIX}{'A' * 32}"}, {"sentence": "yes"},
]  # fmt: skip


@pytest.mark.parametrize("forged", FORGED, ids=lambda forged: next(iter(forged)))
def test_who_asks_and_for_what_message_is_no_argument(tmp_path, forged):
    async def main():
        async with client(tmp_path) as (bench, _, one):
            before = bench.dump()
            within = plan(crear("Logo", **forged))
            beside = plan(crear("Logo"))
            beside["steps"][0] |= forged
            for given in (NOTE | forged, within, beside):
                assert (await told(one, given))["status"] == "invalid"
            with pytest.raises(MCPError):
                await one.call_tool("consultar_estado", {"plan": "p_1"} | forged)
            assert bench.dump() == before

    asyncio.run(main())


def test_another_persons_plan_does_not_exist(tmp_path):
    async def main():
        async with client(tmp_path) as (bench, engine, one):
            theirs = await engine.agent.act(LUIS, NOTE, message="m-1")
            looked = await one.call_tool("consultar_estado", {"plan": theirs.view.plan})
            nobodys = await one.call_tool("consultar_estado", {"plan": "p_none"})
            assert looked.structured_content == nobodys.structured_content
            assert looked.structured_content["status"] == "refused"
            # And their plan is not taken for this person's request.
            assert (await told(one, NOTE))["status"] == "done"
            assert bench.notes() == ["Logo", "Logo"]

    asyncio.run(main())


@both
def test_a_host_that_knows_the_message_says_so_in_meta(tmp_path, mode):
    async def main():
        async with client(tmp_path, mode) as (bench, engine, one):
            meta = {"semel/message": "m-1", "semel/sentence": "apunta el logo"}
            first = await told(one, NOTE, meta=meta)
            again = await told(one, NOTE, meta=meta)
            assert (again["plan"], again["status"]) == (first["plan"], "already_done")
            # Whoever came by another channel with that message meets the same plan.
            same = await engine.agent.act(ANA, NOTE, message="m-1")
            assert (same.replayed, same.view.plan) == (True, first["plan"])
            # Another plan of that message asks, whatever its own risk; another message is new.
            further = await told(one, plan(crear("Logotipo")), meta=meta)
            assert further["status"] == "needs_person"
            other = await told(one, NOTE, meta={"semel/message": "m-2"})
            assert (other["status"], other["plan"] == first["plan"]) == ("done", False)
            kept = bench.sql("SELECT sentence FROM semel_plans WHERE plan = ?", first["plan"])
            assert kept == [("apunta el logo",)]

    asyncio.run(main())


@pytest.mark.parametrize("name", ["semel/message", "semel/sentence"])
@pytest.mark.parametrize("value", ["", "  ", 7, True, ["m-1"], {"id": "m-1"}])
def test_a_message_that_is_no_text_is_refused_and_not_guessed_at(tmp_path, name, value):
    async def main():
        async with client(tmp_path) as (bench, _, one):
            bench.dump()
            with pytest.raises(MCPError, match=name):
                await one.call_tool("actuar", NOTE, meta={name: value})
            assert bench.plans() == []

    asyncio.run(main())


def test_what_no_tool_takes_is_refused(tmp_path):
    async def main():
        async with client(tmp_path) as (bench, _, one):
            bench.dump()
            for name, given in (
                ("act", NOTE), ("confirm", {"token": "x"}), ("consultar_estado", {}),
                ("consultar_estado", {"plan": 7}), ("consultar_estado", {"plan": None}),
            ):  # fmt: skip
                with pytest.raises(MCPError):
                    await one.call_tool(name, given)
            for given in ({}, None, {"steps": []}, {"steps": [{"action": "nada", "input": {}}]}):
                assert (await told(one, given))["status"] == "invalid"
            assert bench.plans() == []

    asyncio.run(main())


@both
def test_what_a_cancelled_request_began_is_there_for_the_next_one(tmp_path, mode):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.carta.asks, bench.mundo.goes = SAFE, "hang"
            letter = plan(crear("Logo"), enviar("$1"))
            served = Served(engine.agent, ANA)
            async with Client(served.server, mode=mode) as one:
                call = asyncio.create_task(one.call_tool("actuar", letter))
                await bench.mundo.hanging.wait()
                call.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await call
                bench.mundo.released.set()
                answer = await told(one, letter)
            assert answer["status"] == "already_done"
            assert len(bench.mundo.letters) == bench.mundo.sends == 1
            await served.settle()

    asyncio.run(main())


def test_a_client_that_goes_away_stops_nothing_that_began(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.carta.asks, bench.mundo.goes = SAFE, "hang"
            letter = plan(crear("Logo"), enviar("$1"))
            served = Served(engine.agent, ANA)
            async with Client(served.server, mode="legacy") as one:
                call = asyncio.create_task(one.call_tool("actuar", letter))
                await bench.mundo.hanging.wait()
            with pytest.raises((MCPError, asyncio.CancelledError)):
                await call
            bench.mundo.released.set()
            await served.settle()
            assert len(bench.mundo.letters) == 1
            async with Client(served.server, mode="legacy") as one:
                assert (await told(one, letter))["status"] == "already_done"
            assert bench.mundo.sends == 1

    asyncio.run(main())


def test_a_doubt_stays_one_however_often_it_is_asked_for(tmp_path):
    async def main():
        async with client(tmp_path) as (bench, _, one):
            bench.carta.asks, bench.mundo.goes = SAFE, "break"
            letter = plan(crear("Logo"), enviar("$1"))
            first = await told(one, letter)
            bench.move(days=2)
            again = await told(one, letter)
            assert (first["status"], again["status"]) == ("in_doubt", "in_doubt")
            assert first["plan"] == again["plan"]
            assert bench.mundo.sends == 1

    asyncio.run(main())


@both
def test_without_the_database_a_model_reads_a_sentence_and_the_log_the_reason(
    tmp_path, mode, caplog
):
    async def main():
        async with client(tmp_path, mode) as (bench, engine, one):
            bench.dump()
            engine._core.store.close()
            with caplog.at_level(logging.ERROR, "semel"):
                result = await one.call_tool("actuar", NOTE)
            assert result.is_error
            assert [content.text for content in result.content] == [LOST["es"]]
            assert "A call could not be answered." in caplog.text
            assert "Traceback" not in result.model_dump_json()

    asyncio.run(main())


def test_signing_what_the_same_plan_makes_asks_once(tmp_path):
    async def main():
        async with client(tmp_path) as (bench, engine, one):
            both_steps = plan(crear("Logo"), firmar("$1"))
            answers = await asyncio.gather(*(told(one, both_steps) for _ in range(5)))
            assert {answer["status"] for answer in answers} == {"needs_person"}
            assert len({answer["plan"] for answer in answers}) == 1
            await engine.person(ANA).says("sí")
            assert (await told(one, both_steps))["status"] == "already_done"
            assert bench.notes() == ["Logo"]

    asyncio.run(main())
