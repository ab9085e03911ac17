"""A bench for doubts: a database, a clock, an outside, and what is stored of a plan's sends."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pedidos
from afuera import Afuera
from pedidos import ANA, OUTSIDE, open_pedidos

import stores
from semel import Ask, Engine, Host, Keyring, Outcome, Who
from semel.runtime import core, points, resolve
from semel.runtime import run as running
from semel.testing import MovableClock

NOW = datetime(2026, 10, 19, 8, 0, tzinfo=UTC)
KEYS = Keyring((("k1", b"1" * 32),))
CARTA, COBRO, RESERVA, VUELO = OUTSIDE
SOON = 0.02
"""A deadline, in seconds, for what never comes back."""
SETTLED = 91
"""Seconds after which the bounds of a send have passed: its deadline, its delivery bound, and one."""
GIVES_UP = 31
"""Seconds after which nobody waits for a sending any more: the deadline of each, and one."""
DUE = 66
"""Seconds after which a plan whose owner has gone may be taken over, with one to spare."""

Step = tuple[str, dict[str, Any]]


class Process(Host):
    """A process of this name; it holds those for dead whom it was told of."""

    def __init__(self, name: str, *dead: str) -> None:
        self.name = name
        self.dead = set(dead)

    @property
    def identity(self) -> str:
        return self.name

    def is_dead(self, identity: str) -> bool:
        return identity in self.dead


class MovableLoop(asyncio.SelectorEventLoop):
    """A loop that can be told that time has passed."""

    moved = 0.0

    def time(self) -> float:
        return super().time() + self.moved


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run a test on a loop whose deadlines pass when they are told to."""
    with asyncio.Runner(loop_factory=MovableLoop) as runner:
        runner.run(work)


def crear(text: str = "Nueva") -> Step:
    return "nota.crear", {"text": text}


def firmar(nota: str) -> Step:
    return "nota.firmar", {"nota": nota}


def does(action: str, nota: str) -> Step:
    return action, {"nota": nota}


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


def elsewhere(work: Coroutine[Any, Any, Any]) -> None:
    """Do *work* on a loop of its own, as another process would, before this one goes on."""
    thread = threading.Thread(target=lambda: asyncio.run(work))
    thread.start()
    thread.join()


