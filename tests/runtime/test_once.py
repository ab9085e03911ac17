"""A call with a key happens once: one effect and one value, whoever asks, whenever and how often."""

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from contenders import Gate, contend, threads
from notas_bench import Bench, armed, looks, opened

from semel import Engine, Tx
from semel.domain.canonical import RESULT_BYTES
from semel.errors import Bug, Conflict, StorageError
from semel.testing import interrupt_at, recorded


def awaited(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that is a coroutine, on a loop of its own."""

    @wraps(test)
    def run(*args: Any, **more: Any) -> None:
        asyncio.run(test(*args, **more))

    return run


def writes(id: str = "n-1", value: Any = None) -> Callable[[Tx], Any]:
    """Writes a note, whose id may stand once, and answers."""

    def work(tx: Tx) -> Any:
        tx.run("notas.insert", org="o-1", id=id, texto=id, importe="1")
        return {"id": id} if value is None else value

    return work


def never(_: Tx) -> Any:
    raise AssertionError("It was run again.")


@awaited
async def test_the_first_call_does_it_and_every_further_one_gets_its_value(tmp_path):
    async with opened(tmp_path) as (bench, engine):
        assert await engine.once("k", writes()) == {"id": "n-1"}
        for _ in range(3):
            assert await engine.once("k", never) == {"id": "n-1"}
        assert bench.notes() == ["n-1"]
    async with opened(tmp_path) as (bench, engine):
        assert await engine.once("k", never) == {"id": "n-1"}


def test_without_await_it_is_the_same(tmp_path):
    with Bench(tmp_path).engine().sync as face:
        assert face.once("k", writes()) == {"id": "n-1"}
        assert face.once("k", never) == {"id": "n-1"}
        assert face.once("k", writes("n-2"), org="o-2") == {"id": "n-2"}


@awaited
async def test_an_organization_has_its_own_keys(tmp_path):
    async with opened(tmp_path) as (bench, engine):
        for org in ("o-1", "o-2", "main"):
            assert await engine.once("k", writes(org), org=org) == {"id": org}
        assert await engine.once("k", never) == {"id": "main"}
        assert bench.sql("SELECT org, key FROM semel_calls ORDER BY org") == [
            ("main", "k"),
            ("o-1", "k"),
            ("o-2", "k"),
        ]


KEYS = (
    "k",
    "K",
    " k",
    "k ",
    "k\n",
    "ñ",
    "n\u0303",
    "k" * 511,
    "k" * 512,
    "🧾" * 512,
    "'; --",
    "%s",
)


@awaited
async def test_keys_that_differ_are_different_calls(tmp_path):
    async with opened(tmp_path) as (bench, engine):
        for key in KEYS:
            assert await engine.once(key, writes(key)) == {"id": key}
        for key in KEYS:
            assert await engine.once(key, never) == {"id": key}
        assert len(bench.notes()) == len(KEYS)


BAD = ("", " ", "\t\n", None, 7, b"k", "k" * 513, "a\0b", "a\ud800")


@pytest.mark.parametrize("bad", BAD, ids=repr)
@awaited
async def test_what_is_no_key_is_refused_with_a_sentence_and_nothing_is_done(tmp_path, bad):
    async with opened(tmp_path) as (bench, engine):
        with pytest.raises(ValueError, match=r"^The key of a call .* nothing was done\."):
            await engine.once(bad, writes())
        with pytest.raises(ValueError, match=r"^The organization of a call .* nothing was done\."):
            await engine.once("k", writes(), org=bad)
        assert bench.counts()["notas"] == bench.counts()["semel_calls"] == 0


GOOD = (
    None, True, 0, 2**70, 0.1, "", 'a\0b\u2028 🧾 ñ \\"', [], {}, [[None, {"b": 1, "a": [2.5]}]],
    "x" * (RESULT_BYTES - 2),
)  # fmt: skip


@pytest.mark.parametrize("value", GOOD, ids=lambda value: repr(value)[:30])
@awaited
async def test_a_value_comes_back_as_it_was(tmp_path, value):
    async with opened(tmp_path) as (_, engine):
        first = await engine.once("k", lambda _: value)
        again = await engine.once("k", never)
        # The text tells 1, 1.0 and True apart, and the order of names.
        assert json.dumps(first) == json.dumps(again) == json.dumps(value)


class Meeting:
    """Nothing that JSON knows."""


def endless() -> list[Any]:
    inside: list[Any] = []
    inside.append(inside)
    return inside


def deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


WORSE = (
    (1, 2), {"a": (1,)}, {1: "a"}, {None: 1}, float("nan"), float("inf"), b"x", {1, 2}, Meeting(),
    "\ud800", ["a\udfff"], endless(), deep(), "x" * (RESULT_BYTES - 1), "ñ" * (RESULT_BYTES // 2),
)  # fmt: skip


@pytest.mark.parametrize("value", WORSE, ids=lambda value: type(value).__name__)
@awaited
async def test_a_value_that_would_not_come_back_is_refused_and_nothing_happened(tmp_path, value):
    async with opened(tmp_path) as (bench, engine):
        with pytest.raises(ValueError, match=r"(?s)^The value of a call .*Nothing happened\."):
            await engine.once("k", writes(value=value))
        assert bench.counts()["notas"] == bench.counts()["semel_calls"] == 0
        assert await engine.once("k", writes()) == {"id": "n-1"}


@awaited
async def test_a_function_that_would_have_to_be_awaited_is_refused(tmp_path):
    async def waits(tx: Tx) -> int:
        raise AssertionError("Nobody may wait inside a transaction.")

    async with opened(tmp_path) as (bench, engine):
        with pytest.raises(
            ValueError, match=r"^The function of a call is a plain one.*happened\.$"
        ):
            await engine.once("k", waits)
        assert bench.counts()["semel_calls"] == 0


class Stop(BaseException):
    """What a function may raise beside an Exception."""


@pytest.mark.parametrize("kind", [ValueError, KeyError, Conflict, Stop])
@awaited
async def test_an_exception_takes_everything_back_and_is_the_callers(tmp_path, kind):
    raised = kind("no")

    def fails(tx: Tx) -> None:
        writes()(tx)
        raise raised

    async with opened(tmp_path) as (bench, engine):
        for _ in range(2):
            with pytest.raises(kind) as found:
                await engine.once("k", fails)
            assert found.value is raised
            assert bench.counts()["notas"] == bench.counts()["semel_calls"] == 0
        assert await engine.once("k", writes()) == {"id": "n-1"}


@awaited
async def test_a_constraint_of_the_application_takes_everything_back(tmp_path):
    async with opened(tmp_path) as (bench, engine):
        await engine.once("one", writes("n-1"))
        with pytest.raises(Conflict):
            await engine.once("two", writes("n-1"))
        assert bench.notes() == ["n-1"]
        assert await engine.once("two", writes("n-2")) == {"id": "n-2"}


@awaited
async def test_a_replay_is_one_read_and_no_transaction(tmp_path):
    async with opened(tmp_path) as (_, engine):
        with recorded() as fresh:
            await engine.once("k", writes())
        assert [name.rsplit(":", 1)[0] for name in fresh if name.endswith(":before")] == [
            "statement:keys.hold",
            "statement:calls.find",
            "app:notas.insert",
            "statement:calls.insert",
            "commit:once",
        ]
        reads = looks(engine)
        with recorded() as replay:
            assert await engine.once("k", never) == {"id": "n-1"}
        assert (replay, reads) == ([], ["calls.find"])


@awaited
async def test_thirty_two_tasks_with_one_key_are_one_effect(tmp_path):
    async with opened(tmp_path) as (bench, engine):
        calls = [engine.once("k", writes(f"n-{number}", number)) for number in range(32)]
        answers = await asyncio.gather(*calls)
        assert len({*answers}) == 1
        assert bench.notes() == [f"n-{answers[0]}"]


@awaited
async def test_whoever_read_too_early_finds_the_value_under_the_lock(tmp_path):
    """Both have looked and found nothing; then the first commits, and the second begins."""
    async with opened(tmp_path) as (bench, engine):
        late = bench.engine()
        met, go = threading.Event(), threading.Event()

        def second() -> None:
            with late.sync as face:
                found.append(face.once("k", never))

        def waits(tx: Tx) -> Any:
            # The first holds the writer, so the second's read found nothing of it.
            real = late._core.store.submit

            def submit(work: Callable[[Any], Any], *, own: bool = False) -> Any:
                met.set()
                return real(work, own=own)

            late._core.store.submit = submit
            other.start()
            assert met.wait(30)
            go.set()
            return writes()(tx)

        found: list[Any] = []
        other = threading.Thread(target=second)
        late.migrate()
        assert await engine.once("k", waits) == {"id": "n-1"}
        await asyncio.to_thread(other.join, 30)
        assert go.is_set()
        assert found == [{"id": "n-1"}]
        assert bench.notes() == ["n-1"]


def test_128_callers_in_four_processes_with_one_key_are_one_effect_and_equal_answers(tmp_path):
    bench = Bench(tmp_path)
    with bench.engine().sync:
        pass

    def process(number: int, gate: Gate) -> list[str]:
        with bench.engine().sync as face:
            return threads(
                32, gate, lambda mine: face.once("k", writes(f"{number}-{mine}", [number, mine]))
            )

    answers = [answer for some in contend(4, process) for answer in some]
    assert len(answers) == 128
    assert answers.count(answers[0]) == 128
    number, mine = answers[0]
    assert bench.notes() == [f"{number}-{mine}"]


def test_many_keys_in_four_processes_are_one_effect_each(tmp_path):
    bench = Bench(tmp_path)
    with bench.engine().sync:
        pass

    def process(number: int, gate: Gate) -> list[Any]:
        def work(mine: int) -> Any:
            return [face.once(f"k-{k}", writes(f"{k} {number} {mine}", k)) for k in range(10)]

        with bench.engine().sync as face:
            return threads(4, gate, work)

    answers = [answer for some in contend(4, process) for answer in some]
    assert answers == [list(range(10))] * 16
    assert sorted(note.split()[0] for note in bench.notes()) == sorted(map(str, range(10)))


class Lost(StorageError):
    """The COMMIT's answer never came."""


@pytest.mark.parametrize("when", ["before", "after"])
@awaited
async def test_whatever_became_of_a_commit_the_call_may_be_repeated(tmp_path, when):
    def lose() -> None:
        raise Lost

    runs = []

    def counted(tx: Tx) -> Any:
        runs.append(1)
        return writes()(tx)

    async with opened(tmp_path) as (bench, engine):
        with pytest.raises(Lost), interrupt_at(f"commit:once:{when}", lose):
            await engine.once("k", counted)
        assert await engine.once("k", counted) == {"id": "n-1"}
        assert bench.notes() == ["n-1"]
        assert len(runs) == (2 if when == "before" else 1)


@awaited
async def test_a_transaction_that_is_run_again_after_its_commit_gives_the_value(tmp_path):
    """What a store does that does not know what became of a COMMIT: the same work, once more."""
    async with opened(tmp_path) as (bench, engine):
        store = engine._core.store
        real = store.submit

        def twice(work: Callable[[Any], Any], *, own: bool = False) -> Any:
            real(work, own=own).result()
            return real(work, own=own)

        store.submit = twice
        assert await engine.once("k", writes()) == {"id": "n-1"}
        assert bench.notes() == ["n-1"]


@awaited
async def test_a_caller_that_goes_away_takes_nothing_back(tmp_path):
    async with opened(tmp_path) as (bench, engine):
        begun, go = threading.Event(), threading.Event()

        def slow(tx: Tx) -> Any:
            begun.set()
            assert go.wait(30)
            return writes()(tx)

        call = asyncio.create_task(engine.once("k", slow))
        await asyncio.to_thread(begun.wait, 30)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        go.set()
        assert await engine.once("k", never) == {"id": "n-1"}
        assert bench.notes() == ["n-1"]


def test_a_call_inside_a_call_is_refused_and_nothing_happened(tmp_path):
    bench = Bench(tmp_path)

    def nested(tx: Tx) -> Any:
        writes()(tx)
        return face.once("inner", writes("n-2"))

    with bench.engine().sync as face:
        with pytest.raises(Bug):
            face.once("outer", nested)
        assert bench.counts()["notas"] == bench.counts()["semel_calls"] == 0


@awaited
async def test_the_application_reaches_its_own_statements_and_not_the_engines(tmp_path):
    async with opened(tmp_path) as (bench, engine):
        for statement in ("calls.insert", "plans.find"):
            with pytest.raises(Bug):
                await engine.once("k", lambda tx: tx.one(statement, org="o", key="k"))  # noqa: B023 - used at once
        assert bench.counts()["semel_calls"] == 0


@awaited
async def test_the_record_has_its_time_from_the_engines_clock(tmp_path):
    async with opened(tmp_path) as (bench, engine):
        bench.move(minutes=5)
        await engine.once("k", writes())
        assert bench.sql("SELECT created_at FROM semel_calls") == [("2026-10-19T08:05:00.000000Z",)]


@awaited
async def test_a_point_inside_a_call_is_reached_by_its_name(tmp_path: Path):
    passed: list[str] = []
    async with opened(tmp_path) as (_, engine):
        with armed(passed.append):
            await other_loop(engine)
    assert passed.count("commit:once:after") == 1


async def other_loop(engine: Engine) -> None:
    """A call from a thread with a loop of its own: the engine's store serves every loop."""
    answer = await asyncio.to_thread(lambda: asyncio.run(engine.once("k", writes())))
    assert answer == {"id": "n-1"}
