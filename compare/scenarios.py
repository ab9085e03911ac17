"""What is done to a peer: one function for each column of the table.

Leases are real time, and so are the waits for their end; else it waits for the thing itself.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from compare.judge import Phase
from compare.stage import Broken, Caller, Stage

LEASE_SECONDS: Final = 2.0
"""Every lease that a peer lets us choose."""

ANSWER_SECONDS: Final = 35.0
"""How long a call may take before it is called blocked: peers that wait by default wait for 30."""

LATER_SECONDS: Final = 1.0
"""How long after the lease's end it is called "after the lease"."""

RIVAL_SECONDS: Final = 5.0
"""How long a rival gets to answer while the holder still holds; then the holder goes on."""

THREADS: Final = 10
PROCESSES: Final = 4
EACH: Final = 3
"""Calls of each of the processes: twelve in all."""


def threads(stage: Stage) -> tuple[Phase, ...]:
    """Ten equal calls at once in one process."""
    caller = stage.start("caller", calls=THREADS)
    stage.go(caller)
    stage.answers(caller)
    return (stage.phase("", caller),)


def processes(stage: Stage) -> tuple[Phase, ...]:
    """Twelve equal calls at once in four processes."""
    callers = [stage.start(f"caller-{n}", calls=EACH) for n in range(1, PROCESSES + 1)]
    stage.go(*callers)
    stage.answers(*callers)
    return (stage.phase("", *callers),)


def killed_after(stage: Stage) -> tuple[Phase, ...]:
    """A process dies after the effect, before anybody has recorded it; then others call."""
    return _killed(stage, "dies_after")


def killed_before(stage: Stage) -> tuple[Phase, ...]:
    """A process dies in the tool's body, before the effect; then others call."""
    return _killed(stage, "dies_before")


def _killed(stage: Stage, body: str) -> tuple[Phase, ...]:
    holder = stage.start("holder", body=body)
    at_once = stage.start("at-once")
    later = stage.start("later")
    stage.go(holder)
    if not holder.wait_gone(stage.answer_seconds):
        raise Broken("the holder did not die: its body was never entered")
    died = time.monotonic()
    stage.go(at_once)
    stage.answers(at_once)
    first = stage.phase("at once", at_once)
    at_once.end()
    _lease_is_over(stage, died)
    stage.go(later)
    stage.answers(later)
    return first, stage.phase("after the lease", later)


def slow(stage: Stage) -> tuple[Phase, ...]:
    """The holder is alive, and its body takes longer than the lease; a rival calls meanwhile."""
    holder, rival = _held(stage)
    _rival(stage, rival)
    holder.tell("end")
    stage.answers(holder, rival)
    return (stage.phase("", holder, rival),)


def stopped(stage: Stage) -> tuple[Phase, ...]:
    """The holder is stopped before its effect; a rival calls past the lease; it goes on."""
    holder, rival = _held(stage, stop=True)
    _rival(stage, rival)
    holder.resume()
    holder.tell("end")
    stage.answers(holder, rival)
    return (stage.phase("", holder, rival),)


def _held(stage: Stage, *, stop: bool = False) -> tuple[Caller, Caller]:
    holder = stage.start("holder", body="held")
    rival = stage.start("rival")
    stage.go(holder)
    if not holder.wait("entered", seconds=stage.answer_seconds):
        raise Broken("the holder's body was never entered")
    entered = time.monotonic()
    if stop:
        holder.stop()
    _lease_is_over(stage, entered)
    return holder, rival


def _rival(stage: Stage, rival: Caller) -> None:
    """Let the rival call; it is waited for, but not for ever: it may be waiting for the holder."""
    stage.go(rival)
    rival.wait("told", seconds=RIVAL_SECONDS)


def timed_out(stage: Stage) -> tuple[Phase, ...]:
    """The body does its effect and raises TimeoutError; the same process calls again."""
    caller = stage.start("caller", body="times_out", calls=2, in_turn=True)
    stage.go(caller)
    caller.wait("told", seconds=stage.answer_seconds)
    before = stage.phase("first", caller)
    stage.go(caller)
    stage.answers(caller)
    after = stage.phase("again", caller)
    return replace(before, told=before.told[:1]), replace(after, told=after.told[1:])


def _lease_is_over(stage: Stage, since: float) -> None:
    """Wait out a peer's lease: nothing but time ends it."""
    time.sleep(max(0.0, since + stage.lease + LATER_SECONDS - time.monotonic()))


@dataclass(frozen=True, slots=True)
class Scenario:
    """A column of the table."""

    title: str
    play: Callable[[Stage], tuple[Phase, ...]]


SCENARIOS: Final[Mapping[str, Scenario]] = {
    "threads": Scenario("10 threads", threads),
    "processes": Scenario("4 processes, 12 calls", processes),
    "killed_after": Scenario("`kill -9` after the effect", killed_after),
    "killed_before": Scenario("`kill -9` before the effect", killed_before),
    "slow": Scenario("slow living holder", slow),
    "stopped": Scenario("SIGSTOP of the holder", stopped),
    "timed_out": Scenario("TimeoutError after the effect", timed_out),
}
