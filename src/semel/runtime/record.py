"""Writing what happened: a change and its event, always in the same transaction."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from semel.domain.action import Kind, Made
from semel.domain.canonical import compact, digest, sha256_text, total
from semel.domain.key import step_key
from semel.domain.plan import PlanKind, PlanReason, StepReason, StepRow, StepState
from semel.domain.step import Change
from semel.facts import JSON, Fact, instant_text, read_facts, store_facts
from semel.ports import EngineTx
from semel.runtime.core import Core

FIRST = hashlib.sha256(b"semel.event.v1").hexdigest()
"""What a plan's first event is chained to."""


def event(
    tx: EngineTx, org: str, plan: str, kind: str, position: int | None = None, **body: JSON
) -> None:
    """Append an event to a plan's chain, under the plan's row lock that the caller holds."""
    last = tx.one("events.last", org=org, plan=plan)
    seq = int(str(last["seq"])) + 1 if last else 1
    before = str(last["digest"]) if last else FIRST
    at = instant_text(tx.now())
    text = compact(body)
    body_digest = sha256_text(text)
    link = digest("semel.event.v1", before, org, plan, seq, at, kind, position, body_digest)
    tx.run(
        "events.append",
        org=org, plan=plan, seq=seq, at=at, kind=kind, position=position,
        body=text, body_digest=body_digest, digest=link,
    )  # fmt: skip


Touched = tuple[int, str, str, str, str]
"""What a step made or touched: position, kind, id, version, label."""


LABEL_MAX = 200
"""Characters of a record's label that are kept: it is for reading, not for finding."""

FACTS_MAX = 1000
"""Facts of one result that are looked at: what nobody can read is not worth the only writer."""

MARKERS = ({"unserializable"}, {"too_large"})
"""The names that stand for what could not be kept (``semel.domain.canonical.total``)."""

PART_BYTES = 32 * 1024
"""Cap of one part of a result, so that one which is too long takes no other with it."""


def touched(position: int, kind: type[Kind[object]] | None, made: Made) -> list[Touched]:
    """The records of a step's answer, each once, through the Kind that the action makes."""
    if kind is None:
        return []
    reader = cast("Any", kind())
    rows: dict[str, Touched] = {}
    for row in made.rows:
        key, version = _text(reader.key(row)), _text(reader.version(row))
        rows[key] = (position, kind.name, key, version, _text(reader.label(row))[:LABEL_MAX])
    return list(rows.values())


def _text(value: object) -> str:
    """Text that every column holds: half a character would be refused after the effect."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def result_text(made: Made, rows: list[Touched]) -> str:
    """A step's result as stored; it never raises, whatever the handler returned.

    What cannot be written is left out or becomes a marker, each part by itself.
    """
    written = {
        "id": _read(lambda: made.id if isinstance(made.id, str) else None, None),
        "facts": _read(lambda: _facts(made), {}),
        "rows": rows,
    }
    kept = {name: _part(part) for name, part in written.items()}
    return total({**kept, "undo": _read(lambda: _whole(made.undo), None)})


def _read(read: Callable[[], JSON], otherwise: JSON) -> JSON:
    """A part of an answer, which may be anything: the step happened, so its record must stand."""
    try:
        return read()
    except BaseException:  # noqa: BLE001 - a hostile value may raise whatever it likes
        return otherwise


def _facts(made: Made) -> dict[str, JSON]:
    facts: dict[str, JSON] = {}
    for name, fact in islice(made.facts.items(), FACTS_MAX):
        facts |= _fact(name, fact)
    return facts


def _whole(undo: object) -> JSON:
    """Undo data as it is, or none at all: half of it would take something else back."""
    kept = _part(undo)
    if isinstance(kept, dict) and kept.keys() in MARKERS:
        # What was too much to be spelled once has perhaps no end.
        return None
    return kept if json.loads(json.dumps(undo, allow_nan=False)) == kept else None


def _part(part: object) -> JSON:
    return cast("JSON", json.loads(total(part, PART_BYTES)))


def _fact(name: str, fact: Fact) -> dict[str, JSON]:
    """One fact as stored, or nothing: what cannot be read back would take the others with it."""
    try:
        stored = _part(store_facts({name: fact}))
        read_facts(stored)
    except BaseException:  # noqa: BLE001 - the step happened, so its record must stand
        return {}
    return cast("dict[str, JSON]", stored)


def insert_step(
    tx: EngineTx, org: str, plan: str, row: StepRow, ended_at: str | None = None
) -> None:
    """Write a step of a new plan; one that has just run comes with its result and time."""
    tx.run(
        "steps.insert",
        org=org, plan=plan, position=row.position, action=row.action,
        action_version=row.action_version, effect=row.effect, input=row.input,
        preview=row.preview, facts_digest=row.facts_digest, risk=int(row.risk),
        state=str(row.state), result=row.result, later=row.later, similar=row.similar,
        started_at=ended_at, ended_at=ended_at,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Begun:
    """Which run of which step: its round, its owner's epoch, and the digest of its facts."""

    org: str
    plan: str
    position: int
    round: int
    epoch: int
    digest: str


