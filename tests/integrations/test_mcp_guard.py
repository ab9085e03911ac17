"""A guard in front of an MCP server: what reads goes through, and the rest happens once."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from app import NOW
from ledger_server import Ledger, server
from mcp import Client, MCPError, types
from mcp.client.stdio import StdioServerParameters

import stores
from semel.guard.guard import Guard
from semel.integrations.mcp_guard import Proxy, SameName
from semel.integrations.mcp_policy import parsed
from semel.testing import MovableClock

pytestmark = pytest.mark.only_on("sqlite", "the guard's own tests hold its stores")
MODES = ["auto", "legacy"]
both = pytest.mark.parametrize("mode", MODES)


@asynccontextmanager
async def proxied(
    folder: Path, policy: Mapping[str, Any] | None = None, clock: MovableClock | None = None,
    locale: str = "en",
) -> AsyncIterator[tuple[Ledger, Proxy]]:  # fmt: skip
    """A ledger's server, and a guard before it."""
    ledger = Ledger(folder)
    url = stores.url(folder / "guard.db", "guard")
    with Guard(url, clock=clock or MovableClock(NOW), locale=locale) as guard:
        async with Client(server(ledger)) as upstream:
            proxy = Proxy(upstream, guard, parsed(policy or {}), locale=locale)
            yield ledger, proxy
            await proxy.settle()


def told(result: types.CallToolResult) -> dict[str, Any]:
    """What the guard itself answers."""
    assert result.is_error
    value = json.loads(result.content[0].text)
    assert [*value] == ["status", "says", "next"]
    return value


@both
def test_a_call_happens_once_and_its_repeat_says_when(tmp_path, mode):
    async def main():
        async with proxied(tmp_path) as (ledger, proxy), Client(proxy.server, mode=mode) as one:
            first = await one.call_tool("append_line", {"text": "a"})
            again = await one.call_tool("append_line", {"text": "a"})
            assert first.structured_content == {"line": "a", "number": 1, "share": 0.1}
            assert again.structured_content == first.structured_content
            assert (first.is_error, again.is_error) == (False, False)
            said, *rest = again.content
            assert said.text.startswith("This was already done in this conversation on 19/10/2026")
            assert rest == first.content
            await one.call_tool("append_line", {"text": "b"})
            assert ledger.lines == ["a", "b"]

    asyncio.run(main())


@both
def test_equal_calls_at_once_are_one_call(tmp_path, mode):
    async def main():
        async with proxied(tmp_path) as (ledger, proxy), Client(proxy.server, mode=mode) as one:
            async with Client(proxy.server, mode="auto") as other:
                calls = [each.call_tool("append_line", {"text": "a"}) for each in (one, other) * 5]
                results = await asyncio.gather(*calls)
            assert {json.dumps(one.structured_content) for one in results} == {
                json.dumps(results[0].structured_content)
            }
            assert ledger.lines == ["a"]

    asyncio.run(main())


@both
def test_what_reads_goes_through_as_often_as_it_is_called(tmp_path, mode):
    async def main():
        async with proxied(tmp_path) as (ledger, proxy), Client(proxy.server, mode=mode) as one:
            for number in range(1, 4):
                result = await one.call_tool("read_lines", {})
                assert not result.is_error
                assert len(ledger.lines) == number

    asyncio.run(main())


def test_a_servers_word_that_a_tool_reads_is_not_enough(tmp_path):
    async def main():
        async with proxied(tmp_path) as (ledger, proxy), Client(proxy.server) as one:
            for _ in range(3):
                await one.call_tool("frobnicate", {"text": "a"})
            assert ledger.lines == ["a"]
        async with proxied(tmp_path, {"tools": {"frobnicate": "read"}}) as (ledger, proxy):
            async with Client(proxy.server) as one:
                for _ in range(3):
                    await one.call_tool("frobnicate", {"text": "a"})
            assert ledger.lines == ["a"] * 4

    asyncio.run(main())


