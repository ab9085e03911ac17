"""One send of a guarded call, what it proves, and how a call without a proof is brought to one.

Opaque          nobody can be asked: in doubt
Keyed           the same under the same key again, while the other side remembers it
Checked         look: what is found is done; "not there" counts only once everything is settled
Checked(void)   close every open send, then look: done, or not there for certain
"""

import inspect
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from semel.domain.doubt import Attempt, open_ones, too_old
from semel.domain.effect import Checked, Keyed
from semel.domain.key import send_key, step_key
from semel.domain.step import bounds
from semel.errors import Bug, NotDone
from semel.facts import read_instant
from semel.guard import call as calls
from semel.guard.call import Call, CallState
from semel.guard.calls import Change
from semel.guard.kit import GRACE_SECONDS, Ended, Kit, Tool, log
from semel.guard.way import Asked, Came, Decide, Pause, Run, Way, changed, insisted
from semel.runtime import points
from semel.runtime.core import LOCAL_SECONDS

RESEND_SECONDS = (0.2, 1.0)
"""Pauses before a call's second and third send: the other side may be starting anew."""

TOO_OLD = "It was not sent: its mark was too old, so the other side may have forgotten the key."
ABSENT = "It was looked for, and it had not happened."


def closes(tool: Tool) -> bool:
    """Whether each of its sends can be closed."""
    return isinstance(tool.effect, Checked) and tool.effect.void


def hopeless(tool: Tool, call: Call, now: str) -> bool:
    """Whether nothing that a program could do ends its doubt."""
    if isinstance(tool.effect, Checked):
        return False
    return call.state is CallState.IN_DOUBT and not call.may_resend(tool.effect, now)


def fresh(
    kit: Kit, tool: Tool, asked: Asked, id_: str, send_id: str, epoch: int, round_: int
) -> Call:
    """A call as it begins: its first send is marked in the same commit."""
    return Call(
        **asked.of_record(),
        id=id_,
        state=CallState.STARTED,
        epoch=epoch,
        round=round_,
        sends=(mark(kit, tool, asked.key, send_id, round_),),
        created_at=kit.now(),
        resume_after=kit.after(_bounds(tool)[0] + GRACE_SECONDS),
    )


def _bounds(tool: Tool) -> tuple[float, float | None]:
    """Seconds that a send may take, and seconds after them until it has arrived or never will."""
    return (LOCAL_SECONDS, 0) if tool.is_local else bounds(tool.effect)


def mark(kit: Kit, tool: Tool, key: str, id_: str, round_: int) -> Attempt:
    """One send that is about to leave: who sends it, under which key, and when it is settled."""
    limit, bound = _bounds(tool)
    base = step_key("guard", key, 1, round_)
    return Attempt(
        id=id_,
        round=round_,
        key=send_key(base, id_) if closes(tool) else base,
        sent_by=kit.host.identity,
        opened_at=kit.now(),
        settles_at=None if bound is None else kit.after(limit + bound),
        request_digest="",
        outcome=None,
        returned_at=None,
    )


def sent(kit: Kit, tool: Tool, asked: Asked, mine: Call, send_id: str) -> Way[Ended]:
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
        after = yield from insisted(kit, "made", mine, made(kit, tool, mine, send_id, came.value))
        return Ended(after, value=came.value, fresh=True)
    error = came.error
    if error is not None and _proves(tool, error):
        after = yield from insisted(kit, "refused", mine, _refused(kit, tool, mine, send_id, error))
        if after.state is CallState.NOT_DONE:
            return Ended(after, error=error)
    elif came.back:
        log.error("%s: it is not known whether it happened.", tool.name, exc_info=error)
        after = yield from insisted(
            kit, "returned", mine, lambda found: calls.returned(found, mine, send_id, kit.now())
        )
    else:
        after = mine
    if after.open and after.epoch == mine.epoch:
        after = yield from resolve(kit, tool, after, asked)
    return Ended(after, error=error)


