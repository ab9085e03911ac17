"""Effects in the guard's own database: with their record or not at all."""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from datetime import UTC, datetime

import pytest
from contenders import contend
from guard_bench import Bench
from guard_tools import SQL, effects, told, tool

import stores
from semel import Guard, Local
from semel.errors import CatalogError, CommitUnknown, Conflict
from semel.testing import MovableClock


@pytest.mark.only_on("sqlite postgres", "Redis has no transaction that an effect could be part of")
def test_an_effect_and_its_record_are_one_commit(bench: Bench):
    guard = bench.guard(sql=SQL)
    call = tool(bench, guard, "local")

    @guard.once(effect=Local())
    def fails(what: str, *, tx) -> str:
        tx.run("things.put", id=what, value=what)
        raise KeyError(what)

    @guard.once(effect=Local())
    def clashes(what: str, *, tx) -> str:
        tx.run("things.put", id="same", value=what)
        return what

    assert [told(guard, call).value for _ in range(3)] == ["id-ana"] * 3
    with guard.turn("s"):
        for _ in range(2):
            with pytest.raises(KeyError):
                fails("luis")
        assert clashes("one") == "one"
        with pytest.raises(Conflict):
            clashes("two")
    rows = stores.rows(bench.folder / "guard.db", "SELECT value FROM things ORDER BY value")
    assert rows == [("ana",), ("one",)]
    assert guard.unsettled() == []


@pytest.mark.only_on("sqlite postgres", "Redis has no transaction that an effect could be part of")
def test_four_processes_of_twelve_callers_have_one_effect(bench: Bench):
    def work(number: int, gate) -> list[str | None]:
        guard = Guard(bench.url, org=bench.org, sql=SQL)
        call = tool(bench, guard, "local")
        guard.kit()
        gate.wait()
        with ThreadPoolExecutor(12) as pool:
            found = [one.value for one in pool.map(lambda _: told(guard, call), range(12))]
        guard.close()
        return found

    found = contend(4, work)
    assert [value for one in found for value in one] == ["id-ana"] * 48
    assert effects(bench, "local") == 1


@pytest.mark.only_on("sqlite postgres", "Redis has no transaction that an effect could be part of")
def test_who_asked_may_go_and_the_call_stands(bench: Bench):
    guard = bench.guard(sql=SQL)
    call = tool(bench, guard, "local")

    async def main() -> list[object]:
        with guard.turn("s"):
            gone = [asyncio.create_task(call.answer("ana")) for _ in range(8)]
            # Each has asked, and what it asked for is queued or being made.
            await asyncio.sleep(0)
            for task in gone:
                task.cancel()
            left = await asyncio.gather(*gone, return_exceptions=True)
            assert any(isinstance(one, asyncio.CancelledError) for one in left)
            return [(await call.answer("ana")).value for _ in range(2)]

    assert asyncio.run(main()) == ["id-ana"] * 2
    assert effects(bench, "local") == 1


@pytest.mark.only_on("sqlite postgres", "Redis has no transaction that an effect could be part of")
def test_a_local_call_after_its_window_is_a_new_round_of_the_same_record(bench: Bench):
    clock = MovableClock(datetime(2026, 10, 19, 8, tzinfo=UTC))
    guard = bench.guard(sql=SQL, clock=clock)
    call = tool(bench, guard, "local", window=20)
    column = "id, turn, stamp, epoch, round, state, created_at, resume_after, ended_at, keep_until"
    rows = []
    for seconds in (0, 19, 1):
        clock.move(seconds=seconds)
        assert told(guard, call).value == "id-ana"
        rows += stores.rows(bench.folder / "guard.db", f"SELECT {column} FROM semel_guarded")
    first, again, second = rows
    assert first == again
    for row, ends in ((first, 0), (second, 20)):
        assert row[0] == row[2]
        assert row[3:6] == (1 + ends // 20, 1 + ends // 20, "done")
        assert row[6:] == (f"2026-10-19T08:00:{ends:02}.000000Z",) * 3 + (
            f"2026-10-19T08:00:{20 + ends}.000000Z",
        )
    assert first[:2] != second[:2]
    assert effects(bench, "local") == 2


@pytest.mark.only_on("redis", "the others have one")
def test_redis_lends_no_transaction_and_says_so(bench: Bench):
    guard = bench.guard()

    @guard.once(effect=Local())
    def writes(what: str, *, tx) -> str:
        raise AssertionError("It was called.")

    with guard.turn("s"):
        with pytest.raises(CatalogError, match="SQLite or PostgreSQL"):
            writes("ana")
        with pytest.raises(CatalogError, match="SQLite or PostgreSQL"):
            asyncio.run(writes.answer("ana"))
    with pytest.raises(CatalogError, match="no sql="):
        bench.guard(sql=SQL).kit()


@pytest.mark.only_on("sqlite postgres", "Redis has no transaction that an effect could be part of")
def test_a_local_tool_sees_nothing_of_its_callers_context_whichever_thread_it_runs_in(bench: Bench):
    guard = bench.guard(sql=SQL)
    whose: ContextVar[str] = ContextVar("whose", default="nobody")

    @guard.once(effect=Local())
    def seen(what: str, *, tx) -> str:
        tx.run("things.put", id=what, value=what)
        return whose.get()

    whose.set("the caller")
    with guard.turn("s"):
        assert seen("by code") == "nobody"
        assert asyncio.run(seen.answer("for words")).value == "nobody"
    assert whose.get() == "the caller"


@pytest.mark.only_on("sqlite postgres", "Redis has no transaction that an effect could be part of")
def test_a_commit_whose_answer_is_lost_is_looked_for_and_not_made_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
):
    guard = bench.guard(sql=SQL)
    runs: list[str] = []

    @guard.once(effect=Local())
    def put(what: str, *, tx) -> str:
        runs.append(what)
        tx.run("things.put", id=what, value=what)
        return f"id-{what}"

    calls = guard.kit().calls
    transact, transacted = calls.transact, calls.transacted

    def lost(key, change):
        monkeypatch.setattr(calls, "transact", transact)
        transacted(key, change)
        raise CommitUnknown

    def lost_later(key, change):
        monkeypatch.setattr(calls, "transact", transact)
        told: Future[object] = Future()
        transact(key, change).result()
        told.set_exception(CommitUnknown())
        return told

    with guard.turn("s"):
        monkeypatch.setattr(calls, "transacted", lost)
        assert put("by code") == "id-by code"
        monkeypatch.setattr(calls, "transact", lost_later)
        told = asyncio.run(put.answer("for words"))
    assert (str(told.status), told.value) == ("done", "id-for words")
    assert runs == ["by code", "for words"]
    rows = stores.rows(bench.folder / "guard.db", "SELECT value FROM things ORDER BY value")
    assert rows == [("by code",), ("for words",)]
