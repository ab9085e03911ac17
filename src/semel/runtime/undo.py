"""Undo: a plan of its own that takes back what another one did, last step first.

It runs by the same protocol as any plan, with the permissions of now, and each step only while the
records are as the plan left them: what somebody has changed since is not undone, and that is said.
"""

import json
from collections.abc import Sequence
from typing import Any, cast

from semel.domain.action import Action, Ctx, Made, Risk
from semel.domain.canonical import compact, digest
from semel.domain.consent import plan_digest, seal_plan
from semel.domain.plan import (
    Owner,
    PlanKind,
    PlanReason,
    PlanRow,
    PlanState,
    StepRow,
    StepState,
    Terms,
)
from semel.errors import Bug, StorageError
from semel.facts import JSON, instant_text
from semel.ports import EngineTx
from semel.runtime import look, record
from semel.runtime.core import Core, log
from semel.runtime.due import end_waiting
from semel.runtime.invoke import ChangedSince, context, permit
from semel.runtime.look import Stored
from semel.runtime.result import touched

ENDS = frozenset({PlanReason.FINISHED, PlanReason.FAILED, PlanReason.STALE, PlanReason.CANCELLED})
"""Ends after which what was done is known, hence can be taken back."""


def undo_data(step: StepRow) -> JSON:
    """What a step's action needs to take it back; None when it cannot be."""
    try:
        result: JSON = json.loads(step.result or "null")
    except ValueError:
        return None
    return result.get("undo") if isinstance(result, dict) else None


def is_undoable(core: Core, stored: Stored) -> bool:
    """Whether everything that a plan did is of a kind that can be taken back, as a whole.

    That is: what ran was safe by its own risk and gave undo data, nothing is in doubt, and nothing
    was resolved by a person.
    """
    plan, steps = stored.plan, stored.steps
    done = [step for step in steps if step.state is StepState.DONE]
    if plan.kind is PlanKind.UNDO or plan.state is not PlanState.ENDED or plan.reason not in ENDS:
        return False
    if plan.undone_by is not None or not done:
        return False
    for step in steps:
        if step.state in {StepState.STARTED, StepState.IN_DOUBT} or step.resolution is not None:
            return False
    return all(
        step.risk is Risk.SAFE
        and hasattr(core.catalog.get(step.action), "undo")
        and undo_data(step) is not None
        for step in done
    )


def may_be_undone(core: Core, tx: EngineTx, stored: Stored) -> bool:
    """Whether a plan can be taken back now: no send is open, and nothing it planned has begun."""
    plan = stored.plan
    if not is_undoable(core, stored):
        return False
    attempts = tx.all("attempts.of_plan", org=plan.org, plan=plan.plan)
    if any(row["outcome"] in {None, "unknown"} for row in attempts):
        return False
    children = tx.all("plans.children", org=plan.org, plan=plan.plan)
    return all(int(str(child["at"])) == 0 for child in children)


def begin(core: Core, tx: EngineTx, stored: Stored) -> tuple[Stored, Owner] | None:
    """Write the plan that takes *stored* back, and end what waits of it, in one commit.

    Returns:
        The new plan, which is this process's to run; None when the offer is worth nothing.
    """
    plan, now = stored.plan, tx.now()
    number, at = f"p_{core.new_id(now)}", instant_text(now)
    taken = tx.one("plans.undo", org=plan.org, plan=plan.plan, epoch=plan.epoch, undone_by=number)
    if taken is None:
        return None
    rows = _rows(stored, number)
    kid, hashed = core.keys.newest, plan_digest(plan.org, number, rows)
    terms = Terms(PlanKind.UNDO, plan.plan)
    tx.run(
        "plans.insert",
        org=plan.org, plan=number, kind=str(PlanKind.UNDO), parent=plan.plan, person=plan.person,
        conversation=plan.conversation, message=plan.message, sentence=None, locale=plan.locale,
        state=str(PlanState.RUNNING), reason=None, risk=int(Risk.SAFE), why=None, epoch=1, at=0,
        owner=core.host.identity, resume_after=core.resume_after(now), digest=hashed,
        seal=seal_plan(core.keys, kid, plan.who, number, hashed, terms), kid=kid, now=at,
        expires_at=None, ended_at=None, not_before=None, not_after=None, unless=None,
        subject_kind=None, subject_id=None, head=None,
    )  # fmt: skip
    for row in rows:
        record.insert_step(tx, plan.org, number, row)
    record.event(tx, plan.org, plan.plan, "undo_pressed", by=number, person=plan.person)
    names: list[JSON] = [row.action for row in rows]
    record.event(tx, plan.org, number, "undoing", actions=names, parent=plan.plan)
    for child in tx.all("plans.children", org=plan.org, plan=plan.plan):
        end_waiting(tx, plan.org, str(child["plan"]))
    undoing = look.load(tx, plan.org, number)
    if undoing is None:
        raise Bug(f"{number} was written and is not there.")
    return undoing, Owner(plan.org, number, 1)


