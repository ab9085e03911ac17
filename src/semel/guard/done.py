"""What was done in the very transaction that keeps its record: nothing was sent for it."""

from typing import Any, NamedTuple

from semel.guard.call import KEPT_SENDS, Call, CallState


class Done(NamedTuple):
    """The record of it, as far as it is not the same for each one; a ``Call`` is thrice as dear.

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

    @property
    def created_at(self) -> str:
        """When it began."""
        return self.ended_at

    def after(self, found: Call) -> Call:
        """The record of it where there is one of an earlier round, whose sends may be heard of."""
        return found._replace(
            id=self.id,
            message=self.message,
            turn=self.turn,
            request=self.request,
            shown=self.shown,
            state=CallState.DONE,
            epoch=found.epoch + 1,
            round=found.round + 1,
            sends=found.sends[-KEPT_SENDS:],
            created_at=self.ended_at,
            resume_after=self.ended_at,
            result=self.result,
            why=None,
            ended_at=self.ended_at,
            keep_until=self.keep_until,
            stamp=self.id,
        )


class Made(NamedTuple):
    """A record and the value that it is of, for whoever asked."""

    done: Done
    value: Any
