"""What has happened: lists of plans, and one plan whole."""

from collections.abc import Sequence
from dataclasses import dataclass

from semel.domain.plan import PlanRow, Who
from semel.domain.report import PlanView
from semel.ports import EngineTx, Row
from semel.runtime import look
from semel.runtime.core import Core

LIST_MAX = 200
"""Plans of one list: more is not read, it is searched."""


@dataclass(frozen=True, slots=True)
class Detail:
    """A plan whole, for the person who asks what happened: its rows as they are stored."""

    view: PlanView
    plan: Row
    steps: Sequence[Row]
    attempts: Sequence[Row]
    events: Sequence[Row]


def plans(core: Core, tx: EngineTx, who: Who, limit: int) -> list[PlanView]:
    """The plans that a person may see, newest first."""
    everybody = look.may_decide(core, tx, who)
    rows = tx.all(
        "plans.listed",
        org=who.org, person=None if everybody else who.person, limit=min(limit, LIST_MAX),
    )  # fmt: skip
    found = [look.load(tx, who.org, PlanRow.read(row).plan) for row in rows]
    return [look.view(core, stored) for stored in found if stored is not None]


def unended(core: Core, tx: EngineTx, who: Who, limit: int) -> list[PlanView]:
    """Those of them that ask, run, wait for their day, or are in doubt, newest first."""
    everybody = look.may_decide(core, tx, who)
    rows = tx.all("figures.unended", org=who.org, limit=LIST_MAX)
    plans = [PlanRow.read(row) for row in rows]
    mine = [one.plan for one in plans if everybody or one.person == who.person]
    found = [look.load(tx, who.org, plan) for plan in mine[: min(limit, LIST_MAX)]]
    return [look.view(core, stored) for stored in found if stored is not None]


def show(core: Core, tx: EngineTx, who: Who, plan: str) -> Detail | None:
    """One plan whole; None when it does not exist for this person."""
    stored = look.load(tx, who.org, plan)
    if stored is None or not look.may_look(core, tx, who, stored.plan):
        return None
    return detail(core, tx, who.org, plan)


def detail(core: Core, tx: EngineTx, org: str, plan: str) -> Detail | None:
    """One plan whole, for whoever may see it."""
    stored = look.load(tx, org, plan)
    row = tx.one("plans.find", org=org, plan=plan)
    if stored is None or row is None:
        return None
    return Detail(
        view=look.view(core, stored),
        plan=row,
        steps=tx.all("steps.of_plan", org=org, plan=plan),
        attempts=tx.all("attempts.of_plan", org=org, plan=plan),
        events=tx.all("events.of_plan", org=org, plan=plan),
    )
