"""S12: how long a refusal takes says nothing of how near a token or a seal was (Welch's t-test)."""

import gc
import hashlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from app import ANA, KEYS

import counts
from semel.domain import consent
from semel.domain.consent import Confirmation, Question, Verdict, judge, token_hash, token_of

pytestmark = pytest.mark.no_store

T_MAX = 4.5
"""What dudect takes for a difference; beyond it chance is one in a hundred thousand."""
SLOWEST = 0.1
"""The share of measurements that something else on the machine has slowed, and that are left out."""
NOW = "2026-10-19T08:00:00.000000Z"


def question() -> Confirmation:
    bare = Confirmation(
        org="o-1", id="c-1", nonce=b"n" * 24, kid="k1", question=Question.CONFIRM, plan="p_1",
        version=1, epoch=0, digest="d" * 64, person="ana", conversation="c-1",
        expires_at="2026-10-19T09:00:00.000000Z", mac="",
    )  # fmt: skip
    return replace(bare, mac=bare.mac_by(KEYS) or "")


def t_of(one: Sequence[int], two: Sequence[int]) -> float:
    """Welch's t of two samples, without the slowest of both."""
    cut = sorted([*one, *two])[int(len(one + two) * (1 - SLOWEST))]
    first, second = ([n for n in sample if n <= cut] for sample in (list(one), list(two)))
    means = [sum(sample) / len(sample) for sample in (first, second)]
    spread = [
        sum((n - mean) ** 2 for n in sample) / (len(sample) - 1) / len(sample)
        for sample, mean in zip((first, second), means, strict=True)
    ]
    return (means[0] - means[1]) / math.sqrt(sum(spread))


def measured(
    work: Callable[[object], object], near: Sequence[object], far: Sequence[object], number: int
) -> float:
    """The t of *work* on what is near the right one and on what is far from it, in a mixed order.

    There are as many of both: what is met more often is at hand in the processor's caches.
    """
    drawn = [hashlib.sha256(b"%d" % n).digest() for n in range(number)]
    sides = [digest[0] & 1 for digest in drawn]
    given = [(near, far)[digest[0] & 1][digest[1] % MANY] for digest in drawn]
    # A new text each time, so that where it lies in memory tells nothing either.
    given = [one[:1] + one[1:] if isinstance(one, str) else one for one in given]
    spent = []
    gc.disable()
    try:
        # Nothing in here knows which side it is: a branch that depends on it is felt after it.
        for one in given:
            began = time.perf_counter_ns()
            work(one)
            ended = time.perf_counter_ns()
            spent.append(ended - began)
    finally:
        gc.enable()
    first, second = (
        [took for took, its in zip(spent, sides, strict=True) if its == side] for side in (0, 1)
    )
    return t_of(first, second)


MANY = 64


def texts(right: str) -> tuple[list[str], list[str]]:
    """Some that differ from the right one in the last two letters, and some that differ in all."""
    ends = [f"{n:02x}" for n in range(MANY + 1) if f"{n:02x}" != right[-2:]][:MANY]
    near, far = [], []
    for n, end in enumerate(ends):
        near.append(right[:-2] + end)
        far.append(hashlib.sha256(b"far %d" % n).hexdigest()[: len(right)])
    return near, far


def test_s12_a_mac_that_is_nearly_right_is_refused_as_fast_as_any_other():
    number = counts.of("S12")
    asked = question()
    near, far = texts(asked.mac)
    made = [[replace(asked, mac=mac) for mac in some] for some in zip(near, far, strict=True)]
    close, away = ([pair[at] for pair in made] for at in (0, 1))

    def press(one: Any) -> object:
        return judge(one, KEYS, ANA, Question.CONFIRM, asked.digest, NOW)

    assert {press(one) for one in (*close, *away)} == {Verdict.TAMPERED}
    t = measured(press, close, away, number)
    counts.ran("S12", number)
    print(f"MAC: t = {t:.2f} of {number}")
    assert counts.level() != "full" or abs(t) < T_MAX


def test_s12_a_token_that_is_nearly_right_is_looked_for_as_fast_as_any_other():
    number = counts.of("S12")
    token = token_of(KEYS, question())
    assert token is not None
    near, far = texts(token)
    # What the index is asked for is this, and nothing of the token itself.
    stored = token_hash(token)
    t = measured(lambda text: token_hash(str(text)) == stored, near, far, number)
    print(f"token: t = {t:.2f} of {number}")
    assert counts.level() != "full" or abs(t) < T_MAX


def test_s12_the_measure_tells_a_comparison_that_stops_early():
    """The measure has teeth: what the letters are compared one by one with is found out."""
    number = counts.of("S12")
    right = question().mac
    near, far = texts(right)

    def naive(text: object) -> bool:
        return all(a == b for a, b in zip(str(text), right, strict=True))

    assert abs(measured(naive, near, far, number)) > T_MAX


def test_s12_the_measure_tells_nothing_where_nothing_differs():
    """Nor does it find anything out by itself: the same texts on both sides are equally fast."""
    number = counts.of("S12")
    _, far = texts(token_of(KEYS, question()) or "")
    t = measured(lambda text: token_hash(str(text)), far, far, number)
    print(f"the same: t = {t:.2f} of {number}")
    assert counts.level() != "full" or abs(t) < T_MAX


def test_s12_nothing_that_is_secret_is_compared_with_an_operator():
    # The sources say it too: what judges compares through one function that takes its time.
    assert consent._equal("a", "a")
    assert not consent._equal("a", "b")
    assert not consent._equal("é", "e")
