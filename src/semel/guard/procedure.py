"""The way of one guarded call, as a generator: what it has to wait for, it yields.

So one text serves plain functions and coroutines: whoever drives it (``drive``) waits in a thread
or on an event loop. It knows no clock and no database but through its kit.
"""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

from semel.domain.doubt import SENDS_MAX, Attempt, open_ones, too_old
from semel.domain.effect import Checked, Keyed, Local
from semel.domain.key import send_key, step_key
from semel.domain.step import bounds
from semel.errors import Bug, CommitUnknown, NotDone, StorageError
from semel.facts import read_instant
from semel.guard import call as calls
from semel.guard.arguments import Bound
from semel.guard.call import Call, CallState
from semel.guard.calls import Change
from semel.guard.kit import GRACE_SECONDS, Ended, Kit, Tool, log
from semel.guard.observe import Mode, Source, source
from semel.guard.turn import Turn
from semel.ports import Tx
from semel.runtime import points
from semel.runtime.core import LOCAL_SECONDS

T = TypeVar("T")

RESEND_SECONDS = (0.2, 1.0)
"""Pauses before a call's second and third send: the other side may be starting anew."""

POLL_SECONDS = (0.02, 0.05, 0.1, 0.2, 0.5)
"""Between two looks at a call that another process makes; the last one again and again."""

INSIST_SECONDS = (0.1, 0.5, 2.0, 5.0)
"""Pauses between tries to record what is known while the database is away: a proof in hand is
worth waiting for; without it a person would have to find out."""

TOO_OLD = "It was not sent: its mark was too old, so the other side may have forgotten the key."
ABSENT = "It was looked for, and it had not happened."


@dataclass(frozen=True, slots=True)
class Asked:
    """One call as it was asked for."""

    key: str
    intent: str
    turn: Turn
    bound: Bound


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


@dataclass(frozen=True, slots=True)
class Came:
    """What a function came to; neither when it was given up."""

    value: Any = None
    error: BaseException | None = None
    back: bool = True
    """Whether it has returned; giving up waiting is not returning."""


Wanted: TypeAlias = "Future[Any] | Pause | Run"
Way: TypeAlias = Generator[Wanted, Any, T]


def once(kit: Kit, tool: Tool, asked: Asked, tell: Callable[[str], None]) -> Way[Ended]:
    """Make a call once; or say what it came to, or wait for whoever is making it.

    Args:
        kit: the guard's parts.
        tool: what is called.
        asked: with what, by whom.
        tell: is told the call's id as soon as it is known.
    """
    if isinstance(tool.effect, Local):
        return (yield from _local(kit, tool, asked, tell))
    for _ in range(SENDS_MAX - 1):
        ended: Ended = yield from _tried(kit, tool, asked, tell)
        absent = ended.call.state is CallState.NOT_DONE and ended.call.why == ABSENT
        if not absent or not (ended.replayed or _closes(tool)):
            return ended
        # It is proven that nothing has happened and that nothing can any more: it begins anew.
    return (yield from _tried(kit, tool, asked, tell))


def _closes(tool: Tool) -> bool:
    return isinstance(tool.effect, Checked) and tool.effect.void


def _tried(kit: Kit, tool: Tool, asked: Asked, tell: Callable[[str], None]) -> Way[Ended]:
    found: Call | None = yield kit.calls.find(asked.key)
    if found is None or found.over(kit.now()):
        return (yield from _begin(kit, tool, asked, tell))
    kit.counter.add(tool.name, source(found, asked.turn), Mode.GUARDED)
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
        kit.counter.add(tool.name, Source.PARALLEL, Mode.GUARDED)
        ended: bool = yield Pause(tool.wait, here)
        found = yield kit.calls.find(asked.key)
        if found is None:
            raise StorageError("The same call was being made and left no record. Nothing is known.")
        tell(found.id)
        return (yield from _found(kit, tool, asked, found, 0 if ended else tool.wait))
    try:
        fresh = partial(_fresh, kit, tool, asked, id_, send_id)
        points.reach("call:begin:before")
        begun: Call = yield from _changed(
            kit, asked.key, lambda found: calls.begin(found, fresh, kit.now())
        )
        points.reach("call:begin:after")
        tell(begun.id)
        if begun.id == id_:
            _count_first(kit, tool, asked)
            return (yield from _sent(kit, tool, asked, begun, send_id))
    finally:
        kit.here.pop(asked.key, None)
        ours.set_result(None)
    kit.counter.add(tool.name, source(begun, asked.turn), Mode.GUARDED)
    return (yield from _found(kit, tool, asked, begun))


