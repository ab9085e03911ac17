"""Lives of plans of the application with every class of effect, each from first word to last.

A life is one process. The first may be killed anywhere; the next does what happens then: it starts
and sweeps, the message and the yes are repeated, the clock moves past every bound, it sweeps again,
and the person does about what is left open what their patience says.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from crash_judge import Patience, judged, rows
from crash_world import Mundo, Ways, WorldClock
from pedidos import ANA, open_pedidos

import stores
from semel import Ask, Engine, Host, Outcome, Report
from semel.domain.plan import Resolution, StepState
from semel.domain.report import StepView
from semel.runtime.answer import Happened, LookAgain, SendAnyway
from semel.runtime.faces import PersonFace
from semel.testing.crash import Verdict

SETTLES = timedelta(minutes=5)
"""Past every bound of a send and the pause between two looks; short of the life of a question."""
PRESSES = 8
"""More than any person has to press before everything is done."""

Step = tuple[str, Mapping[str, object]]
CREAR: Step = ("nota.crear", {"text": "Una"})
FIRMAR: Step = ("nota.firmar", {"nota": "$1"})
CARTA, COBRO, RESERVA, VUELO = (
    (name, {"nota": "$1"})
    for name in ("carta.enviar", "cobro.hacer", "reserva.hacer", "vuelo.reservar")
)
ALL = (CREAR, CARTA, COBRO, RESERVA, VUELO, FIRMAR)

RETRIES = Patience(retries=True)
ANSWERS = Patience(answers=True, retries=True)


@dataclass
class Life:
    """One process: its engine, its outside, its person."""

    engine: Engine
    mundo: Mundo
    clock: WorldClock
    patience: Patience
    dark: Sequence[str] = ()
    """Actions whose other side answers no look until the clock has moved."""
    sends_anyway: bool = False
    answered: int = field(default=0, init=False)

    @property
    def person(self) -> PersonFace:
        return self.engine.person(ANA)

    async def asks(self, steps: Sequence[Step], message: str = "m-1") -> Outcome:
        """The message, for the first time or once more."""
        plan = {"steps": [{"action": name, "input": given} for name, given in steps]}
        return await self.engine.agent.act(ANA, plan, message=message)

    async def swept(self) -> None:
        swept = await self.engine.sweep()
        await self.engine.settle()
        if swept.running:
            raise AssertionError("A plan is running whose owner is dead, and nobody may have it.")

    async def waits(self) -> None:
        """Time passes; what is under way arrives, and who was away is back."""
        for action in self.dark:
            self.mundo.goes.pop(f"{action}?", None)
        self.clock.move(SETTLES)
        self.mundo.land(self.clock.now())

    async def presses(self, outcome: Outcome, *, looks: bool) -> None:
        """Do about an outcome what this person does, until there is nothing more.

        Args:
            outcome: what they were told.
            looks: whether they press "look again", or leave that to the engine.
        """
        looked, answered = not looks, False
        for _ in range(PRESSES):
            doubt = _doubt(outcome)
            if isinstance(outcome, Ask):
                outcome = await self.person.confirm(outcome.token or "")
            elif doubt is not None and not looked:
                looked = True
                outcome = await self.person.resolve(outcome.view.plan, doubt.position, LookAgain())
            elif doubt is not None and not answered and self.patience.answers:
                answered = True
                outcome = await self._answers(outcome.view.plan, doubt)
            elif isinstance(outcome, Report) and outcome.retry_token and self.patience.retries:
                looked, answered = not looks, False
                outcome = await self.person.retry(outcome.retry_token)
            else:
                return

    def open(self, outcome: Outcome) -> bool:
        """Whether time, or this person, will still change something."""
        doubt = _doubt(outcome)
        if doubt is not None:
            return self.patience.answers or doubt.effect in {"checked", "checked_void"}
        return isinstance(outcome, Report) and bool(outcome.retry_token) and self.patience.retries

    async def _answers(self, plan: str, doubt: StepView) -> Outcome:
        """What a person says who has looked, whether or not it is too early to know."""
        if self.sends_anyway and doubt.resolution is not Resolution.SEND_ANYWAY:
            return await self.person.resolve(plan, doubt.position, SendAnyway("ENVIAR OTRA VEZ"))
        if self.mundo.has(doubt.action):
            return await self.person.resolve(plan, doubt.position, Happened())
        return await self.person.did_not(plan, doubt.position)


def _doubt(outcome: Outcome) -> StepView | None:
    if not isinstance(outcome, Report):
        return None
    return next((s for s in outcome.view.steps if s.state is StepState.IN_DOUBT), None)


class Pedidos:
    """A plan with its person, lived whole.

    Args:
        name: what it is called.
        template: a folder with an empty database.
        steps: what is asked for.
        ways: how the outside goes at first.
        patience: what the person does about what is left open.
        dark: actions whose other side answers no look at first.
        sends_anyway: whether the person has sent again at once what is in doubt.
    """

    def __init__(
        self,
        name: str,
        template: Path,
        steps: Sequence[Step],
        ways: Ways | None = None,
        patience: Patience = RETRIES,
        *,
        dark: Sequence[str] = (),
        sends_anyway: bool = False,
    ) -> None:
        self.name = name
        self.template = template
        self.steps = steps
        self.ways = ways or {}
        self.patience = patience
        self.dark = dark
        self.sends_anyway = sends_anyway

    def prepare(self, world: Path) -> None:
        stores.copies(self.template, world)
        WorldClock(world)

    def run(self, world: Path) -> None:
        asyncio.run(self.first(world))

    def recover(self, world: Path) -> None:
        asyncio.run(self.next(world))

    @asynccontextmanager
    async def life(
        self, world: Path, ways: Ways | None = None, host: Host | None = None
    ) -> AsyncIterator[Life]:
        clock = WorldClock(world)
        mundo = Mundo(world, clock, self.ways if ways is None else ways)
        mundo.goes |= {f"{action}?": "dark" for action in self.dark}
        engine = open_pedidos(world, mundo, clock=clock, host=host)
        await engine.start(sweeps=False)
        try:
            yield Life(engine, mundo, clock, self.patience, self.dark, self.sends_anyway)
        finally:
            mundo.released.set()
            await engine.stop()

    async def first(self, world: Path) -> None:
        async with self.life(world) as life:
            await self.lives(life)

    async def next(self, world: Path) -> None:
        async with self.life(world) as life:
            await life.swept()
            await self.lives(life)

    async def lives(self, life: Life) -> None:
        """The message, the yes, and everything after it."""
        outcome = await life.asks(self.steps)
        await life.presses(outcome, looks=True)
        await self.goes_on(life, outcome.view.plan)

    async def goes_on(self, life: Life, plan: str) -> None:
        """Time passes, until neither it nor the person will change anything about a plan."""
        for _ in range(3):
            await life.waits()
            await life.swept()
            await life.presses(await life.person.status(plan), looks=False)
            # What was refused as too early says nothing about the plan.
            if not life.open(await life.person.status(plan)):
                return

    def judge(self, world: Path) -> Verdict:
        return judged(world / "pedidos.db", self.happened(world), self.patience)

    def happened(self, world: Path) -> dict[int, int]:
        """How often each step's effect is in the world, once everything has arrived."""
        mundo = Mundo(world, WorldClock(world), {})
        mundo.land()
        db = world / "pedidos.db"
        notes, signed = rows(db, "SELECT count(*), coalesce(sum(signed), 0) FROM notas")[0]
        later = rows(db, "SELECT count(*) FROM semel_plans WHERE kind = 'later'")[0][0]
        local = {"nota.crear": notes, "nota.firmar": signed, "nota.avisar": later}
        return {
            position: local.get(name, sum(mundo.arrived(name).values()))
            for position, (name, _) in enumerate(self.steps, start=1)
        }


