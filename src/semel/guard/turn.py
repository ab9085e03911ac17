"""Whose turn it is: the conversation, the message and the request that a call belongs to.

A context variable, so that it goes with the task or the thread that an agent runs its tools in.
Adapters set it from the framework's own context; the model has no say in it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of an agent.

    Args:
        session: the conversation.
        message: id of the person's message that the agent works on, where it is known.
        request: id of the transport's request, where it is known: the same one again is a retry.
        id: of the turn itself: a restored checkpoint has another one.
        locale: the language that answers are in.
    """

    session: str
    message: str | None
    request: str | None
    id: str
    locale: str


_turn: ContextVar[Turn | None] = ContextVar("semel_turn", default=None)


def current() -> Turn | None:
    """The turn that this task or thread is in."""
    return _turn.get()


@contextmanager
def entered(turn: Turn) -> Iterator[Turn]:
    """Be in a turn for a block."""
    before = _turn.set(turn)
    try:
        yield turn
    finally:
        _turn.reset(before)
