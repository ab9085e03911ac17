"""A Local tool: its effect, its record and its value are one commit in the guard's own database.

Its way is a single transaction, so it is gone without a generator: that would cost as much as half
of what it does. Only a COMMIT whose answer was lost takes the long way.
"""

from contextvars import Context

from semel.errors import CommitUnknown
from semel.facts import instant_text
from semel.guard import drive
from semel.guard.call import Call
from semel.guard.calls import Work
from semel.guard.done import Done, Made
from semel.guard.kit import Ended, Kit, Tool, log
from semel.guard.observe import GUARDED, source
from semel.guard.way import INSIST_SECONDS, Asked, Pause, Way, count_first, until_known
from semel.ports import Tx
from semel.runtime import points
from semel.runtime.answers import answer

BEFORE, AFTER = "call:local:before", "call:local:after"


def blocking(kit: Kit, tool: Tool, asked: Asked) -> Ended | Made:
    """Make a call once in this thread, or say what it came to."""
    work = _work(kit, tool, asked)
    points.reach(BEFORE)
    try:
        # As in a store's own thread, the function sees nothing of what its caller has in context.
        ended = Context().run(kit.calls.transacted, asked.key, work)
    except CommitUnknown as no:
        ended = drive.blocking(_again(kit, asked, work, no))
    else:
        points.reach(AFTER)
    return _counted(kit, tool, asked, ended)


async def looping(kit: Kit, tool: Tool, asked: Asked) -> Ended | Made:
    """The same on an event loop; who asked may go at any time."""
    work = _work(kit, tool, asked)
    points.reach(BEFORE)
    try:
        ended = await answer(kit.calls.transact(asked.key, work))
    except CommitUnknown as no:
        ended = await drive.looping(_again(kit, asked, work, no))
    else:
        points.reach(AFTER)
    return _counted(kit, tool, asked, ended)


def _again(
    kit: Kit, asked: Asked, work: Work[Ended | Made], lost: CommitUnknown
) -> Way[Ended | Made]:
    """Look for a change whose answer was lost; it knows itself."""
    log.warning("The answer to a COMMIT was lost; it is looked for.", exc_info=lost)
    yield Pause(INSIST_SECONDS[0])
    return (yield from until_known("local", kit.calls.transact, asked.key, work))


def _work(kit: Kit, tool: Tool, asked: Asked) -> Work[Ended | Made]:
    """What makes the call, or finds it made; it may be run again until it is committed."""
    id_ = f"c_{kit.new_id()}"
    made: Made | None = None

    def work(found: Call | None, tx: Tx) -> tuple[Done | None, Ended | Made]:
        nonlocal made
        if found is not None and found.id == id_ and made is not None:
            # It was committed, and only the answer was lost.
            return None, made
        if found is not None and not found.over(kit.now()):
            return None, Ended(found, replayed=True)
        args, kwargs = asked.bound.args, asked.bound.kwargs
        if tool.arguments.takes_tx:
            value = tool.function(*args, **kwargs, tx=tx)
        else:
            value = tool.function(*args, **kwargs)
        done = _done(kit, tool, asked, id_, tool.values.text(value))
        made = Made(done, value)
        return done, made

    return work


def _done(kit: Kit, tool: Tool, asked: Asked, id_: str, result: str) -> Done:
    """The record of what was done in this very transaction."""
    now = kit.clock.now()
    turn = asked.turn
    return {
        "key": asked.key,
        "id": id_,
        "tool": asked.tool,
        "intent": asked.kept_intent,
        "session": turn.session,
        "message": turn.message,
        "turn": turn.id,
        "request": turn.request,
        "shown": asked.bound.shown,
        "result": result,
        "ended_at": instant_text(now),
        "keep_until": instant_text(now + tool.keeps),
        "stamp": id_,
    }


def _counted(kit: Kit, tool: Tool, asked: Asked, ended: Ended | Made) -> Ended | Made:
    if isinstance(ended, Made):
        count_first(kit, tool, asked, ended.done["ended_at"])
    else:
        kit.counter.add(tool.name, source(ended.call, asked.turn, running=True), GUARDED)
    return ended
