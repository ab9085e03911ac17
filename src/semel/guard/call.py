"""A guarded call as it is kept, and what each thing that becomes known makes of it.

    begin ── mark ── bytes ──┬── made ────────▶ done         a proof, whenever it comes
                             ├── refused ─────▶ not_done     only when no other send is open
                             └── no answer ───▶ started, until it is resolved by its effect,
                                                or in_doubt

One record for one intent. Every function here takes the record that was read and returns the one
to write, with what its caller wanted to know; whatever keeps the records runs it atomically. A
record has an owner by its epoch: who takes a call over raises it, and what the owner before still
says of its own send counts, while what it decides does not.
"""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from semel.domain.doubt import SENDS_MAX, Attempt, open_ones, settled, settles_at, window_open
from semel.domain.effect import Effect, Keyed
from semel.facts import read_instant

KEPT_SENDS = 12
"""Sends of earlier rounds that are kept, so that a late proof is known for what it is."""


class CallState(StrEnum):
    """What is known of a guarded call."""

    STARTED = "started"
    """It was marked before its first byte left, and nothing is proven yet."""
    DONE = "done"
    NOT_DONE = "not_done"
    """It is proven that nothing happened; the same intent may begin again."""
    IN_DOUBT = "in_doubt"


class Call(NamedTuple):
    """One intent and what came of it.

    Args:
        key: what identifies the intent, within an organization.
        id: what a job is asked by.
        tool: the guarded tool's name.
        intent: the key without the person's message: the same said again has the same.
        session: whose conversation.
        message: the person's message, where it is known.
        turn: which turn of the agent began it.
        request: which request of the transport began it, where that is known.
        shown: the arguments as JSON, for sentences; ``{}`` where they are too large.
        state: what is known.
        epoch: how often its owner changed.
        round: how often it began anew, after a proof that nothing had happened.
        sends: every send of this round, and some of those before.
        result: the value as JSON, when it is done.
        why: a refusal's own words, when it is not.
        created_at: when this round began, as instant text.
        ended_at: when it ended.
        keep_until: until when its end answers for the intent; None as long as it is open.
        resume_after: when somebody else may take it over.
        stamp: of the last change, by which its author knows it again when the answer was lost.
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
    state: CallState
    epoch: int
    round: int
    sends: tuple[Attempt, ...]
    created_at: str
    resume_after: str
    result: str | None = None
    why: str | None = None
    ended_at: str | None = None
    keep_until: str | None = None
    stamp: str = ""

    @property
    def mine(self) -> tuple[Attempt, ...]:
        """The sends of this round."""
        return tuple(send for send in self.sends if send.round == self.round)

    @property
    def open(self) -> bool:
        """Whether nothing is proven of it."""
        return self.state in {CallState.STARTED, CallState.IN_DOUBT}

    def due(self, now: str, is_dead: Callable[[str], bool]) -> bool:
        """Whether somebody else may take it over: its time has passed, or its sender is dead."""
        return self.resume_after <= now or (
            bool(self.mine) and all(is_dead(send.sent_by) for send in open_ones(self.mine))
        )

    def settled(self, now: str, is_dead: Callable[[str], bool]) -> bool:
        """Whether nothing of any send can still arrive: then "it is not there" is a proof."""
        return settled(self.mine, now, is_dead)

    def settles_at(self) -> str | None:
        """When the bounds of every open send have passed; None when nobody can say."""
        return settles_at(self.mine)

    def may_resend(self, effect: Effect, now: str) -> bool:
        """Whether the same may be sent again under the same key."""
        return (
            isinstance(effect, Keyed)
            and 0 < len(self.mine) < SENDS_MAX
            and window_open(effect, self.mine[0].opened_at, read_instant(now))
        )

    def over(self, now: str) -> bool:
        """Whether the same intent may begin (again): nothing stands in its way any more."""
        if self.state is CallState.NOT_DONE:
            return True
        return self.state is CallState.DONE and (self.keep_until or "") <= now


def begin(
    found: Call | None, fresh: Callable[[int, int], Call], now: str
) -> tuple[Call | None, Call]:
    """Begin an intent, unless it has one already: what to write, and what there is.

    Args:
        found: the record as it is.
        fresh: the call as it begins, by its epoch and its round.
        now: the present instant.
    """
    if found is None:
        begun = fresh(1, 1)
        return begun, begun
    if not found.over(now):
        return None, found
    begun = fresh(found.epoch + 1, found.round + 1)
    begun = begun._replace(sends=(*found.sends[-KEPT_SENDS:], *begun.sends))
    return begun, begun


def take_over(found: Call | None, call: Call, until: str) -> tuple[Call | None, Call | None]:
    """Become the owner of a call that was read; None when it changed meanwhile."""
    if found is None or found.epoch != call.epoch or not found.open:
        return None, None
    taken = found._replace(epoch=found.epoch + 1, resume_after=until)
    return taken, taken


def resend(
    found: Call | None, call: Call, send: Attempt, until: str
) -> tuple[Call | None, Call | None]:
    """Mark one more send of an owned call, before its first byte leaves."""
    if found is None or found.epoch != call.epoch or not found.open:
        return None, None
    marked = found._replace(state=CallState.STARTED, sends=(*found.sends, send), resume_after=until)
    return marked, marked


def made(
    found: Call | None, call: Call, id: str | None, result: str, now: str, keep_until: str
) -> tuple[Call | None, tuple[Call, bool]]:
    """A proof that it happened counts whatever the epoch.

    Args:
        found: the record as it is.
        call: the record as the sender knew it.
        id: the send that came back; None when a look found it.
        result: the value as JSON.
        now: the present instant.
        keep_until: until when it answers for the intent.

    Returns:
        What to write, and what there is, with whether it contradicts what was taken for true: it
        had been held for not done, so it may have been done again since.
    """
    if found is None:
        # Its record is gone, long after its window: what is known is written once more.
        found = call._replace(epoch=call.epoch + 1)
    known = [send for send in found.sends if id is not None and send.id == id]
    denied = any(send.outcome in {"refused", "absent"} for send in known)
    sends = tuple(_closed(send, "made", now) if send.id == id else send for send in found.sends)
    of_this_round = id is None or any(send.round == found.round for send in known)
    if found.state is CallState.DONE or not of_this_round:
        changed = found._replace(sends=sends)
        return changed, (changed, denied or not of_this_round)
    done = found._replace(
        state=CallState.DONE,
        epoch=found.epoch + 1,
        sends=sends,
        result=result,
        why=None,
        ended_at=now,
        keep_until=keep_until,
    )
    return done, (done, denied or found.state is CallState.NOT_DONE)


def refused(
    found: Call | None, call: Call, id: str, why: str, now: str, keep_until: str
) -> tuple[Call | None, Call]:
    """A definite refusal of one send: not done, unless another send of the round is open."""
    if found is None:
        return None, call
    sends = tuple(
        _closed(send, "refused", now) if send.id == id and send.open else send
        for send in found.sends
    )
    after = found._replace(sends=sends)
    if found.open and not open_ones(after.mine):
        after = _not_done(after, why, now, keep_until)
    return after, after


def returned(found: Call | None, call: Call, id: str, now: str) -> tuple[Call | None, Call]:
    """A send came back without a proof; its sender is through with it."""
    if found is None:
        return None, call
    sends = tuple(
        replace(send, outcome="unknown", returned_at=now) if send.id == id and send.open else send
        for send in found.sends
    )
    after = found._replace(sends=sends)
    return after, after


def doubt(found: Call | None, call: Call) -> tuple[Call | None, Call]:
    """Its owner knows no way to a proof: from here on it is in doubt, until one comes."""
    if found is None or found.epoch != call.epoch or found.state is not CallState.STARTED:
        return None, found or call
    after = found._replace(state=CallState.IN_DOUBT)
    return after, after


def absent(
    found: Call | None, call: Call, why: str, now: str, keep_until: str
) -> tuple[Call | None, Call]:
    """It is proven that nothing of the open sends has happened or can."""
    if found is None or found.epoch != call.epoch or not found.open:
        return None, found or call
    still = {send.id for send in open_ones(found.mine)}
    sends = tuple(
        replace(send, outcome="absent") if send.id in still else send for send in found.sends
    )
    after = _not_done(found._replace(sends=sends), why, now, keep_until)
    return after, after


def _not_done(call: Call, why: str, now: str, keep_until: str) -> Call:
    return call._replace(
        state=CallState.NOT_DONE,
        epoch=call.epoch + 1,
        why=why,
        ended_at=now,
        keep_until=keep_until,
    )


def _closed(send: Attempt, outcome: str, now: str) -> Attempt:
    return replace(send, outcome=outcome, returned_at=now)
