"""What is read of a call's record for a repeat, where that is done."""

from typing import NamedTuple, Self

from semel.guard.call import Call, CallState


class Seen(NamedTuple):
    """What a repeat that code asks for needs of a call's record: its value, and what asked for it.

    Each column more would cost a thirtieth of the repeat.
    """

    state: CallState
    message: str | None
    turn: str
    request: str | None
    result: str | None
    keep_until: str | None

    @classmethod
    def of(cls, call: Call) -> Self:
        """What it needs of a record that was read whole."""
        return cls(*[getattr(call, name) for name in cls._fields])

    def answers(self, now: str) -> bool:
        """Whether it is done and still answers for its intent."""
        return self.state is CallState.DONE and (self.keep_until or "") > now


class Glance(NamedTuple):
    """What a repeat needs whose answer is words: all that is read of a call that is done."""

    id: str
    tool: str
    state: CallState
    message: str | None
    turn: str
    request: str | None
    shown: str
    result: str | None
    created_at: str
    ended_at: str | None
    keep_until: str | None

    @classmethod
    def of(cls, call: Call) -> Self:
        """What it needs of a record that was read whole."""
        return cls(*[getattr(call, name) for name in cls._fields])

    def answers(self, now: str) -> bool:
        """Whether it is done and still answers for its intent."""
        return self.state is CallState.DONE and (self.keep_until or "") > now
