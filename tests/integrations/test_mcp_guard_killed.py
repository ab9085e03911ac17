"""A guard before an MCP server is killed before, in and after a call, and the client comes back."""

import asyncio
import json
from pathlib import Path

import pytest
from ledger_server import Ledger, server
from mcp import Client

import stores
from semel.guard.guard import Guard
from semel.integrations.mcp_guard import Proxy
from semel.integrations.mcp_policy import parsed
from semel.testing.crash import Point, Verdict, matrix

pytestmark = pytest.mark.only_on("sqlite", "the guard's own tests hold its stores")
KEYED = {"do": "once", "key": "idempotency_key", "ttl": 3600}
POLICY = parsed({"tools": {"append_line": "once", "pay": KEYED}})


class Guarded:
    """One call of a tool, until there is an answer."""

    def __init__(self, tool: str) -> None:
        self.name = tool

    def prepare(self, world: Path) -> None:
        with Guard(stores.url(world / "guard.db", "guard")) as guard:
            guard.kit()

    def run(self, world: Path) -> None:
        asyncio.run(self._life(world))

    recover = run
    """The client comes back and issues the same request, under another id."""

    async def _life(self, world: Path) -> None:
        with Guard(stores.url(world / "guard.db", "guard")) as guard:
            async with Client(server(Ledger(world))) as upstream:
                proxy = Proxy(upstream, guard, POLICY)
                async with Client(proxy.server) as one:
                    result = await one.call_tool(self.name, {"text": "a"} | self._key)
                await proxy.settle()
        told = "done" if not result.is_error else json.loads(result.content[0].text)["status"]
        (world / "told").write_text(told, encoding="utf-8")

    @property
    def _key(self) -> dict[str, str]:
        # The server's own schema wants one; the guard puts its own in its place.
        return {"idempotency_key": "mine"} if self.name == "pay" else {}

    def judge(self, world: Path) -> Verdict:
        lines = Ledger(world).lines
        told = (world / "told").read_text(encoding="utf-8")
        # A side that knows keys tells repeats by them.
        happened = len(set(lines)) if self.name == "pay" else len(lines)
        may = {"done": {1}, "in_doubt": {0, 1}, "not_done": {0}}.get(told, set())
        return Verdict(
            duplicates=(f"{lines}",) if happened > 1 else (),
            false=() if happened in may else (f"{told}: {lines}",),
            # Who can be asked again is: a keyed call ends done.
            lost=(f"it ends {told}",) if self.name == "pay" and told != "done" else (),
        )


class Every:
    """Each point of the call; of what follows, the first where a call is made anew."""

    def first(self, scenario: str, points: list[Point]) -> list[Point]:
        return points

    def again(self, scenario: str, killed: Point, points: list[Point]) -> list[Point]:
        return points[:1] if scenario == "pay" else []


def test_a_guard_is_killed_at_every_point_of_a_call(tmp_path):
    said: list[str] = []
    # Its databases are the test's own.
    stores.url(tmp_path / "guard.db", "guard")
    tally = matrix([Guarded("append_line"), Guarded("pay")], Every(), tmp_path / "w", said.append)
    assert tally.held, said
    assert tally.killed >= {
        "call:begin:before", "call:begin:after", "call:send:before", "call:send:after"
    }  # fmt: skip
