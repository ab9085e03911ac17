"""Which request a call belongs to where the channel knows no message: by what it asks for.

Equal calls are numbered, and the number stands for the message. A call has the last number that
there is until that plan is over, and then the next one. Of two callers at once neither can choose a
free number that the other does not, so the number's key makes one plan of both.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from semel.domain.key import act_key
from semel.domain.plan import NoMessage, PlanReason, PlanState, Who
from semel.domain.report import Invalid
from semel.errors import Bug
from semel.facts import JSON, instant_text
from semel.ports import EngineTx
from semel.runtime import look
from semel.runtime.core import Core
from semel.runtime.look import Stored
from semel.runtime.propose import Call, parse

UNNAMED = "unnamed"
"""What a message is called that nobody has named."""


async def parse_unnamed(
    core: Core, who: Who, without: NoMessage, sentence: str | None, raw: object
) -> Call | Invalid:
    """Read what a model wrote, as :func:`parse` does, and find which request it belongs to."""
    call = parse(core, who, UNNAMED, sentence, raw)
    if not isinstance(call, Call):
        return call
    return await core.look(lambda tx: _numbered(tx, call, without.seconds))


def _numbered(tx: EngineTx, call: Call, seconds: float) -> Call:
    """The call with the last number that its plan has, or with the next one."""
    last = _last(lambda number: _plan(tx, _named(call, number)) is not None)
    if last == 0:
        return _named(call, 1)
    plan = _plan(tx, _named(call, last))
    stored = look.load(tx, call.who.org, plan) if plan is not None else None
    if stored is None:
        raise Bug("A key points at a plan that is not there.")
    before = instant_text(tx.now() - timedelta(seconds=seconds))
    return _named(call, last + 1 if _over(stored, before) else last)


def _over(stored: Stored, before: str) -> bool:
    """Whether an equal call is a new request: the plan ended for good, and long enough ago."""
    plan = stored.plan
    if plan.state is not PlanState.ENDED or plan.ended_at is None:
        return False
    if plan.reason is PlanReason.IN_DOUBT:
        # Whatever it was may have happened, and nobody has said yet.
        return False
    # Nothing ran and nobody said no: who calls again has heard from the person since.
    return plan.reason is PlanReason.EXPIRED or plan.ended_at <= before


def _named(call: Call, number: int) -> Call:
    """The call under a number; the plan is part of the name, so that others are not counted in."""
    who = call.who
    canonical: JSON = [[step.name, step.canonical] for step in call.steps]
    message = f"{UNNAMED}:{call.key}:{number}"
    key = act_key(who.org, who.person, who.conversation, message, canonical)
    return replace(call, message=message, key=key)


def _plan(tx: EngineTx, call: Call) -> str | None:
    row = tx.one("keys.find", org=call.who.org, key=call.key)
    return None if row is None else str(row["plan"])


def _last(there: Callable[[int], bool]) -> int:
    """The last number that is there, 0 when none is: a thousand are found in twenty looks."""
    free = 1
    while there(free):
        free *= 2
    known = free // 2
    while free - known > 1:
        middle = (known + free) // 2
        if there(middle):
            known = middle
        else:
            free = middle
    return known
