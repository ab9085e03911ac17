"""A Local tool: its effect, its record and its value are one commit in the guard's own database.

Its way is a single transaction, so it is gone without a generator: that would cost as much as half
of what it does. Only a COMMIT whose answer was lost takes the long way.
"""

from collections.abc import Callable
from contextvars import Context

from semel.errors import CommitUnknown
from semel.facts import instant_text
from semel.guard import drive
from semel.guard.call import KEPT_SENDS, Call, CallState
from semel.guard.calls import Change
from semel.guard.kit import Ended, Kit, Tool, log
from semel.guard.observe import Mode, source
from semel.guard.way import INSIST_SECONDS, Asked, Pause, Way, count_first, until_known
from semel.ports import Tx
from semel.runtime import points
from semel.runtime.answers import answer

BEFORE, AFTER = "call:local:before", "call:local:after"


def blocking(kit: Kit, tool: Tool, asked: Asked) -> Ended:
    """Make a call once in this thread, or say what it came to."""
    change = _change(kit, tool, asked)
    points.reach(BEFORE)
    try:
        # As in a store's own thread, the function sees nothing of what its caller has in context.
        ended = Context().run(kit.calls.transacted, asked.key, change)
    except CommitUnknown as no:
        ended = drive.blocking(_again(kit, asked, change, no))
    else:
        points.reach(AFTER)
    return _counted(kit, tool, asked, ended)


async def looping(kit: Kit, tool: Tool, asked: Asked) -> Ended:
    """The same on an event loop; who asked may go at any time."""
    change = _change(kit, tool, asked)
    points.reach(BEFORE)
    try:
        ended = await answer(kit.calls.transact(asked.key, change))
    except CommitUnknown as no:
        ended = await drive.looping(_again(kit, asked, change, no))
    else:
        points.reach(AFTER)
    return _counted(kit, tool, asked, ended)


def local(kit: Kit, tool: Tool, asked: Asked, tell: Callable[[str], None]) -> Way[Ended]:
    """The same as a way, for a call that may become a job."""
    change = _change(kit, tool, asked)
    ended: Ended = yield from until_known("local", kit.calls.transact, asked.key, change)
    tell(ended.call.id)
    return _counted(kit, tool, asked, ended)


def _again(kit: Kit, asked: Asked, change: Change[Ended], lost: CommitUnknown) -> Way[Ended]:
    """Look for a change whose answer was lost; it knows itself."""
    log.warning("The answer to a COMMIT was lost; it is looked for.", exc_info=lost)
    yield Pause(INSIST_SECONDS[0])
    return (yield from until_known("local", kit.calls.transact, asked.key, change))


def _change(kit: Kit, tool: Tool, asked: Asked) -> Change[Ended]:
    """What makes the call, or finds it made; it may be run again until it is committed."""
    id_ = f"c_{kit.new_id()}"

    def work(found: Call | None, tx: Tx) -> tuple[Call | None, Ended]:
        if found is not None and not found.over(kit.now()):
            return None, Ended(found, replayed=True)
        args, kwargs = asked.bound.args, asked.bound.kwargs
        if tool.arguments.takes_tx:
            value = tool.function(*args, **kwargs, tx=tx)
        else:
            value = tool.function(*args, **kwargs)
        done = _done(kit, tool, asked, id_, found, tool.values.text(value))
        return done, Ended(done, value=value, fresh=True)

    return Change(work, id_)


def _counted(kit: Kit, tool: Tool, asked: Asked, ended: Ended) -> Ended:
    if ended.replayed:
        kit.counter.add(tool.name, source(ended.call, asked.turn, running=True), Mode.GUARDED)
    else:
        count_first(kit, tool, asked, ended.call)
    return ended


def _done(kit: Kit, tool: Tool, asked: Asked, id_: str, found: Call | None, result: str) -> Call:
    """The record of what was done in this very transaction: nothing was sent, so it has no sends.

    It begins and ends at one instant, as nobody sees anything of it in between.

    Args:
        kit: the guard's parts.
        tool: what was called.
        asked: with what, by whom.
        id_: the call's id.
        found: the record of an earlier round, whose sends may still be heard of.
        result: the value as JSON.
    """
    now = kit.clock.now()
    ended = instant_text(now)
    turn = asked.turn
    return Call(
        key=asked.key,
        id=id_,
        tool=asked.tool,
        intent=asked.kept_intent,
        session=turn.session,
        message=turn.message,
        turn=turn.id,
        request=turn.request,
        shown=asked.bound.shown,
        # As its change would stamp it.
        stamp=id_,
        state=CallState.DONE,
        epoch=1 if found is None else found.epoch + 1,
        round=1 if found is None else found.round + 1,
        sends=() if found is None else found.sends[-KEPT_SENDS:],
        created_at=ended,
        resume_after=ended,
        result=result,
        ended_at=ended,
        keep_until=kit.after(tool.window, now),
    )
