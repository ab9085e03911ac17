"""A world for crossings: pedidos in memory, set up once and taken up anew for every schedule."""

import hashlib
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agreement import wrong
from crossing import Crossing, Loop, SwitchedStore, every
from decide_bench import NOW, Fuera
from encargos import Apuntar, Fechar, Guion, Recordar, Tirar
from memory_pedidos import NOTAS, Machine, engine_of, forked, store_of
from pedidos import actions

from semel import SAFE, Engine
from semel.catalog import Catalog
from semel.ports import Entropy
from semel.storage.memory import MemoryStore
from semel.testing import MovableClock


class Counted(Entropy):
    """Chance that is the same every time, so that the same choices lead to the same place."""

    def __init__(self, count: int = 0) -> None:
        self.count = count

    def bytes(self, count: int) -> bytes:
        self.count += 1
        return hashlib.shake_128(str(self.count).encode()).digest(count)


class InMemory(Fuera):
    """The outside without a file; a sending is an operation that can be crossed."""

    def __init__(self) -> None:
        super().__init__(Path())
        self.arrivals: list[dict[str, str]] = []
        self.crossing: Crossing | None = None

    @contextmanager
    def _locked(self) -> Iterator[list[dict[str, str]]]:
        yield self.arrivals

    async def _turn(self) -> None:
        if self.crossing is not None:
            await self.crossing.call()

    async def send(self, action: str, key: str, nota: str) -> str:
        await self._turn()
        return await super().send(action, key, nota)

    async def look(self, action: str, keys: Any) -> str | None:
        await self._turn()
        return await super().look(action, keys)

    async def close(self, action: str, keys: Any) -> None:
        await self._turn()
        await super().close(action, keys)


AFUERA = InMemory()
GUION = Guion()
ACTIONS = [*actions(AFUERA), Apuntar(), Recordar(), Tirar(), Fechar(), GUION]
CATALOG = Catalog(ACTIONS)
RISKS = {action.name: action.asks for action in ACTIONS if hasattr(action, "asks")}


class World:
    """A store, a clock and an outside; *crossing* when what is done in it waits for its turn."""

    def __init__(
        self, store: MemoryStore, clock: MovableClock, entropy: Counted,
        crossing: Crossing | None = None,
    ) -> None:  # fmt: skip
        self.store = store
        self.clock = clock
        self.entropy = entropy
        self.crossing = crossing
        self.dead: set[str] = set()
        self.afuera = AFUERA
        AFUERA.crossing = crossing

    def engine(self, name: str = "one") -> Engine:
        """An engine of a process of that name; they share the store."""
        store = SwitchedStore(self.store, self.crossing) if self.crossing else self.store
        host = Machine(name, self.dead)
        engine = engine_of(store, ACTIONS, self.clock, catalog=CATALOG, host=host)
        engine._core.entropy = self.entropy
        return engine

    def safe(self, action: str) -> None:
        """From here on, in every schedule too, an outside action needs no yes."""
        next(one for one in ACTIONS if one.name == action).asks = SAFE  # type: ignore[attr-defined]  # an outside action of pedidos

    def notes(self, *, gone: int = 0) -> list[str]:
        rows = self.store._tables[NOTAS].all()
        return sorted(str(row["text"]) for row in rows if row["gone"] == gone)

    def signed(self) -> int:
        return sum(int(str(row["signed"])) for row in self.store._tables[NOTAS].all())

    def sends(self, action: str) -> int:
        return self.afuera.arrived(action).total()

    def plans(self) -> list[dict[str, Any]]:
        """Every plan's row, oldest first."""
        rows = self.store.read(lambda tx: tx.all("plans.everywhere", limit=99))
        found = [self.store.read(lambda tx, r=r: tx.one("plans.find", **r)) for r in rows]
        return sorted(found, key=lambda row: str(row["plan"]))

    def steps(self, plan: str, org: str = "o-1") -> list[str]:
        rows = self.store.read(lambda tx: tx.all("steps.of_plan", org=org, plan=plan))
        return [f"{r['state']} {r['reason']}" if r["reason"] else str(r["state"]) for r in rows]

    async def agrees(self) -> None:
        """Assert that every plan tells one story, and that nothing runs without an owner."""
        engine = engine_of(self.store, ACTIONS, self.clock, catalog=CATALOG)
        for row in self.plans():
            detail = await engine.operator.show(str(row["plan"]))
            assert detail is not None
            assert list(wrong(detail)) == [], (detail.plan, detail.steps, detail.events)
        for key, count in AFUERA.arrived().items():
            assert count == 1, key


Play = Callable[["World"], Coroutine[Any, Any, Any]]


def set_up(prepare: Play) -> tuple[World, Any, list[dict[str, str]]]:
    """A world as *prepare* leaves it, what it answered, and what had arrived by then."""
    AFUERA.arrivals, AFUERA.calls, AFUERA.goes, AFUERA.crossing = [], [], {}, None
    clock = MovableClock(NOW)
    world = World(store_of(clock), clock, Counted())
    loop = Loop()
    try:
        answer = loop.run_until_complete(prepare(world))
    finally:
        loop.close()
    return world, answer, AFUERA.arrivals


def crossings(
    prepare: Play, verbs: Callable[[World, Any], list[Coroutine[Any, Any, Any]]],
    judge: Callable[[World, Any, list[Any]], Coroutine[Any, Any, None]],
) -> int:  # fmt: skip
    """Cross *verbs* in every order there is; how many schedules that were.

    Args:
        prepare: makes the world, once, and answers what the verbs need to know of it.
        verbs: the coroutines that cross, for a world of their own.
        judge: asserts what must hold at the end, given what each verb answered.
    """
    began, answer, arrivals = set_up(prepare)
    goes = dict(AFUERA.goes)

    async def play(crossing: Crossing) -> None:
        AFUERA.arrivals, AFUERA.calls, AFUERA.goes = list(arrivals), [], dict(goes)
        clock = MovableClock(began.clock.now())
        world = World(forked(began.store, clock), clock, Counted(began.entropy.count), crossing)
        found = await crossing.run(verbs(world, answer))
        world.crossing = None
        AFUERA.crossing = None
        for one in found:
            if isinstance(one, BaseException):
                raise one
        await judge(world, answer, found)
        await world.agrees()

    try:
        return every(play)
    finally:
        AFUERA.crossing = None
        for action in ACTIONS:
            if action.name in RISKS:
                action.asks = RISKS[action.name]  # type: ignore[attr-defined]  # an outside action of pedidos