def lives(template: Path) -> list[Pedidos]:
    """Every life of a plan in which one process does one thing after the other."""
    found = [Pedidos("all-ok", template, ALL)]
    for step in (CARTA, COBRO, RESERVA, VUELO):
        name, short = step[0], step[0].partition(".")[0]
        found += [Pedidos(f"all-lost-{short}", template, ALL, {name: ["lost"]})]
        found += [
            Pedidos(f"{way}-{short}", template, (CREAR, step, FIRMAR), {name: [way]})
            for way in ("gone", "late")
        ]
    found += [
        Pedidos(f"answer-{way}", template, (CREAR, CARTA, FIRMAR), {CARTA[0]: [way]}, ANSWERS)
        for way in ("lost", "gone", "late")
    ]
    return [
        *found,
        Pedidos(
            "send-anyway", template, (CREAR, CARTA, FIRMAR), {CARTA[0]: ["gone"]}, ANSWERS,
            sends_anyway=True,
        ),
        Pedidos("refused-again", template, (CREAR, COBRO, FIRMAR), {COBRO[0]: ["lost", "refuse"]}),
        Pedidos("retry", template, (CREAR, CARTA, RESERVA, FIRMAR), {RESERVA[0]: ["refuse"]}),
        Pedidos(
            "dark-vuelo", template, (CREAR, VUELO, FIRMAR), {VUELO[0]: ["lost"]}, dark=[VUELO[0]]
        ),
        Pedidos(
            "dark-reserva", template, (CREAR, RESERVA, FIRMAR), {RESERVA[0]: ["late"]},
            dark=[RESERVA[0]],
        ),
    ]  # fmt: skip
