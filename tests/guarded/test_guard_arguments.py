"""Equal meaning has an equal key, and only that; what has no single spelling is refused."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from semel.domain.canonical import NotCanonical
from semel.guard.arguments import Arguments, keys, spelled

pytestmark = pytest.mark.no_store


class Colour(Enum):
    RED = "red"


@dataclass
class Address:
    street: str
    number: int = 1


class Line(BaseModel):
    text: str
    price: Decimal


def send(to: str, amount: Decimal = Decimal(0), *more: Any, day: date | None = None, **rest: Any):
    pass


def key(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    bound = Arguments("send", function).bind(args, kwargs)
    return keys("s", "m", "send", bound.spelled)[0]


SAME: list[tuple[Any, Any]] = [
    (1, 1.0),
    (0.0, -0.0),
    ("\u00e9", "e\u0301"),
    (Decimal("12.5"), Decimal("12.50")),
    (Decimal("1E+2"), Decimal(100)),
    ([1, 2], (1, 2)),
    ({1, 2, 3}, {3, 2, 1}),
    (frozenset("ab"), set("ba")),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    (Colour.RED, "red"),
    (Address("x"), {"street": "x", "number": 1}),
    (Line(text="x", price=Decimal("1.50")), {"text": "x", "price": Decimal("1.5")}),
    (UUID(int=1), str(UUID(int=1))),
    (
        datetime(2026, 10, 19, 10, tzinfo=timezone(timedelta(hours=2))),
        datetime(2026, 10, 19, 8, tzinfo=UTC),
    ),
]
OTHER: list[tuple[Any, Any]] = [
    (1, True),
    (0, False),
    (0, None),
    ("1", 1),
    ("", None),
    ([], None),
    ([1, 2], [2, 1]),
    ([[1], 2], [1, [2]]),
    ("a,b", ["a", "b"]),
    (date(2026, 10, 19), date(2026, 10, 20)),
    (time(10), time(11)),
    (timedelta(seconds=1), timedelta(seconds=2)),
    (b"one", b"two"),
    (0.1, 0.2),
    ({"a": None}, {}),
]
REFUSED: list[Any] = [
    float("nan"),
    float("inf"),
    object(),
    lambda: None,
    datetime(2026, 10, 19),  # noqa: DTZ001 - without a zone, which is the point
    2**53,
    {1: "a"},
    "\ud800",
    open,
    {"\u00e9": 1, "e\u0301": 2},
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_equal_meaning_has_one_spelling(one, other):
    assert spelled(one) == spelled(other)
    assert keys("s", None, "t", spelled(one)) == keys("s", None, "t", spelled(other))


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_meaning_has_another_key(one, other):
    assert keys("s", None, "t", spelled(one)) != keys("s", None, "t", spelled(other))


@pytest.mark.parametrize("value", REFUSED)
def test_what_has_no_single_spelling_is_refused(value):
    with pytest.raises(NotCanonical):
        spelled(value)


def test_what_holds_itself_is_refused():
    ring: list[Any] = []
    ring.append(ring)
    with pytest.raises(NotCanonical, match="too deep"):
        spelled(ring)


def test_how_it_is_called_makes_no_difference():
    one = key(send, "ana", Decimal(5))
    assert one == key(send, to="ana", amount=Decimal("5.00"))
    assert one == key(send, amount=5, to="ana")
    assert one == key(send, "ana", "5", day=None)
    assert one != key(send, "ana", Decimal(5), 1)
    assert one != key(send, "ana", Decimal(5), extra=1)
    assert key(send, "ana", day="2026-10-19") == key(send, "ana", day=date(2026, 10, 19))


@pytest.mark.parametrize(
    "value",
    ["a", "\u00e9", "e\u0301", "", 1, -(2**53) + 1, True, None, 1.0, b"a", Colour.RED, ["a"]],
)
def test_what_is_easy_to_spell_is_spelled_as_everything_else(value):
    def text(to: str, more: str | None = None, rest=1):
        pass

    for args, kwargs in (((value,), {}), ((), {"rest": value, "to": "b"}), (("a", "b", value), {})):
        quick = Arguments("send", text).bind(args, kwargs)
        # Where parameters are named, each of them is read and spelled by itself.
        slow = Arguments("send", text, identity=("to", "more", "rest")).bind(args, kwargs)
        assert (quick.meaning, quick.shown) == (slow.meaning, slow.shown)


@pytest.mark.parametrize("value", [2**53, "\ud800", float("nan"), object()])
def test_what_is_not_easy_to_spell_is_refused_whichever_way_it_goes(value):
    def text(to: str, rest=1):
        pass

    for args in ((value,), ("a", value)):
        with pytest.raises(NotCanonical, match="no single spelling"):
            Arguments("send", text).bind(args, {})


def test_what_the_guard_gives_is_no_part_of_the_key():
    def local(to: str, *, tx: Any) -> None:
        pass

    def keyed(to: str, *, idempotency_key: str) -> None:
        pass

    assert key(local, "ana") == key(keyed, "ana")
    with pytest.raises(TypeError, match="idempotency_key"):
        key(keyed, "ana", idempotency_key="mine")


def test_no_split_of_text_over_the_parts_makes_two_keys_equal():
    parts = [
        ("a", "b", "c"),
        ("ab", "", "c"),
        ("a", "bc", ""),
        ("a:b", "c", "d"),
        ("a", "b:c", "d"),
    ]
    found = {keys(session, message or None, tool, {}) for session, message, tool in parts}
    assert len(found) == len(parts)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(st.characters(codec="utf-8"))
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcé", max_size=3), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(PLAIN, PLAIN)
def test_json_has_one_key_for_each_meaning(one, other):
    same = json.dumps(spelled(one), sort_keys=True) == json.dumps(spelled(other), sort_keys=True)
    assert (keys("s", "m", "t", spelled(one)) == keys("s", "m", "t", spelled(other))) is same


def test_another_process_has_the_same_key():
    text = (
        "from semel.guard.arguments import keys, spelled; from decimal import Decimal;"
        "print(keys('s','m','t',spelled({'b':{3,1,2},'a':Decimal('1.50'),'c':[b'x',1.5]}))[0])"
    )
    run = [sys.executable, "-c", text]
    found = {
        subprocess.run(run, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1
