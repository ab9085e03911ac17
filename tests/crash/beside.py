"""Lives in which more happens than one thing after the other: two processes, a day that comes, an undo."""

import asyncio
import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from crash_judge import Patience, judged, rows, together
from crash_world import START
from lives import CARTA, COBRO, CREAR, FIRMAR, RESERVA, VUELO, Life, Pedidos, Step
from pedidos import ANA

from semel import Ask, Host, Outcome, Report, Tx
from semel.testing.crash import Verdict

TAKE_OVER = timedelta(minutes=2)
"""Past the time after which somebody else may have a plan whose send hangs."""
AVISAR: Step = ("nota.avisar", {"nota": "$1", "dias": 2})
EDITAR: Step = ("nota.editar", {"nota": "$1", "text": "Otra"})
TEXTS = ("Una", "Dos", "Tres")
LIKE = {"org": ANA.org, "since": ""}


async def _pressed(life: Life, steps: Sequence[Step]) -> "tuple[str, asyncio.Task[Outcome]]":
    """The plan, and its yes on its way: it hangs in a send."""
    ask = await life.asks(steps)
    if not isinstance(ask, Ask) or ask.token is None:
        raise TypeError(ask)
    press = asyncio.create_task(life.person.confirm(ask.token))
    if not await _hangs(life, press):
        raise RuntimeError(f"Nothing hung in a send before the yes was answered: {press.result()}")
    return ask.view.plan, press


async def _hangs(life: Life, sender: "asyncio.Task[Any]") -> bool:
    """Wait until a send hangs, or until nobody sends any more; which of them it was.

    Raises:
        Exception: what *sender* ended with: whoever has failed never gets as far as a send.
    """
    hangs = asyncio.create_task(life.mundo.hanging.wait())
    async with asyncio.timeout(60):
        await asyncio.wait({hangs, sender}, return_when=asyncio.FIRST_COMPLETED)
    if not hangs.done():
        hangs.cancel()
        sender.result()
    return life.mundo.hanging.is_set()


class TakenOver(Pedidos):
    """A send hangs; another process takes the plan over and does what its class allows; then both
    answers come."""

    def __init__(self, name: str, template: Path, step: Step, *, both: bool = False) -> None:
        super().__init__(name, template, (CREAR, step) if both else (CREAR, step, FIRMAR))
        self.both = both
        """Whether the second send hangs as well, until the first one's answer is on record."""

    async def first(self, world: Path) -> None:
        ways = {self.steps[1][0]: ["hang", "hang" if self.both else "ok"]}
        async with self.life(world, ways) as old, self.life(world, ways) as new:
            _, press = await _pressed(old, self.steps)
            old.clock.move(TAKE_OVER)
            sweep = asyncio.create_task(new.engine.sweep())
            if self.both:
                await _hangs(new, sweep)
            else:
                async with asyncio.timeout(60):
                    await asyncio.wait({sweep})
            old.mundo.released.set()
            await press
            new.mundo.released.set()
            await sweep
            await self.lives(new)


class Elsewhere(Pedidos):
    """Another machine goes on: it cannot see who is dead, so it waits until the time has passed."""

    def __init__(self, template: Path) -> None:
        patience = Patience(retries=True, settles=False)
        steps = (CREAR, COBRO, RESERVA, VUELO, FIRMAR)
        super().__init__("elsewhere", template, steps, patience=patience)

    async def next(self, world: Path) -> None:
        async with self.life(world, host=_Stranger()) as life:
            life.clock.move(TAKE_OVER)
            await life.swept()
            await self.lives(life)


class _Stranger(Host):
    @property
    def identity(self) -> str:
        return f"elsewhere:{os.getpid()}"

    def is_dead(self, identity: str) -> bool:
        return False


class Cancelled(Pedidos):
    """Another process of the same person stops the plan while its second step hangs."""

    def __init__(self, template: Path) -> None:
        super().__init__("cancel", template, (CREAR, CARTA, FIRMAR))

    async def first(self, world: Path) -> None:
        ways = {CARTA[0]: ["hang"]}
        async with self.life(world, ways) as old, self.life(world) as new:
            plan, press = await _pressed(old, self.steps)
            await new.person.cancel(plan)
            old.mundo.released.set()
            await press
            await self.lives(new)


class Drained(Pedidos):
    """Its process is stopped in the middle and hands the plan on to the next one."""

    def __init__(self, template: Path) -> None:
        super().__init__("drain", template, (CREAR, COBRO, CARTA, FIRMAR))

    async def first(self, world: Path) -> None:
        async with self.life(world, {COBRO[0]: ["hang"]}) as old:
            _, press = await _pressed(old, self.steps)
            stop = asyncio.create_task(old.engine.drain())
            # The task has said that nothing new begins once it waits for what is on its way.
            await asyncio.sleep(0)
            old.mundo.released.set()
            await stop
            await press
        await self.next(world)