def ran(core: Core, tx: EngineTx, begun: Begun) -> None:
    """Note that a Local step ran: its end and its effect are this same commit."""
    now = tx.now()
    at = instant_text(now)
    tx.run(
        "attempts.open",
        org=begun.org, plan=begun.plan, position=begun.position, id=core.new_id(now),
        round=begun.round, epoch=begun.epoch,
        key=step_key(begun.org, begun.plan, begun.position, begun.round),
        sent_by=core.host.identity, now=at, deadline_at=None, settles_at=None,
        request_digest=begun.digest, outcome="made", returned_at=at,
    )  # fmt: skip


def effects(tx: EngineTx, org: str, plan: str, rows: list[Touched]) -> None:
    """Index what a step made or touched, so that a record leads back to its plan."""
    for position, kind, id_, version, label in rows:
        tx.run(
            "effects.insert",
            org=org, plan=plan, position=position, kind=kind, id=id_, version=version, label=label,
        )  # fmt: skip


def not_done(
    tx: EngineTx, org: str, plan: str, position: int, reason: StepReason, detail: str | None
) -> bool:
    """Write that a step did not happen; False when something else is known of it by now."""
    now = instant_text(tx.now())
    changed = tx.one(
        "steps.not_done",
        org=org, plan=plan, position=position, reason=str(reason), detail=detail, now=now,
    )  # fmt: skip
    if changed:
        event(tx, org, plan, "step_not_done", position, reason=str(reason))
    return changed is not None


def end(
    tx: EngineTx,
    org: str,
    plan: str,
    epoch: int,
    reason: PlanReason,
    look_after: str | None = None,
) -> bool:
    """End a running plan as its owner, and say of what it never reached that it was not done.

    Args:
        tx: the transaction.
        org: the organization.
        plan: its number.
        epoch: the epoch of its owner; another's end nothing.
        reason: why it ends.
        look_after: when a doubt is worth looking at again, as instant text.
    """
    now = instant_text(tx.now())
    stopped = tx.one(
        "plans.stop",
        org=org, plan=plan, epoch=epoch, reason=str(reason), now=now, look_after=look_after,
    )  # fmt: skip
    if stopped is None:
        return False
    why = StepReason.CANCELLED if reason is PlanReason.CANCELLED else StepReason.NOT_REACHED
    tx.run("steps.not_reached", org=org, plan=plan, reason=str(why), now=now)
    event(tx, org, plan, "ended", reason=str(reason))
    if stopped["kind"] == PlanKind.UNDO and reason is not PlanReason.FINISHED:
        _unless_undone(tx, org, plan, str(stopped["parent"]))
    return True


def hand_on(tx: EngineTx, org: str, plan: str, epoch: int) -> None:
    """Let whoever sweeps next have a running plan at once: its owner is being stopped."""
    now = instant_text(tx.now())
    if tx.one("plans.release", org=org, plan=plan, epoch=epoch, now=now):
        event(tx, org, plan, "handed_on")


def _unless_undone(tx: EngineTx, org: str, plan: str, parent: str) -> None:
    """An undo that changed nothing has not been: it may be offered again."""
    steps = tx.all("steps.of_plan", org=org, plan=plan)
    untouched = all(step["state"] in {"waiting", "not_done"} for step in steps)
    if untouched and tx.one("plans.not_undone", org=org, plan=parent, undone_by=plan):
        event(tx, org, parent, "not_undone", by=plan)


def apply(
    tx: EngineTx,
    org: str,
    plan: str,
    epoch: int,
    position: int,
    change: Change,
    detail: str | None = None,
    look_after: str | None = None,
) -> bool:
    """Write a step's change that is not "done", and the plan's end with it, in one commit.

    Nothing is written when a proof came in between: then the step says what the plan comes to.
    """
    if change.state is StepState.IN_DOUBT:
        written = _doubt(tx, org, plan, position, detail)
    else:
        reason = change.reason
        written = reason is not None and not_done(tx, org, plan, position, reason, detail)
    if written and change.ends is not None:
        end(tx, org, plan, epoch, change.ends, look_after)
    return written


def _doubt(tx: EngineTx, org: str, plan: str, position: int, detail: str | None) -> bool:
    now = instant_text(tx.now())
    written = tx.one("steps.doubt", org=org, plan=plan, position=position, detail=detail, now=now)
    if written:
        event(tx, org, plan, "step_in_doubt", position)
    return written is not None
