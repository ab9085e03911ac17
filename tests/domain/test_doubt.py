"""Sends whose end is unknown: which are open, and when nothing of them can still arrive."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semel.domain.doubt import SENDS_MAX, Attempt, open_ones, settled, settles_at
from semel.facts import instant_text

NOON = datetime(2026, 10, 19, 12, 0, tzinfo=UTC)
MARK = instant_text(NOON)
TICK = timedelta(microseconds=1)
OPEN, CLOSED = (None, "unknown"), ("made", "refused", "void", "absent")


def at(seconds=0.0):
    return instant_text(NOON + timedelta(seconds=seconds))


def attempt(outcome=None, settles=60.0, returned=None, sent_by="host-1", id="a-1"):
    return Attempt(
        id=id, round=1, key="k", sent_by=sent_by, opened_at=MARK,
        settles_at=None if settles is None else at(settles), request_digest="d",
        outcome=outcome, returned_at=None if returned is None else at(returned),
    )  # fmt: skip


def dead(*senders):
    return lambda sender: sender in senders


# --- Open -----------------------------------------------------------------------------------


def test_a_send_is_open_until_something_is_proven_of_it():
    assert [attempt(outcome).open for outcome in OPEN] == [True, True]
    assert [attempt(outcome).open for outcome in CLOSED] == [False] * 4
    # That its call returned, or that its time has passed, is no proof of anything.
    assert attempt("unknown", settles=-1, returned=0).open
    mixed = [attempt(outcome, id=str(outcome)) for outcome in (*CLOSED, *OPEN)]
    assert open_ones(mixed) == mixed[4:]
    assert open_ones([]) == []


def test_an_attempt_is_read_from_its_row_and_says_nothing_where_nothing_is_known():
    row = {
        "id": "a-1", "round": 2, "key": "k", "sent_by": "host-1", "opened_at": MARK,
        "settles_at": None, "request_digest": "d", "outcome": None, "returned_at": None,
        "position": 3,
    }  # fmt: skip
    assert Attempt.read(row) == replace(attempt(settles=None), round=2)
    full = {**row, "settles_at": at(60), "outcome": "unknown", "returned_at": at(3)}
    assert Attempt.read(full) == replace(attempt("unknown", returned=3), round=2)
    # A driver may give numbers as text; no column that is there is taken for another.
    assert Attempt.read({**row, "round": "2"}).round == 2
    for column in set(row) - {"position"}:
        with pytest.raises(KeyError):
            Attempt.read({name: value for name, value in row.items() if name != column})


# --- Settled --------------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", OPEN)
@pytest.mark.parametrize(
    ("settles", "returned", "gone", "expected"),
    [
        (60, 3, False, True),
        (60, None, True, True),
        (60, 3, True, True),
        # Giving up waiting is not returning, and a live sender may still write its bytes.
        (60, None, False, False),
        # Its bounds have not passed: what it sent may be under way.
        (60.000001, 3, True, False),
        (3600, 3, True, False),
        # Nobody can say how long it may be under way.
        (None, 3, True, False),
        (None, None, False, False),
    ],
)
def test_a_send_is_settled_when_its_sender_is_through_and_its_bounds_have_passed(
    outcome, settles, returned, gone, expected
):
    sends = [attempt(outcome, settles, returned)]
    is_dead = dead("host-1") if gone else dead("host-2")
    assert settled(sends, at(60), is_dead) is expected


def test_the_instant_at_which_the_bounds_have_passed_is_exact():
    sends = [attempt(settles=60, returned=1)]
    assert not settled(sends, at(59.999999), dead())
    assert settled(sends, at(60), dead())
    assert settled(sends, at(60.000001), dead())


def test_of_several_sends_each_open_one_has_to_be_settled():
    through, waiting = attempt(returned=1), attempt(settles=90, returned=1, id="a-2")
    assert settled([through], at(60), dead())
    for sends in ([through, waiting], [waiting, through]):
        assert not settled(sends, at(60), dead())
        assert settled(sends, at(90), dead())
    alive = attempt(sent_by="host-2", id="a-3")
    assert not settled([through, alive], at(999), dead("host-1"))
    assert settled([through, alive], at(999), dead("host-2"))


@pytest.mark.parametrize("outcome", CLOSED)
def test_a_send_that_has_proven_anything_holds_nothing_up(outcome):
    over = attempt(outcome, settles=None, id="a-2")
    assert settled([over], at(-999), dead())
    assert settled([over, attempt(returned=1)], at(60), dead())
    # Nor does it settle another one.
    assert not settled([over, attempt()], at(60), dead())
    assert settles_at([over]) is None
    assert settles_at([over, attempt()]) == at(60)


def test_no_send_at_all_is_settled():
    assert settled([], MARK, dead())
    assert settles_at([]) is None


def test_a_step_is_sent_three_times_in_a_round_at_most():
    assert SENDS_MAX == 3


ATTEMPTS = st.lists(
    st.builds(
        attempt,
        outcome=st.sampled_from([*OPEN, *CLOSED]),
        settles=st.none() | st.integers(-3, 3),
        returned=st.none() | st.integers(-3, 3),
        sent_by=st.sampled_from(["host-1", "host-2", "host-3"]),
    ),
    max_size=4,
)
DEAD = st.sets(st.sampled_from(["host-1", "host-2", "host-3"]))


@given(ATTEMPTS, st.integers(-3, 3), DEAD)
def test_settled_is_both_conditions_of_every_open_send(sends, now, gone):
    expected = True
    for send in sends:
        if send.outcome in CLOSED:
            continue
        passed = send.settles_at is not None and not send.settles_at > at(now)
        expected = expected and passed and (send.returned_at is not None or send.sent_by in gone)
    assert settled(sends, at(now), dead(*gone)) is expected


@given(ATTEMPTS, st.integers(-3, 3), st.integers(0, 3), DEAD, DEAD)
def test_what_is_settled_stays_so_as_time_passes_and_senders_die(sends, now, more, gone, others):
    if settled(sends, at(now), dead(*gone)):
        assert settled(sends, at(now + more), dead(*gone, *others))


@given(ATTEMPTS, ATTEMPTS, st.integers(-3, 3), DEAD)
def test_the_sends_of_two_are_settled_when_those_of_each_are(one, two, now, gone):
    both = settled(one, at(now), dead(*gone)) and settled(two, at(now), dead(*gone))
    assert settled(one + two, at(now), dead(*gone)) is both


@given(ATTEMPTS)
def test_the_bounds_have_passed_when_those_of_the_last_open_send_have(sends):
    when, through = settles_at(sends), [replace(send, returned_at=MARK) for send in sends]
    if when is not None:
        assert settled(through, when, dead())
        before = instant_text(datetime.fromisoformat(when) - TICK)
        assert not settled(through, before, dead())
    elif open_ones(sends):
        # One of them never settles, so none of the others' times is an answer.
        assert any(send.settles_at is None for send in open_ones(sends))
        assert not settled(through, at(10**8), dead("host-1", "host-2", "host-3"))
