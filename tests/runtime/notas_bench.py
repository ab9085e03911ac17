"""A bench for the runtime's tests: a database, a clock, an outside, and ways to look at them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app import (
    ANA,
    KEYS,
    NOW,
    SQL,
    BorrarMuchas,
    CompletarNota,
    CrearNota,
    EnviarCarta,
    FirmarNota,
    Guion,
    Mundo,
    allow,
)

import stores
from semel import Ask, Clock, Engine, Host, Keyring, Outcome, Tx, Who
from semel.runtime import points
from semel.testing import MovableClock


def plan(*steps: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"steps": [{"action": action, "input": given} for action, given in steps]}


def crear(texto: str = "Logo", importe: object = "500", **more: Any) -> tuple[str, dict[str, Any]]:
    return "nota.crear", {"texto": texto, "importe": importe, **more}


def firmar(nota: str) -> tuple[str, dict[str, Any]]:
    return "nota.firmar", {"nota": nota}


def enviar(nota: str) -> tuple[str, dict[str, Any]]:
    return "carta.enviar", {"nota": nota}


def guion(paso: str = "uno") -> tuple[str, dict[str, Any]]:
    return "nota.guion", {"paso": paso}


@dataclass
class Bench:
    """A folder with a database, a clock, an outside, and the actions on them."""

    folder: Path
    clock: Clock = field(default_factory=lambda: MovableClock(NOW))

    def __post_init__(self) -> None:
        self.mundo = Mundo(self.folder / "cartas.txt")
        self.crear = CrearNota()
        self.guion = Guion()
        self.carta = EnviarCarta(self.mundo)
        self.completar = CompletarNota()

    @property
    def path(self) -> Path:
        return self.folder / "books.db"

    @property
    def url(self) -> str:
        return stores.url(self.path, "notas")

    def engine(
        self, *, keys: Keyring | None = KEYS, host: Host | None = None, clock: Clock | None = None
    ) -> Engine:
        actions = [self.crear, FirmarNota(), BorrarMuchas(), self.completar, self.guion, self.carta]
        return Engine(
            self.url,
            actions,
            allow=allow,
            sql=SQL,
            keys=keys,
            host=host,
            clock=clock or self.clock,
        )

    def move(self, **by: float) -> None:
        assert isinstance(self.clock, MovableClock)
        self.clock.move(**by)

    def sql(self, text: str, *params: object) -> list[tuple[Any, ...]]:
        """Run any SQL from outside, as somebody who goes round the program would."""
        return stores.rows(self.path, text, *params)

    def counts(self) -> dict[str, int]:
        """How many rows each table has, SQLite's own bookkeeping included."""
        return stores.counts(self.path)

    def dump(self, *but: str) -> list[str]:
        """Everything in the database as SQL, without the tables named."""
        return stores.dump(self.path, *but)

    def plans(self) -> list[tuple[str, str | None]]:
        return self.sql("SELECT state, reason FROM semel_plans ORDER BY rowid")

    def steps(self, plan: str | None = None) -> list[tuple[str, str | None]]:
        where = "WHERE plan = ?" if plan else ""
        text = f"SELECT state, reason FROM semel_steps {where} ORDER BY plan, position"
        return self.sql(text, *([plan] if plan else []))

    def events(self, plan: str) -> list[str]:
        return [kind for (kind,) in self.sql(
            "SELECT kind FROM semel_events WHERE plan = ? ORDER BY seq", plan
        )]  # fmt: skip

    def notes(self) -> list[str]:
        return [texto for (texto,) in self.sql("SELECT texto FROM notas ORDER BY texto")]

    async def note(self, engine: Engine, texto: str = "Logo", importe: str = "500") -> str:
        """A note that stood in the books before; its id."""
        id = engine.new_id()
        await engine.write(
            lambda tx: tx.run("notas.insert", org="o-1", id=id, texto=texto, importe=importe)
        )
        return id

    async def asked(
        self, engine: Engine, *steps: tuple[str, dict[str, Any]], message: str = "m-1",
        who: Who = ANA,
    ) -> Ask:  # fmt: skip
        """A plan that asks."""
        outcome = await engine.agent.act(who, plan(*steps), message=message)
        assert isinstance(outcome, Ask), outcome
        assert outcome.token is not None
        return outcome


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[Bench, Engine]]:
    """A bench with an open engine."""
    bench = Bench(folder)
    async with bench.engine() as engine:
        yield bench, engine


async def act(
    engine: Engine, *steps: tuple[str, dict[str, Any]], message: str = "m-1", who: Who = ANA
) -> Outcome:
    return await engine.agent.act(who, plan(*steps), message=message)


def deny(person: str, permission: str) -> Callable[[Tx], int]:
    return lambda tx: tx.run("permisos.deny", org="o-1", person=person, permission=permission)


def reprice(id: str, importe: str) -> Callable[[Tx], int]:
    return lambda tx: tx.run("notas.reprice", org="o-1", id=id, importe=importe)


def told(outcome: Outcome) -> tuple[str, str | None]:
    """An outcome in two words: what it is, and why."""
    view = getattr(outcome, "view", None)
    reason = getattr(outcome, "why", None) or (view.reason if view else None)
    return type(outcome).__name__, str(reason) if reason else None


@contextmanager
def armed(hook: Callable[[str], None]) -> Iterator[None]:
    """Have *hook* told of every point, for tests that one named moment does not serve."""
    points.arm(hook)
    try:
        yield
    finally:
        points.arm(None)


def looks(engine: Engine) -> list[str]:
    """The names of what is looked for from here on before a transaction, or instead of one."""
    store: Any = engine._core.store
    names: list[str] = []

    def noted(real: Callable[..., Any]) -> Callable[..., Any]:
        def ask(statement: str, /, *args: Any, **params: Any) -> Any:
            names.append(statement)
            return real(statement, *args, **params)

        return ask

    store.submit_one = noted(store.submit_one)
    if stores.kind() == "postgres":
        # There a look that a transaction may follow is one job with it.
        store._unless = noted(store._unless)
    return names


async def waited_for(engine: Engine, callers: int) -> None:
    """Let the loop turn until so many callers wait for a plan's end, with no transaction open.

    A clock that is moved while one is open is time that this transaction took.
    """
    await until(lambda: sum(map(len, engine._core.heard._bells.values())) == callers)


async def until(holds: Callable[[], bool]) -> None:
    """Let the loop turn until something holds that no event tells of; a minute at the most."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0)
