"""A plan's card together with the event up to which it is drawn."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime

from semel.channels.web.card import fragment
from semel.channels.web.place import Place
from semel.channels.web.refusal import Stopped
from semel.channels.web.visitor import Person
from semel.domain.report import Ask, Outcome, Refusal, Refused, Report
from semel.facts import JSON, read_instant
from semel.runtime.engine import Engine

TRIES = 3
"""How often a plan is read that moves while it is read; then it is told as it was seen."""


OVER = frozenset({Refusal.FORBIDDEN, Refusal.TAMPERED, Refusal.REVOKED, Refusal.EXPIRED})
"""Refusals that a second press meets too: the card says so, and its buttons are gone."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A card as JSON has it."""

    plan: str
    seq: int
    state: str
    announce: str
    html: str
    final: bool
    left: int | None
    """Seconds until the question ends, of one that stands; a browser's clock is not asked."""

    def plain(self) -> dict[str, JSON]:
        """As a browser reads it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Shot:
    """A snapshot, what it shows, and when it shows something else without any event."""

    snapshot: Snapshot
    outcome: Outcome
    next_at: datetime | None


async def shot(engine: Engine, person: Person, plan: str, place: Place) -> Shot:
    """The card of a plan as of its last event.

    Raises:
        Stopped: the plan does not exist for this person.
    """
    face = engine.person(person.who)
    for left in reversed(range(TRIES)):
        before = await face.seq(plan)
        # To show what may be done about a plan may write it down, which is an event too.
        outcome = await face.status(plan)
        after = await face.seq(plan)
        if before is None or after is None or isinstance(outcome, Refused):
            break
        if before == after or not left:
            return _shot(engine, person, outcome, plan, before, place)
    raise Stopped("not_found", person.who.locale)


def _shot(
    engine: Engine, person: Person, outcome: Outcome, plan: str, seq: int, place: Place
) -> Shot:
    return Shot(
        snapshot=_drawn(engine, person, outcome, plan, seq, place),
        outcome=outcome,
        next_at=_next(engine.now(), outcome),
    )


def _drawn(
    engine: Engine, person: Person, outcome: Outcome, plan: str, seq: int, place: Place
) -> Snapshot:
    drawn = fragment(engine, person, outcome, place.prefix, links=place.links)
    return Snapshot(
        plan=plan,
        seq=seq,
        state=str(drawn.sheet.state),
        announce=drawn.sheet.announce,
        html=str(drawn.html),
        final=drawn.sheet.final,
        left=_left(engine.now(), outcome),
    )


def told_off(
    engine: Engine, person: Person, refused: Refused, seen: Snapshot, place: Place
) -> Snapshot:
    """The card of a yes that came to nothing, in the place of the one that was pressed."""
    drawn = fragment(engine, person, refused, place.prefix, links=place.links)
    return replace(
        seen, state=str(drawn.sheet.state), announce=drawn.sheet.announce, html=str(drawn.html)
    )


def _left(now: datetime, outcome: Outcome) -> int | None:
    if not isinstance(outcome, Ask) or outcome.view.expires_at is None:
        return None
    return max(0, int((read_instant(outcome.view.expires_at) - now).total_seconds()))


def _next(now: datetime, outcome: Outcome) -> datetime | None:
    """When time alone changes what may be done: a question or an offer ends, a doubt settles."""
    told: list[str | None] = []
    if isinstance(outcome, Ask):
        told.append(outcome.view.expires_at)
    elif isinstance(outcome, Report):
        told.append(outcome.undo_until)
        told += [step.doubt.settles_at for step in outcome.view.steps if step.doubt is not None]
    coming = [at for at in map(read_instant, filter(None, told)) if at > now]
    return min(coming, default=None)


def is_missing(outcome: Outcome) -> bool:
    """Whether what was decided about does not exist for this person."""
    return isinstance(outcome, Refused) and outcome.why is Refusal.NOT_FOUND