def _count_first(kit: Kit, tool: Tool, asked: Asked) -> None:
    """Count a call that began: a person's own repeat has another key, and is looked for beside."""
    if asked.turn.message is None:
        kit.counter.add(tool.name, Source.FIRST, Mode.GUARDED)
        return

    def told(before: "Future[Call | None]") -> None:
        earlier = None if before.exception() else before.result()
        asks = Source.FIRST if earlier is None else Source.PERSON
        kit.counter.add(tool.name, asks, Mode.GUARDED)

    kit.calls.said_before(asked.key, asked.intent).add_done_callback(told)


def _fresh(
    kit: Kit, tool: Tool, asked: Asked, id_: str, send_id: str, epoch: int, round_: int
) -> Call:
    """A call as it begins: its first send is marked in the same commit."""
    return Call(
        key=asked.key,
        id=id_,
        tool=tool.name,
        intent=asked.intent,
        session=asked.turn.session,
        message=asked.turn.message,
        turn=asked.turn.id,
        request=asked.turn.request,
        shown=asked.bound.shown,
        state=CallState.STARTED,
        epoch=epoch,
        round=round_,
        sends=(_mark(kit, tool, asked.key, send_id, round_),),
        created_at=kit.now(),
        resume_after=kit.after(_bounds(tool)[0] + GRACE_SECONDS),
    )


def _bounds(tool: Tool) -> tuple[float, float | None]:
    """Seconds that a send may take, and seconds after them until it has arrived or never will."""
    return (LOCAL_SECONDS, 0) if isinstance(tool.effect, Local) else bounds(tool.effect)


def _mark(kit: Kit, tool: Tool, key: str, id_: str, round_: int) -> Attempt:
    """One send that is about to leave: who sends it, under which key, and when it is settled."""
    limit, bound = _bounds(tool)
    base = step_key("guard", key, 1, round_)
    return Attempt(
        id=id_,
        round=round_,
        key=send_key(base, id_) if _closes(tool) else base,
        sent_by=kit.host.identity,
        opened_at=kit.now(),
        settles_at=None if bound is None else kit.after(limit + bound),
        request_digest="",
        outcome=None,
        returned_at=None,
    )


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
    if found.open:
        found = yield from resolve(kit, tool, found, asked)
    return Ended(found, replayed=True)


def _sent(kit: Kit, tool: Tool, asked: Asked, mine: Call, send_id: str) -> Way[Ended]:
    """Send once, and record what that proved."""
    limit, _ = _bounds(tool)
    send = next(one for one in mine.sends if one.id == send_id)
    went = kit.clock.monotonic()

    def function() -> Any:
        points.reach("call:send:before")
        late = kit.clock.monotonic() - went >= limit
        if isinstance(tool.effect, Keyed):
            first = mine.mine[0].opened_at
            late = late or too_old(tool.effect, first, read_instant(kit.now()))
        if late:
            raise NotDone(TOO_OLD)
        extra = {"idempotency_key": send.key} if tool.arguments.takes_key else {}
        return tool.function(*asked.bound.args, **asked.bound.kwargs, **extra)

    def late(came: Came) -> None:
        _record_late(kit, tool, mine, send_id, came)

    came: Came = yield Run(function, limit, late)
    points.reach("call:send:after")
    return (yield from _concluded(kit, tool, asked, mine, send_id, came))