@both
def test_a_request_that_comes_again_through_another_guard_gets_the_first_answer(tmp_path, mode):
    async def main():
        answers = []
        for _ in range(3):
            async with proxied(tmp_path) as (ledger, proxy), Client(proxy.server, mode=mode) as one:
                answers.append(await one.call_tool("append_line", {"text": "a"}))
        assert ledger.lines == ["a"]
        assert len({json.dumps(answer.structured_content) for answer in answers}) == 1

    asyncio.run(main())


def test_after_the_window_the_same_call_is_a_new_one(tmp_path):
    async def main():
        clock = MovableClock(NOW)
        policy = {"window": 100, "tools": {"frobnicate": {"window": 10}}}
        async with proxied(tmp_path, policy, clock) as (ledger, proxy), Client(proxy.server) as one:
            for seconds, lines in ((0, 1), (99, 1), (1, 2)):
                clock.move(seconds=seconds)
                await one.call_tool("append_line", {"text": "a"})
                assert ledger.lines.count("a") == lines
            for seconds, lines in ((0, 1), (9, 1), (1, 2)):
                clock.move(seconds=seconds)
                await one.call_tool("frobnicate", {"text": "f"})
                assert ledger.lines.count("f") == lines

    asyncio.run(main())


def test_a_host_that_knows_the_message_says_so_in_meta(tmp_path):
    async def main():
        async with proxied(tmp_path) as (ledger, proxy), Client(proxy.server) as one:
            for message in ("m-1", "m-1", "m-2"):
                await one.call_tool("append_line", {"text": "a"}, meta={"semel/message": message})
            assert ledger.lines == ["a", "a"]
            for bad in ("", " ", 7):
                with pytest.raises(MCPError):
                    await one.call_tool("append_line", {"text": "a"}, meta={"semel/message": bad})
            assert ledger.lines == ["a", "a"]

    asyncio.run(main())


@pytest.mark.parametrize(("way", "lines"), [("error before", 0), ("error after", 1)])
def test_an_error_proves_nothing_and_what_the_server_said_is_passed_on(tmp_path, way, lines):
    async def main():
        async with proxied(tmp_path) as (ledger, proxy), Client(proxy.server) as one:
            ledger.goes(way)
            first = await one.call_tool("append_line", {"text": "a"})
            assert (told(first)["status"], told(first)["next"]) == ("in_doubt", "ask_person")
            assert "The l" in first.content[1].text
            ledger.goes("well")
            again = await one.call_tool("append_line", {"text": "a"})
            assert told(again)["status"] == "in_doubt"
            assert len(ledger.lines) == lines

    asyncio.run(main())


def test_a_policy_may_say_that_a_servers_error_proves_that_nothing_happened(tmp_path):
    async def main():
        policy = {"tools": {"append_line": {"error": "not_done"}}}
        async with proxied(tmp_path, policy) as (ledger, proxy), Client(proxy.server) as one:
            ledger.goes("error before")
            first = await one.call_tool("append_line", {"text": "a"})
            assert told(first)["status"] == "not_done"
            assert "The ledger is closed." in told(first)["says"]
            ledger.goes("well")
            again = await one.call_tool("append_line", {"text": "a"})
            assert again.structured_content["number"] == 1

    asyncio.run(main())


def test_what_the_server_refuses_to_read_was_not_done(tmp_path):
    async def main():
        async with proxied(tmp_path) as (ledger, proxy), Client(proxy.server) as one:
            with pytest.raises(MCPError):
                await one.call_tool("nothing", {"text": "a"})
            assert ledger.lines == []

    asyncio.run(main())


def test_a_key_is_the_guards_and_no_model_sees_it(tmp_path):
    async def main():
        policy = {"tools": {"pay": {"do": "once", "key": "idempotency_key", "ttl": 3600}}}
        async with proxied(tmp_path, policy) as (ledger, proxy), Client(proxy.server) as one:
            tool = next(t for t in (await one.list_tools()).tools if t.name == "pay")
            assert [*tool.input_schema["properties"]] == tool.input_schema["required"] == ["text"]
            await one.call_tool("pay", {"text": "a"})
            # A key of the model's own makes no other call of it.
            await one.call_tool("pay", {"text": "a", "idempotency_key": "k-2"})
            await one.call_tool("pay", {"text": "b"})
            assert [line.split()[0] for line in ledger.lines] == ["a", "b"]
            keys = {line.split()[1] for line in ledger.lines}
            assert len(keys) == 2
            assert "k-2" not in keys

    asyncio.run(main())


