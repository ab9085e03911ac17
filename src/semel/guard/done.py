"""What was done in the very transaction that keeps its record: nothing was sent for it."""

from typing import Any, NamedTuple, TypedDict

from semel.guard.call import KEPT_SENDS, Call, CallState


class Done(TypedDict):
    """The record of it as its statement takes it, without what is the same for each of them.

    It begins and ends at one instant, as nobody sees anything of it in between.
    """

    key: str
    id: str
    tool: str
    intent: str
    session: str
    message: str | None
    turn: str
    request: str | None
    shown: str
    result: str
    ended_at: str
    keep_until: str
    stamp: str


class Made(NamedTuple):
    """A record and the value that it is of, for whoever asked."""

    done: Done
    value: Any


def renewed(found: Call, done: Done) -> Call:
    """The record where there is one of an earlier round, whose sends may still be heard of."""
    return found._replace(
        **done,
        state=CallState.DONE,
        epoch=found.epoch + 1,
        round=found.round + 1,
        sends=found.sends[-KEPT_SENDS:],
        created_at=done["ended_at"],
        resume_after=done["ended_at"],
        why=None,
    )
