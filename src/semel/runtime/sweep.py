"""Sweep: plans whose time has come are taken over and brought to their end; old questions expire.

Recovery goes through the front door: a plan that was taken over is run by the same loop as any
other. Any instance may sweep at any time; the epoch decides who owns a plan.
"""

from dataclasses import dataclass

from semel.domain.plan import Owner, PlanReason, StepReason
from semel.domain.progress import Resolve, Start, Stop, next_move
from semel.domain.step import NotStarted
from semel.errors import Bug
from semel.facts import instant_text
from semel.ports import EngineTx, Row
from semel.runtime import look, record
from semel.runtime.core import Core
from semel.runtime.dismiss import dismiss
from semel.runtime.proof import doubt
from semel.runtime.resolve import look_into
from semel.runtime.wait import launch

BATCH = 100
"""Plans looked at in one go."""

TAKEN_OVER = "taken_over"

STALL_MAX = 3
"""Take-overs without a step begun: the third ends the plan and a person is told. Whatever kills its
owner each time would go on doing so."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did: plans resumed, given up, expired, looked at again, and left running."""

    resumed: tuple[str, ...] = ()
    given_up: tuple[str, ...] = ()
    expired: tuple[str, ...] = ()
    looked_at: tuple[str, ...] = ()
    """Plans in doubt to which it came back; what came of it is on each."""
    running: int = 0
    held: int = 0
    """Due plans that are left alone, since nothing may be sent outside."""
    closed: str | None = None
    """Why not."""


async def sweep(core: Core) -> Swept:
    """Take over what nobody finishes, run it, come back to doubts, and let old questions expire."""
    closed = await core.closed()
    due, live, held = await core.read(lambda tx: _due(core, tx))
    resumed, given_up = await _take(core, due)
    looked_at = await _doubts(core) if closed is None else []
    expired = await _expire(core)
    found = tuple(resumed), tuple(given_up), tuple(expired), tuple(looked_at)
    return Swept(*found, running=live, held=held, closed=closed)


async def begin_due(core: Core) -> None:
    """Begin the later plans whose time is now, without waiting for the next sweep."""
    due, _, _ = await core.read(lambda tx: _due(core, tx))
    await _take(core, [row for row in due if row["owner"] is None])


async def _take(core: Core, due: list[Row]) -> tuple[list[str], list[str]]:
    resumed: list[str] = []
    given_up: list[str] = []
    for row in due:
        if core.draining:
            break
        owner = await _owned(core, row)
        if isinstance(owner, Owner):
            resumed.append(owner.plan)
            await launch(core, owner)
        elif owner is not None:
            given_up.append(owner)
    return resumed, given_up


async def _owned(core: Core, row: Row) -> Owner | str | None:
    """Take one plan over. An equal epoch is not "mine": the mark in its history tells."""
    mark = core.new_id()
    return await core.transact(
        "take_over",
        lambda tx: _take_over(core, tx, row, mark),
        lambda tx: _is_marked(tx, str(row["org"]), str(row["plan"]), mark),
    )


def _is_marked(tx: EngineTx, org: str, plan: str, mark: str) -> bool:
    """Whether this very take-over was kept."""
    look.lock(tx, org, plan)
    return any(
        event["kind"] == TAKEN_OVER and mark in str(event["body"])
        for event in tx.all("events.of_plan", org=org, plan=plan)
    )


def _due(core: Core, tx: EngineTx) -> tuple[list[Row], int, int]:
    """Plans whose time has come, or whose owner is known to be dead.

    Returns:
        They; how many are not due; and how many are, and wait until something may be sent.
    """
    now = instant_text(tx.now())
    rows = tx.all("plans.running", now=now, limit=BATCH)
    due = [
        row
        for row in rows
        if (str(row["org"]), str(row["plan"])) not in core.running
        and (str(row["resume_after"]) <= now or core.host.is_dead(str(row["owner"])))
    ]
    free = due if core.store.closed is None else [row for row in due if not _leaves(tx, row)]
    return free, len(rows) - len(due), len(due) - len(free)


def _leaves(tx: EngineTx, row: Row) -> bool:
    stored = look.load(tx, str(row["org"]), str(row["plan"]))
    return stored is not None and look.leaves(stored)


def _take_over(core: Core, tx: EngineTx, row: Row, mark: str) -> Owner | str | None:
    """Become a plan's owner; or end it when three owners in a row got nowhere."""
    org, plan = str(row["org"]), str(row["plan"])
    taken = tx.one(
        "plans.take_over",
        org=org, plan=plan, epoch=row["epoch"], owner=core.host.identity,
        resume_after=core.resume_after(tx.now()),
    )  # fmt: skip
    if taken is None:
        return None
    owner = Owner(org, plan, int(str(taken["epoch"])))
    record.event(tx, org, plan, TAKEN_OVER, epoch=owner.epoch, mark=mark)
    if int(str(taken["stall"])) < STALL_MAX:
        return owner
    stored = look.load(tx, org, plan)
    if stored is None:
        raise Bug(f"{plan} is gone.")
    cancelled = stored.plan.cancelled_at is not None
    match next_move(stored.plan.state, stored.steps, cancelled=cancelled):
        case Resolve(step, last):
            doubt(core, tx, owner, step, last)
        case Start(step):
            change = NotStarted().not_made(StepReason.CRASHED)
            record.apply(tx, org, plan, owner.epoch, step.position, change)
        case Stop(reason):
            record.end(tx, org, plan, owner.epoch, reason)
    return plan


async def _doubts(core: Core) -> list[str]:
    """Come back to the doubts at which it is time to look again."""

    def due(tx: EngineTx) -> list[Row]:
        return tx.all("plans.doubts", now=instant_text(tx.now()), limit=BATCH)

    rows = await core.read(due)
    for row in rows:
        await look_into(core, str(row["org"]), str(row["plan"]))
    return [str(row["plan"]) for row in rows]


async def _expire(core: Core) -> list[str]:
    def unanswered(tx: EngineTx) -> list[Row]:
        return tx.all("plans.unanswered", now=instant_text(tx.now()), limit=BATCH)

    rows = await core.read(unanswered)
    if not rows:
        return []

    def work(tx: EngineTx) -> list[str]:
        ended = []
        for row in unanswered(tx):
            stored = dismiss(
                tx, str(row["org"]), str(row["plan"]), PlanReason.EXPIRED, "unanswered"
            )
            if stored is not None:
                ended.append(stored.plan.plan)
        return ended

    return await core.transact("dismiss", work)