async def until(holds: Callable[[], bool]) -> None:
    """Let the loop turn until something holds that no event tells of; a minute at the most."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0)


async def dies_at(engine: Engine, point: str, work: Coroutine[Any, Any, Any]) -> None:
    """Let a process do *work* and come no further than *point*: nothing is written from there on."""
    dead = False

    def dies(name: str) -> None:
        nonlocal dead
        dead = dead or name == point
        if dead:
            raise asyncio.CancelledError

    with armed(dies):
        await asyncio.gather(work, return_exceptions=True)
        await until(lambda: not engine._core.running and not engine._core.background)
    assert dead, f"{point} was not passed."


@dataclass
class Banco:
    """A folder with a database, a clock and an outside."""

    folder: Path
    clock: MovableClock = field(default_factory=lambda: MovableClock(NOW))

    def __post_init__(self) -> None:
        self.afuera = Afuera(self.folder / "afuera.txt")
        self.actions = {one.name: one for one in pedidos.actions(self.afuera)}

    def engine(self, host: Host | None = None, clock: MovableClock | None = None) -> Engine:
        """One more process on the same database; the actions and the outside are shared."""
        return open_pedidos(
            self.folder, self.afuera, list(self.actions.values()),
            keys=KEYS, host=host, clock=clock or self.clock,
        )  # fmt: skip

    def effect(self, action: str, **changed: Any) -> None:
        """Let an action's effect differ: another deadline, another window."""
        one: Any = self.actions[action]
        one.effect = replace(one.effect, **changed)

    def impatient(self) -> None:
        """Let the deadline of every sending that hangs pass at once; the clock stands."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, MovableLoop)

        def passes() -> None:
            loop.moved += GIVES_UP

        self.afuera.on_hang = passes

    def sql(self, text: str, *params: object) -> list[tuple[Any, ...]]:
        """Run any SQL from outside, as somebody who goes round the program would."""
        return stores.rows(self.folder / "pedidos.db", text, *params)

    def plan(self) -> tuple[str, str | None]:
        """State and reason of the only plan, or of the newest."""
        found: tuple[str, str | None] = self.sql(
            "SELECT state, reason FROM semel_plans ORDER BY plan DESC LIMIT 1"
        )[0]
        return found

    def steps(self) -> list[tuple[str, str | None]]:
        return self.sql("SELECT state, reason FROM semel_steps ORDER BY plan, position")

    def attempts(self, action: str | None = None) -> list[str | None]:
        """How each send has ended, in order; None while nothing is known of it."""
        rows = self.sql(
            "SELECT a.outcome FROM semel_attempts AS a JOIN semel_steps AS s USING (plan, position)"
            f" WHERE s.effect <> 'local' {'' if action is None else 'AND s.action = ?'}"
            " ORDER BY a.rowid",
            *([] if action is None else [action]),
        )  # fmt: skip
        return [outcome for (outcome,) in rows]

    def keys(self) -> list[str]:
        """The key of each send, in order."""
        return [key for (key,) in self.sql(
            "SELECT a.key FROM semel_attempts AS a JOIN semel_steps AS s USING (plan, position)"
            " WHERE s.effect <> 'local' ORDER BY a.rowid"
        )]  # fmt: skip

    def events(self, *but: str) -> list[str]:
        """The events of every plan, in order, without those before its yes and the notes."""
        before = {"proposed", "asked", "confirmed", "noted", *but}
        rows = self.sql("SELECT kind FROM semel_events ORDER BY plan, seq")
        return [kind for (kind,) in rows if kind not in before]

    def arrived(self, action: str) -> int:
        """How often anything has arrived at an action's other side."""
        return sum(self.afuera.arrived(action).values())

    def calls(self) -> Counter[str]:
        return Counter(verb for verb, _ in self.afuera.calls)

    async def note(self, engine: Engine, text: str = "Vieja") -> str:
        """A note that stood in the books before; its id."""
        id = engine.new_id()
        now = "2026-01-01T00:00:00.000000Z"
        await engine.write(lambda tx: tx.run("notas.add", org="o-1", id=id, text=text, now=now))
        return id

    async def asked(
        self, engine: Engine, *steps: Step, message: str = "m-1", who: Who = ANA
    ) -> Ask:
        """A plan that asks."""
        plan = {"steps": [{"action": name, "input": given} for name, given in steps]}
        outcome = await engine.agent.act(who, plan, message=message)
        assert isinstance(outcome, Ask), outcome
        assert outcome.token is not None
        return outcome

    async def pressed(self, engine: Engine, *steps: Step, message: str = "m-1") -> Outcome:
        """A plan that was asked about and confirmed, as it has ended."""
        ask = await self.asked(engine, *steps, message=message)
        return await engine.person(ANA).confirm(ask.token or "")

    async def release(self, engine: Engine) -> None:
        """Let what hangs go on, and wait until what it proves is written."""
        self.afuera.released.set()
        await until(lambda: not engine._core.running and not engine._core.background)


def is_true(banco: Banco, action: str, where: object) -> None:
    """What is said of the first step is what is outside, and nothing is there twice."""
    state, arrived = banco.steps()[0][0], banco.arrived(action)
    assert arrived <= 1, where
    assert state in {"done", "not_done", "in_doubt"}, where
    if state != "in_doubt":
        assert arrived == (state == "done"), where
    done = {state for state, _ in banco.steps()} == {"done"}
    reason = "finished" if done else "in_doubt" if state == "in_doubt" else "failed"
    assert banco.plan() == ("ended", reason), where


@asynccontextmanager
async def opened(folder: Path, host: Host | None = None) -> AsyncIterator[tuple[Banco, Engine]]:
    """A bench with an open engine, which sweeps only when told to."""
    banco = Banco(folder)
    engine = banco.engine(host)
    no_power_cut(engine)
    await engine.start(sweeps=False)
    try:
        yield banco, engine
    finally:
        banco.afuera.released.set()
        await engine.stop()


@asynccontextmanager
async def beside(banco: Banco, host: Host | None = None, **clock: Any) -> AsyncIterator[Engine]:
    """Another process on the bench's database; *clock* sets its own clock off by so much."""
    other = MovableClock(banco.clock.now())
    other.move(**clock)
    engine = banco.engine(host, other if clock else None)
    no_power_cut(engine)
    await engine.start(sweeps=False)
    try:
        yield engine
    finally:
        await engine.stop()


def no_power_cut(engine: Engine) -> None:
    """Let the disk take its time: no power is cut in these tests."""
    stores.no_power_cut(engine)


def at_once(monkeypatch: Any) -> None:
    """Let a second and third send leave at once: the other side of the tests needs no rest."""
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))
    # Nor is there a server that would need time to come back.
    monkeypatch.setattr(core, "ASK_AGAIN_SECONDS", (0,) * 5)
    monkeypatch.setattr(running, "AWAY_SECONDS", (0,) * 5)
