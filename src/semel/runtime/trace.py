"""Trace: from a record back to the sentence that led to it, with everything in between."""

from collections.abc import Sequence
from dataclasses import dataclass

from semel.domain.consent import Question
from semel.domain.plan import Who
from semel.domain.report import PlanView
from semel.ports import EngineTx, Row
from semel.runtime import look
from semel.runtime.core import Core


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
    first, plan = plans[0], plans[0].plan
    origin = look.load(tx, org, plan.parent) if plan.parent else None
    asked = tx.all("confirmations.of_plan", org=org, plan=plan.plan)
    yes = [row for row in asked if row["question"] == Question.CONFIRM and row["used_at"]]
    return Trace(
        sentence=plan.sentence or (origin.plan.sentence if origin else None),
        person=plan.person,
        message=plan.message,
        view=look.view(core, first),
        confirmation=yes[-1] if yes else None,
        attempts=tx.all("attempts.of_plan", org=org, plan=plan.plan),
        events=tx.all("events.of_plan", org=org, plan=plan.plan),
        further=tuple(stored.plan.plan for stored in plans[1:]),
    )
