"""An outside step: its mark on disk before the first byte leaves, one send, and what it proved.

There is no way back from the mark to "not started": a proof that it happened counts whatever the
epoch, a definite refusal counts when it was the only send, and everything else is resolved by the
step's effect.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

from semel.domain.action import Action, Ctx, Made
from semel.domain.canonical import sha256_text
from semel.domain.doubt import too_old
from semel.domain.effect import Checked, Keyed, Opaque
from semel.domain.key import send_key
from semel.domain.plan import Owner, PlanRow, StepRow
from semel.domain.step import bounds
from semel.errors import Bug, NotDone, Unreachable
from semel.facts import instant_text, read_instant
from semel.ports import Clock, EngineTx
from semel.runtime import points, record
from semel.runtime.begin import Going, Lost, checked, fail, has_begun, not_begun, own, said
from semel.runtime.core import PREPARE_SECONDS, Core, log
from semel.runtime.invoke import Given, for_outside
from semel.runtime.proof import Send, doubt, insist, made, refused, returned

TOO_OLD = "send.too_old"
"""Why a send was not made: its mark is so old that the other side may have forgotten the key."""

OWN_SHARE = 0.95
"""What a handler is told of its deadline: its own time-out has to speak before it is cut off, since
only the handler knows whether anything has left."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is about to leave: bound and prepared, under the key of its send."""

    given: Given
    ctx: Ctx[Any]
    prepared: object

    @property
    def digest(self) -> str:
        """The digest of the prepared request, byte for byte; "" where nobody can tell two apart."""
        try:
            return sha256_text(json.dumps(_exact(self.prepared)))
        except Exception:  # noqa: BLE001 - what has no such form is never taken for the same
            return ""


def _exact(value: object) -> object:
    """A prepared request as data that is equal only for the same one."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    kind = type(value).__qualname__
    if isinstance(value, bytes):
        return {kind: value.hex()}
    if isinstance(value, Decimal | date | UUID):
        return {kind: str(value)}
    if isinstance(value, Mapping):
        return {kind: [[_exact(name), _exact(member)] for name, member in value.items()]}
    if isinstance(value, list | tuple):
        return {kind: [_exact(member) for member in value]}
    if is_dataclass(value) and not isinstance(value, type):
        return {kind: [_exact(getattr(value, field.name)) for field in fields(value)]}
    raise TypeError(f"Nobody can tell one {kind} from another.")


async def outside(
    core: Core, owner: Owner, plan: PlanRow, action: Action, step: StepRow, last: bool
) -> Going:
    """Prepare, mark and send an outside step; the plan goes on here when it is proven done."""
    id_ = core.new_id()
    try:
        request = await prepared(core, plan, action, step, id_)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - nothing has left yet, whatever it was
        return await fail(core, owner, step, said(error, action, plan.locale))
    send = await core.transact(
        "mark",
        lambda tx: _mark(core, tx, owner, request, step, last, id_),
        lambda tx: has_begun(tx, owner, step),
    )
    return await sent(core, send, request) if isinstance(send, Send) else send


async def prepared(
    core: Core, plan: PlanRow, action: Action, step: StepRow, id_: str, now: datetime | None = None
) -> Request:
    """Bind and prepare a send from one snapshot; nothing has happened yet.

    Args:
        core: the engine's parts.
        plan: its plan.
        action: what is done.
        step: the step.
        id_: the id that the send will have.
        now: the instant its context shows, for a send that must be the same as an earlier one.
    """
    limit, _ = bounds(action.effect)
    given, ctx, _ = await core.read(lambda tx: checked(core, tx, plan, action, step))
    ctx = replace(for_outside(ctx, limit), now=now or ctx.now, key=_key(action, ctx.key, id_))
    prepare = getattr(action, "prepare", None)
    if prepare is None:
        return Request(given, ctx, None)
    points.reach("prepare:before")
    async with asyncio.timeout(PREPARE_SECONDS):
        value: object = await prepare(given.input, ctx)
    points.reach("prepare:after")
    return Request(given, ctx, value)


def _key(action: Action, step: str, id_: str) -> str:
    """The key of a send: the step's own, or one for each send where each can be closed."""
    effect = action.effect
    return send_key(step, id_) if isinstance(effect, Checked) and effect.void else step


def _mark(
    core: Core, tx: EngineTx, owner: Owner, request: Request, step: StepRow, last: bool, id_: str
) -> Send | Going:
    """Begin an outside step: from this commit on only proof counts."""
    action = request.given.action
    limit, _ = bounds(action.effect)
    plan = own(core, tx, owner, step, limit)
    if plan is None:
        return Lost()
    try:
        checked(core, tx, plan, action, step)
    except BaseException as error:  # noqa: BLE001 - nothing has left yet, whatever it was
        not_begun(tx, owner, step, said(error, action, plan.locale))
        return Lost()
    marked = tx.one(
        "steps.mark",
        org=owner.org, plan=owner.plan, position=step.position, now=instant_text(tx.now()),
    )  # fmt: skip
    if marked is None:
        # A proof of an earlier round came while this one was prepared: the plan goes on from it.
        return None
    # The instant that its context showed: a further send of the same bytes shows it again.
    shown = instant_text(request.ctx.now)
    return opened(core, tx, owner, plan, request, step, last, id_, "step_started", shown)


