"""Trace: from a record back to the sentence that led to it, with everything in between."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from semel.domain.consent import Question
from semel.domain.plan import Who
from semel.domain.report import PlanView
from semel.facts import JSON
from semel.ports import EngineTx, Row
from semel.runtime import look
from semel.runtime.core import Core
from semel.runtime.look import Stored


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a record comes from."""

    sentence: str | None
    """The person's words; a later plan and an undo have those of the plan they come from."""
    person: str
    message: str
    view: PlanView
    """The plan, with the preview that was shown."""
    confirmation: Row | None
    """The yes: when it was asked, when it was given, by whom; None when it ran without one."""
    attempts: Sequence[Row]
    events: Sequence[Row]
    further: tuple[str, ...] = ()
    """Later plans that touched the same record, in order."""
    conversation: str = ""
    created_at: str = ""
    """When it was proposed, as instant text."""
    version: int = 1
    digest: str = ""
    """Of what was shown last: its steps and their figures."""
    made: Sequence[Row] = ()
    """The records that it made or touched."""

    def plain(self, preview: Sequence[str]) -> dict[str, JSON]:
        """It as JSON, with its fixed keys; *preview* has the sentences that were shown."""
        return {
            "sentence": self.sentence,
            "who": self.person,
            "plan": self.view.plan,
            "preview": [*preview],
            "confirmation": None if self.confirmation is None else _asked(self.confirmation),
            "attempts": [_attempt(row) for row in self.attempts],
            "events": [_event(row) for row in self.events],
            "further": [*self.further],
        }


def _asked(yes: Row) -> JSON:
    return {
        "by": str(yes["person"]),
        "conversation": str(yes["conversation"]),
        "version": int(str(yes["version"])),
        "asked_at": str(yes["created_at"]),
        "used_at": str(yes["used_at"]),
    }


def _attempt(row: Row) -> JSON:
    return {
        "position": int(str(row["position"])),
        "attempt": int(str(row["round"])),
        "key": str(row["key"]),
        "opened_at": str(row["opened_at"]),
        "returned_at": _text(row, "returned_at"),
        "outcome": _text(row, "outcome"),
        "sent_by": str(row["sent_by"]),
    }


def _event(row: Row) -> JSON:
    return {
        "at": str(row["at"]),
        "kind": str(row["kind"]),
        "position": None if row["position"] is None else int(str(row["position"])),
        "body": json.loads(str(row["body"])) if row["body"] is not None else None,
    }


def _text(row: Row, name: str) -> str | None:
    value = row[name]
    return None if value is None else str(value)


def trace(core: Core, tx: EngineTx, org: str, kind: str, id_: str, who: Who | None) -> Trace | None:
    """The plan that made a record, by the record's id or by how it is called.

    Args:
        core: the engine's parts.
        tx: a read.
        org: the organization.
        kind: the record's kind, ``factura``.
        id_: its id or its label, ``2026-0001``.
        who: who asks; None is the operator of the machine.

    Returns:
        None when there is no such record, or no plan of it that they may see.
    """
    rows = tx.all("effects.of_record", org=org, kind=kind, id=id_)
    # Of several records that are called the same, the one that was made last.
    wanted = rows[-1]["id"] if rows else None
    found = [look.load(tx, org, str(row["plan"])) for row in rows if row["id"] == wanted]
    plans = [
        stored
        for stored in found
        if stored is not None and (who is None or look.may_look(core, tx, who, stored.plan))
    ]
    if not plans:
        return None
    return _of(core, tx, plans[0], tuple(stored.plan.plan for stored in plans[1:]))


def trace_of(core: Core, tx: EngineTx, who: Who, plan: str) -> Trace | None:
    """The same from a plan's number; None when it does not exist for this person."""
    stored = look.load(tx, who.org, plan)
    if stored is None or not look.may_look(core, tx, who, stored.plan):
        return None
    return _of(core, tx, stored, ())


def _of(core: Core, tx: EngineTx, stored: Stored, further: tuple[str, ...]) -> Trace:
    plan, of = stored.plan, {"org": stored.plan.org, "plan": stored.plan.plan}
    origin = look.load(tx, plan.org, plan.parent) if plan.parent else None
    asked, attempts, events, made = tx.each(
        ("confirmations.of_plan", of), ("attempts.of_plan", of),
        ("events.of_plan", of), ("effects.of_plan", of),
    )  # fmt: skip
    yes = [row for row in asked if row["question"] == Question.CONFIRM and row["used_at"]]
    return Trace(
        sentence=plan.sentence or (origin.plan.sentence if origin else None),
        person=plan.person,
        message=plan.message,
        view=look.view(core, stored),
        confirmation=yes[-1] if yes else None,
        attempts=attempts,
        events=events,
        further=further,
        conversation=plan.conversation,
        created_at=plan.created_at,
        version=plan.version,
        digest=plan.digest,
        made=made,
    )
