"""What each operation costs: round trips, commits and WAL syncs, against docs/performance.md.

They are counted, not timed. An operation that grows fails here; one that shrinks is to be written
into the table, so that it cannot grow back unseen.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from afuera import Afuera
from bench.worlds import work
from pedidos import ANA, open_pedidos

import stores
from semel import Ask, Engine, Who
from semel.storage.postgres.talk import Session
from semel.testing import postgres

pytestmark = pytest.mark.only_on("postgres", "SQLite has no round trips; bench counts its commits")

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
TIMES = 10
"""How often each operation is made: what else the server does in that time is rounded away."""


class Line:
    """Counts what goes over the line while it is on."""

    def __init__(self, monkeypatch) -> None:
        self.trips = self.commits = 0
        talk, execute = Session.talk, Session.execute

        def counted(session, batch, *more):
            self.trips += 1
            answers, error = talk(session, batch, *more)
            # It is the last of its batch, and answered: an error would stand in its place.
            self.commits += error is None and batch[-1][0] == "COMMIT"
            return answers, error

        def plain(session, *args, **more):
            self.trips += 1
            return execute(session, *args, **more)

        monkeypatch.setattr(Session, "talk", counted)
        monkeypatch.setattr(Session, "execute", plain)

    def zero(self) -> None:
        self.trips = self.commits = 0


def steps(*named: tuple[str, dict]) -> dict:
    return {"steps": [{"action": name, "input": given} for name, given in named]}


def who(number: int) -> Who:
    """Each has a conversation of its own: there a newer question takes nobody's place."""
    return Who(ANA.org, ANA.person, f"c-{number}", "es")


async def note(engine: Engine, number: int) -> str:
    """The id of a note that stands in the books."""
    plan = steps(("nota.crear", {"text": f"Nota {number}"}))
    report = await engine.agent.act(who(number), plan, message=f"note-{number}")
    return report.view.steps[0].id or await engine.read(
        lambda tx: str(tx.all("notas.like", org=ANA.org, text=f"Nota {number}", since="")[-1]["id"])
    )


def ask_of(action: str):
    async def asked(engine: Engine, number: int) -> Ask:
        plan = steps((action, {"nota": await note(engine, number)}))
        return await engine.agent.act(who(number), plan, message=f"ask-{number}")

    return asked


async def confirmed(engine: Engine, number: int, ask: Ask) -> None:
    outcome = await engine.person(who(number)).confirm(ask.token)
    assert outcome.for_model("en").status == "done", outcome


async def proposed(engine: Engine, number: int, id: str) -> None:
    plan = steps(("nota.firmar", {"nota": id}))
    assert isinstance(await engine.agent.act(who(number), plan, message=f"p-{number}"), Ask)


async def four(engine: Engine, number: int, _: object) -> None:
    plan = steps(*(("nota.crear", {"text": f"{number} {n}"}) for n in range(4)))
    outcome = await engine.agent.act(who(number), plan, message=f"four-{number}")
    assert outcome.for_model("en").status == "done", outcome


async def replayed(engine: Engine, number: int, ask: Ask) -> None:
    plan = steps(("nota.crear", {"text": f"Nota {number}"}))
    outcome = await engine.agent.act(who(number), plan, message=f"note-{number}")
    assert outcome.replayed


async def status(engine: Engine, number: int, ask: Ask) -> None:
    assert (await engine.agent.status(who(number), ask.view.plan)).view.plan == ask.view.plan


async def nothing(engine: Engine, number: int) -> None:
    return None


async def once(engine: Engine, number: int, _: object) -> None:
    def work(tx):
        tx.run("notas.add", org=ANA.org, id=f"o-{number}", text="Una", now="2026-10-19")
        return number

    assert await engine.once(f"k-{number}", work, org=ANA.org) == number


async def after_once(engine: Engine, number: int) -> None:
    await once(engine, number, None)


OPERATIONS: dict[str, tuple[Callable[..., Awaitable[object]], Callable[..., Awaitable[None]]]] = {
    "propose a plan that asks": (note, proposed),
    "propose and do four safe Local steps": (nothing, four),
    "propose again: a replay": (note, replayed),
    "status": (ask_of("nota.firmar"), status),
    "a yes, and its Local step": (ask_of("nota.firmar"), confirmed),
    "a yes, and its Keyed step": (ask_of("cobro.hacer"), confirmed),
    "a yes, and its Checked step": (ask_of("reserva.hacer"), confirmed),
    "a yes, and its Checked(void=True) step": (ask_of("vuelo.reservar"), confirmed),
    "a yes, and its Opaque step": (ask_of("carta.enviar"), confirmed),
    "once, with a fresh key": (nothing, once),
    "once: a replay": (after_once, once),
}


def promised() -> dict[str, tuple[int, int, int]]:
    """The table of the page: round trips, commits and WAL syncs of each operation."""
    row = re.compile(r"^\| ([^|]+?) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)
    return {name: (int(a), int(b), int(c)) for name, a, b, c in row.findall(PAGE.read_text())}


async def cost(world: Path, line: Line, url: str, name: str) -> tuple[int, int, int]:
    prepare, operate = OPERATIONS[name]

    async def with_engine(work):
        engine = open_pedidos(world, Afuera(world / "outside"))
        await engine.start(sweeps=False)
        try:
            return await work(engine)
        finally:
            await engine.stop()

    async def prepared(engine):
        return [await prepare(engine, number) for number in range(TIMES + 1)]

    async def operated(engine):
        # The first one makes the connections, and prepares the statements.
        await operate(engine, TIMES, given[TIMES])
        trips = []
        for number in range(TIMES):
            line.zero()
            await operate(engine, number, given[number])
            await engine.settle()
            trips.append((line.trips, line.commits))
        return trips

    given = await with_engine(prepared)
    before = work(url)["wal_syncs"]
    trips = await with_engine(operated)
    made = work(url)["wal_syncs"] - before
    # What tidies a session comes after the answer, and may count for the next one.
    each = [round(sum(counts) / TIMES) for counts in zip(*trips, strict=True)]
    return each[0], each[1], round(made / (TIMES + 1))


def test_each_operation_costs_what_the_page_says(tmp_path, monkeypatch):
    found = {}
    with postgres(tmp_path / "server") as server, monkeypatch.context() as inside:
        line = Line(inside)
        inside.setenv(stores.SERVER, server.url)
        try:
            for name in OPERATIONS:
                world = tmp_path / f"world {len(found)}"
                world.mkdir()
                found[name] = asyncio.run(cost(world, line, server.url, name))
        finally:
            for path in [*stores.given()]:
                stores.forget(path)
    for name, costs in found.items():
        print(f"| {name} | {' | '.join(map(str, costs))} |")
    assert found == promised()
