"""Two faces of an engine: what a model may do, and a person's session.

They wire; every decision is made elsewhere. An adapter for models holds ``engine.agent`` and
nothing else, so no code path leads from a model to a yes.
"""

from collections.abc import AsyncGenerator, Coroutine
from typing import Any

from semel.domain.consent import Question
from semel.domain.doubt import Answer, DidNot
from semel.domain.edited import Audit
from semel.domain.plan import NoMessage, PlanState, Who
from semel.domain.report import Outcome, PlanView, Refusal
from semel.facts import JSON
from semel.runtime import history, look, shown, wait, watch
from semel.runtime.answer import Again, answer
from semel.runtime.audit import verify
from semel.runtime.confirm import take
from semel.runtime.core import Core
from semel.runtime.figures import Figures, figures
from semel.runtime.history import Detail
from semel.runtime.look import Stored
from semel.runtime.offer import take_retry, take_undo
from semel.runtime.past import NEWEST, Page, Wanted, past
from semel.runtime.press import Pressed, press
from semel.runtime.propose import Call, parse, propose
from semel.runtime.say import Said, says
from semel.runtime.stop import cancel
from semel.runtime.trace import Trace, trace, trace_of
from semel.runtime.unnamed import parse_unnamed


class AgentFace:
    """What a model's side may do: propose, and ask how a plan stands."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def act(
        self, who: Who, plan: object, *, message: str | NoMessage, sentence: str | None = None
    ) -> Outcome:
        """Propose a plan for a person's message.

        Args:
            who: the person and conversation, as the channel established them.
            plan: what the model wrote: JSON text, bytes, or the parsed object.
            message: the id of the person's message that led to it, or ``NoMessage``.
            sentence: the person's words, kept so that a record leads back to them.

        Returns:
            ``Invalid`` or ``Refused`` when nothing was kept; ``Ask`` when a person must say yes;
            ``Report`` or ``Running`` when it ran at once, or had run before (``replayed``).
        """
        core = self._core
        if core.draining:
            return look.refused(core, Refusal.CLOSING)
        if isinstance(message, NoMessage):
            call = await parse_unnamed(core, who, message, sentence, plan)
        else:
            call = parse(core, who, message, sentence, plan)
        if not isinstance(call, Call):
            return call
        return await shown.proposed(core, who, await propose(core, call))

    async def status(self, who: Who, plan: str) -> Outcome:
        """How a plan of this person stands; it changes nothing."""
        found = await self._core.read(lambda tx: shown.status(self._core, tx, who, plan))
        return found if not isinstance(found, Stored) else look.outcome(self._core, found)

    def schema(self) -> dict[str, JSON]:
        """JSON Schema of a plan, for the one tool that a model gets."""
        return self._core.catalog.schema()


class PersonFace:
    """What a person's own session may do; only channels hold one."""

    def __init__(self, core: Core, who: Who) -> None:
        self._core = core
        self._who = who

    async def confirm(
        self,
        token: str,
        words: str | None = None,
        *,
        plan: str | None = None,
        patient: bool = True,
    ) -> Outcome:
        """Say yes to the question that this token stands for.

        Args:
            token: what the button carried.
            words: the typed words, for plans that ask for them.
            plan: the plan whose button it was, where the channel knows: another's token does not
                exist then, and nothing of it is used.
            patient: whether to wait for the plan's end, 20 s at most; without it the answer is
                there as soon as the yes is kept.
        """
        pressed = press(self._core, self._who, token, Question.CONFIRM, take, words, plan)
        return await self._said(pressed, patient=patient)

    async def retry(
        self,
        token: str,
        words: str | None = None,
        *,
        plan: str | None = None,
        patient: bool = True,
    ) -> Outcome:
        """Do what is left of a plan that stopped; what is done is not repeated.

        Args:
            token: what the button of the offer carried (``Report.retry_token``).
            words: the typed words, where what is left asks for them.
            plan: as in :meth:`confirm`.
            patient: as in :meth:`confirm`.
        """
        pressed = press(self._core, self._who, token, Question.RETRY, take_retry, words, plan)
        return await self._said(pressed, patient=patient)

    async def undo(self, token: str, *, plan: str | None = None, patient: bool = True) -> Outcome:
        """Take back what a plan did, last step first.

        Args:
            token: what the button of the offer carried (``Report.undo_token``).
            plan: as in :meth:`confirm`.
            patient: as in :meth:`confirm`.

        Returns:
            The outcome of the plan that takes it back: what was reverted, and what was not.
        """
        pressed = press(self._core, self._who, token, Question.UNDO, take_undo, None, plan)
        return await self._said(pressed, patient=patient)

    async def cancel(self, plan: str) -> Outcome:
        """Stop a plan: a question, one that waits for its day, or what is left of a running one.

        What is done stays done, and the step that is on its way ends; the answer says exactly what
        will still happen. It may be another person's plan for who may ``semel.decide``.
        """
        return await self._said(cancel(self._core, self._who, plan), patient=False)

    async def resolve(
        self, plan: str, position: int, answer_: Answer, *, patient: bool = True
    ) -> Outcome:
        """Say what became of a step that is in doubt.

        Args:
            plan: the plan's number.
            position: the step, from 1.
            answer_: ``Happened``, ``DidNot``, ``SendAnyway`` or ``LookAgain``.
            patient: as in :meth:`confirm`, where the answer has something sent.
        """
        answered = answer(self._core, self._who, plan, position, answer_)
        return await self._said(answered, patient=patient)

    async def did_not(self, plan: str, position: int, *, patient: bool = True) -> Outcome:
        """Say of a step that it did not happen, by a look that is taken now."""
        found = await self._core.read(lambda tx: shown.status(self._core, tx, self._who, plan))
        if not isinstance(found, Stored):
            return found
        steps = look.view(self._core, found).steps
        doubt = steps[position - 1].doubt if 1 <= position <= len(steps) else None
        card = DidNot(found.plan.epoch, settled=doubt is not None and doubt.settled)
        return await self.resolve(plan, position, card, patient=patient)

    async def says(self, text: str, *, message: str | None = None, source: str = "text") -> Outcome:
        """Read a message as the answer to the pending question; never by a model.

        Args:
            text: what the person wrote.
            message: the channel's id of the message.
            source: ``text``; anything else (``voice``, ``reaction``, …) is never a yes.
        """
        del message  # a repeated yes meets a used question, so its own id decides nothing
        # What a word has stopped is answered at once, like a cancel: what still ends is in it.
        return await self._said(says(self._core, self._who, text, source), stops=True)

    async def status(self, plan: str) -> Outcome:
        """How a plan stands, and what may be done about it; it does not exist for others."""
        core, who = self._core, self._who
        found = await core.read(lambda tx: shown.status(core, tx, who, plan))
        if not isinstance(found, Stored):
            return found
        if found.plan.state is PlanState.ASKING:
            token = await core.read(lambda tx: look.live_token(core, tx, who, found.plan))
            return look.outcome(core, found, token=token)
        return await shown.with_offers(core, who, found, replayed=False)

    def watch(self, plan: str) -> AsyncGenerator[int, None]:
        """Follow a plan: the number of its last event, now and whenever there is a later one.

        It ends when the plan does not exist for them (any more), and when this process is being
        stopped; several events in a short while are told as one.

        Args:
            plan: its number.
        """
        return watch.watch(self._core, self._who, plan)

    async def seq(self, plan: str) -> int | None:
        """The number of a plan's last event; None when it does not exist for them."""
        return await watch.seq(self._core, self._who, plan)

    async def plans(self, limit: int = 50) -> list[PlanView]:
        """The plans this person may see, newest first."""
        return await self._core.read(lambda tx: history.plans(self._core, tx, self._who, limit))

    async def unended(self, limit: int = 200) -> list[PlanView]:
        """Those of them that ask, run, wait for their day, or are in doubt, newest first."""
        return await self._core.read(lambda tx: history.unended(self._core, tx, self._who, limit))

    async def past(
        self, words: str = "", *, person: str = "", before: str = NEWEST, limit: int = 30
    ) -> Page:
        """A page of the plans that this person may see, newest first, or of those about something.

        Args:
            words: what they are about: an invoice's number, a name, a plan's number, words of a
                sentence; accents and capitals do not matter. The newest 1000 are looked through,
                and the next page goes on behind them.
            person: whose plans, for who sees other people's.
            before: where the page before ended (``Page.before``).
            limit: plans of a page, 100 at most.
        """
        wanted = Wanted(words, person, before, limit)
        return await self._core.read(lambda tx: past(self._core, tx, self._who, wanted))

    async def figures(self, days: int = 7) -> Figures | None:
        """What is open in their organization and how it goes; None when they may not decide.

        Args:
            days: how far back it is counted; the newest 2000 plans of them at most.
        """
        return await self._core.read(lambda tx: figures(self._core, tx, self._who, days))

    async def show(self, plan: str) -> Detail | None:
        """A plan with every step, attempt and event; None when it does not exist for them."""
        return await self._core.read(lambda tx: history.show(self._core, tx, self._who, plan))

    async def trace(self, kind: str, id: str) -> Trace | None:
        """From a record back to the sentence that led to it.

        Args:
            kind: the record's kind, ``factura``.
            id: its id, or how it is called: ``2026-0001``.
        """
        who = self._who
        return await self._core.read(lambda tx: trace(self._core, tx, who.org, kind, id, who))

    async def trace_of(self, plan: str) -> Trace | None:
        """The same of a plan, by its number; None when it does not exist for them."""
        who = self._who
        return await self._core.read(lambda tx: trace_of(self._core, tx, who, plan))

    async def audit(self) -> Audit | None:
        """Hold their organization's rows against its events; None when they may not decide."""
        core, who = self._core, self._who
        may = await core.read(lambda tx: look.may_decide(core, tx, who))
        return await verify(core, org=who.org) if may else None

    async def _said(
        self, verb: "Coroutine[Any, Any, Said]", *, patient: bool = True, stops: bool = False
    ) -> Outcome:
        core, who, found = self._core, self._who, await verb
        if isinstance(found, Pressed):
            core.repeats[who.org, "press"] += found.replayed
            watch.announce(core, found.stored.plan)
            if found.owner is not None:
                wait.start(core, found.owner)
            stored, replayed = found.stored, found.replayed
        elif isinstance(found, Again):
            watch.announce(core, found.stored.plan)
            wait.start(core, found.owner, found.send)
            stored, replayed = found.stored, False
        elif isinstance(found, Stored):
            watch.announce(core, found.plan)
            stored, replayed, patient = found, False, patient and not stops
        else:
            return found
        told = shown.ended if patient else shown.with_offers
        return await told(core, who, stored, replayed=replayed)
