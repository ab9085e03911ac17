"""What is read of a call's record for a repeat, where that is done."""

from typing import NamedTuple, TypeVar

from semel.guard.call import Call


class Seen(NamedTuple):
    """What a repeat that code asks for needs of a call's record: its value, and what asked for it.

    Each column more would cost a thirtieth of the repeat.
    """

    state: str
    message: str | None
    turn: str
    request: str | None
    result: str | None
    keep_until: str | None


class Glance(NamedTuple):
    """What a repeat needs whose answer is words: all that is read of a call that is done."""

    id: str
    tool: str
    state: str
    message: str | None
    turn: str
    request: str | None
    shown: str
    result: str | None
    created_at: str
    ended_at: str | None
    keep_until: str | None


S = TypeVar("S", Seen, Glance)


def seen_of(kind: type[S], call: Call) -> S:
    """What a repeat needs of a record that was read whole."""
    return kind(*[getattr(call, name) for name in kind._fields])
