"""Wrong designs, each patched into the running program: the simulation has to find them.

A mutant replaces a named function of the runtime, or a statement of the store in memory, while it
lasts; nothing of the source is copied.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from semel.domain.consent import token_hash
from semel.domain.plan import PlanReason
from semel.domain.progress import next_move
from semel.domain.step import Started
from semel.errors import ActionError, NotDone
from semel.facts import instant_text
from semel.runtime import (
    answer,
    begin,
    faces,
    gone,
    later,
    outside,
    press,
    proof,
    record,
    resolve,
    run,
    stop,
    sweep,
)
from semel.runtime.begin import Lost
from semel.runtime.invoke import perform
from semel.runtime.proof import insist
from semel.runtime.result import touched
from semel.storage.memory.schema import CONFIRMATIONS, PLANS
from semel.storage.memory.statements import STATEMENTS, plans_ended, plans_owned

Patch = tuple[Any, str, Any]
"""Of what, which name, and what it is instead."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong design.

    Args:
        says: what is wrong with it.
        patches: what is replaced.
        effect: the class of steps in which it bites, or "" for any.
        race: the race in which it bites.
    """

    says: str
    patches: Callable[[], list[Patch]]
    effect: str = ""
    race: str = ""


def _statement(name: str, wrong: Callable[..., Any]) -> list[Patch]:
    return [(STATEMENTS, name, wrong)]


def _without(name: str, column: str) -> Callable[..., Any]:
    """A statement that takes a plan's column for NULL."""
    right = STATEMENTS[name]

    def wrong(t: Any, p: Mapping[str, Any]) -> Any:
        plan = t[PLANS].get(p["org"], p["plan"])
        was = plan and plan[column]
        if was is None:
            return right(t, p)
        # What a statement finds is the row itself, and what it changes is a new one.
        t[PLANS].update(plan, **{column: None})
        rows = right(t, p)
        t[PLANS].update(t[PLANS].get(p["org"], p["plan"]), **{column: was})
        return rows

    return wrong


def _owned(t: Any, p: Mapping[str, Any]) -> Any:
    return plans_owned.named(t, PLANS, p, state="running")


async def _sends_first(core: Any, owner: Any, plan: Any, action: Any, step: Any, last: bool) -> Any:
    """Send, and then mark."""
    id_ = core.new_id()
    request = await outside.prepared(core, plan, action, step, id_)
    made = await outside._call(action, request.given, request.ctx, request.prepared)
    send = await core.transact(
        "mark", lambda tx: outside._mark(core, tx, owner, request, step, last, id_)
    )
    if isinstance(send, Lost) or send is None:
        return send
    return await insist(core, "made", lambda tx: proof.made(tx, send, made))


def _releases(core: Any, tx: Any, send: Any) -> Any:
    """An error is taken for a proof that nothing happened."""
    return proof.refused(tx, send, NotDone("an error"))


async def _forgets(core: Any, send: Any, task: "asyncio.Task[Any]") -> None:
    """What comes back late is not written."""
    await asyncio.wait({task})


async def _runs_again(core: Any, owner: Any, plan: Any, step: Any, last: bool) -> Any:
    """A step that was started is sent again, whatever its class."""
    action, id_ = core.catalog.get(step.action), core.new_id()
    request = await outside.prepared(core, plan, action, step, id_)
    send = await core.transact(
        "resend", lambda tx: resolve._resend(core, tx, owner, request, step, last, id_)
    )
    return send if isinstance(send, Lost) else await outside.sent(core, send, request)


def _untold(right: Callable[..., Any]) -> Callable[..., Any]:
    def event(tx: Any, org: str, plan: str, kind: str, *given: Any, **body: Any) -> Any:
        if kind == "step_done":
            return None
        return right(tx, org, plan, kind, *given, **body)

    return event


async def _takes_nothing(*_: Any) -> Any:
    return [], []


def _apart() -> list[Patch]:
    """A Local step's effect is committed first, and its record in the next transaction."""
    right = run.local

    async def local(core: Any, owner: Any, action: Any, step: Any, last: bool) -> Any:
        def happens(tx: Any) -> Any:
            plan = begin.intact(core, tx, owner, step)
            if plan is None or plan.kind == "undo":
                return None
            given, ctx, place = begin.checked(core, tx, plan, action, step)
            plans = later.Plans(core, tx, plan.who, place, rehearsing=False)
            return plan, perform(given, ctx, plans)

        try:
            happened = await core.transact("once", happens)
        except ActionError:
            happened = None
        if happened is None:
            return await right(core, owner, action, step, last)
        plan, made = happened

        def recorded(tx: Any) -> Any:
            if begin.own(core, tx, owner, step, 5.0) is None:
                return Lost()
            place = owner.org, owner.plan, step.position
            record.ran(
                core, tx, record.Begun(*place, plan.round, owner.epoch, step.facts_digest)
            )  # fmt: skip
            begin.done(tx, owner, step, made, touched(step.position, action.makes, made))
            if last:
                record.end(tx, owner.org, owner.plan, owner.epoch, PlanReason.FINISHED)
            return None

        return await core.transact("local", recorded, lambda tx: begin.has_begun(tx, owner, step))

    return [(run, "local", local)]