def _rows(stored: Stored, number: str) -> list[StepRow]:
    """The steps that take back what was done, in reverse order."""
    done = [step for step in stored.steps if step.state is StepState.DONE]
    rows = []
    for position, step in enumerate(reversed(done), start=1):
        given = compact({"of": step.position, "data": undo_data(step)})
        rows.append(
            StepRow(
                position=position,
                action=step.action,
                action_version=step.action_version,
                effect=step.effect,
                input=given,
                preview=look.undo_preview(step),
                facts_digest=digest("semel.undo.v1", stored.plan.org, number, position, given),
                risk=Risk.SAFE,
                state=StepState.WAITING,
                reason=None,
                detail=None,
                result=None,
            )
        )
    return rows


def take_back(core: Core, tx: EngineTx, plan: PlanRow, action: Action, step: StepRow) -> Made:
    """Take one step back: permission as of now, records as they were left, then the handler.

    Raises:
        Forbidden: the person may not do this any more.
        ChangedSince: somebody has changed a record since.
    """
    ctx = context(core, tx.app, plan.who, plan.plan, step.position, plan.round, tx.now())
    given = json.loads(step.input)
    records = _as_left(tx, plan, action, int(given["of"]), ctx)
    permit(core, action, records, ctx)
    made = cast("Any", action).undo(given["data"], ctx)
    if not isinstance(made, Made):
        raise Bug(f"{action.name}: undo() returns Made.")
    return made


def may_go_on(core: Core, tx: EngineTx, stored: Stored, left: Sequence[StepRow]) -> bool:
    """Whether what is left of an undo could be taken back now; tried, and rolled back."""
    plan = stored.plan
    parent = look.load(tx, plan.org, plan.parent or "")
    if parent is None or parent.plan.undone_by != plan.plan:
        return False
    with tx.savepoint() as world:
        try:
            for step in left:
                action = core.catalog.get(step.action)
                if action is None:
                    return False
                made = take_back(core, tx, plan, action, step)
                record.effects(tx, plan.org, plan.plan, touched(step.position, action.makes, made))
        except StorageError:
            raise
        except Exception:  # noqa: BLE001 - whatever it was, it would be so again
            log.info("What is left of %s cannot be taken back.", plan.plan)
            return False
        finally:
            world.roll_back()
    return True


def _as_left(tx: EngineTx, plan: PlanRow, action: Action, of: int, ctx: Ctx[Any]) -> list[object]:
    """The records of the step that is taken back, each in the version this plan or it left."""
    if action.makes is None:
        return []
    kind = cast("Any", action.makes())
    find = getattr(kind, "find_archived", kind.find)
    first = tx.all("effects.of_plan", org=plan.org, plan=plan.parent)
    versions = {(row["kind"], row["id"]): str(row["version"]) for row in first}
    # What this undo has done to a record already is newer than what the plan did to it.
    for row in tx.all("effects.of_plan", org=plan.org, plan=plan.plan):
        versions[row["kind"], row["id"]] = str(row["version"])
    records = []
    for row in first:
        if int(str(row["position"])) != of:
            continue
        found = find(ctx, str(row["id"]))
        if found is None or str(kind.version(found)) != versions[row["kind"], row["id"]]:
            raise ChangedSince(str(row["label"]))
        records.append(found)
    return records
