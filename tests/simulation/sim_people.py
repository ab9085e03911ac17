"""People of a simulation: they press twice, cancel, take back, ask again, and answer doubts truly."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from pedidos import ANA, LUIS
from sim_chance import Chance
from sim_history import Told
from sim_prepared import OUTSIDE, Prepared, acted

from semel import Ask, Report
from semel.domain.doubt import DidNot, Happened, LookAgain, SendAnyway
from semel.errors import StorageError

PATIENCE = 45.0
"""Seconds after which somebody who is not answered tries elsewhere."""
FOLLOWED_MAX = 3
"""Offers that are taken up in a schedule."""


class People:
    """Whoever sits in front of the processes of a schedule."""

    def __init__(self, schedule: Any, rng: Chance, world: Prepared) -> None:
        self._schedule = schedule
        self._rng = rng
        self._world = world
        self._followed = 0
        self._messages = 1

    async def do(self, verb: str, make: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
        """Do something at one process, and at another one when nothing comes back."""
        for _ in range(3):
            process = self._schedule.choose()
            answer = self.ask(process, verb, make)
            done, _ = await asyncio.wait({answer}, timeout=PATIENCE)
            if done and answer.result() is not None:
                outcome = answer.result()
                return None if isinstance(outcome, BaseException) else outcome
        return None

    def ask(
        self, process: Any, verb: str, make: Callable[[Any], Coroutine[Any, Any, Any]]
    ) -> "asyncio.Future[Any]":
        """Ask a process something; what it answers is kept, however late."""
        schedule = self._schedule
        at = schedule.loop.instant
        schedule.history.note("person", f"{verb} at {process.name}")
        answer: asyncio.Future[Any] = process.call(make(process.engine))

        def told(answer: "asyncio.Future[Any]") -> None:
            outcome = answer.result()
            if isinstance(outcome, BaseException):
                if not isinstance(outcome, StorageError):
                    schedule.wrong(f"{verb} raised {outcome!r}")
            elif outcome is not None:
                schedule.history.told.append(Told(at, schedule.loop.instant, verb, outcome))
                if schedule.history.lines is not None:
                    schedule.history.note("person", f"is told of {verb}: {_read(outcome)}")

        answer.add_done_callback(told)
        return answer

    def acting(self) -> list[Coroutine[Any, Any, Any]]:
        """What they do in this schedule."""
        rng, race, world = self._rng, self._schedule.race, self._world
        verbs = []
        if world.plan is None:
            verbs.append(self._proposes())
        sure = rng.choice([*world.tokens, ""])
        for kind, token in world.tokens.items():
            # Crossing offers is what the races are about; else one of them may be left alone.
            if kind in {"yes", sure} or race == "offers" or rng.random() < 0.4:
                verbs.append(
                    self._presses(kind, token, rng.uniform(0, 1 if race == "cancel" else 4))
                )
        chances = {"cancel": (0.2, 1.0, 0.4), "again": (0.2, 0.1, 0.2)}
        chances |= {"newer": (0.12, 0.1, 0.6), "edit": (0.06, 0.02, 0.05)}
        for verb, chance in chances.items():
            if rng.random() < chance[("", "cancel", "offers").index(race)]:
                verbs.append(getattr(self, f"_{verb}")())
        if race == "cancel" and rng.random() < 0.3:
            verbs.append(self._cancel())
        return verbs

    async def _proposes(self) -> None:
        outcome = await self.do("proposes", lambda e: acted(e, self._world.steps, "m-1"))
        await self.follow(outcome)

    async def _presses(self, kind: str, token: str, after: float) -> None:
        """Press a button, now and then twice at once."""
        await asyncio.sleep(after)
        if self._rng.random() < 0.25:
            self.ask(self._schedule.choose(), kind, lambda e: _pressed(e, kind, token))
        await self.follow(await self.do(kind, lambda e: _pressed(e, kind, token)))

    async def _cancel(self) -> None:
        soonest = 0.5 if self._schedule.race == "cancel" else 0.0
        await asyncio.sleep(self._rng.uniform(soonest, self._rng.choice((3.0, 8.0, 60.0))))
        who = self._rng.choice((ANA, LUIS))
        plan = self._world.plan or self._schedule.newest()
        if plan is not None:
            await self.do("cancel", lambda e: e.person(who).cancel(plan))

    async def _again(self) -> None:
        await asyncio.sleep(self._rng.uniform(0, 60))
        outcome = await self.do("asks again", lambda e: acted(e, self._world.steps, "m-1"))
        await self.follow(outcome)

    async def _newer(self) -> None:
        """Another message, with a plan of its own."""
        await asyncio.sleep(self._rng.uniform(0, 6))
        self._messages += 1
        message = f"m-{self._messages}"
        steps = (("nota.crear", {"text": "dos"}), *self._world.steps[:1])
        await self.follow(await self.do("asks for more", lambda e: acted(e, steps, message)))

    async def _edit(self) -> None:
        """Somebody changes the note that was there."""
        await asyncio.sleep(self._rng.uniform(0, 5))
        self._schedule.edit(self._world.note)

    async def follow(self, outcome: Any) -> None:
        """Go on from what came: say yes, take up an offer, answer a doubt."""
        if self._followed >= FOLLOWED_MAX or outcome is None:
            return
        self._followed += 1
        rng = self._rng
        if isinstance(outcome, Ask) and outcome.token and rng.random() < 0.95:
            await self._presses("yes", outcome.token, rng.uniform(0, 3))
        if not isinstance(outcome, Report):
            return
        offers = {"retry": outcome.retry_token, "undo": outcome.undo_token}
        taken = [kind for kind, token in offers.items() if token and rng.random() < 0.5]
        await asyncio.gather(
            *[self._presses(kind, str(offers[kind]), rng.uniform(0, 2)) for kind in taken]
        )
        if outcome.view.reason == "in_doubt" and rng.random() < 0.5:
            await self.answer(outcome.view.plan)

    async def answer(self, plan: str) -> None:
        """Answer a plan's doubt: what is seen counts, and nothing seen only once it is settled."""
        rng = self._rng
        card = await self.do("status", lambda e: e.person(ANA).status(plan))
        doubts = [s for s in card.view.steps if s.doubt] if isinstance(card, Report) else []
        if not doubts:
            return
        step, epoch = doubts[0], card.view.epoch
        there = OUTSIDE.landed(self._schedule.keys_of(plan, step.position))
        if there and rng.random() < 0.8:
            said: Any = Happened()
        elif step.doubt.settled and not there:
            said = DidNot(epoch, settled=True)
        elif rng.random() < 0.15:
            said = SendAnyway("ENVIAR OTRA VEZ")
        elif rng.random() < 0.3 and not there:
            # Somebody who does not wait; it is not to count. A channel passes on what the card said.
            said = DidNot(epoch, settled=False)
        else:
            said = LookAgain()
        if rng.random() < 0.3:
            await asyncio.sleep(rng.uniform(0, 30))
        name = f"says of step {step.position} {said}"
        outcome = await self.do(name, lambda e: e.person(ANA).resolve(plan, step.position, said))
        await self.follow(outcome)


def _pressed(engine: Any, kind: str, token: str) -> Coroutine[Any, Any, Any]:
    person = engine.person(ANA)
    verb = {"yes": person.confirm, "retry": person.retry, "undo": person.undo}[kind]
    return verb(token)  # type: ignore[no-any-return]  # it is one


def _read(outcome: Any) -> str:
    view = getattr(outcome, "view", None)
    if view is None:
        return f"{type(outcome).__name__} {getattr(outcome, 'why', '')}"
    steps = ", ".join(f"{s.state}" + (f" ({s.reason})" if s.reason else "") for s in view.steps)
    why = f" {view.reason}" if view.reason else ""
    return f"{type(outcome).__name__}{why} of {view.plan[-6:]}: {steps}"