def _two_transactions() -> list[Patch]:
    """The token is taken in a transaction of its own, and the plan begins in the next one."""
    right = press.press

    async def pressed(
        core: Any, who: Any, token: str, question: Any, take: Any, words: Any = None
    ) -> Any:
        key = token_hash(token)

        def questions(tx: Any) -> Any:
            # Others have wrapped it, and one of them plans a death.
            while not hasattr(tx, "_tables"):
                tx = getattr(tx, "_inner", None) or tx._tx
            return tx._tables[CONFIRMATIONS]

        def used(tx: Any) -> bool:
            rows = questions(tx).find("token", who.org, key)
            if not rows or rows[0]["used_at"] or rows[0]["revoked_at"]:
                return False
            questions(tx).update(rows[0], used_at=instant_text(tx.now()))
            return True

        def free(tx: Any) -> None:
            rows = questions(tx).find("token", who.org, key)
            questions(tx).update(rows[0], used_at=None)

        if not await core.transact("confirm", used):
            return await right(core, who, token, question, take, words)

        whole = core.transact

        async def transact(name: str, work: Any, committed: Any = None) -> Any:
            def both(tx: Any) -> Any:
                free(tx)
                return work(tx)

            return await whole(name, both, committed)

        return await right(_Through(core, transact), who, token, question, take, words)

    return [(faces, "press", pressed)]


class _Through:
    """The engine's parts, with another way to run a transaction."""

    def __init__(self, core: Any, transact: Any) -> None:
        self._core = core
        self.transact = transact

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)


def _same_epoch(t: Any, p: Mapping[str, Any]) -> Any:
    rows = plans_ended.retry(t, p)
    plan = t[PLANS].get(p["org"], p["plan"])
    if rows:
        t[PLANS].update(plan, epoch=p["epoch"])
        return [{"epoch": p["epoch"]}]
    return rows


async def _asks_only(action: Any, keys: list[str], ctx: Any) -> Any:
    """Look, and close nothing."""
    return resolve.Found(await action.check(keys, ctx))


MUTANTS: dict[str, Mutant] = {
    "mark": Mutant(
        "a step is sent first and marked afterwards",
        lambda: [(run, "outside", _sends_first)], effect="opaque",
    ),
    "release": Mutant(
        "any error gives the work back as not done",
        lambda: [(outside, "returned", _releases)], effect="opaque",
    ),
    "epoch": Mutant(
        "whoever was taken over goes on as the owner",
        lambda: [(plans_owned, "_owned", _owned)], effect="checked_void",
    ),
    "apart": Mutant(
        "a Local step's effect and its record are two transactions", _apart, effect="local"
    ),
    "refused": Mutant(
        "a refused further send is taken for a proof about the first",
        lambda: [(proof, "open_ones", lambda attempts: [])], effect="keyed",
    ),
    "absent": Mutant(
        "not found counts before it is settled",
        lambda: [(resolve, "settled", lambda *given: True)], effect="checked",
    ),
    "early": Mutant(
        "a person's \"it did not happen\" counts before it is settled",
        lambda: [(answer, "settled", lambda *given: True), (gone, "settled", lambda *given: True)],
        effect="opaque",
    ),
    "token": Mutant("a token is taken in a transaction of its own", _two_transactions),
    "cancel": Mutant(
        "a run does not look at the cancel",
        lambda: [
            (proof, "Started", lambda last, others_open=0, cancelled=False: Started(last)),
            (run, "next_move", lambda state, steps, cancelled=False: next_move(state, steps)),
            *_statement("plans.start", _without("plans.start", "cancelled_at")),
        ],
        race="cancel",
    ),
    "answer": Mutant(
        "a cancel answers what was read before it",
        lambda: [(stop, "reload", lambda tx, stored: stored)], race="cancel",
    ),
    "resend": Mutant(
        "a further send does not look at the cancel",
        lambda: _statement("plans.resend", _without("plans.resend", "cancelled_at")),
        effect="keyed", race="cancel",
    ),
    "late": Mutant(
        "a proof that comes late is not written",
        lambda: [(outside, "_late", _forgets)], effect="opaque",
    ),
    "age": Mutant(
        "a send does not look at the age of its mark",
        lambda: [(outside, "_age", lambda *given: lambda: None)],
        effect="checked",
    ),
    "again": Mutant(
        "a take-over runs a started step again",
        lambda: [(run, "resolve", _runs_again)], effect="opaque",
    ),
    "sweep": Mutant(
        "a sweep takes over nothing",
        lambda: [(sweep, "_take", _takes_nothing)],
    ),
    "untold": Mutant(
        "a step that is done is no event",
        lambda: [(record, "event", _untold(record.event))],
    ),
    "retry": Mutant(
        "a retry runs in the epoch of before",
        lambda: _statement("plans.retry", _same_epoch), race="offers",
    ),
    "void": Mutant(
        "what was sent is looked for and not closed before it is run anew",
        lambda: [(resolve, "_asked", _asks_only)], effect="checked_void",
    ),
}  # fmt: skip


@contextmanager
def mutated(name: str) -> Iterator[None]:
    """The program with one mutant in it, or as it is."""
    patches = MUTANTS[name].patches() if name else []
    before: list[Patch] = []
    try:
        for where, what, wrong in patches:
            before.append((where, what, _get(where, what)))
            _set(where, what, wrong)
        yield
    finally:
        for where, what, right in reversed(before):
            _set(where, what, right)


def _get(where: Any, what: str) -> Any:
    return where[what] if isinstance(where, dict) else getattr(where, what)


def _set(where: Any, what: str, value: Any) -> None:
    if isinstance(where, dict):
        where[what] = value
    else:
        setattr(where, what, value)
