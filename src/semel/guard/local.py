"""A Local tool: its effect, its record and its value are one commit in the guard's own database."""

from collections.abc import Callable
from functools import partial

from semel.guard import call as calls
from semel.guard.call import Call
from semel.guard.calls import Change
from semel.guard.kit import Ended, Kit, Tool
from semel.guard.observe import Mode, source
from semel.guard.send import fresh
from semel.guard.way import Asked, Way, count_first, until_known
from semel.ports import Tx


def local(kit: Kit, tool: Tool, asked: Asked, tell: Callable[[str], None]) -> Way[Ended]:
    """Make a call once, or say what it came to; it may be run again until it is committed."""
    id_, send_id = f"c_{kit.new_id()}", kit.new_id()

    def work(found: Call | None, tx: Tx) -> tuple[Call | None, Ended]:
        begun, call = calls.begin(found, partial(fresh, kit, tool, asked, id_, send_id), kit.now())
        if begun is None:
            return None, Ended(call, replayed=True)
        extra = {"tx": tx} if tool.arguments.takes_tx else {}
        value = tool.function(*asked.bound.args, **asked.bound.kwargs, **extra)
        _, (done, _) = calls.made(
            call, call, send_id, tool.values.text(value), kit.now(), kit.after(tool.window)
        )
        return done, Ended(done, value=value, fresh=True)

    ended: Ended = yield from until_known(
        "local", kit.calls.transact, asked.key, Change(work, kit.new_id())
    )
    tell(ended.call.id)
    if ended.replayed:
        kit.counter.add(tool.name, source(ended.call, asked.turn, running=True), Mode.GUARDED)
    else:
        count_first(kit, tool, asked, ended.call)
    return ended
