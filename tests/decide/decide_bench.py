"""A bench for the tests of decisions: a database, a clock, an outside, and ways to look at them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from afuera import Afuera
from encargos import Apuntar, Fechar, Guion, Recordar, Tirar
from pedidos import ANA, SQL, actions, allow

import stores
from semel import Action, Ask, Engine, Keyring, Outcome, Who
from semel.runtime import points
from semel.sync import Sync
from semel.testing import MovableClock

NOW = datetime(2026, 10, 19, 8, 0, tzinfo=UTC)
KEYS = Keyring((("k1", b"1" * 32),))
EVA = Who("o-1", "eva", "c-1", "es")
DONE = ("Report", "finished")

Step = tuple[str, dict[str, Any]]


class Fuera(Afuera):
    """The outside; what has hung goes on as *then* says."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.then: dict[str, str] = {}

    async def send(self, action: str, key: str, nota: str) -> str:
        if self.goes.get(action) == "hang" and action in self.then:
            self.hanging.set()
            while not self.released.is_set():
                try:
                    await self.released.wait()
                except asyncio.CancelledError:
                    # A request on its way does not come back because its caller stopped waiting.
                    continue
            self.goes[action] = self.then[action]
        return await super().send(action, key, nota)

    def sent(self, action: str | None = None) -> int:
        """How often this process has sent."""
        return sum(verb == "send" and action in {None, name} for verb, name in self.calls)


@dataclass
class Bench:
    """A folder with a database, a clock, an outside, and the actions on them."""

    folder: Path
    clock: MovableClock = field(default_factory=lambda: MovableClock(NOW))

    def __post_init__(self) -> None:
        self.afuera = Fuera(self.folder / "afuera.jsonl")
        self.guion = Guion()
        self.actions: list[Action] = [
            *actions(self.afuera),
            Apuntar(),
            Recordar(),
            Tirar(),
            Fechar(),
            self.guion,
        ]

    @property
    def path(self) -> Path:
        return self.folder / "pedidos.db"

    def engine(self) -> Engine:
        """An engine of its own on the one file; all of them share actions and outside."""
        return Engine(
            stores.url(self.path, "pedidos"), self.actions, allow=allow, sql=SQL, keys=KEYS,
            clock=self.clock,
        )  # fmt: skip

    def asks(self, name: str, risk: Any) -> None:
        """From here on an outside action has this risk."""
        for action in self.actions:
            if action.name == name:
                action.asks = risk  # type: ignore[attr-defined]  # an outside action of pedidos

    def move(self, **by: float) -> None:
        self.clock.move(**by)

    def sql(self, text: str, *params: object) -> list[tuple[Any, ...]]:
        """Run any SQL from outside, as somebody else's program would."""
        return stores.rows(self.path, text, *params)

    def edit(self, id: str, text: str) -> None:
        """Somebody changes a note."""
        done = self.sql(
            "UPDATE notas SET text = ?, version = version + 1 WHERE id = ? RETURNING id", text, id
        )
        assert done == [(id,)]

    def deny(self, permission: str, person: str = "ana") -> None:
        """From here on a person may not."""
        self.sql("INSERT INTO negados VALUES ('o-1', ?, ?)", person, permission)

    def allow_again(self, permission: str) -> None:
        self.sql("DELETE FROM negados WHERE permission = ?", permission)

    def notes(self) -> list[str]:
        """The words of the notes that are there."""
        rows = self.sql("SELECT text FROM notas WHERE gone = 0 ORDER BY text")
        return [text for (text,) in rows]

    def signed(self) -> int:
        """How often notes were signed."""
        return self.sql("SELECT coalesce(sum(signed), 0) FROM notas")[0][0]

    def plans(self) -> list[tuple[str, str | None]]:
        return self.sql("SELECT state, reason FROM semel_plans ORDER BY rowid")

    def steps(self, plan: str) -> list[tuple[str, str | None]]:
        return self.sql(
            "SELECT state, reason FROM semel_steps WHERE plan = ? ORDER BY position", plan
        )

    def events(self, plan: str) -> list[str]:
        rows = self.sql("SELECT kind FROM semel_events WHERE plan = ? ORDER BY seq", plan)
        return [kind for (kind,) in rows]

    def dump(self, *but: str) -> list[str]:
        """Everything in the database as SQL, without the tables named."""
        return stores.dump(self.path, *but)

    async def note(self, engine: Engine, text: str = "Antes") -> str:
        """A note that stood in the books for a day; its id."""
        id = engine.new_id()
        await engine.write(
            lambda tx: tx.run("notas.add", org="o-1", id=id, text=text, now="2026-10-18T08:00:00Z")
        )
        return id

    async def asked(
        self, engine: Engine, *steps: Step, message: str = "m-1", who: Who = ANA
    ) -> Ask:
        """A plan that asks."""
        outcome = await engine.agent.act(who, plan(*steps), message=message)
        assert isinstance(outcome, Ask), outcome
        assert outcome.token is not None
        return outcome


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[Bench, Engine]]:
    """A bench with an open engine that does not sweep by itself."""
    bench = Bench(folder)
    async with running(bench) as engine:
        yield bench, engine