class Later(Pedidos):
    """A step plans a letter for another day; the day comes."""

    def __init__(self, template: Path, name: str = "later") -> None:
        super().__init__(name, template, (CREAR, AVISAR))

    async def lives(self, life: Life) -> None:
        await life.presses(await life.asks(self.steps), looks=True)
        life.clock.move_to(datetime.fromisoformat(START) + timedelta(days=2, hours=1))
        await life.swept()
        await super().lives(life)

    def judge(self, world: Path) -> Verdict:
        letters = Pedidos("", world, (CARTA,)).happened(world)
        db = world / "pedidos.db"
        return together(super().judge(world), judged(db, letters, self.patience, "later"))


class TakenBack(Later):
    """Another message takes the letter back before its day."""

    def __init__(self, template: Path) -> None:
        super().__init__(template, "taken-back")

    async def lives(self, life: Life) -> None:
        await life.presses(await life.asks(self.steps), looks=True)
        await life.asks([("nota.no_avisar", {"nota": await _note(life)})], "m-2")
        await super().lives(life)

    def judge(self, world: Path) -> Verdict:
        db = world / "pedidos.db"
        ended = rows(db, "SELECT 1 FROM semel_plans WHERE kind = 'later' AND reason = 'cancelled'")
        back = judged(db, {1: len(ended)}, self.patience, message="m-2")
        return together(super().judge(world), back)


class Changed(Pedidos):
    """A note is changed by somebody else between the question and its yes, and before a retry."""

    def __init__(self, template: Path) -> None:
        super().__init__("changed", template, (CREAR,), {RESERVA[0]: ["refuse"]})

    async def lives(self, life: Life) -> None:
        await life.asks(self.steps)
        note = await _note(life)
        outcome = await life.asks([(name, {"nota": note}) for name, _ in (FIRMAR, RESERVA)], "m-2")
        plan = outcome.view.plan
        await _edited(life, note, "Una", "Dos")
        life.patience = Patience()
        await life.presses(outcome, looks=True)
        await _edited(life, note, "Dos", "Tres")
        life.patience = self.patience
        await self.goes_on(life, plan)

    def judge(self, world: Path) -> Verdict:
        db = world / "pedidos.db"
        steps = Pedidos("", world, (FIRMAR, RESERVA))
        second = judged(db, steps.happened(world), self.patience, message="m-2")
        return together(super().judge(world), second)


async def _note(life: Life) -> str:
    """The id of the only note."""
    found = await life.engine.read(
        lambda tx: [row["id"] for text in TEXTS for row in tx.all("notas.like", **LIKE, text=text)]
    )
    return str(found[0])


async def _edited(life: Life, note: str, before: str, after: str) -> None:
    """Somebody writes other words into a note, outside any plan; once."""

    def work(tx: Tx) -> None:
        row = tx.one("notas.get", org=ANA.org, id=note)
        if row is not None and row["text"] == before:
            tx.run("notas.edit", org=ANA.org, id=note, text=after, version=row["version"])

    await life.engine.write(work)


class Undone(Pedidos):
    """A safe plan runs at once and is taken back."""

    def __init__(self, template: Path) -> None:
        super().__init__("undo", template, (CREAR, EDITAR))

    async def lives(self, life: Life) -> None:
        outcome = await life.asks(self.steps)
        if isinstance(outcome, Report) and outcome.undo_token:
            await life.person.undo(outcome.undo_token)
        await super().lives(life)

    def judge(self, world: Path) -> Verdict:
        db = world / "pedidos.db"
        notes = rows(db, "SELECT text, version, gone FROM notas")
        # The first version is the note's making; each change of it counts one.
        changes = notes[0]["version"] - 1 if notes else 0
        gone = notes[0]["gone"] if notes else 0
        plan = judged(db, {1: len(notes), 2: min(changes, 1)}, self.patience)
        undo = judged(db, {1: changes - 1 - gone, 2: gone}, self.patience, "undo")
        said = rows(db, "SELECT undone_by FROM semel_plans WHERE kind = 'plan'")
        false = () if said and said[0]["undone_by"] else ("the plan is not said to be undone",)
        if notes and notes[0]["text"] != CREAR[1]["text"]:
            false = (*false, "the note does not say what it said before")
        return together(plan, undo, Verdict(false=false))


class Unanswered(Pedidos):
    """Nobody says yes in time, and then somebody does."""

    def __init__(self, template: Path) -> None:
        super().__init__("unanswered", template, (CREAR, CARTA, FIRMAR), patience=Patience())

    async def lives(self, life: Life) -> None:
        await life.asks(self.steps)
        life.clock.move(timedelta(minutes=11))
        await life.swept()
        await life.person.says("sí")

    def judge(self, world: Path) -> Verdict:
        happened = self.happened(world)
        false = tuple(f"nobody said yes, and step {p} happened" for p, n in happened.items() if n)
        return together(super().judge(world), Verdict(false=false))


def beside(template: Path) -> list[Pedidos]:
    """Every life of this kind."""
    return [
        TakenOver("taken-over-carta", template, CARTA),
        TakenOver("taken-over-cobro", template, COBRO),
        TakenOver("taken-over-both", template, COBRO, both=True),
        TakenOver("taken-over-reserva", template, RESERVA),
        TakenOver("taken-over-vuelo", template, VUELO),
        Elsewhere(template),
        Cancelled(template),
        Drained(template),
        Later(template),
        TakenBack(template),
        Changed(template),
        Undone(template),
        Unanswered(template),
    ]
