"""Fence: an older copy of the database was put back, and somebody says so.

The copy knows nothing of the time between its making and the loss. Whatever it would begin may
have happened in that time: a step that waits in it may have been sent, a question answered, a plan
that failed retried. So nothing of before sends anything any more by itself:

    runs or asks, something outside is left     in doubt: each outside step that is not done
    asks about Local steps alone                expired; its key stays
    in doubt                                    a look can find, and rules nothing out any more
    failed, something outside is left           not offered again
    runs, only Local steps are left             goes on: what is not here did not happen here
    waits for a day that has not come           stays
    every token                                 is worth nothing

Local steps are as this database has them. Nothing here depends on being done in one go: whoever is
stopped runs it again, and it goes on.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from semel.domain.doubt import EVERYBODY, PAST
from semel.domain.key import step_key
from semel.domain.plan import PlanReason, PlanRow, PlanState, StepReason, StepRow, StepState
from semel.domain.step import bounds, is_local, name_of
from semel.errors import Bug, StorageError
from semel.facts import instant_text, read_instant
from semel.ports import EngineTx, Row
from semel.runtime import look, record
from semel.runtime.answers import answer
from semel.runtime.core import Core
from semel.runtime.dismiss import dismiss_stored
from semel.runtime.look import Stored
from semel.runtime.offer import RETRIED
from semel.runtime.proof import LOOK_SECONDS

PAGE = 500
"""Rows that are come by in one statement, of plans and of questions."""

FENCED = "fenced"

SINCE = 1_577_836_800
"""2020-01-01 as a Unix time in seconds: epochs behind a fence count from there."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The fence that is being put up: the generation that begins, and when it did."""

    generation: int
    at: str


@dataclass(slots=True)
class Fenced:
    """What a fence did, or would do."""

    generation: int
    at: str | None = None
    """When it was put up; None when it was only counted."""
    in_doubt: list[str] = field(default_factory=list)
    """Plans that ended in doubt."""
    widened: list[str] = field(default_factory=list)
    """Plans in doubt before, of which more than was known may have been sent."""
    expired: list[str] = field(default_factory=list)
    going_on: list[str] = field(default_factory=list)
    """Plans in which only Local steps are left."""
    later: list[str] = field(default_factory=list)
    """Plans whose day has not come."""
    not_offered: list[str] = field(default_factory=list)
    """Plans that are not offered to be retried any more."""
    revoked: int = 0
    """Questions and offers that stood."""


async def fence(core: Core, said_by: str, *, dry: bool = False) -> Fenced:
    """Put up a fence behind a copy that was put back; or only count what it would do.

    Args:
        core: the engine's parts.
        said_by: who says that it was put back, and that nothing runs any more on what was lost.
        dry: count, and change nothing.
    """
    if dry:
        return await _counted(core)
    up = await answer(core.store.submit(partial(_begin, said_by=said_by), own=True))
    done = Fenced(up.generation, up.at)
    async for page in _questions(core):
        await core.transact("doubt", partial(_revoke, rows=page, up=up))
        done.revoked += len(page)
    async for plan in _plans(core):
        if await core.look(partial(_sorted, row=plan, now=up.at, done=done)):
            await core.transact("doubt", partial(_end, core, row=plan, up=up))
    await answer(core.store.submit_arrival())
    await answer(core.store.submit(lambda tx: tx.one("database.fenced"), own=True))
    await answer(core.store.submit_examination())
    return done


async def _counted(core: Core) -> Fenced:
    """What a fence would do."""
    row = await core.ask("database.find")
    begun = row is not None and bool(row["fencing"])
    done = Fenced((int(str(row["generation"])) if row else 1) + (0 if begun else 1))
    now = await core.look(lambda tx: instant_text(tx.now()))
    async for plan in _plans(core):
        await core.look(partial(_sorted, row=plan, now=now, done=done))
    async for page in _questions(core):
        done.revoked += len(page)
    return done


async def moved(core: Core) -> None:
    """Take it that the database was moved to where it is, and that nothing was lost.

    Raises:
        StorageError: a fence was begun here and is not through.
    """
    row = await core.ask("database.find")
    if row is not None and row["fencing"]:
        raise StorageError(
            "A fence was begun here and is not through: run `semel fence --restored` again."
        )
    await answer(core.store.submit_arrival())
    await answer(core.store.submit_examination())


def _begin(tx: EngineTx, said_by: str) -> Fence:
    """Begin a generation, or find the one that was begun and is not through."""
    row = tx.one("database.fence", now=instant_text(tx.now())) or tx.one("database.find")
    if row is None:
        raise Bug("A fence was begun and is not there.")
    up = Fence(int(str(row["generation"])), str(row["fenced_at"]))
    tx.run("gone.insert", host=EVERYBODY, now=up.at, said_by=said_by)
    return up


async def _plans(core: Core) -> AsyncIterator[Row]:
    """Every plan that may have to be dealt with; a page at a time, since there may be millions."""
    after = ""
    while rows := await core.look(lambda tx: tx.all("plans.page", after=after, limit=PAGE)):  # noqa: B023 - it is read at once
        after = str(rows[-1]["plan"])
        for row in rows:
            reasons = {PlanReason.IN_DOUBT, *RETRIED}
            if row["state"] != PlanState.ENDED or row["reason"] in reasons:
                yield row


