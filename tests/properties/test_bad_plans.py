"""Bad plans, one by one, through a real engine: each is Invalid, and says what to do.

Nothing is written, row for row, and no plan costs more memory than a plan may be large.
"""

import asyncio
import json
import sqlite3
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from bad_plans import GOOD, MEGABYTE, OTHER, PLANS, step
from hostile import HOSTILE, TrickDecimal, TrickFloat, TrickInt, TrickText
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from keyed_app import ANA, engine_in

import stores
from semel import Ask, Invalid, Report
from semel.domain.report import Next, Status

REPEATABLE = settings(
    derandomize=True, deadline=None, database=None, max_examples=200,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
MEMORY_MAX = 8 * MEGABYTE
# A second would do; a machine with other work may need more, and what is quadratic needs minutes.
CPU_SECONDS = 10

# What the model is told to do, for each code.
DO = {
    "too_long": "shorten it",
    "too_deep": "take some away",
    "not_utf8": "write it as JSON in UTF-8",
    "not_json": "write {",
    "duplicate_name": "keep one",
    "not_a_number": "use one that is",
    "number_too_large": "write it as text",
    "half_character": "write that text again",
    "unknown_field": "take it out",
    "missing_field": "give it, or ask the person",
    "bad_value": "correct it",
    "not_canonical": "change it",
    "no_steps": "give at least one in steps",
    "too_many_steps": "propose 10 or fewer",
    "step_shape": "give it that form",
    "unknown_action": "use one of the declared ones",
    "input_not_object": "put its fields there by name",
    "reference_forward": "point at an earlier one",
    "reference_makes_nothing": "point at one that does",
    "reference_wrong_kind": "point at one of the kind it takes",
    "reference_malformed": "write $1, $2… or an id",
    "record_not_found": "look it up and give its id",
}


def dump(folder):
    """Everything in the database, as SQL."""
    with closing(sqlite3.connect(folder / "books.db")) as connection:
        return list(connection.iterdump())


async def refused(engine, folder, plan, *codes):
    """Propose a bad plan; that it is Invalid, says what to do, leaves nothing and costs little."""
    before = dump(folder)
    began = time.process_time()
    tracemalloc.start()
    try:
        outcome = await engine.agent.act(ANA, plan, message="m-9")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert time.process_time() - began < CPU_SECONDS
    assert isinstance(outcome, Invalid)
    found = {problem.code for problem in outcome.problems}
    assert found == set(codes or found)
    assert peak < MEMORY_MAX, f"{peak / MEGABYTE:.1f} MB"
    answer = outcome.for_model("en")
    assert (answer.status, answer.next, answer.plan) == (Status.INVALID, Next.NOTHING, None)
    assert answer.says.startswith("Nothing was done: the plan cannot be used as it is. Fix it")
    assert all(DO[code] in answer.says for code in found), answer.says
    assert len(answer.says) < 20_000
    spanish = outcome.for_model("es").says
    assert spanish.startswith("No se ha hecho nada: el plan no se puede usar como está.")
    assert "problem." not in answer.says + spanish
    outcome.card("es").text()
    assert dump(folder) == before


def through(folder, *plans):
    """Each plan through an engine whose tables hold a plan that ran and one that asks."""

    async def main():
        async with engine_in(folder) as engine:
            ran = await engine.agent.act(ANA, GOOD, message="m-1")
            assert isinstance(ran, Report)
            assert isinstance(await engine.agent.act(ANA, [OTHER], message="m-2"), Ask)
            for plan, *codes in plans:
                await refused(engine, folder, plan, *codes)
            # Whatever was tried: the engine goes on, and the key is still free.
            assert isinstance(await engine.agent.act(ANA, GOOD, message="m-9"), Report)

    asyncio.run(main())


@pytest.mark.parametrize("name", PLANS)
def test_a_bad_plan_is_invalid_says_what_to_do_and_leaves_nothing(tmp_path, name):
    through(tmp_path, PLANS[name])


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_object_is_invalid_wherever_it_stands(tmp_path, name):
    make = HOSTILE[name]
    inside = {
        "action": "factura.crear_borrador",
        "input": {"cliente": "c", "lineas": [], "libre": 0},
    }
    through(
        tmp_path,
        [make()],
        [{"steps": make()}],
        [[make()]],
        [[{"action": make(), "input": {}}]],
        [[{**inside, "input": make()}]],
        [[{**inside, "input": {**inside["input"], "lineas": make()}}]],
        [[step(size=make())]],
    )


@pytest.mark.parametrize(
    "name", [name for name in HOSTILE if name not in {"nothing", "names that are no text"}]
)
def test_a_hostile_object_in_a_free_field_is_invalid(tmp_path, name):
    inputs = {"cliente": "c", "lineas": [], "libre": [{"x": HOSTILE[name]()}]}
    through(tmp_path, [[{"action": "factura.crear_borrador", "input": inputs}]])


def test_text_and_numbers_of_a_class_of_their_own_are_read_as_what_they_are(tmp_path):
    async def main():
        async with engine_in(tmp_path) as engine:
            plain = step(note="x", count=3, quantity=1.5, limit=Decimal("2.50"))
            first = await engine.agent.act(ANA, [plain], message="m-1")
            tricks = step(
                note=TrickText("x"), count=TrickInt(3), quantity=TrickFloat(1.5),
                limit=TrickDecimal("2.50"),
            )  # fmt: skip
            again = await engine.agent.act(ANA, [tricks], message="m-1")
            assert (again.view.plan, again.replayed) == (first.view.plan, True)
            half = [step(note=TrickText("\ud83d"))]
            assert isinstance(await engine.agent.act(ANA, half, message="m-2"), Invalid)

    asyncio.run(main())


NAMES = st.sampled_from(
    ["steps", "action", "input", "price", "name", "thing", "size", "tags", "labels", "libre"]
)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.decimals() | st.text(max_size=20)
    | st.binary(max_size=5) | st.dates() | st.datetimes() | st.uuids() | st.complex_numbers()
    | st.sampled_from(["thing.make", "factura.crear_borrador", "$1", "2026-10-19T10:00Z", "1e5"])
)  # fmt: skip
THINGS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(NAMES, inner)
        | st.dictionaries(st.text(max_size=5) | st.integers() | st.none() | st.dates(), inner)
    ),
    max_leaves=20,
)  # fmt: skip
INPUTS = st.dictionaries(NAMES, THINGS, max_size=6).map(
    lambda some: {"price": 1, "name": "a", **some}
)
STEPS = st.fixed_dictionaries(
    {"action": st.sampled_from(["thing.make", "factura.crear_borrador", "other.make", "x"]),
     "input": INPUTS | THINGS}
)  # fmt: skip
OBJECTS = THINGS | st.lists(STEPS | THINGS, max_size=3) | st.lists(STEPS, min_size=1, max_size=3)
TEXTS = (
    st.text() | OBJECTS.map(lambda thing: json.dumps(thing, default=str, skipkeys=True))
    | st.lists(st.sampled_from([*'{}[]:,"\\eE+-.01', "steps", " ", "\ud800", '"a":', "null"]))
      .map("".join)
)  # fmt: skip
BYTES = st.binary() | TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass"))


