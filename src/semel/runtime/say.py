"""Say: a person's next message in a text channel, read by strict rules and never by a model.

A clear yes confirms the one question that is pending; everything else cancels it, since asking
again is cheap and running the wrong thing is not. With nothing pending a single word may stop what
runs, retry what was left, or take back what was done; anything else is an ordinary message.
"""

from typing import TypeAlias

from semel.domain.action import Risk
from semel.domain.consent import Question
from semel.domain.doubt import SendAnyway
from semel.domain.plan import PlanReason, PlanRow, PlanState, Who
from semel.domain.reply import Wish, clear_yes, send_again_words, typed_words, wish
from semel.domain.report import Outcome, Refusal
from semel.errors import Bug
from semel.ports import EngineTx
from semel.runtime import look
from semel.runtime.answer import Again, answer
from semel.runtime.confirm import count_of, take
from semel.runtime.core import Core
from semel.runtime.dismiss import dismiss
from semel.runtime.look import Stored
from semel.runtime.offer import offered, take_retry, take_undo
from semel.runtime.press import Pressed, press
from semel.runtime.stop import cancel

Said: TypeAlias = Pressed | Stored | Again | Outcome
"""What a message came to: a plan, perhaps one to run now, or an outcome already."""

SILENT = frozenset({"reaction", "sticker", "unsupported"})
"""Messages that say nothing: they leave a question as it is."""

SLOT_MAX = 10
"""Plans of a conversation among which a single word looks for what it is about."""


async def says(core: Core, who: Who, text: str, source: str) -> Said:
    """Read a person's message as the answer to their pending question.

    Returns:
        The yes, taken; or the plan as it is once the message has cancelled it; or
        ``nothing_pending``, and the message is an ordinary one.
    """
    found = await core.read(lambda tx: _pending(core, tx, who))
    if found is None:
        return await _wished(core, who, text, source)
    stored, token, late = found
    if late:
        await _dismissed(core, stored, PlanReason.EXPIRED, "unanswered")
        if clear_yes(text, source) == "YES":
            return look.refused(core, Refusal.EXPIRED, stored.plan.plan)
        return look.refused(core, Refusal.NOTHING_PENDING)
    if source in SILENT or (source != "text" and not text.strip()):
        return look.outcome(core, stored, token=token, replayed=True)
    words = text if stored.plan.risk is Risk.TYPED else None
    if _agrees(stored, text, source):
        if token is None:
            # The key that signed the question has been retired: no yes can be checked any more.
            await _dismissed(core, stored, PlanReason.REFUSED, "key retired")
            return look.refused(core, Refusal.REVOKED, stored.plan.plan)
        return await press(core, who, token, Question.CONFIRM, take, words)
    ended = await _dismissed(core, stored, PlanReason.CANCELLED, "message")
    return look.outcome(core, ended)


def _agrees(stored: Stored, text: str, source: str) -> bool:
    if stored.plan.risk is Risk.TYPED:
        return typed_words(text, count_of(stored.steps), source)
    return clear_yes(text, source) == "YES"


def _pending(core: Core, tx: EngineTx, who: Who) -> tuple[Stored, str | None, bool] | None:
    row = tx.one("plans.pending", org=who.org, person=who.person, conversation=who.conversation)
    if row is None:
        return None
    plan = PlanRow.read(row)
    stored = look.load(tx, plan.org, plan.plan)
    if stored is None:
        return None
    return stored, look.live_token(core, tx, who, plan), look.expired(tx, stored)


async def _dismissed(core: Core, stored: Stored, reason: PlanReason, why: str) -> Stored:
    plan = stored.plan
    ended = await core.transact("dismiss", lambda tx: dismiss(tx, plan.org, plan.plan, reason, why))
    if ended is None:
        raise Bug(f"{plan.plan} is gone.")
    return ended


async def _wished(core: Core, who: Who, text: str, source: str) -> Said:
    """What a word alone does when no question is pending; a plain no stops what runs."""
    if source == "text" and send_again_words(text):
        return await _send_again(core, who, text)
    wished = wish(text, source)
    if wished is None and clear_yes(text, source) == "NO":
        wished = Wish.CANCEL
    plans = await core.read(lambda tx: _of_slot(tx, who)) if wished else []
    if wished is Wish.CANCEL:
        running = next((one for one in plans if one.plan.state is PlanState.RUNNING), None)
        if running is not None:
            return await cancel(core, who, running.plan.plan)
    elif plans:
        # Only the newest plan: an older one is not what somebody means by one word.
        offer = await offered(core, who, plans[0])
        if wished is Wish.RETRY and offer.retry is not None:
            return await press(core, who, offer.retry, Question.RETRY, take_retry)
        if wished is Wish.UNDO and offer.undo is not None:
            return await press(core, who, offer.undo, Question.UNDO, take_undo)
    return look.refused(core, Refusal.NOTHING_PENDING)


async def _send_again(core: Core, who: Who, text: str) -> Said:
    """Have the step in doubt of the newest plan sent once more, in so many words."""
    plans = await core.read(lambda tx: _of_slot(tx, who))
    position = next(iter(plans[0].sends), None) if plans else None
    if position is None:
        return look.refused(core, Refusal.NOTHING_PENDING)
    return await answer(core, who, plans[0].plan.plan, position, SendAnyway(text))


def _of_slot(tx: EngineTx, who: Who) -> list[Stored]:
    rows = tx.all(
        "plans.of_slot",
        org=who.org, person=who.person, conversation=who.conversation, limit=SLOT_MAX,
    )  # fmt: skip
    found = [look.load(tx, who.org, str(row["plan"])) for row in rows]
    return [stored for stored in found if stored is not None]
