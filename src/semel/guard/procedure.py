"""The way of one guarded call with an effect outside, from its key to what it came to."""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from semel.domain.doubt import SENDS_MAX
from semel.errors import StorageError
from semel.guard import call as calls
from semel.guard.call import Call, CallState
from semel.guard.kit import Ended, Kit, Tool
from semel.guard.observe import GUARDED, Source, source
from semel.guard.send import ABSENT, closes, fresh, hopeless, resolve, sent
from semel.guard.way import Asked, Pause, Way, changed, count_first

POLL_SECONDS = (0.02, 0.05, 0.1, 0.2, 0.5)
"""Between two looks at a call that another process makes; the last one again and again."""


def once(
    kit: Kit, tool: Tool, asked: Asked, tell: Callable[[str], None], *, new: bool
) -> Way[Ended]:
    """Make a call once; or say what it came to, or wait for whoever is making it.

    Args:
        kit: the guard's parts.
        tool: what is called.
        asked: with what, by whom.
        tell: is told the call's id as soon as it is known.
        new: a moment ago there was no record of it.
    """
    found: Call | None = None
    if not new:
        found = yield kit.calls.find(asked.key)
    for _ in range(SENDS_MAX - 1):
        ended: Ended = yield from _tried(kit, tool, asked, tell, found)
        absent = ended.call.state is CallState.NOT_DONE and ended.call.why == ABSENT
        if not absent or not (ended.replayed or closes(tool)):
            return ended
        # It is proven that nothing has happened and that nothing can any more: it begins anew.
        found = yield kit.calls.find(asked.key)
    return (yield from _tried(kit, tool, asked, tell, found))


def _tried(
    kit: Kit, tool: Tool, asked: Asked, tell: Callable[[str], None], found: Call | None
) -> Way[Ended]:
    if found is None or found.over(kit.now()):
        return (yield from _begin(kit, tool, asked, tell))
    kit.counter.add(tool.name, source(found, asked.turn), GUARDED)
    tell(found.id)
    return (yield from _found(kit, tool, asked, found))


def _begin(kit: Kit, tool: Tool, asked: Asked, tell: Callable[[str], None]) -> Way[Ended]:
    closed = kit.calls.closed
    if closed is not None:
        raise StorageError(f"Nothing was sent: {closed}")
    id_ = f"c_{kit.new_id()}"
    send_id = kit.new_id()
    ours: Future[None] = Future()
    here = kit.here.setdefault(asked.key, ours)
    if here is not ours:
        # Another caller of this process is at it: its end is waited for, not looked for.
        kit.counter.add(tool.name, Source.PARALLEL, GUARDED)
        ended: bool = yield Pause(tool.wait, here)
        found = yield kit.calls.find(asked.key)
        if found is None:
            raise StorageError("The same call was being made and left no record. Nothing is known.")
        tell(found.id)
        return (yield from _found(kit, tool, asked, found, 0 if ended else tool.wait))
    try:
        begins = partial(fresh, kit, tool, asked, id_, send_id)
        begun: Call = yield from changed(
            kit, "begin", asked.key, lambda found: calls.begin(found, begins, kit.now())
        )
        tell(begun.id)
        if begun.id == id_:
            count_first(kit, tool, asked, begun.created_at)
            return (yield from sent(kit, tool, asked, begun, send_id))
    finally:
        kit.here.pop(asked.key, None)
        ours.set_result(None)
    kit.counter.add(tool.name, source(begun, asked.turn), GUARDED)
    return (yield from _found(kit, tool, asked, begun))


def _found(kit: Kit, tool: Tool, asked: Asked, found: Call, waited: float = 0) -> Way[Ended]:
    """What a call that was asked for before has come to, or comes to within the wait."""
    looks = iter(POLL_SECONDS)
    pause = POLL_SECONDS[0]
    while found.state is CallState.STARTED and not found.due(kit.now(), kit.host.is_dead):
        if waited >= tool.wait:
            return Ended(found, replayed=True)
        pause = next(looks, pause)
        here = kit.here.get(asked.key)
        seconds = pause if here is None else tool.wait - waited
        ended: bool = yield Pause(seconds, here)
        waited += pause if ended else seconds
        again: Call | None = yield kit.calls.find(asked.key)
        found = found if again is None else again
    if found.open and not hopeless(tool, found, kit.now()):
        found = yield from resolve(kit, tool, found, asked)
    return Ended(found, replayed=True)