@contextmanager
def seen(books: Path) -> Iterator[Callable[[], int]]:
    """A number that is another one after each commit of somebody else's."""
    if stores.kind() == "postgres":
        yield lambda: stores.written(books)
        return
    with closing(sqlite3.connect(books)) as eye:
        yield lambda: eye.execute("PRAGMA data_version").fetchone()[0]


@pytest.mark.parametrize("kind", ["objects", "texts", "bytes"])
def test_whatever_is_proposed_is_a_plan_or_invalid_and_is_never_raised(tmp_path, kind):
    proposals = {"objects": OBJECTS, "texts": TEXTS, "bytes": BYTES}[kind]
    outcomes = Counter()
    with engine_in(tmp_path).sync as engine, seen(tmp_path / "books.db") as version:

        @REPEATABLE
        @given(proposals)
        def propose(proposal):
            before = version()
            number = outcomes.total()
            outcome = engine.agent.act(ANA, proposal, message=f"m-{number}")
            outcomes[type(outcome).__name__] += 1
            outcome.for_model("en"), outcome.for_model("es"), outcome.card("es").text()
            after = version()
            if isinstance(outcome, Invalid):
                assert outcome.problems
                assert after == before
            else:
                assert isinstance(outcome, Report | Ask)
                assert after != before

        propose()
    assert outcomes["Invalid"] >= 100
    assert set(outcomes) <= {"Invalid", "Report", "Ask"}