def test_a_keyed_call_whose_answer_is_lost_is_made_again_under_the_same_key(tmp_path):
    async def main():
        policy = {"tools": {"pay": {"do": "once", "key": "idempotency_key", "ttl": 3600}}}
        async with proxied(tmp_path, policy) as (ledger, proxy), Client(proxy.server) as one:
            ledger.goes("error after")
            await one.call_tool("pay", {"text": "a"})
            assert len(ledger.lines) >= 1
            assert len(set(ledger.lines)) == 1

    asyncio.run(main())


@both
def test_what_is_refused_is_not_offered_and_not_called(tmp_path, mode):
    async def main():
        policy = {"tools": {"append_line": "refuse"}}
        async with proxied(tmp_path, policy) as (ledger, proxy):
            async with Client(proxy.server, mode=mode) as one:
                names = [tool.name for tool in (await one.list_tools()).tools]
                assert "append_line" not in names
                assert names[-1] == "check_status"
                said = told(await one.call_tool("append_line", {"text": "a"}))
            assert said["status"] == "refused"
            assert (
                said["says"] == "Nothing was done: this server's policy does not allow append_line."
            )
            assert ledger.lines == []

    asyncio.run(main())


def answers(action: str, **content: Any):
    """A person who answers every form like that, and what they were shown."""
    shown: list[str] = []

    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        shown.append(params.message)
        return types.ElicitResult(action=action, content=content or None)

    return shown, answer


@both
def test_what_takes_something_away_is_asked_about_and_done_once(tmp_path, mode):
    async def main():
        shown, answer = answers("accept", confirm=True)
        async with proxied(tmp_path) as (ledger, proxy):
            for _ in range(2):
                async with Client(proxy.server, mode=mode, elicitation_callback=answer) as one:
                    result = await one.call_tool("delete_line", {"text": "a\u202eb"})
                    assert result.structured_content["number"] == 1
            assert ledger.lines == ["- a\u202eb"]
        # It was asked once: the second request got the first one's answer.
        (message,) = shown
        assert message.startswith("Do delete_line, once, with this?\ntext: a")
        assert "\u202e" not in message

    asyncio.run(main())


@both
@pytest.mark.parametrize(
    ("action", "content"),
    [("decline", {}), ("cancel", {}), ("accept", {"confirm": False}), ("accept", {}),
     ("accept", {"confirm": "true"}), ("accept", {"confirm": 1})],
)  # fmt: skip
def test_anything_but_a_yes_does_nothing(tmp_path, mode, action, content):
    async def main():
        _, answer = answers(action, **content)
        async with proxied(tmp_path, locale="es") as (ledger, proxy):
            async with Client(proxy.server, mode=mode, elicitation_callback=answer) as one:
                said = told(await one.call_tool("delete_line", {"text": "a"}))
            assert said["status"] == "cancelled"
            assert said["says"].startswith("No se ha hecho nada: la persona no ha dicho sí")
            assert ledger.lines == []

    asyncio.run(main())


@both
def test_a_client_that_cannot_ask_is_told_what_would_allow_it(tmp_path, mode):
    async def main():
        async with proxied(tmp_path) as (ledger, proxy), Client(proxy.server, mode=mode) as one:
            said = told(await one.call_tool("delete_line", {"text": "a"}))
            assert (said["status"], said["next"]) == ("refused", "ask_person")
            assert said["says"].endswith('can allow it in the policy: delete_line = "once".')
            assert ledger.lines == []
        async with proxied(tmp_path, {"tools": {"delete_line": "once"}}) as (ledger, proxy):
            async with Client(proxy.server, mode=mode) as one:
                await one.call_tool("delete_line", {"text": "a"})
            assert ledger.lines == ["- a"]

    asyncio.run(main())


