"""The step machine: every change there is, on what proof, and that there is no other."""

from inspect import isclass
from itertools import product

import pytest

from semel.domain import effect as effects
from semel.domain.effect import Checked, Effect, Keyed, Local, Opaque
from semel.domain.plan import PlanReason, StepReason, StepState
from semel.domain.step import (
    NAMES,
    Change,
    InTransaction,
    NotStarted,
    Started,
    bounds,
    is_local,
    name_of,
)

DONE, NOT_DONE, IN_DOUBT = StepState.DONE, StepState.NOT_DONE, StepState.IN_DOUBT
DOUBT = Change(IN_DOUBT, None, PlanReason.IN_DOUBT)
ENDS = dict.fromkeys(StepReason, PlanReason.FAILED) | {
    StepReason.STALE: PlanReason.STALE,
    StepReason.CANCELLED: PlanReason.CANCELLED,
}
LAST, OTHERS, CANCELLED = (False, True), (0, 1, 2, 9), (False, True)
STARTED = [Started(*each) for each in product(LAST, OTHERS, CANCELLED)]


@pytest.mark.parametrize("last", LAST)
def test_what_was_made_is_done_and_the_last_one_finishes_the_plan(last):
    ends = PlanReason.FINISHED if last else None
    assert InTransaction(last).made() == Change(DONE, ends=ends)
    assert Started(last).made() == Change(DONE, ends=ends)
    # A proof that it happened counts whatever else is open.
    assert Started(last, others_open=3).made() == Change(DONE, ends=ends)


@pytest.mark.parametrize("others", OTHERS)
def test_what_was_made_after_a_cancel_is_done_and_ends_the_plan_as_it_is(others):
    # Nothing is left that the cancel has kept from being done.
    assert Started(True, others, cancelled=True).made() == Change(DONE, ends=PlanReason.FINISHED)
    assert Started(False, others, cancelled=True).made() == Change(DONE, ends=PlanReason.CANCELLED)


@pytest.mark.parametrize("last", LAST)
@pytest.mark.parametrize("reason", list(StepReason))
def test_what_was_rolled_back_or_never_began_is_not_done_and_ends_the_plan(last, reason):
    expected = Change(NOT_DONE, reason, ENDS[reason])
    assert InTransaction(last).not_made(reason) == expected
    assert NotStarted().not_made(reason) == expected


@pytest.mark.parametrize("last", LAST)
def test_a_refusal_counts_only_when_it_was_the_only_send(last):
    refused = Change(NOT_DONE, StepReason.REFUSED, PlanReason.FAILED)
    assert Started(last).refused() == refused
    assert Started(last, cancelled=True).refused() == Change(
        NOT_DONE, StepReason.REFUSED, PlanReason.CANCELLED
    )
    for others, cancelled in product((1, 2, 9), CANCELLED):
        assert Started(last, others, cancelled).refused() == DOUBT


@pytest.mark.parametrize("started", STARTED, ids=str)
def test_what_can_no_longer_arrive_is_not_done_for_the_persons_reason_or_ours(started):
    failed = Change(NOT_DONE, StepReason.FAILED, PlanReason.FAILED)
    stopped = Change(NOT_DONE, StepReason.CANCELLED, PlanReason.CANCELLED)
    assert started.closed() == (stopped if started.cancelled else failed)


@pytest.mark.parametrize("started", STARTED, ids=str)
def test_a_doubt_ends_the_plan_with_it(started):
    # Even one that a person has stopped: that it may have happened comes first.
    assert started.in_doubt() == DOUBT


def said_of(started):
    """Every change that can be made of a started step, by what is known of it."""
    return {
        "made": started.made(),
        "refused": started.refused(),
        "closed": started.closed(),
        "in_doubt": started.in_doubt(),
    }


def test_a_started_step_has_no_way_back():
    ways = {name for name in dir(Started(last=True)) if not name.startswith("_")}
    assert ways == {"last", "others_open", "cancelled", *said_of(Started(last=True))}
    for started in STARTED:
        for change in said_of(started).values():
            assert change.state not in {StepState.WAITING, StepState.STARTED}


