"""What happens next to a plan, for every state of up to four steps."""

from itertools import product

import pytest

from semel.domain.action import Risk
from semel.domain.plan import PlanReason, PlanState, StepReason, StepRow, StepState
from semel.domain.progress import Resolve, Rest, Start, Stop, next_move

STATES = [
    (StepState.WAITING, None),
    (StepState.STARTED, None),
    (StepState.DONE, None),
    (StepState.IN_DOUBT, None),
    (StepState.NOT_DONE, StepReason.REFUSED),
    (StepState.NOT_DONE, StepReason.STALE),
    (StepState.NOT_DONE, StepReason.NOT_REACHED),
    (StepState.NOT_DONE, StepReason.CANCELLED),
]
WAITING, STARTED, DONE, IN_DOUBT, REFUSED, STALE, _, CANCELLED = STATES


def steps(*states):
    return [
        StepRow(number, "a", 1, "local", "{}", "{}", "0" * 64, Risk.SAFE, state, reason, None, None)
        for number, (state, reason) in enumerate(states, start=1)
    ]


def running(*states, cancelled=False):
    return next_move(PlanState.RUNNING, steps(*states), cancelled=cancelled)


@pytest.mark.parametrize("state", [PlanState.ASKING, PlanState.ENDED])
@pytest.mark.parametrize("states", list(product(STATES, repeat=2)))
def test_a_plan_that_asks_or_has_ended_rests(state, states):
    assert next_move(state, steps(*states)) == Rest()
    assert next_move(state, steps(*states), cancelled=True) == Rest()


def test_the_first_step_that_waits_is_started():
    assert running(WAITING, WAITING) == Start(steps(WAITING)[0], last=False)
    assert running(DONE, WAITING) == Start(steps(DONE, WAITING)[1], last=True)
    assert running(WAITING) == Start(steps(WAITING)[0], last=True)


def test_a_started_step_is_resolved_and_never_started_again():
    for before, after in product([(), (DONE,)], [(), (WAITING,)]):
        move = running(*before, STARTED, *after)
        assert move == Resolve(steps(*before, STARTED)[-1], last=not after)


def test_a_step_that_is_not_done_stops_the_plan_with_its_reason():
    for after in [(), (WAITING,), (DONE,), (STARTED,)]:
        assert running(DONE, REFUSED, *after) == Stop(PlanReason.FAILED)
        assert running(STALE, *after) == Stop(PlanReason.STALE)
        assert running(DONE, CANCELLED, *after) == Stop(PlanReason.CANCELLED)
        assert running(IN_DOUBT, *after) == Stop(PlanReason.IN_DOUBT)


def test_a_plan_whose_steps_are_all_done_stops_finished():
    assert running(DONE) == running(DONE, DONE, DONE) == Stop(PlanReason.FINISHED)


def test_after_a_cancel_no_step_begins():
    for before, after in product([(), (DONE,), (DONE, DONE)], [(), (WAITING,), (DONE,)]):
        assert running(*before, WAITING, *after, cancelled=True) == Stop(PlanReason.CANCELLED)


def test_after_a_cancel_the_step_in_flight_is_still_resolved():
    for before, after in product([(), (DONE,)], [(), (WAITING,)]):
        move = running(*before, STARTED, *after, cancelled=True)
        assert move == Resolve(steps(*before, STARTED)[-1], last=not after)


def test_a_cancel_hides_neither_a_doubt_nor_that_all_is_done():
    assert running(DONE, IN_DOUBT, WAITING, cancelled=True) == Stop(PlanReason.IN_DOUBT)
    assert running(DONE, DONE, cancelled=True) == Stop(PlanReason.FINISHED)


def test_what_is_not_done_of_a_cancelled_plan_ends_it_as_cancelled():
    for state in (REFUSED, STALE, CANCELLED):
        assert running(DONE, state, WAITING, cancelled=True) == Stop(PlanReason.CANCELLED)


EVERY = [
    (state, reason)
    for state in StepState
    for reason in (StepReason if state is StepState.NOT_DONE else [None])
]
REASONS = dict.fromkeys(StepReason, PlanReason.FAILED) | {
    StepReason.STALE: PlanReason.STALE,
    StepReason.CANCELLED: PlanReason.CANCELLED,
}


@pytest.mark.parametrize("cancelled", [False, True])
@pytest.mark.parametrize("plan", list(PlanState))
@pytest.mark.parametrize("count", range(5))
def test_every_plan_of_up_to_four_steps_has_the_one_move_there_is(plan, count, cancelled):
    rows = [steps(*[state] * 4) for state in EVERY]
    moves = 0
    for states in product(range(len(EVERY)), repeat=count):
        given = [rows[state][position] for position, state in enumerate(states)]
        open_ = next((step for step in given if step.state is not StepState.DONE), None)
        last = open_ is not None and open_ is given[-1]
        if plan is not PlanState.RUNNING:
            expected = Rest()
        elif open_ is None:
            expected = Stop(PlanReason.FINISHED)
        else:
            stopped = Stop(PlanReason.CANCELLED)
            expected = {
                StepState.WAITING: stopped if cancelled else Start(open_, last),
                StepState.STARTED: Resolve(open_, last),
                StepState.IN_DOUBT: Stop(PlanReason.IN_DOUBT),
            }.get(open_.state) or (stopped if cancelled else Stop(REASONS[open_.reason]))
        assert next_move(plan, given, cancelled=cancelled) == expected
        moves += 1
    assert moves == len(EVERY) ** count


@pytest.mark.parametrize("cancelled", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_only_done_steps_are_passed_over(count, cancelled):
    for states in product(STATES, repeat=count):
        passed_over(states, cancelled)


def passed_over(states, cancelled):
    move = running(*states, cancelled=cancelled)
    first = next((n for n, state in enumerate(states) if state != DONE), None)
    match move:
        case Start(step, last) | Resolve(step, last):
            assert step.position - 1 == first
            assert last == (step.position == len(states))
            assert isinstance(move, Start) == (states[first] == WAITING)
            # Nothing begins after a cancel.
            assert not (cancelled and isinstance(move, Start))
        case Stop(reason):
            assert (reason is PlanReason.FINISHED) == (first is None)
        case Rest():
            raise AssertionError("A running plan never rests.")
