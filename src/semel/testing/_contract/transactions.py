"""A transaction happens as a whole or not at all, and nobody hears of it before it is kept."""

from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from semel.errors import Bug, Conflict, TimeLimit
from semel.ports import EngineTx, Value
from semel.testing._contract.base import (
    PATIENCE,
    Contract,
    StillClock,
    ask,
    equal,
    put,
    raises,
    things,
    together,
)
from semel.testing._contract.rows import (
    PARAMS,
)
from semel.testing._contract.world import call, plan, seed


class Crash(BaseException):
    """What a handler may raise beside an Exception."""


class Transactions(Contract):
    """What every transaction promises."""

    def test_what_a_transaction_writes_is_kept(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            equal(store.transact(_both), "value")
            equal(store.read(_counts), (1, 1))

    def test_work_that_raises_leaves_nothing(self, tmp_path: Path) -> None:
        def fails(error: type[BaseException]) -> Callable[[EngineTx], None]:
            def work(tx: EngineTx) -> None:
                _both(tx)
                raise error

            return work

        with self.opened(tmp_path) as store:
            for error in (ValueError, Conflict, Crash):
                with raises(error):
                    store.transact(fails(error))
                with raises(error):
                    store.submit(fails(error)).result()
                equal(store.read(_counts), (0, 0))
            store.transact(_both)

    def test_a_refused_row_leaves_what_is_outside_its_savepoint(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            put("one")(tx)
            with raises(Conflict), tx.savepoint():
                put("three")(tx)
                put("one")(tx)
            put("two")(tx)

        with self.opened(tmp_path) as store:
            store.transact(work)
            equal(store.read(things), 2)

    def test_nothing_goes_on_after_a_refused_row(self, tmp_path: Path) -> None:
        def twice(tx: EngineTx) -> None:
            with raises(Conflict):
                put("one")(tx)

        def goes_on(tx: EngineTx) -> None:
            twice(tx)
            for use in (things, put("two"), ask("plans.find")):
                with raises(Conflict):
                    use(tx)
            with raises(Conflict), tx.savepoint():
                pass

        def leaves_a_savepoint(tx: EngineTx) -> None:
            with raises(Conflict), tx.savepoint():
                twice(tx)
            put("two")(tx)
            with tx.savepoint() as part:
                twice(tx)
                part.roll_back()
            put("three")(tx)

        with self.opened(tmp_path) as store:
            store.transact(put("one"))
            for work in (twice, goes_on):
                with raises(Conflict):
                    store.transact(work)
            equal(store.read(things), 1)
            store.transact(leaves_a_savepoint)
            equal(store.read(things), 3)

    def test_what_is_sent_is_kept_with_the_rest_or_not_at_all(self, tmp_path: Path) -> None:
        def sends(tx: EngineTx, digest: str, *, back: bool = False) -> None:
            with tx.savepoint() as part:
                tx.send("keys.insert", **{**PARAMS["keys.insert"], "key": digest})
                if back:
                    part.roll_back()

        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: sends(tx, "7" * 64))
            store.transact(lambda tx: sends(tx, "8" * 64, back=True))
            with raises(Conflict):
                store.transact(lambda tx: sends(tx, "9" * 63))
            found = [len(store.read(ask("keys.find", key=n * 64))) for n in "789"]
            equal(found, [1, 0, 0])

    def test_a_statement_that_fails_half_way_changes_nothing(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            with raises(Conflict), tx.savepoint():
                call(tx, "steps.not_reached", reason="because")

        with self.seeded(tmp_path) as store:
            store.transact(work)
            steps = store.read(ask("steps.of_plan"))
            equal([step["state"] for step in steps], ["waiting"] * 3)

    def test_one_member_fails_and_the_others_stay(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:

            def member(number: int) -> Value:
                def work(tx: EngineTx) -> int:
                    put(f"t{number}")(tx)
                    if number % 3 == 0:
                        raise ValueError(number)
                    return number

                return store.submit(work).result()

            answers = together(12, member)
            for number, answer in enumerate(answers):
                if number % 3 == 0:
                    equal((type(answer), answer.args), (ValueError, (number,)))
                else:
                    equal(answer, number)
            equal(store.read(things), 8)

    def test_an_answer_comes_after_the_commit(self, tmp_path: Path) -> None:
        seen: SimpleQueue[tuple[int, Value]] = SimpleQueue()
        with self.opened(tmp_path) as store, self.seen(store, tmp_path) as other:

            def look(number: int) -> None:
                seen.put((number, other.read(things)))

            for number in range(1, 21):
                future = store.submit(put(f"t{number}"))
                future.add_done_callback(lambda _, number=number: look(number))  # type: ignore[misc]  # bound at once
                future.result()
                equal(other.read(things), number)
            for _ in range(20):
                number, count = seen.get(timeout=PATIENCE)
                # It may see the next commit too, and its own it must.
                if int(str(count)) < number:
                    raise AssertionError(f"After commit {number} there were {count!r} things.")

    def test_forty_contenders_for_a_key_have_one_winner(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store, self.seen(store, tmp_path) as other:

            def contend(number: int) -> bool:
                def work(tx: EngineTx) -> bool:
                    won = call(tx, "keys.insert", plan=f"p_{number}")
                    if won:
                        plan(tx, f"p_{number}")
                    return bool(won)

                return (store, other)[number % 2].transact(work)

            answers = together(40, contend)
            equal([answer for answer in answers if isinstance(answer, BaseException)], [])
            winner = answers.index(True)
            equal(answers.count(True), 1)
            equal(store.read(ask("keys.find")), [{"plan": f"p_{winner}"}])
            equal(len(store.read(ask("plans.listed"))), 1)

    def test_a_transaction_that_takes_too_long_is_rolled_back(self, tmp_path: Path) -> None:
        clock = StillClock()

        def work(tx: EngineTx, seconds: float) -> None:
            put(f"{seconds}")(tx)
            clock.seconds += seconds

        with self.opened(tmp_path, clock) as store:
            with raises(TimeLimit):
                store.transact(lambda tx: work(tx, 5.01))
            equal(store.read(things), 0)
            store.transact(lambda tx: work(tx, 5.0))
            equal(store.read(things), 1)

    def test_a_transaction_inside_another_is_refused(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:

            def work(tx: EngineTx) -> None:
                put("outer")(tx)
                with raises(Bug):
                    store.transact(put("inner"))

            store.transact(work)
            store.submit(put("after")).result()
            equal(store.read(things), 2)

    def test_a_callback_may_use_the_store(self, tmp_path: Path) -> None:
        done: SimpleQueue[int] = SimpleQueue()
        with self.opened(tmp_path) as store:

            def after(_: object) -> None:
                # What it queues here must not keep it from what it waits for.
                queued = store.submit(put("second"))
                done.put(store.transact(put("third")))
                queued.add_done_callback(lambda future: done.put(future.result()))

            future = store.submit(put("first"))
            future.add_done_callback(after)
            future.result()
            store.submit(put("fourth")).result()
            equal([done.get(timeout=PATIENCE) for _ in range(2)], [1, 1])
            equal(store.read(things), 4)

    def test_now_is_the_clock_that_was_given(self, tmp_path: Path) -> None:
        clock = StillClock()
        with self.opened(tmp_path, clock) as store:
            equal(store.transact(lambda tx: tx.now()), clock.now())
            equal(store.read(lambda tx: tx.now()), clock.now())


def _both(tx: EngineTx) -> str:
    seed(tx)
    put("one")(tx)
    return "value"


def _counts(tx: EngineTx) -> tuple[int, Value]:
    return len(call(tx, "plans.listed")), things(tx)
