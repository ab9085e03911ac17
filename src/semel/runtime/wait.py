"""Starting a plan's run beside its callers, and waiting for how it ends."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from semel.domain.plan import Owner, PlanState
from semel.errors import Bug, StorageError, Unreachable
from semel.runtime import look
from semel.runtime.core import WAIT_SECONDS, Core, log
from semel.runtime.look import Stored
from semel.runtime.run import run

POLL_SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Pauses between looks at a plan that another process runs; the last one repeats."""

QUICK_LOOKS = 2
"""Looks that a waiter takes before it listens: whoever still waits, waits for something slow."""

ANNOUNCED_SECONDS = 0.1
"""A plan that took longer is announced when it is through. Who waits for a shorter one elsewhere
has hardly begun to pause, and a word to everybody costs more than that."""


def start(
    core: Core, owner: Owner, first: Callable[[], Coroutine[Any, Any, None]] | None = None
) -> "asyncio.Task[None]":
    """Run a plan in a task of its own: no caller's end is the run's end.

    Args:
        core: the engine's parts.
        owner: the right to run it.
        first: what is done before the loop looks at the plan: a send that a person has ordered.
    """
    place = (owner.org, owner.plan)
    task = core.spawn(_run(core, owner, first))
    core.running[place] = task
    task.add_done_callback(lambda _: core.running.pop(place, None))
    return task


async def _run(
    core: Core, owner: Owner, first: Callable[[], Coroutine[Any, Any, None]] | None
) -> None:
    began = core.clock.monotonic()
    if first is not None:
        await first()
    await run(core, owner)
    if core.clock.monotonic() - began >= ANNOUNCED_SECONDS:
        core.store.announce(owner.plan)
    after(core)


def after(core: Core) -> None:
    """Begin what a plan has just written for this very moment: it need not wait for a sweep."""
    if core.wrote_later and core.begin_due is not None and not core.draining:
        core.wrote_later = False
        core.spawn(core.begin_due(core))


async def launch(core: Core, owner: Owner) -> None:
    """Run a plan and wait for its end, however long that takes."""
    await asyncio.wait({start(core, owner)})


async def ended(core: Core, stored: Stored) -> Stored:
    """Wait until a plan has ended, at most 20 s; the plan as it is then."""
    if stored.plan.state is PlanState.ENDED:
        return stored
    org, plan = stored.plan.org, stored.plan.plan
    until = core.clock.monotonic() + WAIT_SECONDS
    looks, hears = 0, False
    with core.heard.waiting(plan) as bell:
        while stored.plan.state is PlanState.RUNNING and not stored.plan.waits:
            left = until - core.clock.monotonic()
            if left <= 0:
                break
            task = core.running.get((org, plan))
            if task is not None:
                await asyncio.wait({task}, timeout=left)
            else:
                if looks == QUICK_LOOKS:
                    hears = await asyncio.to_thread(_listen, core)
                pause = min(POLL_SECONDS[min(looks, len(POLL_SECONDS) - 1)], left)
                await (bell.wait(pause) if hears else asyncio.sleep(pause))
                looks += 1
            # Asked before the look: what ends while it is on its way is not yet in what it sees.
            through = task is not None and task.done()
            try:
                again = await core.look(lambda tx: look.load(tx, org, plan))
            except Unreachable as no:
                # The yes is written: who waits is told that it runs, and may ask again.
                log.warning("%s cannot be looked at now.", plan, exc_info=no)
                return stored
            if again is None:
                raise Bug(f"{plan} is gone.")
            # Its own run stopped and the plan goes on: it was taken over, or a sweep will take it.
            if through and again.plan.state is PlanState.RUNNING:
                return again
            stored = again
    return stored


def _listen(core: Core) -> bool:
    try:
        return core.store.listen(core.heard)
    except StorageError as no:
        log.warning("Nobody can be heard at present; it is looked now and again.", exc_info=no)
        return False
