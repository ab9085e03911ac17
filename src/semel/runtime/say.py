"""Say: a person's next message in a text channel, read by strict rules and never by a model.

A clear yes confirms the one question that is pending; everything else cancels it, since asking
again is cheap and running the wrong thing is not.
"""

from semel.domain.action import Risk
from semel.domain.plan import PlanReason, PlanRow, Who
from semel.domain.reply import clear_yes, typed_words
from semel.domain.report import Outcome, Refusal
from semel.errors import Bug
from semel.ports import EngineTx
from semel.runtime import look
from semel.runtime.confirm import Pressed, count_of, dismiss, press
from semel.runtime.core import Core
from semel.runtime.look import Stored

SILENT = frozenset({"reaction", "sticker", "unsupported"})
"""Messages that say nothing: they leave a question as it is."""


async def says(core: Core, who: Who, text: str, source: str) -> Pressed | Outcome:
    """Read a person's message as the answer to their pending question.

    Returns:
        The yes, taken; or the plan as it is once the message has cancelled it; or
        ``nothing_pending``, and the message is an ordinary one.
    """
    found = await core.read(lambda tx: _pending(core, tx, who))
    if found is None:
        return look.refused(core, Refusal.NOTHING_PENDING)
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
        return await press(core, who, token, words)
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