async def _questions(core: Core) -> AsyncIterator[list[Row]]:
    """The questions and offers that stand, page by page."""
    org = id_ = ""
    while rows := await core.look(
        lambda tx: tx.all("confirmations.page", after_org=org, after_id=id_, limit=PAGE)  # noqa: B023 - it is read at once
    ):
        org, id_ = str(rows[-1]["org"]), str(rows[-1]["id"])
        if page := [row for row in rows if row["stands"]]:
            yield page


def _revoke(tx: EngineTx, rows: Sequence[Row], up: Fence) -> None:
    for org, plan in sorted({(str(row["org"]), str(row["plan"])) for row in rows}):
        look.lock(tx, org, plan)
        if tx.run("confirmations.revoke", org=org, plan=plan, now=up.at):
            record.event(tx, org, plan, FENCED, generation=up.generation)


def _sorted(tx: EngineTx, row: Row, now: str, done: Fenced) -> bool:
    """Count a plan where it belongs; whether it has to be changed."""
    stored = look.load(tx, str(row["org"]), str(row["plan"]))
    if stored is None:
        return False
    plan, lost = stored.plan, _lost(stored)
    if plan.state is PlanState.ENDED and plan.reason is not PlanReason.IN_DOUBT:
        if look.leaves(stored):
            done.not_offered.append(plan.plan)
        return False
    if plan.state is PlanState.ENDED:
        new = [step for step in lost if not _known(stored, step)]
        done.widened += [plan.plan] if new else []
        return bool(new)
    if plan.waits and (plan.not_before or "") > now:
        done.later.append(plan.plan)
        return False
    if lost:
        done.in_doubt.append(plan.plan)
    elif plan.state is PlanState.ASKING:
        done.expired.append(plan.plan)
    else:
        done.going_on.append(plan.plan)
        return False
    return True


def _lost(stored: Stored) -> list[StepRow]:
    """The steps that may have been sent in the time that is lost."""
    plan = stored.plan
    open_ = {StepState.STARTED, StepState.IN_DOUBT}
    if plan.state is not PlanState.ENDED and plan.cancelled_at is None:
        # After a cancel no step begins; before, each that waits may have.
        open_.add(StepState.WAITING)
    return [step for step in stored.steps if not is_local(step.effect) and step.state in open_]


def _known(stored: Stored, step: StepRow) -> bool:
    """Whether a step's doubt allows already for more than is known to have been sent."""
    return any(send.past for send in stored.sends.get(step.position, ()))


def _end(core: Core, tx: EngineTx, row: Row, up: Fence) -> None:
    """Bring a plan of before to where it sends nothing by itself."""
    stored = look.lock(tx, str(row["org"]), str(row["plan"]))
    if stored is None:
        raise Bug(f"{row['plan']!s} is gone.")
    plan, lost = stored.plan, _lost(stored)
    if plan.state is PlanState.ENDED and plan.reason is not PlanReason.IN_DOUBT:
        return
    if not lost:
        dismiss_stored(tx, stored, PlanReason.EXPIRED, FENCED, f"generation {up.generation}")
        return
    tx.run("confirmations.revoke", org=plan.org, plan=plan.plan, now=up.at)
    looked = any(step.effect in {"checked", "checked_void"} for step in lost)
    fenced = tx.one(
        "plans.fence",
        org=plan.org, plan=plan.plan, epoch=plan.epoch, next=_epoch(plan, up), now=up.at,
        at=lost[-1].position,
        look_after=core.later(tx.now(), LOOK_SECONDS) if looked else up.at,
    )  # fmt: skip
    if fenced is None:
        raise Bug(f"{plan.plan} has changed under its lock.")
    record.event(tx, plan.org, plan.plan, FENCED, generation=up.generation)
    for step in lost:
        if not _known(stored, step):
            _may_have_been_sent(core, tx, plan, step, int(str(fenced["epoch"])), up)
    if plan.state is not PlanState.ENDED:
        why = str(StepReason.NOT_REACHED)
        tx.run("steps.not_reached", org=plan.org, plan=plan.plan, reason=why, now=up.at)
        record.event(tx, plan.org, plan.plan, "ended", reason=str(PlanReason.IN_DOUBT))


def _epoch(plan: PlanRow, up: Fence) -> int:
    """An epoch that no card of the lost time bears: no plan had as many as there were seconds."""
    return max(plan.epoch + 1, int(read_instant(up.at).timestamp()) - SINCE)


def _may_have_been_sent(
    core: Core, tx: EngineTx, plan: PlanRow, step: StepRow, epoch: int, up: Fence
) -> None:
    """Open a send by nobody known; its bounds run from now: all that sent have been stopped."""
    action = core.catalog.get(step.action)
    settles_at = deadline_at = None
    if action is not None and name_of(action.effect) == step.effect:
        limit, bound = bounds(action.effect)
        deadline_at = core.later(read_instant(up.at), limit)
        settles_at = None if bound is None else core.later(read_instant(up.at), limit + bound)
    tx.run(
        "attempts.open",
        org=plan.org, plan=plan.plan, position=step.position, id=core.new_id(tx.now()),
        round=plan.round, epoch=epoch,
        key=step_key(plan.org, plan.plan, step.position, plan.round),
        sent_by=f"{PAST}:{up.generation}", now=up.at, deadline_at=deadline_at,
        settles_at=settles_at, request_digest="", outcome=None, returned_at=None,
    )  # fmt: skip
    if tx.one("steps.lose", org=plan.org, plan=plan.plan, position=step.position, now=up.at):
        record.event(tx, plan.org, plan.plan, "step_in_doubt", step.position)