def _proves(tool: Tool, error: BaseException) -> bool:
    """Whether an exception proves that nothing happened."""
    return isinstance(error, (NotDone, *tool.not_done))


def made(kit: Kit, tool: Tool, mine: Call, send_id: str | None, value: object) -> Decide:
    """A proof that it happened, as it is written.

    Args:
        kit: the guard's parts.
        tool: what was called.
        mine: its record as the sender knew it.
        send_id: the send that came back; None when a look found it.
        value: what it returned, or what was found.
    """
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
        decide: Decide = made(kit, tool, mine, send_id, came.value)
    elif _proves(tool, error):
        decide = _refused(kit, tool, mine, send_id, error)
    else:

        def decide(found: Call | None) -> tuple[Call | None, Call]:
            return calls.returned(found, mine, send_id, kit.now())

    kit.calls.change(mine.key, Change(decide, kit.new_id())).add_done_callback(_logged)


def _logged(written: "Future[Call]") -> None:
    if written.exception() is not None:
        log.error("What a late send proved could not be written.", exc_info=written.exception())


def _refused(kit: Kit, tool: Tool, mine: Call, send_id: str, error: BaseException) -> Decide:
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
    mine: Call | None = yield from changed(
        kit, "take_over", found.key, lambda now: calls.take_over(now, found, until)
    )
    if mine is None:
        return (yield kit.calls.find(found.key)) or found
    match tool.effect:
        case Keyed() if asked is not None and mine.may_resend(tool.effect, kit.now()):
            return (yield from _again(kit, tool, asked, mine))
        case Checked():
            return (yield from _looked(kit, tool, mine))
        case _:
            return (yield from changed(kit, "doubt", mine.key, lambda now: calls.doubt(now, mine)))


def _again(kit: Kit, tool: Tool, asked: Asked, mine: Call) -> Way[Call]:
    """Send the same under the same key once more."""
    yield Pause(RESEND_SECONDS[len(mine.mine) - 1])
    send = mark(kit, tool, mine.key, kit.new_id(), mine.round)
    until = kit.after(_bounds(tool)[0] + GRACE_SECONDS)
    marked: Call | None = yield from changed(
        kit, "resend", mine.key, lambda now: calls.resend(now, mine, send, until)
    )
    if marked is None:
        return (yield kit.calls.find(mine.key)) or mine
    ended = yield from sent(kit, tool, asked, marked, send.id)
    return ended.call


def _looked(kit: Kit, tool: Tool, mine: Call) -> Way[Call]:
    """Look at the other side: what is found is done; "not there" counts once nothing can arrive."""
    # Settled first, then looked: what arrives between the two would be missed the other way round.
    settled = mine.settled(kit.now(), kit.host.is_dead)
    keys = tuple(dict.fromkeys(send.key for send in open_ones(mine.mine)))
    if closes(tool):
        closed: Came = yield _asked(tool, tool.void, keys)
        settled = closed.back and closed.error is None
    came: Came = yield _asked(tool, tool.check, keys)
    answered = came.back and came.error is None
    if answered and came.value is not None:
        return (yield from insisted(kit, "made", mine, made(kit, tool, mine, None, came.value)))
    if answered and settled:
        return (
            yield from changed(
                kit, "absent", mine.key,
                lambda now: calls.absent(now, mine, ABSENT, kit.now(), kit.after(tool.window)),
            )
        )  # fmt: skip
    if not answered:
        log.warning("%s: the other side could not be asked.", tool.name, exc_info=came.error)
    return (yield from changed(kit, "doubt", mine.key, lambda now: calls.doubt(now, mine)))


def _asked(tool: Tool, function: Callable[[Sequence[str]], Any] | None, keys: Sequence[str]) -> Run:
    if function is None:
        raise Bug(f"{tool.name}: a checked tool has check= and void=.")
    blocks = not inspect.iscoroutinefunction(function)
    return Run(partial(function, keys), _bounds(tool)[0], blocks=blocks)
