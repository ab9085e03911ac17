"""What a message is answered: as an answer to a question first, and then by the assistant."""

import asyncio
import logging
from dataclasses import dataclass, field

from semel import Bug, Engine, Invalid, Outcome, Tx, Who, clear_yes
from semel.channels.cards import keep
from semel.integrations.tool import NAME
from semel_facturas.assistant.choice import Models
from semel_facturas.assistant.loop import Loop, memory
from semel_facturas.assistant.transcript import tokenless
from semel_facturas.assistant.turn import Turn
from semel_facturas.assistant.words import words
from semel_facturas.books import conversation, organizations
from semel_facturas.books.conversation import TRIES_MAX, Message, Said
from semel_facturas.books.instants import day_of
from semel_facturas.planned import STRANGER

HISTORY_TURNS = 12
"""How many turns a model is reminded of. "And send it to Luis, too" is about the last one; nobody
speaks of the thirteenth without naming it, and each one is paid for in every request."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer as far as it is: its text, its plans, and whether more is to come."""

    said: str
    """The person's words."""
    text: str
    plans: tuple[str, ...]
    state: str
    """``open``, ``answered``, ``lost``, or ``stalled``: nobody is answering it any more."""
    invalid: str = ""
    """What is missing for a plan, as ``semel.channels.cards.keep`` has it; told when it ends."""


@dataclass(slots=True)
class Live:
    """An answer that this process is writing, or waits to write."""

    mine: bool = False
    text: str = ""
    turn: Turn | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, piece: str) -> None:
        """Take another piece of the text."""
        self.text += piece
        self.tell()

    def shown(self, said: str) -> Shown:
        """How far it is, for the person who said *said*."""
        # A blank at the end is not in what is kept, and the whole would be told anew for it.
        return Shown(said, self.text.rstrip(), self.turn.plans if self.turn else (), "open")

    def tell(self) -> None:
        """Wake whoever follows."""
        self.changed.set()
        self.changed = asyncio.Event()


class Speaker:
    """Finds out what to answer; it writes nothing but how far it has come."""

    def __init__(self, engine: Engine, models: Models) -> None:
        self._engine = engine
        self._models = models
        self._loop = Loop(engine)

    async def said(self, who: Who, taken: Message, owner: str, live: Live) -> Said | None:
        """What a message is answered; None when somebody else answers it by now."""
        if taken.state == "heard":
            # Whether it counted as a yes is not known here, and a second yes could meet another
            # question; the cards know.
            return Said(words(who.locale, "lost"), state="lost")
        if taken.state == "planning" and taken.tries >= TRIES_MAX:
            return Said(words(who.locale, "given_up"), state="lost")
        cancelled = False
        if taken.state == "waiting":
            outcome = await self._engine.person(who).says(taken.text, message=taken.id)
            cancelled = _cancelled(outcome)
            if said := _decided(who, taken.text, outcome):
                return said
            now = self._engine.now()
            mine = await self._engine.write(
                lambda tx: conversation.planning(tx, who, taken.id, owner, now)
            )
            if not mine:
                return None
        try:
            return await self._planned(who, taken, live, cancelled=cancelled)
        except Exception:
            log.exception("Message %s could not be answered.", taken.id)
            plans = live.turn.plans if live.turn else ()
            return Said(words(who.locale, "failed"), plans)

    async def _planned(self, who: Who, taken: Message, live: Live, *, cancelled: bool) -> Said:
        role, prompt, history = await self._told(who)
        if role is None:
            return Said(STRANGER["en" if who.locale.startswith("en") else "es"])
        note = ""
        if cancelled:
            prompt += f"\n{words(who.locale, 'prompt.cancelled')}"
            note = f"{words(who.locale, 'cancelled')}\n\n"
            live.hear(note)
        live.turn = turn = Turn(who, taken.id, taken.text, prompt)
        model = self._models(who)
        spoken = await self._loop.run(turn, taken.text, model, history, live.hear)
        text, invalid = note + spoken.text, ""
        if turn.outcomes and not turn.plans:
            # What is missing, or why it was refused, in words that no model has had its hands on.
            last = turn.outcomes[-1]
            if isinstance(last, Invalid):
                invalid = keep(last)
            else:
                text += f"\n\n{last.card(who.locale).text()}"
        return Said(text, turn.plans, invalid, tokenless(spoken.memory))

    async def _told(self, who: Who) -> tuple[str | None, str, list[str]]:
        """The person's role, what a model is told first, and what it remembers."""
        now = self._engine.now()

        def look(tx: Tx) -> tuple[str | None, str, list[str]]:
            found = organizations.organization(tx, who.org)
            if found is None:
                raise Bug(f"There is no organization {who.org}.")
            role = organizations.role(tx, who.org, who.person)
            prompt = words(
                who.locale,
                "prompt",
                name=found.name,
                person=who.person.capitalize(),
                day=f"{day_of(now, found.zone):%d/%m/%Y}",
                tool=NAME["en" if who.locale.startswith("en") else "es"],
            )
            return role, prompt, conversation.turns(tx, who, HISTORY_TURNS)

        return await self._engine.read(look)


def _decided(who: Who, text: str, outcome: Outcome) -> Said | None:
    """What is answered to a message that was a yes, a no or a word alone; None to any other one."""
    nothing = getattr(outcome, "why", None) == "nothing_pending"
    if clear_yes(text) == "OTHER" and (nothing or _cancelled(outcome)):
        return None
    if nothing:
        answer = words(who.locale, "nothing_pending")
        return Said(answer, turn=memory(text, answer))
    answer = outcome.card(who.locale).title
    view = getattr(outcome, "view", None)
    plans = (view.plan,) if view else ()
    return Said(answer, plans, turn=memory(text, outcome.for_model(who.locale).says))


def _cancelled(outcome: Outcome) -> bool:
    return getattr(getattr(outcome, "view", None), "reason", None) == "cancelled"
