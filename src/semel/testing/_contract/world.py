"""The small world that the good parameters fit: a plan in every state, and what hangs on them."""

from semel.ports import EngineTx, Row, Value
from semel.testing._contract.rows import (
    DOUBT,
    ENDED,
    FAILED,
    ORG,
    PARAMS,
    RUNNING,
    SOON,
    WAITING,
)


def call(tx: EngineTx, statement: str, **changes: Value) -> list[Row]:
    """Run a statement with its good parameters, save for *changes*; its rows."""
    return tx.all(statement, **{**PARAMS[statement], **changes})


def seed(tx: EngineTx) -> None:
    """One plan that asks, with three steps that wait: outside, Local, outside."""
    call(tx, "plans.insert")
    for position, effect in ((1, "opaque"), (2, "local"), (3, "opaque")):
        call(tx, "steps.insert", position=position, effect=effect)


def everything(tx: EngineTx) -> None:
    """A world in which each statement has a row to work on."""
    seed(tx)
    others(tx)
    for statement in ("attempts.open", "confirmations.insert", "keys.insert"):
        call(tx, statement)
    for statement in ("events.append", "effects.insert", "calls.insert", "gone.insert"):
        call(tx, statement)
    for statement in ("database.fence", "database.fenced"):
        call(tx, statement)


def others(tx: EngineTx, family: str = "p_") -> None:
    """Beside the plan that asks one in each other state; their numbers begin with *family*."""
    two, three, four, five, six, eight = (f"{family}{number}" for number in (2, 3, 4, 5, 6, 8))
    plan(tx, two, conversation="main", message="m2", **RUNNING)
    call(tx, "steps.insert", plan=two, position=2, state="started")
    plan(tx, three, steps=0, **DOUBT)
    call(tx, "steps.insert", plan=three, state="in_doubt")
    call(tx, "plans.look_again", plan=three, look_after=SOON)
    plan(tx, four, steps=0, **FAILED)
    call(tx, "steps.insert", plan=four, state="done", result="{}")
    for position in (2, 3):
        call(tx, "steps.insert", plan=four, position=position)
    call(tx, "steps.not_done", plan=four, position=2)
    call(tx, "steps.not_reached", plan=four)
    plan(tx, five, **WAITING, parent=two)
    plan(tx, six, **ENDED)
    plan(tx, eight, steps=0, **RUNNING, kind="undo", parent=six, at=1)
    call(tx, "steps.insert", plan=eight, state="started")
    call(tx, "plans.undo", plan=six, undone_by=eight)


def plan(tx: EngineTx, id: str, *, steps: Value = 1, **changes: Value) -> None:
    """Another plan, with *steps* outside steps that wait."""
    call(tx, "plans.insert", **{"conversation": id, **changes, "plan": id})
    for position in range(1, int(str(steps)) + 1):
        call(tx, "steps.insert", org=changes.get("org", ORG), plan=id, position=position)
