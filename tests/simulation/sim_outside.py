"""The outside of a simulation: a ledger of what landed, and a network that has its own time.

It behaves by the class of what is sent. What has left a process goes its way, whatever becomes of
the process.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from afuera import REFUSED
from sim_faults import Faults, Way
from sim_loop import NETWORK, PROCESS

from semel import NotDone

KEYED = "cobro.hacer"
VOIDED = "vuelo.reservar"
TTL = 86_400.0
BOUND = 60.0
"""Seconds within which what leaves arrives: the delivery bound that pedidos' actions declare."""


@dataclass(slots=True)
class Sending:
    """What left a process once."""

    action: str
    key: str
    by: Any
    left_at: float
    landed_at: float | None = None
    told: str | None = None
    """What its caller heard, if it was still there to hear it: made or refused."""
    told_at: float = 0.0


@dataclass
class Outside:
    """Who is written to: one that forgets nothing for a day, one that can be asked, and so on."""

    sendings: list[Sending] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)
    refusing: bool = False
    """Whoever sends is refused: for the preparation of a world."""
    faults: Faults | None = None
    note: Callable[[str, str], None] | None = None

    def begin(self, faults: Faults | None, note: Callable[[str, str], None] | None = None) -> None:
        """Begin a schedule with an empty ledger."""
        self.sendings, self.closed, self.refusing = [], set(), False
        self.faults, self.note = faults, note

    def landed(self, keys: Sequence[str]) -> bool:
        """Whether anything has landed under one of these keys by now."""
        return any(one.key in keys and one.landed_at is not None for one in self.sendings)

    async def send(self, action: str, key: str, nota: str) -> str:
        """Send once, and wait for the answer."""
        loop = asyncio.get_running_loop()
        process: Any = PROCESS.get()
        sending = Sending(action, key, process, loop.time())
        self.sendings.append(sending)
        way = self._way(process, loop.time())
        self._say(process.name, f"sends {action} under {key[:8]}, {_spelled(way)}")
        answer: asyncio.Future[str] = loop.create_future()
        if way.there is not None:
            loop.call_later(
                way.there, self._arrives, sending, way, answer, loop, context=NETWORK
            )  # fmt: skip
        while True:
            try:
                return await (asyncio.shield(answer) if way.stubborn else answer)
            except asyncio.CancelledError:
                # A client that waits for its answer although its caller does not any more.
                if not way.stubborn or (way.there is None or way.back is None):
                    raise

    def _way(self, process: Any, now: float) -> Way:
        if self.faults is None:
            return Way(0.01, 0.01, refused=self.refusing, stubborn=False)
        still = process.disturbed[-1][1] if process.disturbed else -inf
        return self.faults.send(BOUND, awoken=0 <= now - still < 1)

    def _arrives(
        self, sending: Sending, way: Way, answer: "asyncio.Future[str]", loop: Any
    ) -> None:
        key = sending.key
        refused = way.refused or key in self.closed
        if not refused and not self._known(sending, loop.time()):
            sending.landed_at = loop.time()
        if not refused:
            self._say("outside", f"{sending.action} under {key[:8]} has landed")
        if way.back is not None:
            loop.call_later(
                way.back, self._answers, sending, answer, refused, loop, context=NETWORK
            )

    def _known(self, sending: Sending, now: float) -> bool:
        """Whether it is a repeat, for whoever tells repeats apart."""
        if sending.action != KEYED:
            return False
        return any(
            one.key == sending.key and one.landed_at is not None and now - one.landed_at < TTL
            for one in self.sendings
        )

    def _answers(
        self, sending: Sending, answer: "asyncio.Future[str]", refused: bool, loop: Any
    ) -> None:
        if answer.done() or sending.by.dead:
            return
        sending.told, sending.told_at = "refused" if refused else "made", loop.time()
        if refused:
            answer.set_exception(NotDone(REFUSED))
        else:
            answer.set_result(f"{sending.action}:{sending.key}")

    async def look(self, action: str, keys: Sequence[str]) -> str | None:
        """Which of the keys has arrived, as it is when the question arrives."""
        found: list[str] = []

        def see() -> None:
            found.extend(key for key in keys if self.landed([key]))

        await self._asked(see)
        return found[0] if found else None

    async def close(self, action: str, keys: Sequence[str]) -> None:
        """Close keys: nothing can arrive under them any more; what has arrived stays."""
        await self._asked(lambda: self.closed.update(keys))

    async def _asked(self, see: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        there, back = (0.01, 0.01) if self.faults is None else self.faults.look()
        answer: asyncio.Future[None] = loop.create_future()

        def arrives() -> None:
            see()
            if back is not None:
                loop.call_later(back, answers, context=NETWORK)

        def answers() -> None:
            if not answer.done():
                answer.set_result(None)

        loop.call_later(there, arrives, context=NETWORK)
        await answer

    def _say(self, who: str, text: str) -> None:
        if self.note is not None:
            self.note(who, text)


def _spelled(way: Way) -> str:
    there = "which is lost" if way.there is None else f"there in {way.there:.1f} s"
    back = "unanswered" if way.back is None else f"answered {way.back:.1f} s later"
    return f"{there}, {'refused' if way.refused else back}"