def _concluded(
    kit: Kit, tool: Tool, asked: Asked, mine: Call, send_id: str, came: Came
) -> Way[Ended]:
    if came.back and came.error is None:
        after = yield from _insisted(kit, mine, _made(kit, tool, mine, send_id, came.value))
        return Ended(after, value=came.value, fresh=True)
    error = came.error
    if error is not None and _proves(tool, error):
        after = yield from _insisted(kit, mine, _refused(kit, tool, mine, send_id, error))
        if after.state is CallState.NOT_DONE:
            return Ended(after, error=error)
    elif came.back:
        log.error("%s: it is not known whether it happened.", tool.name, exc_info=error)
        after = yield from _insisted(
            kit, mine, lambda found: calls.returned(found, mine, send_id, kit.now())
        )
    else:
        after = mine
    if after.open and after.epoch == mine.epoch:
        after = yield from resolve(kit, tool, after, asked)
    return Ended(after, error=error)


def _proves(tool: Tool, error: BaseException) -> bool:
    """Whether an exception proves that nothing happened."""
    return isinstance(error, (NotDone, *tool.not_done))


def _made(
    kit: Kit, tool: Tool, mine: Call, send_id: str | None, value: object
) -> Callable[[Call | None], tuple[Call | None, Call]]:
    text = tool.values.text(value)

    def decide(found: Call | None) -> tuple[Call | None, Call]:
        written, (after, contradicts) = calls.made(
            found, mine, send_id, text, kit.now(), kit.after(tool.window)
        )
        if contradicts:
            log.error("%s: %s happened after all.", mine.id, tool.name)
        return written, after

    return decide


def _record_late(kit: Kit, tool: Tool, mine: Call, send_id: str, came: Came) -> None:
    """Record what a send came to that was given up waiting for: a proof is a proof."""
    error = came.error
    if error is None:
        decide = _made(kit, tool, mine, send_id, came.value)
    elif _proves(tool, error):
        decide = _refused(kit, tool, mine, send_id, error)
    else:

        def decide(found: Call | None) -> tuple[Call | None, Call]:
            return calls.returned(found, mine, send_id, kit.now())

    kit.calls.change(mine.key, Change(decide, kit.new_id()))


def _refused(
    kit: Kit, tool: Tool, mine: Call, send_id: str, error: BaseException
) -> Callable[[Call | None], tuple[Call | None, Call]]:
    why = str(error)
    return lambda found: calls.refused(found, mine, send_id, why, kit.now(), kit.after(tool.window))


def resolve(kit: Kit, tool: Tool, found: Call, asked: Asked | None) -> Way[Call]:
    """Bring a call without a proof to one, by what its effect allows, or leave it in doubt.

    Args:
        kit: the guard's parts.
        tool: what was called.
        found: its record.
        asked: with what; None when only its state is asked for, and then nothing is sent.
    """
    limit, _ = _bounds(tool)
    until = kit.after(limit + GRACE_SECONDS)
    mine: Call | None = yield from _changed(
        kit, found.key, lambda now: calls.take_over(now, found, until)
    )
    if mine is None:
        return (yield kit.calls.find(found.key)) or found
    match tool.effect:
        case Keyed() if asked is not None and mine.may_resend(tool.effect, kit.now()):
            return (yield from _again(kit, tool, asked, mine))
        case Checked():
            return (yield from _looked(kit, tool, mine))
        case _:
            return (yield from _changed(kit, mine.key, lambda now: calls.doubt(now, mine)))


def _again(kit: Kit, tool: Tool, asked: Asked, mine: Call) -> Way[Call]:
    """Send the same under the same key once more."""
    yield Pause(RESEND_SECONDS[len(mine.mine) - 1])
    send = _mark(kit, tool, mine.key, kit.new_id(), mine.round)
    until = kit.after(_bounds(tool)[0] + GRACE_SECONDS)
    marked: Call | None = yield from _changed(
        kit, mine.key, lambda now: calls.resend(now, mine, send, until)
    )
    if marked is None:
        return (yield kit.calls.find(mine.key)) or mine
    ended = yield from _sent(kit, tool, asked, marked, send.id)
    return ended.call