def test_a_yes_to_one_call_is_none_to_another(tmp_path):
    async def main():
        async with proxied(tmp_path) as (ledger, proxy):
            _, answer = answers("accept", confirm=True)
            async with Client(proxy.server, elicitation_callback=answer) as one:
                call = one.session.call_tool
                yes = {"confirm": types.ElicitResult(action="accept", content={"confirm": True})}
                asked = await call("delete_line", {"text": "a"}, allow_input_required=True)
                assert isinstance(asked, types.InputRequiredResult)
                # The yes of one round, with another call's arguments, and with a state of one's own.
                for state in (asked.request_state, "made up"):
                    with pytest.raises(MCPError):
                        await call(
                            "delete_line", {"text": "b"}, allow_input_required=True,
                            input_responses=yes, request_state=state,
                        )  # fmt: skip
                without = await call(
                    "delete_line", {"text": "b"}, allow_input_required=True, input_responses=yes
                )
                assert isinstance(without, types.InputRequiredResult)
                assert ledger.lines == []
                done = await call(
                    "delete_line", {"text": "a"}, allow_input_required=True,
                    input_responses=yes, request_state=asked.request_state,
                )  # fmt: skip
                assert done.structured_content["number"] == 1
            assert ledger.lines == ["- a"]

    asyncio.run(main())


@both
def test_what_a_cancelled_request_began_is_there_for_the_next_one(tmp_path, mode):
    async def main():
        async with proxied(tmp_path) as (ledger, proxy), Client(proxy.server, mode=mode) as one:
            ledger.goes("slowly")
            call = asyncio.create_task(one.call_tool("append_line", {"text": "a"}))
            await ledger.reached.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            ledger.goes("well")
            again = await one.call_tool("append_line", {"text": "a"})
            assert again.structured_content["number"] == 1
            assert ledger.lines == ["a"]

    asyncio.run(main())


def test_when_the_server_behind_has_died_no_further_call_leaves(tmp_path):
    async def main():
        words = [str(Path(__file__).with_name("ledger_server.py")), str(tmp_path)]
        behind = StdioServerParameters(command=sys.executable, args=words)
        ledger = Ledger(tmp_path)
        ledger.goes("dies")
        with Guard(stores.url(tmp_path / "guard.db", "guard")) as guard:
            async with Client(behind) as upstream:
                proxy = Proxy(upstream, guard, parsed({}))
                async with Client(proxy.server) as one:
                    first = await one.call_tool("append_line", {"text": "a"})
                    second = await one.call_tool("append_line", {"text": "b"})
            ledger.goes("well")
            assert told(first)["status"] == "in_doubt"
            assert told(second)["status"] == "not_done"
            assert "Start the guard again." in told(second)["says"]
            assert ledger.lines == ["a"]

    asyncio.run(main())


def test_a_server_with_a_tool_of_the_guards_own_name_is_refused(tmp_path):
    async def main():
        async with proxied(tmp_path) as (_, inner), Client(inner.server) as upstream:
            await upstream.call_tool("append_line", {"text": "a"})
            with Guard(stores.url(tmp_path / "outer.db", "guard")) as guard:
                with pytest.raises(SameName, match="check_status"):
                    await Proxy(upstream, guard, parsed({})).look()
                # In the other language its own is called otherwise.
                assert (
                    "check_status" in await Proxy(upstream, guard, parsed({}), locale="es").look()
                )

    asyncio.run(main())


def test_a_job_that_is_not_there_is_said(tmp_path):
    async def main():
        async with proxied(tmp_path) as (_, proxy), Client(proxy.server) as one:
            said = told(await one.call_tool("check_status", {"job": "c_none"}))
            assert said["says"] == "There is no such job in this conversation."
            # There is a database by then.
            await one.call_tool("append_line", {"text": "a"})

    asyncio.run(main())
