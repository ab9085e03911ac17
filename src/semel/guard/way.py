"""What the way of a call waits for, and how it writes what it knows.

A way is a generator: what it has to wait for, it yields. So one text serves plain functions and
coroutines: whoever drives it (``drive``) waits in a thread or on an event loop.
"""

from collections.abc import Callable, Generator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypedDict, TypeVar

from semel.errors import Bug, CommitUnknown, StorageError
from semel.guard.arguments import Bound, intent_key
from semel.guard.call import Call
from semel.guard.calls import Change
from semel.guard.kit import Kit, Tool, log
from semel.guard.observe import FIRST, GUARDED, Source
from semel.guard.turn import Turn
from semel.ports import Pending
from semel.runtime import points

T = TypeVar("T")
W = TypeVar("W")

INSIST_SECONDS = (0.1, 0.5, 2.0, 5.0)
"""Pauses between tries to record what is known while the database is away: a proof in hand is
worth waiting for; without it a person would have to find out."""

Decide: TypeAlias = Callable[[Call | None], tuple[Call | None, Call]]
"""From the record that is there to the one to write, and what there is then."""


class Intent(TypedDict):
    """What a record says of who asked for what; it is the same however the call goes on."""

    key: str
    tool: str
    intent: str
    session: str
    message: str | None
    turn: str
    request: str | None
    shown: str


class Asked(NamedTuple):
    """One call as it was asked for."""

    key: str
    tool: str
    turn: Turn
    bound: Bound

    @property
    def intent(self) -> str:
        """The key of its intent, whichever message it is asked for in."""
        return intent_key(self.turn.session, self.tool, self.bound.meaning)

    @property
    def kept_intent(self) -> str:
        """The same for a record. One without a message is not looked for by it: its key will do."""
        return self.key if self.turn.message is None else self.intent

    def of_record(self) -> Intent:
        """What the record of this call begins with."""
        return Intent(
            key=self.key,
            tool=self.tool,
            intent=self.kept_intent,
            session=self.turn.session,
            message=self.turn.message,
            turn=self.turn.id,
            request=self.turn.request,
            shown=self.bound.shown,
        )


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so long, or until a call of this process has ended; the answer is whether it has."""

    seconds: float
    until: "Future[None] | None" = None


@dataclass(frozen=True, slots=True)
class Run:
    """Run the function, a check or a void, for so long at most; what came of it is a ``Came``."""

    function: Callable[[], Any]
    seconds: float | None
    late: "Callable[[Came], None] | None" = None
    """Told what came of it after all, when it was given up."""
    blocks: bool = False
    """Whether it is a plain function, for which an event loop must not wait."""


@dataclass(frozen=True, slots=True)
class Came:
    """What a function came to; neither when it was given up."""

    value: Any = None
    error: BaseException | None = None
    back: bool = True
    """Whether it has returned; giving up waiting is not returning."""


Wanted: TypeAlias = Pending[Any] | Pause | Run
Way: TypeAlias = Generator[Wanted, Any, T]


def changed(
    kit: Kit, name: str, key: str, decide: Callable[[Call | None], tuple[Call | None, T]]
) -> Way[T]:
    """Change a record; a change whose answer was lost is made again, and knows itself.

    Args:
        kit: the guard's parts.
        name: what is written, for crash points.
        key: the call's key.
        decide: from the record that is there to the one to write, and what is answered.
    """
    return (yield from until_known(name, kit.calls.change, key, Change(decide, kit.new_id())))


def until_known(name: str, ask: Callable[[str, W], Pending[T]], key: str, change: W) -> Way[T]:
    """Make a change until it is known how it ended."""
    points.reach(f"call:{name}:before")
    for pause in (*INSIST_SECONDS, None):
        try:
            value: T = yield ask(key, change)
        except CommitUnknown as no:
            if pause is None:
                raise
            log.warning("The answer to a COMMIT was lost; it is looked for.", exc_info=no)
            yield Pause(pause)
        else:
            points.reach(f"call:{name}:after")
            return value
    raise Bug("A change came to no end.")


def insisted(kit: Kit, name: str, mine: Call, decide: Decide) -> Way[Call]:
    """Write what is proven, again and again while the database is away."""
    for pause in (*INSIST_SECONDS, None):
        try:
            return (yield from changed(kit, name, mine.key, decide))
        except StorageError as no:
            if pause is None:
                # It is true all the same: whoever asks here is told, and others look for it.
                log.error("%s: what is known of it could not be written.", mine.id, exc_info=no)
                return decide(mine)[1]
            yield Pause(pause)
    raise Bug("A proof came to no end.")


def count_first(kit: Kit, tool: Tool, asked: Asked, begun_at: str) -> None:
    """Count a call that began: a person's own repeat has another key, and is looked for beside."""
    if asked.turn.message is None:
        kit.counter.add(tool.name, FIRST, GUARDED)
        return

    def told(before: Pending[Call | None]) -> None:
        earlier = None if before.exception() else before.result()
        asks = FIRST if earlier is None else Source.PERSON
        kit.counter.add(tool.name, asks, GUARDED)

    kit.counter.after(kit.calls.said_before(asked.key, asked.intent, begun_at), told)