def _looked(kit: Kit, tool: Tool, mine: Call) -> Way[Call]:
    """Look at the other side: what is found is done; "not there" counts once nothing can arrive."""
    # Settled first, then looked: what arrives between the two would be missed the other way round.
    settled = mine.settled(kit.now(), kit.host.is_dead)
    keys = tuple(dict.fromkeys(send.key for send in open_ones(mine.mine)))
    if _closes(tool):
        closed: Came = yield Run(partial(_asked(tool.void), keys), _bounds(tool)[0])
        settled = closed.back and closed.error is None
    came: Came = yield Run(partial(_asked(tool.check), keys), _bounds(tool)[0])
    answered = came.back and came.error is None
    if answered and came.value is not None:
        return (yield from _insisted(kit, mine, _made(kit, tool, mine, None, came.value)))
    if answered and settled:
        return (
            yield from _changed(
                kit, mine.key,
                lambda now: calls.absent(now, mine, ABSENT, kit.now(), kit.after(tool.window)),
            )
        )  # fmt: skip
    if not answered:
        log.warning("%s: the other side could not be asked.", tool.name, exc_info=came.error)
    return (yield from _changed(kit, mine.key, lambda now: calls.doubt(now, mine)))


def _asked(function: Callable[[Sequence[str]], Any] | None) -> Callable[[Sequence[str]], Any]:
    if function is None:
        raise Bug("A checked tool has check= and void=.")
    return function


def _local(kit: Kit, tool: Tool, asked: Asked, tell: Callable[[str], None]) -> Way[Ended]:
    """An effect in the guard's own database: it, its record and its value are one commit."""
    found: Call | None = yield kit.calls.find(asked.key)
    if found is not None and not found.over(kit.now()):
        kit.counter.add(tool.name, source(found, asked.turn), Mode.GUARDED)
        tell(found.id)
        return Ended(found, replayed=True)
    id_, send_id = f"c_{kit.new_id()}", kit.new_id()

    def work(found: Call | None, tx: Tx) -> tuple[Call | None, Ended]:
        begun, call = calls.begin(found, partial(_fresh, kit, tool, asked, id_, send_id), kit.now())
        if begun is None:
            return None, Ended(call, replayed=True)
        extra = {"tx": tx} if tool.arguments.takes_tx else {}
        value = tool.function(*asked.bound.args, **asked.bound.kwargs, **extra)
        _, (done, _) = calls.made(
            replace(call), call, send_id, tool.values.text(value), kit.now(), kit.after(tool.window)
        )
        return done, Ended(done, value=value, fresh=True)

    points.reach("call:local:before")
    ended: Ended = yield from _until_known(
        kit.calls.transact, asked.key, Change(work, kit.new_id())
    )
    points.reach("call:local:after")
    tell(ended.call.id)
    if ended.replayed:
        kit.counter.add(tool.name, source(ended.call, asked.turn, running=True), Mode.GUARDED)
    else:
        _count_first(kit, tool, asked)
    return ended


def _changed(kit: Kit, key: str, decide: Callable[[Call | None], tuple[Call | None, T]]) -> Way[T]:
    """Change a record; a change whose answer was lost is made again, and knows itself."""
    return (yield from _until_known(kit.calls.change, key, Change(decide, kit.new_id())))


def _until_known(
    ask: Callable[[str, Change[T]], "Future[T]"], key: str, change: Change[T]
) -> Way[T]:
    for pause in INSIST_SECONDS:
        try:
            value: T = yield ask(key, change)
        except CommitUnknown as no:
            log.warning("The answer to a COMMIT was lost; it is looked for.", exc_info=no)
            yield Pause(pause)
        else:
            return value
    last: T = yield ask(key, change)
    return last


def _insisted(
    kit: Kit, mine: Call, decide: Callable[[Call | None], tuple[Call | None, Call]]
) -> Way[Call]:
    """Write what is proven, again and again while the database is away."""
    for pause in (*INSIST_SECONDS, None):
        try:
            return (yield from _changed(kit, mine.key, decide))
        except StorageError as no:
            if pause is None:
                # It is true all the same: whoever asks here is told, and others look for it.
                log.error("%s: what is known of it could not be written.", mine.id, exc_info=no)
                return decide(mine)[1]
            yield Pause(pause)
    raise Bug("A proof came to no end.")
