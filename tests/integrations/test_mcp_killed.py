"""A server is killed at every point of a call, and the client comes back: one effect, and the truth."""

import asyncio
import json
from pathlib import Path

import pytest
from app import ANA
from mcp import Client
from notas_bench import Bench, crear, enviar, plan

import stores
from semel import SAFE
from semel.integrations.mcp import Served
from semel.testing.crash import Point, Verdict, fork, matrix

LETTER = plan(crear("Logo"), enviar("$1"))
ENDS = {"done": {1}, "already_done": {1}, "in_doubt": {0, 1}, "partial": {0}}
"""By what the client reads in the end, how many letters there may be."""


class Called:
    """A note and a letter that asks for nothing, by a client that calls until it has an answer."""

    def __init__(self, mode: str, template: Path) -> None:
        self.name = f"over_mcp_{mode}"
        self._mode = mode
        self._template = template

    def prepare(self, world: Path) -> None:
        stores.copies(self._template, world)

    def run(self, world: Path) -> None:
        asyncio.run(self._life(world))

    recover = run
    """The client comes back and issues the same request, under another id."""

    async def _life(self, world: Path) -> None:
        bench = Bench(world)
        bench.carta.asks = SAFE
        async with bench.engine() as engine:
            served = Served(engine.agent, ANA)
            async with Client(served.server, mode=self._mode) as one:
                answer = await one.call_tool("actuar", LETTER)
            await served.settle()
        (world / "told").write_text(json.dumps(answer.structured_content), encoding="utf-8")

    def judge(self, world: Path) -> Verdict:
        bench = Bench(world)
        letters, notes = bench.mundo.letters, bench.notes()
        duplicates = [f"{len(one)} of {one[0]}" for one in (letters, notes) if len(one) > 1]
        duplicates += [f"{len(bench.plans())} plans"] if len(bench.plans()) > 1 else []
        told = json.loads((world / "told").read_text(encoding="utf-8"))
        status = told["status"]
        lost = [] if status in ENDS else [f"it ends with {told}"]
        false = [] if len(letters) in ENDS.get(status, {0, 1}) else [f"{told}, {letters}"]
        return Verdict(tuple(duplicates), tuple(false), tuple(lost))


class Draw:
    """Before and after each commit and each send; after a send, the next server dies as well."""

    def first(self, scenario: str, points: list[Point]) -> list[Point]:
        drawn = [point for point in points if not point[0].startswith(("statement:", "app:"))]
        return drawn if scenario.endswith("auto") else drawn[::4]

    def again(self, scenario: str, killed: Point, points: list[Point]) -> list[Point]:
        return [point for point in points if killed[0] == "send:after"][:1]


@pytest.fixture
def called(tmp_path):
    async def make() -> None:
        async with Bench(tmp_path / "template").engine():
            pass

    (tmp_path / "template").mkdir()
    assert fork(lambda: asyncio.run(make())) == 0
    return lambda mode: Called(mode, tmp_path / "template")


def test_a_server_is_killed_at_every_point_of_a_call(tmp_path, called):
    said: list[str] = []
    tally = matrix([called("auto"), called("legacy")], Draw(), tmp_path / "worlds", said.append)
    assert tally.held, said
    names = {name.rpartition(":")[0] for name in tally.killed}
    assert names >= {
        "commit:propose",
        "commit:local",
        "commit:mark",
        "commit:made",
        "prepare",
        "send",
    }
