"""A tool that is only watched: nothing is stopped, and what asks for it again is counted."""

import hashlib
from concurrent.futures import Future
from dataclasses import dataclass

from semel.domain.canonical import compact
from semel.guard.call import Call, CallState
from semel.guard.calls import Change
from semel.guard.kit import Kit, Tool, log
from semel.guard.observe import Mode, source
from semel.guard.way import Asked
from semel.ports import Pending

SEEN = compact({"lost": "observed"})
"""What stands for the value of a call that was only seen."""


@dataclass(slots=True)
class Watch:
    """One call that is being watched."""

    kit: Kit
    key: str
    ends: "Future[None]"

    def over(self) -> None:
        """It has ended, somehow."""
        if self.kit.here.get(self.key) is self.ends:
            self.kit.here.pop(self.key)
        self.ends.set_result(None)


def watched(kit: Kit, tool: Tool, asked: Asked) -> Watch:
    """Begin to watch a call; what asked for it is counted when the record has been read."""
    # Its record is its own: a call that is guarded later has another key.
    key = hashlib.sha256(f"observed {asked.intent}".encode()).hexdigest()
    ends: Future[None] = Future()
    running = kit.here.setdefault(key, ends) is not ends
    now = kit.now()

    def seen(found: Call | None) -> tuple[Call | None, Call | None]:
        call = Call(
            key=key,
            id=f"c_{kit.new_id()}" if found is None else found.id,
            tool=tool.name,
            intent=asked.intent,
            session=asked.turn.session,
            message=asked.turn.message,
            turn=asked.turn.id,
            request=asked.turn.request,
            shown="{}",
            state=CallState.DONE,
            epoch=1 if found is None else found.epoch + 1,
            round=1,
            sends=(),
            created_at=now,
            resume_after=now,
            result=SEEN,
            ended_at=now,
            keep_until=kit.after(tool.window),
        )
        return call, None if found is None or found.over(now) else found

    def counted(done: Pending[Call | None]) -> None:
        if done.exception() is not None:
            log.warning("%s: it could not be counted.", tool.name, exc_info=done.exception())
            return
        asks = source(done.result(), asked.turn, running=running)
        kit.counter.add(tool.name, asks, Mode.OBSERVED)

    change = Change(seen, kit.new_id())
    kit.counter.after(kit.counter.submit(lambda: kit.calls.change(key, change).result()), counted)
    return Watch(kit, key, ends)