@asynccontextmanager
async def running(bench: Bench) -> AsyncIterator[Engine]:
    """One more engine of a bench; a test says when it sweeps."""
    engine = bench.engine()
    await engine.start(sweeps=False)
    try:
        yield engine
    finally:
        # A test that failed must not leave a sending behind that nobody ends.
        bench.afuera.released.set()
        await engine.stop()


@contextmanager
def elsewhere(bench: Bench) -> Iterator[Sync]:
    """Another engine on the same file, in a thread of its own, for moments that cannot wait."""
    engine = bench.engine()
    engine._sweep_on = _never  # type: ignore[method-assign]  # this engine sweeps when told
    with engine.sync as face:
        yield face


async def _never() -> None:
    """It does not sweep by itself."""


def plan(*steps: Step) -> dict[str, Any]:
    return {"steps": [{"action": action, "input": given} for action, given in steps]}


def crear(text: str = "Logo") -> Step:
    return "nota.crear", {"text": text}


def editar(nota: str, text: str) -> Step:
    return "nota.editar", {"nota": nota, "text": text}


def firmar(nota: str = "$1") -> Step:
    return "nota.firmar", {"nota": nota}


def fuera(action: str, nota: str = "$1") -> Step:
    return action, {"nota": nota}


def tirar(nota: str) -> Step:
    return "nota.tirar", {"nota": nota}


def carta(nota: str = "$1") -> Step:
    return fuera("carta.enviar", nota)


def cobro(nota: str = "$1") -> Step:
    return fuera("cobro.hacer", nota)


def avisar(nota: str, dias: int = 5) -> Step:
    return "nota.avisar", {"nota": nota, "dias": dias}


def recordar(nota: str, dias: int = 5) -> Step:
    return "nota.recordar", {"nota": nota, "dias": dias}


def apuntar(text: str = "Logo", dias: int = 5) -> Step:
    return "nota.apuntar", {"text": text, "dias": dias}


def guion(paso: str = "uno") -> Step:
    return "nota.guion", {"paso": paso}


async def act(engine: Engine, *steps: Step, message: str = "m-1", who: Who = ANA) -> Outcome:
    return await engine.agent.act(who, plan(*steps), message=message)


def told(outcome: Outcome) -> tuple[str, str | None]:
    """An outcome in two words: what it is, and why."""
    view = getattr(outcome, "view", None)
    reason = getattr(outcome, "why", None) or (view.reason if view else None)
    return type(outcome).__name__, str(reason) if reason else None


def states(outcome: Outcome) -> list[str]:
    """The state of each step in an outcome's view, with its reason where there is one."""
    return [f"{s.state} {s.reason}" if s.reason else str(s.state) for s in outcome.view.steps]


@contextmanager
def armed(hook: Callable[[str], None]) -> Iterator[None]:
    """Have *hook* told of every point, for tests that one named moment does not serve."""
    points.arm(hook)
    try:
        yield
    finally:
        points.arm(None)
