"""Sends whose end is unknown: when they are settled, and when the same may be sent again.

    mark ── bytes ──┬── answer: made, refused                       a proof, whenever it comes
                    └── no answer ── deadline ── delivery bound ──▶ settled
                                                                    nothing of it can still arrive

Settled needs two things of every open send: its sender is known dead, or has itself recorded that
its call returned; and its bounds have passed. Giving up waiting is not returning. A person who
looks before that, sees nothing and says "it did not happen" would duplicate.

A copy that was put back has lost some of the past. What may have been sent in that time stands as a
send by nobody known: a look may find that it happened, and never that it did not, since under which
key it went nobody knows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from semel.domain.effect import Keyed
from semel.facts import read_instant

MARGIN = timedelta(minutes=5)
"""Kept free at the end of a key's window, with a tenth of it: clocks differ, and the other side
may begin to count earlier than we do."""

SENDS_MAX = 3
"""Sends of one step in one round: the first and two more. What three have not brought through,
the fourth will not; a person is told instead."""


PAST = "~past"
"""Who sent what may have been sent in the time that a restored copy has lost; no host's name."""

EVERYBODY = "*"
"""All hosts, where somebody says that every process of a lost database has been stopped."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One send of a step, as stored."""

    id: str
    round: int
    key: str
    sent_by: str
    opened_at: str
    settles_at: str | None
    request_digest: str
    outcome: str | None
    returned_at: str | None

    @classmethod
    def read(cls, row: Mapping[str, object]) -> "Attempt":
        """The attempt of a row of ``attempts.of_step``."""
        return cls(
            id=str(row["id"]),
            round=int(str(row["round"])),
            key=str(row["key"]),
            sent_by=str(row["sent_by"]),
            opened_at=str(row["opened_at"]),
            settles_at=_text(row["settles_at"]),
            request_digest=str(row["request_digest"]),
            outcome=_text(row["outcome"]),
            returned_at=_text(row["returned_at"]),
        )

    @property
    def open(self) -> bool:
        """Whether nothing is proven of it."""
        return self.outcome in {None, "unknown"}

    @property
    def past(self) -> bool:
        """Whether it only may have been: in the time that a restored copy has lost."""
        return self.sent_by.partition(":")[0] == PAST


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def open_ones(attempts: Sequence[Attempt]) -> list[Attempt]:
    """The sends of which nothing is proven."""
    return [attempt for attempt in attempts if attempt.open]


def settles_at(attempts: Sequence[Attempt]) -> str | None:
    """When the bounds of every open send have passed; None when nobody can say, or none is open."""
    times = [attempt.settles_at for attempt in open_ones(attempts)]
    known = [time for time in times if time is not None]
    return max(known) if known and len(known) == len(times) else None


def lost(attempts: Sequence[Attempt]) -> bool:
    """Whether something may have been sent of which this database knows nothing."""
    return any(attempt.past for attempt in open_ones(attempts))


def settled(
    attempts: Sequence[Attempt],
    now: str,
    is_dead: Callable[[str], bool],
    gone: Mapping[str, str] | None = None,
) -> bool:
    """Whether nothing of any send can still arrive: then "it is not there" is a proof.

    Args:
        attempts: every send of the step.
        now: the database's clock, as instant text.
        is_dead: whether a sender is known to run no more.
        gone: hosts that are gone for good by somebody's word, and up to when: what they marked
            later is another machine's of that name.
    """

    def is_gone(attempt: Attempt) -> bool:
        host = attempt.sent_by.partition(":")[0]
        until = [(gone or {}).get(name) for name in (host, EVERYBODY)]
        return any(at is not None and attempt.opened_at <= at for at in until)

    return all(
        attempt.settles_at is not None
        and attempt.settles_at <= now
        and (attempt.returned_at is not None or is_dead(attempt.sent_by) or is_gone(attempt))
        for attempt in open_ones(attempts)
    )


def window_open(effect: Keyed, first: str, now: datetime, since: str | None = None) -> bool:
    """Whether a send that begins now would still meet the other side's memory of the first one.

    ``elapsed + deadline + delivery_bound + max(5 min, ttl / 10) < ttl``; a clock that is seen to
    have gone back closes the window, and so does one that is another server's by now.

    Args:
        effect: the key's window.
        first: when the first send was marked.
        now: the database's clock.
        since: from when the clock is this server's; None when it always was.
    """
    begun = read_instant(first)
    if now < begun:
        return False
    if effect.ttl is None:
        return True
    if effect.delivery_bound is None or (since is not None and first < since):
        return False
    ttl = timedelta(seconds=effect.ttl)
    took = timedelta(seconds=effect.deadline + effect.delivery_bound)
    return now - begun + took + max(MARGIN, ttl / 10) < ttl


def too_old(effect: Keyed, first: str, now: datetime) -> bool:
    """Whether bytes that are written now could arrive after the other side has forgotten the key.

    Looked at where the bytes are written: a sender that was paused after its mark must not send.
    """
    begun = read_instant(first)
    if now < begun:
        return True
    if effect.ttl is None:
        return False
    took = timedelta(seconds=effect.deadline + (effect.delivery_bound or 0))
    return now - begun + took >= timedelta(seconds=effect.ttl)


@dataclass(frozen=True, slots=True)
class Happened:
    """It happened. Later steps that refer to what it made need its id.

    Args:
        id: the id of the record it made, or what the other side calls it.
    """

    id: str | None = None


@dataclass(frozen=True, slots=True)
class DidNot:
    """It did not happen.

    Args:
        epoch: the plan's epoch on the card that the person read.
        settled: whether that card said that nothing could arrive any more.
    """

    epoch: int
    settled: bool


@dataclass(frozen=True, slots=True)
class SendAnyway:
    """Send it once more although it may have happened.

    Args:
        words: what the person typed: "ENVIAR OTRA VEZ" or "SEND AGAIN".
    """

    words: str


@dataclass(frozen=True, slots=True)
class LookAgain:
    """Look once more whether it happened."""


Answer: TypeAlias = Happened | DidNot | SendAnyway | LookAgain
"""What a person says of a step that is in doubt."""
