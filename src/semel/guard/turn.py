"""Whose turn it is: the conversation, the message and the request that a call belongs to.

A context variable, so that it goes with the task or the thread that an agent runs its tools in.
Adapters set it from the framework's own context; the model has no say in it.
"""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from types import TracebackType
from typing import NamedTuple


class Turn(NamedTuple):
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


current = _turn.get
"""Asked for the turn that this task or thread is in; None where it is in none."""


class Entered(AbstractContextManager[Turn]):
    """Be in a turn for a block."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    def __enter__(self) -> Turn:
        self._before = _turn.set(self._turn)
        return self._turn

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _turn.reset(self._before)
