"""The time in which one key may be used: to send again, and for bytes to leave at all."""

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semel.domain.doubt import MARGIN, too_old, window_open
from semel.domain.effect import Keyed
from semel.facts import instant_text

NOON = datetime(2026, 10, 19, 12, 0, tzinfo=UTC)
MARK = instant_text(NOON)
TICK = timedelta(microseconds=1)

# --- Sending again ---------------------------------------------------------------------------

# The room that a first send has, in seconds: ttl - deadline - bound - max(5 min, ttl / 10).
WINDOWS = [
    (86_400, 60, 60, 86_400 - 120 - 8_640),
    (86_400, 30, 0, 86_400 - 30 - 8_640),
    (21_600, 60, 60, 21_600 - 120 - 2_160),
    (1_800, 60, 60, 1_800 - 120 - 300),
    # Where a tenth is exactly five minutes, and a second to either side.
    (3_000, 60, 60, 3_000 - 120 - 300),
    (3_010, 60, 60, 3_010 - 120 - 301),
    (2_990, 60, 60, 2_990 - 120 - 300),
    (421, 60, 60, 1),
    (420.5, 60.25, 60.125, 0.125),
]


@pytest.mark.parametrize(("ttl", "deadline", "bound", "room"), WINDOWS)
def test_the_window_closes_at_the_exact_instant_that_the_formula_gives(ttl, deadline, bound, room):
    effect = Keyed(ttl=ttl, deadline=deadline, delivery_bound=bound)
    closes = NOON + timedelta(seconds=room)
    assert window_open(effect, MARK, NOON)
    assert window_open(effect, MARK, closes - TICK)
    assert not window_open(effect, MARK, closes)
    assert not window_open(effect, MARK, closes + TICK)


@pytest.mark.parametrize("ttl", [420, 419, 120, 60, 1, 0, -60])
def test_a_window_that_leaves_no_room_was_never_open(ttl):
    assert not window_open(Keyed(ttl=ttl, deadline=60, delivery_bound=60), MARK, NOON)


def test_the_margin_is_five_minutes_or_a_tenth_whichever_is_more():
    assert timedelta(minutes=5) == MARGIN


YEARS = NOON + timedelta(days=36_500)


def test_what_is_never_forgotten_may_be_sent_again_at_any_time():
    for bound in (0, 60, None):
        effect = Keyed(ttl=None, delivery_bound=bound)
        assert window_open(effect, MARK, NOON)
        assert window_open(effect, MARK, YEARS)
        assert not too_old(effect, MARK, NOON)
        assert not too_old(effect, MARK, YEARS)


def test_without_a_bound_a_key_that_is_ever_forgotten_is_never_used_again():
    effect = Keyed(ttl=10**9, delivery_bound=None)
    assert not window_open(effect, MARK, NOON)
    assert not window_open(effect, MARK, NOON + timedelta(seconds=1))
    # Its first send is another matter.
    assert not too_old(effect, MARK, NOON)


@pytest.mark.parametrize("effect", [Keyed(ttl=None), Keyed(ttl=86_400), Keyed(None, 60, None)])
def test_a_clock_that_has_gone_back_closes_the_window(effect):
    for back in (TICK, timedelta(seconds=1), timedelta(days=400)):
        assert not window_open(effect, MARK, NOON - back)
        assert too_old(effect, MARK, NOON - back)


# --- The age of a mark ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ttl", "deadline", "bound", "age"),
    [
        (86_400, 60, 60, 86_280),
        (1_800, 30, 0, 1_770),
        (120.5, 60, 60, 0.5),
        # Nobody can say how long it may be under way: only its own time is counted.
        (86_400, 60, None, 86_340),
    ],
)
def test_bytes_are_too_old_when_they_could_arrive_after_the_key_is_forgotten(
    ttl, deadline, bound, age
):
    effect = Keyed(ttl=ttl, deadline=deadline, delivery_bound=bound)
    limit = NOON + timedelta(seconds=age)
    assert not too_old(effect, MARK, NOON)
    assert not too_old(effect, MARK, limit - TICK)
    assert too_old(effect, MARK, limit)
    assert too_old(effect, MARK, limit + TICK)


@pytest.mark.parametrize("ttl", [120, 60, 1, 0, -60])
def test_a_key_that_is_forgotten_before_the_bytes_arrive_never_leaves(ttl):
    assert too_old(Keyed(ttl=ttl, deadline=60, delivery_bound=60), MARK, NOON)


SECONDS = st.integers(1, 10**6)


@st.composite
def keys(draw):
    ttl, bound = draw(st.none() | SECONDS), draw(st.none() | st.integers(0, 10**6))
    effect = Keyed(ttl=ttl, deadline=draw(SECONDS), delivery_bound=bound)
    edges = [0]
    if ttl is not None:
        took = effect.deadline + (bound or 0)
        edges += [ttl - took, ttl - took - 300, (9 * ttl) // 10 - took]
    near = st.builds(
        lambda edge, off: edge * 10**6 + off, st.sampled_from(edges), st.integers(-2, 2)
    )
    return effect, draw(near | st.integers(-(10**13), 10**13))


@given(keys())
def test_the_window_is_the_formula_and_open_only_where_nothing_is_too_old(drawn):
    """Whole microseconds, so that the second reckoning rounds nothing."""
    effect, elapsed = drawn
    now = NOON + timedelta(microseconds=elapsed)
    took = (effect.deadline + (effect.delivery_bound or 0)) * 10**6
    if effect.ttl is None:
        opened, old = elapsed >= 0, elapsed < 0
    else:
        ttl = effect.ttl * 10**6
        left = ttl - elapsed - took
        opened = elapsed >= 0 and effect.delivery_bound is not None
        opened = opened and left > 300 * 10**6 and 10 * left > ttl
        old = elapsed < 0 or left <= 0
    assert window_open(effect, MARK, now) is opened
    assert too_old(effect, MARK, now) is old
    assert not (opened and old)


@given(keys(), st.integers(0, 10**13))
def test_a_window_that_has_closed_and_a_mark_that_is_too_old_stay_so(drawn, more):
    effect, elapsed = drawn
    now = NOON + timedelta(microseconds=abs(elapsed))
    later = now + timedelta(microseconds=more)
    assert window_open(effect, MARK, now) or not window_open(effect, MARK, later)
    assert too_old(effect, MARK, later) or not too_old(effect, MARK, now)


def test_the_clock_may_be_of_any_zone():
    effect = Keyed(ttl=1_800)
    madrid = NOON.astimezone(datetime.fromisoformat("2026-10-19T14:00:00+02:00").tzinfo)
    for shift, ask in product((-TICK, TICK, timedelta(hours=1)), (window_open, too_old)):
        assert ask(effect, MARK, madrid + shift) == ask(effect, MARK, NOON + shift)
