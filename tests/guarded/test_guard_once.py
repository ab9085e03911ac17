"""A guarded call happens once for an intent, whoever asks for it how often and in which way."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from contenders import contend
from guard_bench import Bench

from semel import CallRunning, Checked, Guard, InDoubt, Keyed, Local, NotDone, Opaque
from semel.errors import CatalogError
from semel.guard import NoSession, Unkept
from semel.testing import MovableClock


def test_the_same_call_again_does_nothing_and_returns_the_same(bench: Bench):
    guard = bench.guard()

    @guard.once()
    def send(to: str, text: str = "hola") -> str:
        return bench.world.sends(to)

    with guard.turn("s", "m"):
        assert [send("ana"), send("ana"), send(to="ana"), send("ana", text="hola")] == [
            "id-ana"
        ] * 4
    assert bench.world.lines() == ["ana"]


def test_another_intent_is_another_call(bench: Bench):
    guard = bench.guard()

    @guard.once()
    def send(to: str) -> str:
        return bench.world.sends(to)

    @guard.once()
    def post(to: str) -> str:
        return bench.world.sends(to)

    for session, message in (("s", "m"), ("s", "n"), ("t", "m"), ("t", None), ("t:m", None)):
        with guard.turn(session, message):
            send("ana")
            send("ana")
            post("ana")
            send("luis")
    assert bench.world.lines() == ["ana", "ana", "luis"] * 5


def test_organizations_share_nothing(bench: Bench):
    mine = bench.guard()
    bench.org += "-other"
    theirs = bench.guard()
    for guard in (mine, theirs):

        @guard.once(name="send")
        def send(to: str) -> str:
            return bench.world.sends(to)

        with guard.turn("s", "m"):
            send("ana")
            send("ana")
    assert bench.world.lines() == ["ana", "ana"]


def test_a_process_that_starts_anew_knows_what_was_done(bench: Bench):
    for _ in range(3):
        with bench.guard() as guard:

            @guard.once()
            def send(to: str) -> dict[str, Decimal]:
                return {bench.world.sends(to): Decimal("12.50")}

            with guard.turn("s", "m"):
                assert send("ana") == {"id-ana": Decimal("12.50")}
    assert bench.world.lines() == ["ana"]


def test_ten_threads_make_one_call_and_hear_the_same(bench: Bench):
    guard = bench.guard()
    inside, gate = threading.Barrier(10), threading.Event()

    @guard.once()
    def send(to: str) -> str:
        gate.wait(30)
        return bench.world.sends(to)

    def call(_: int) -> str:
        inside.wait(30)
        with guard.turn("s", "m"):
            return send("ana")

    with ThreadPoolExecutor(10) as pool:
        asked = [pool.submit(call, number) for number in range(10)]
        gate.set()
        assert [one.result(30) for one in asked] == ["id-ana"] * 10
    assert bench.world.lines() == ["ana"]


def test_many_tasks_of_one_loop_make_one_call_and_hear_the_same(bench: Bench):
    guard = bench.guard()

    @guard.once()
    async def send(to: str) -> str:
        await asyncio.sleep(0)
        return bench.world.sends(to)

    async def main() -> list[str]:
        with guard.turn("s", "m"):
            return await asyncio.gather(*(send("ana") for _ in range(40)))

    assert asyncio.run(main()) == ["id-ana"] * 40
    assert bench.world.lines() == ["ana"]


def test_four_processes_of_twelve_callers_make_one_call_and_hear_the_same(bench: Bench):
    def work(number: int, gate) -> list[str]:
        guard = bench.guard()

        @guard.once()
        def send(to: str) -> str:
            return bench.world.sends(to)

        def call(_: int) -> str:
            with guard.turn("s", "m"):
                return send("ana")

        guard.kit()
        gate.wait()
        with ThreadPoolExecutor(12) as pool:
            found = list(pool.map(call, range(12)))
        guard.close()
        return found

    found = contend(4, work)
    assert [value for one in found for value in one] == ["id-ana"] * 48
    assert bench.world.lines() == ["ana"]


def test_a_refusal_frees_the_intent_and_anything_else_does_not(bench: Bench):
    guard = bench.guard()
    ways = [NotDone("The address is blocked."), ValueError("no such folder"), None]

    @guard.once(not_done=(ValueError,))
    def send(to: str) -> str:
        way = ways.pop(0)
        if way is not None:
            raise way
        return bench.world.sends(to)

    with guard.turn("s", "m"):
        with pytest.raises(NotDone, match="blocked"):
            send("ana")
        with pytest.raises(ValueError, match="no such folder"):
            send("ana")
        assert send("ana") == send("ana") == "id-ana"
    assert (bench.world.lines(), ways) == (["ana"], [])


def test_a_time_out_after_the_effect_is_in_doubt_and_never_tried_again(bench: Bench):
    guard = bench.guard()

    @guard.once()
    def send(to: str) -> str:
        bench.world.sends(to)
        raise TimeoutError("40 s")

    with guard.turn("s", "m"):
        for cause in (TimeoutError, None, None):
            with pytest.raises(InDoubt) as told:
                send("ana")
            assert isinstance(told.value.__cause__, cause or type(None))
    assert bench.world.lines() == ["ana"]
    assert [call.state for call in guard.unsettled()] == ["in_doubt"]


@pytest.mark.parametrize("window", [20, 60, 90, 3600])
def test_what_a_window_has_passed_for_is_a_new_request(bench: Bench, window: int):
    clock = MovableClock(datetime(2026, 10, 19, 8, tzinfo=UTC))
    guard = bench.guard(clock=clock)

    @guard.once(window=window)
    def send(to: str) -> str:
        return bench.world.sends(to)

    with guard.turn("s"):
        send("ana")
        for seconds in (0, 10, window - 11):
            clock.move(seconds=seconds)
            send("ana")
        assert bench.world.lines() == ["ana"]
        clock.move(seconds=1)
        send("ana")
    assert bench.world.lines() == ["ana", "ana"]


def test_a_call_of_no_conversation_is_refused(bench: Bench):
    guard = bench.guard()

    @guard.once()
    def send(to: str) -> str:
        return bench.world.sends(to)

    with pytest.raises(NoSession, match="conversation"):
        send("ana")
    for session, message in ((" ", "m"), ("s", ""), ("s", "  ")):
        with pytest.raises(NoSession):
            guard.turn(session, message)
    assert bench.world.lines() == []
    assert guard.unsettled() == []


def test_a_function_may_say_which_conversation_it_is(bench: Bench):
    guard = bench.guard(session=lambda: "of the guard")

    @guard.once(session=lambda to: f"with {to}")
    def send(to: str) -> str:
        return bench.world.sends(to)

    @guard.once()
    def post(to: str) -> str:
        return bench.world.sends(to)

    send("ana")
    send("ana")
    post("ana")
    with guard.turn("of the guard"):
        post("ana")
    assert bench.world.lines() == ["ana", "ana"]


def test_an_argument_without_a_spelling_is_refused_with_a_sentence(bench: Bench):
    guard = bench.guard()

    @guard.once()
    def send(to: object) -> str:
        return bench.world.sends("x")

    with (
        guard.turn("s"),
        pytest.raises(NotDone, match=r"send: to has no single spelling.*identity="),
    ):
        send(object())
    assert bench.world.lines() == []


def test_what_identifies_an_intent_may_be_said(bench: Bench):
    guard = bench.guard()

    @guard.once(identity=["number"])
    def send(number: int, text: str, lock: object = None) -> str:
        return bench.world.sends(f"{number}")

    @guard.once(identity=lambda day, **more: (day.year, day.month))
    def monthly(day: date, lock: object = None) -> str:
        return bench.world.sends(f"{day:%Y-%m}")

    with guard.turn("s"):
        send(7, "one", threading.Lock())
        send(7, "another", lock=threading.Lock())
        send(8, "one")
        monthly(date(2026, 10, 1), lock=threading.Lock())
        monthly(date(2026, 10, 31))
    assert bench.world.lines() == ["7", "8", "2026-10"]


def test_a_value_that_no_record_holds_is_returned_once(bench: Bench):
    guard = bench.guard()

    @guard.once()
    def send(to: str):
        bench.world.sends(to)
        return threading.Lock()

    with guard.turn("s"):
        assert hasattr(send("ana"), "acquire")
        with pytest.raises(Unkept, match="done, once"):
            send("ana")
    assert bench.world.lines() == ["ana"]


def test_a_call_that_is_being_made_is_waited_for_or_said_to_run(bench: Bench):
    guard = bench.guard()
    begun, gate = threading.Event(), threading.Event()

    @guard.once(wait=0)
    def send(to: str) -> str:
        begun.set()
        gate.wait(30)
        return bench.world.sends(to)

    def call() -> str:
        with guard.turn("s", "m"):
            return send("ana")

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(call)
        assert begun.wait(30)
        with pytest.raises(CallRunning, match="being done now"):
            call()
        gate.set()
        assert first.result(30) == "id-ana"
    assert call() == "id-ana"
    assert bench.world.lines() == ["ana"]


@pytest.mark.no_store
def test_what_contradicts_itself_is_refused_where_it_is_declared():
    guard = Guard("sqlite:///never-opened.db")

    def plain(to: str) -> str:
        return to

    def keyed(to: str, *, idempotency_key: str) -> str:
        return to

    def local(to: str, *, tx) -> str:
        return to

    async def waits(to: str, *, tx) -> str:
        return to

    def twice(keys):
        return None

    wrong = [
        (plain, {"ttl": 60}, "idempotency_key"),
        (plain, {"effect": Keyed(ttl=60)}, "idempotency_key"),
        (keyed, {}, "where the other side knows keys"),
        (keyed, {"ttl": 60, "check": twice}, "effect= which of them"),
        (keyed, {"ttl": 60, "effect": Keyed(ttl=61)}, "do not agree"),
        (keyed, {"effect": Checked()}, "check="),
        (keyed, {"effect": Checked(void=True), "check": twice}, "void="),
        (keyed, {"void": twice}, "check="),
        (keyed, {"effect": Keyed(ttl=60), "check": twice}, "check="),
        (local, {}, "only a Local"),
        (waits, {"effect": Local()}, "nothing can be awaited"),
        (local, {"effect": Local(), "timeout": 1}, "no timeout="),
        (lambda to: to, {}, "needs a name"),
        (plain, {"identity": ["para"]}, "no parameter"),
        (plain, {"window": -1}, "window="),
        (plain, {"effect": Opaque(), "ttl": 60}, "do not agree"),
    ]
    for function, given, why in wrong:
        with pytest.raises(CatalogError, match=why):
            guard.once(**given)(function)
    guard.once()(plain)
    with pytest.raises(CatalogError, match="Two guarded tools"):
        guard.once()(plain)
