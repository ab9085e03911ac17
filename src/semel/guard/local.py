"""A Local tool: its effect, its record and its value are one commit in the guard's own database."""

from collections.abc import Callable

from semel.facts import instant_text
from semel.guard.call import KEPT_SENDS, Call, CallState
from semel.guard.calls import Change
from semel.guard.kit import Ended, Kit, Tool
from semel.guard.observe import Mode, source
from semel.guard.way import Asked, Way, count_first, until_known
from semel.ports import Tx


def local(kit: Kit, tool: Tool, asked: Asked, tell: Callable[[str], None]) -> Way[Ended]:
    """Make a call once, or say what it came to; it may be run again until it is committed."""
    id_ = f"c_{kit.new_id()}"

    def work(found: Call | None, tx: Tx) -> tuple[Call | None, Ended]:
        if found is not None and not found.over(kit.now()):
            return None, Ended(found, replayed=True)
        extra = {"tx": tx} if tool.arguments.takes_tx else {}
        value = tool.function(*asked.bound.args, **asked.bound.kwargs, **extra)
        done = _done(kit, tool, asked, id_, found, tool.values.text(value))
        return done, Ended(done, value=value, fresh=True)

    ended: Ended = yield from until_known("local", kit.calls.transact, asked.key, Change(work, id_))
    tell(ended.call.id)
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
    return Call(
        **asked.of_record(),
        id=id_,
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