def opened(
    core: Core,
    tx: EngineTx,
    owner: Owner,
    plan: PlanRow,
    request: Request,
    step: StepRow,
    last: bool,
    id_: str,
    event: str,
    opened_at: str | None = None,
) -> Send:
    """Write that a send is about to leave: who sends it, until when, and when it is settled."""
    action, now = request.given.action, tx.now()
    limit, bound = bounds(action.effect)
    if core.store.closed is not None:
        # Seen since this run began: its connection leads to another server by now, for one.
        raise Unreachable(core.store.closed)
    tx.run(
        "attempts.open",
        org=owner.org, plan=owner.plan, position=step.position, id=id_, round=plan.round,
        epoch=owner.epoch, key=request.ctx.key, sent_by=core.host.identity,
        now=opened_at or instant_text(now), deadline_at=core.later(now, limit),
        settles_at=None if bound is None else core.later(now, limit + bound),
        request_digest=request.digest, outcome=None, returned_at=None,
    )  # fmt: skip
    place, risk = (owner.org, owner.plan, event, step.position), core.store.unsafe
    if risk is None:
        record.event(tx, *place, attempt=id_)
    else:
        record.event(tx, *place, attempt=id_, unsafe=risk)
    return Send(owner, action, step, last, id_, _stopwatch(core.clock))


def _stopwatch(clock: Clock) -> Callable[[], float]:
    """Seconds from now on, by the greater of two clocks.

    One stands while a machine sleeps, and the other may be set back.
    """
    began, ticks = clock.now(), clock.monotonic()
    return lambda: max((clock.now() - began).total_seconds(), clock.monotonic() - ticks)


async def sent(core: Core, send: Send, request: Request) -> Going:
    """Send once, wait until the deadline, and record what that proved.

    The deadline counts from the mark, as the moment does from which nothing can still arrive: a
    process that was paused between the two has so much less time, or none, and then nothing leaves.
    """
    limit = request.ctx.deadline
    left = limit - send.age()
    limit = left if left > 0 else limit
    age = _age(core, send, request)
    ctx = replace(request.ctx, deadline=limit * OWN_SHARE, check_age=age)
    task = asyncio.create_task(_call(send.action, request.given, ctx, request.prepared))
    try:
        await asyncio.wait({task}, timeout=limit)
    except asyncio.CancelledError:
        # This process is being stopped in mid-send: whether it arrived is not known here.
        task.cancel()
        await _cut_off(core, send)
        raise
    if task.done():
        return await _conclude(core, send, task)
    # Giving up waiting is not the end of the send: its proof may still come, and counts then.
    task.cancel()
    core.spawn(_late(core, send, task))
    return None


async def _cut_off(core: Core, send: Send) -> None:
    """Give up a step in mid-send: of a letter a person is told, else the next owner resolves it."""
    if isinstance(send.action.effect, Opaque):
        # Nobody can be asked about it, so nothing is gained by leaving it to somebody else.
        await insist(core, "doubt", lambda tx: doubt(core, tx, send.owner, send.step, send.last))
        return
    plan = send.owner
    await insist(core, "release", lambda tx: record.hand_on(tx, plan.org, plan.plan, plan.epoch))


def _age(core: Core, send: Send, request: Request) -> Callable[[], None]:
    effect, limit, first = send.action.effect, request.ctx.deadline, request.ctx.now

    def look() -> None:
        late = send.age() >= limit
        if isinstance(effect, Keyed):
            late = late or too_old(effect, instant_text(first), core.clock.now())
        if late:
            raise NotDone(TOO_OLD)

    return look


async def _call(action: Action, given: Given, ctx: Ctx[Any], prepared: object) -> Made:
    run = cast("Any", action).run
    points.reach("send:before")
    ctx.check_age()
    try:
        if hasattr(action, "prepare"):
            answer = await run(given.input, ctx, prepared)
        else:
            answer = await run(given.input, ctx)
    except SystemExit as no:
        raise Bug(f"{action.name}: run() wanted to end the process.") from no
    points.reach("send:after")
    # Not isinstance: it asks the answer itself, which may claim or raise what it likes.
    if not issubclass(type(answer), Made):
        raise Bug(f"{action.name}: run() returns Made.")
    return cast("Made", answer)


async def _late(core: Core, send: Send, task: "asyncio.Task[Made]") -> None:
    await asyncio.wait({task})
    await _conclude(core, send, task)


async def _conclude(core: Core, send: Send, task: "asyncio.Task[Made]") -> Going:
    """Record what a send that came back has proved; without a proof the step is to be resolved."""
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is None:
        answer = task.result()
        return await insist(core, "made", lambda tx: made(tx, send, answer))
    if isinstance(error, NotDone):
        no = error
        return await insist(core, "not_made", lambda tx: refused(tx, send, no))
    log.error("%s: it is not known whether it happened.", send.action.name, exc_info=error)
    return await insist(core, "returned", lambda tx: returned(core, tx, send))


def first_instant(opened_at: str) -> datetime:
    """The instant that the context of a step's first send showed."""
    return read_instant(opened_at)