@pytest.mark.parametrize("started", STARTED, ids=str)
def test_a_started_step_changes_on_its_proof_and_no_other(started):
    changes = said_of(started)
    states = {known: change.state for known, change in changes.items()}
    assert states == {
        "made": DONE,
        "refused": IN_DOUBT if started.others_open else NOT_DONE,
        "closed": NOT_DONE,
        "in_doubt": IN_DOUBT,
    }
    # A cancel changes what is said of the plan and never what is known of the step.
    unstopped = Started(started.last, started.others_open)
    assert {known: change.state for known, change in said_of(unstopped).items()} == states
    for known, change in changes.items():
        # Only a step that is done, is not the last and was not stopped lets the plan go on.
        goes_on = known == "made" and not started.last and not started.cancelled
        assert (change.ends is None) is goes_on
        if started.cancelled:
            assert change.ends is not PlanReason.FAILED
        else:
            assert change.ends is not PlanReason.CANCELLED
        assert (change.ends is PlanReason.FINISHED) is (known == "made" and started.last)
        assert (change.ends is PlanReason.IN_DOUBT) is (change.state is IN_DOUBT)


def test_nothing_but_a_done_step_lets_a_plan_go_on():
    changes = [
        change
        for last in LAST
        for change in (
            InTransaction(last).made(),
            *(InTransaction(last).not_made(reason) for reason in StepReason),
            *(NotStarted().not_made(reason) for reason in StepReason),
        )
    ]
    changes += [change for started in STARTED for change in said_of(started).values()]
    for change in changes:
        if change.ends is None:
            assert change.state is DONE
        # A step that is not done says why, and no other does.
        assert (change.state is NOT_DONE) == (change.reason is not None)


def test_before_its_mark_a_step_can_only_not_be_made():
    """Nothing has left: neither a proof that it happened nor a doubt is there to be had."""
    assert [name for name in dir(NotStarted()) if not name.startswith("_")] == ["not_made"]
    inside = [name for name in dir(InTransaction(last=True)) if not name.startswith("_")]
    assert inside == ["last", "made", "not_made"]


# --- Effects --------------------------------------------------------------------------------

EFFECTS = {
    "local": (Local(),),
    "keyed": (Keyed(ttl=None), Keyed(ttl=60), Keyed(3600, 5, None)),
    "checked": (Checked(), Checked(void=False, delivery_bound=9)),
    "checked_void": (Checked(void=True), Checked(void=True, deadline=3)),
    "opaque": (Opaque(), Opaque(deadline=3), Opaque(delivery_bound=0)),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_an_effect_is_stored_by_its_name(name):
    assert {name_of(effect) for effect in EFFECTS[name]} == {name}
    assert is_local(name) is (name == "local")


def test_every_class_of_effect_has_a_name_and_two_promises_never_share_one():
    declared = {
        each for each in vars(effects).values() if isclass(each) and issubclass(each, Effect)
    }
    assert set(NAMES) == declared - {Effect}
    assert set(NAMES.values()) == set(EFFECTS) - {"checked_void"}
    assert len(set(NAMES.values())) == len(NAMES)
    assert not is_local("")
    assert not is_local("Local")


def test_the_bounds_of_a_send_are_those_that_its_effect_declares():
    assert bounds(Keyed(ttl=60, deadline=5, delivery_bound=7)) == (5, 7)
    assert bounds(Keyed(ttl=60, delivery_bound=None)) == (60, None)
    assert bounds(Checked(void=True, deadline=5, delivery_bound=0)) == (5, 0)
    assert bounds(Opaque(deadline=0.5, delivery_bound=7.5)) == (0.5, 7.5)
    for effect in (Local(), Effect(), "keyed", None):
        with pytest.raises(TypeError, match="sends nothing"):
            bounds(effect)


def test_where_nobody_has_said_how_long_it_takes_nothing_is_ever_settled():
    """The careful defaults: only one request over one connection has a bound of its own accord."""
    assert bounds(Opaque()) == bounds(Checked()) == bounds(Checked(void=True)) == (60, None)
    assert bounds(Keyed(ttl=None)) == (60, 60)
    assert not Checked().void
    with pytest.raises(TypeError):
        Keyed()


@pytest.mark.parametrize("value", [Change(DONE), Started(last=True), *sum(EFFECTS.values(), ())])
def test_a_change_and_an_effect_are_values(value):
    for field in ("state", "last", "deadline", "void"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(value, field, NOT_DONE)
