"""Calls that nobody knows the end of: other processes, late proofs, and what a person finds out."""

import asyncio
import os
import signal
from datetime import UTC, datetime

import pytest
from contenders import start
from guard_bench import Bench
from guard_tools import BOUND, DEADLINE, Told, effects, told, tool

from semel import Guard, NotDone
from semel.domain.report import Status
from semel.runtime import points
from semel.testing import MovableClock

NOW = datetime(2026, 10, 19, 8, tzinfo=UTC)
DUE = DEADLINE + 11
"""Seconds after which somebody else may take a call over."""
CLASSES = ("opaque", "keyed", "checked", "void")


def holder(bench: Bench, kind: str, stop_at: str):
    """A process that makes the call and stands still at a point of it."""

    def work():
        guard = Guard(bench.url, org=bench.org, clock=MovableClock(NOW))

        def reached(name: str) -> None:
            if name == stop_at:
                os.kill(os.getpid(), signal.SIGSTOP)

        points.arm(reached)
        said = told(guard, tool(bench, guard, kind, wait=0))
        guard.close()
        return said

    child = start(work)
    os.waitpid(child.pid, os.WUNTRACED)
    return child


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("point", ["call:send:before", "world:sent"])
def test_a_holder_that_stands_still_past_its_time_makes_no_second_effect(bench: Bench, kind, point):
    child = holder(bench, kind, point)
    clock = MovableClock(NOW)
    rival = bench.guard(clock=clock)
    call = tool(bench, rival, kind, wait=0)
    # While it may be alive, it is: nothing is done beside it.
    assert told(rival, call).word == "running"
    clock.move(seconds=DUE + BOUND)
    first = told(rival, call)
    os.kill(child.pid, signal.SIGCONT)
    held = child.value()
    last = told(rival, call)
    there = effects(bench, kind)
    case = (kind, point, first, held, last, there)
    assert there <= 1, case
    for said in (first, held, last):
        if said.word == "done":
            assert said.value == "id-ana", case
    if kind in {"keyed", "void"} or point == "world:sent":
        # What the other side can tell is known at once; a letter's proof came with its sender.
        assert (last.word, there) == ("done", 1), case
    assert last.word in {"done", "in_doubt"}, case


@pytest.mark.parametrize("kind", CLASSES)
def test_a_slow_living_holder_is_waited_for_and_everybody_hears_its_value(bench: Bench, kind):
    child = holder(bench, kind, "call:send:before")
    rival = bench.guard(clock=MovableClock(NOW))
    assert told(rival, tool(bench, rival, kind, wait=0)).word == "running"
    os.kill(child.pid, signal.SIGCONT)
    held = child.value()
    again = bench.guard(clock=MovableClock(NOW))
    assert told(again, tool(bench, again, kind)) == held
    assert (held.word, held.value, effects(bench, kind)) == ("done", "id-ana", 1)


def doubtful(bench: Bench, clock: MovableClock):
    guard = bench.guard(clock=clock)
    call = tool(bench, guard, "opaque")

    def reached(name: str) -> None:
        if name == "world:sent":
            raise TimeoutError

    points.arm(reached)
    try:
        assert told(guard, call).word == "in_doubt"
    finally:
        points.arm(None)
    (open_,) = guard.unsettled()
    return guard, call, open_.id


def test_a_person_says_that_it_happened(bench: Bench):
    guard, call, job = doubtful(bench, MovableClock(NOW))
    answer = guard.resolve(job, happened=True, value="id-found")
    assert (answer.status, answer.value) == (Status.DONE, "id-found")
    assert told(guard, call).value == "id-found"
    assert (effects(bench, "opaque"), guard.unsettled()) == (1, [])


def test_that_it_did_not_happen_counts_only_once_nothing_can_still_arrive(bench: Bench):
    clock = MovableClock(NOW)
    guard, call, job = doubtful(bench, clock)
    assert guard.resolve(job, happened=False).status is Status.IN_DOUBT
    assert told(guard, call).word == "in_doubt"
    clock.move(seconds=DEADLINE + BOUND + 1)
    assert guard.resolve(job, happened=False).status is Status.NOT_DONE
    assert told(guard, call).word == "done"
    assert guard.resolve("c_nothing", happened=True).status is Status.REFUSED


def test_a_doubt_is_the_same_for_whoever_asks_and_costs_no_write(bench: Bench):
    guard, call, job = doubtful(bench, MovableClock(NOW))
    before = guard.unsettled()
    for _ in range(3):
        assert told(guard, call).word == "in_doubt"
    assert guard.unsettled() == before

    async def main():
        with guard.turn("s", "m"):
            return (await guard.check_status(job)).status

    assert asyncio.run(main()) is Status.IN_DOUBT


def test_a_provider_that_cannot_be_asked_leaves_a_doubt_that_ends_when_it_answers(bench: Bench):
    guard = bench.guard()
    call = tool(bench, guard, "checked")
    away = True

    def reached(name: str) -> None:
        if name == "world:sent":
            raise TimeoutError
        if name == "world:check" and away:
            raise ConnectionError

    points.arm(reached)
    try:
        assert told(guard, call).word == "in_doubt"
        away = False
        assert told(guard, call).value == "id-ana"
    finally:
        points.arm(None)
    assert effects(bench, "checked") == 1


def test_a_keyed_call_is_sent_again_under_its_key_until_it_is_known(bench: Bench):
    guard = bench.guard()
    call = tool(bench, guard, "keyed")
    passed = []

    def reached(name: str) -> None:
        passed.append(name)
        if name == "world:sent" and passed.count(name) < 3:
            raise TimeoutError

    points.arm(reached)
    try:
        assert told(guard, call).value == "id-ana"
    finally:
        points.arm(None)
    assert (passed.count("world:sent"), effects(bench, "keyed")) == (3, 1)


def test_a_send_that_can_be_closed_is_closed_and_made_anew(bench: Bench):
    guard = bench.guard()
    call = tool(bench, guard, "void")
    passed = []

    def reached(name: str) -> None:
        passed.append(name)
        if name == "call:send:before" and passed.count(name) < 3:
            raise ConnectionError

    points.arm(reached)
    try:
        assert told(guard, call).value == "id-ana"
    finally:
        points.arm(None)
    assert effects(bench, "void") == 1
    assert len(bench.world.lines("closed")) == 2


def test_a_refused_send_proves_nothing_about_the_one_before_it(bench: Bench):
    guard = bench.guard()
    ways = [TimeoutError("no answer"), NotDone("This key was just used."), None]

    @guard.once(ttl=3600)
    def pay(what: str, *, idempotency_key: str) -> str:
        done = bench.world.sends(what, idempotency_key)
        way = ways.pop(0)
        if way is not None:
            raise way
        return done

    # The first one may have happened, and did: so the second one's refusal is not the end.
    assert told(guard, pay) == Told("done", "id-ana")
    assert (ways, effects(bench, "keyed")) == ([], 1)
