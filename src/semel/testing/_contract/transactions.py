"""A transaction happens as a whole or not at all, and nobody hears of it before it is kept."""

from collections.abc import Callable
from pathlib import Path

from semel.errors import Bug, Conflict, SemelError, StorageError, TimeLimit
from semel.ports import EngineTx, Value
from semel.testing._contract.base import (
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
    ORG,
    PLAN,
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

    def test_a_refused_row_leaves_the_rest_of_its_transaction(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            put("one")(tx)
            with raises(Conflict):
                put("one")(tx)
            put("two")(tx)

        with self.opened(tmp_path) as store:
            store.transact(work)
            equal(store.read(things), 2)

    def test_a_statement_that_fails_half_way_changes_nothing(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            with raises(Conflict):
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
        seen: list[Value] = []
        with self.opened(tmp_path) as store, self.seen(store, tmp_path) as other:
            for number in range(20):
                future = store.submit(put(f"t{number}"))
                future.add_done_callback(lambda _: seen.append(other.read(things)))
                future.result()
                equal(other.read(things), number + 1)
        equal(seen, list(range(1, 21)))

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
        done: list[int] = []
        with self.opened(tmp_path) as store:

            def after(_: object) -> None:
                # What it queues here must not keep it from what it waits for.
                queued = store.submit(put("second"))
                done.append(store.transact(put("third")))
                queued.add_done_callback(lambda future: done.append(future.result()))

            future = store.submit(put("first"))
            future.add_done_callback(after)
            future.result()
            store.submit(put("fourth")).result()
            equal((done, store.read(things)), ([1, 1], 4))

    def test_now_is_the_clock_that_was_given(self, tmp_path: Path) -> None:
        clock = StillClock()
        with self.opened(tmp_path, clock) as store:
            equal(store.transact(lambda tx: tx.now()), clock.now())
            equal(store.read(lambda tx: tx.now()), clock.now())


class Endings(Contract):
    """What is over stays over."""

    def test_a_transaction_that_has_ended_is_refused(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            for lend in (store.transact, store.read):
                _is_over(lend(lambda tx: tx))

            def fail(tx: EngineTx) -> None:
                kept.append(tx)
                raise ValueError

            kept: list[EngineTx] = []
            with raises(ValueError):
                store.transact(fail)
            _is_over(kept[0])
            equal(store.read(things), 0)

    def test_a_statement_that_nobody_wrote_is_refused(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            for side, name in ((tx, "plans.guess"), (tx, "things.get"), (tx.app, "plans.find")):
                with raises(Bug):
                    side.all(name, id="x", org=ORG, plan=PLAN)

        with self.opened(tmp_path) as store:
            store.transact(work)
            store.read(work)

    def test_values_that_no_column_holds_are_refused(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            values: tuple[object, ...] = (1.5, 2.0, ["v"], {}, object(), 1 << 63, "\ud800")
            for value in values:
                with raises(SemelError):
                    tx.app.run("things.put", id="x", value=value)  # type: ignore[arg-type]  # on purpose
            with raises(SemelError):
                tx.app.run("things.put", id="x")
            put("x")(tx)

        with self.opened(tmp_path) as store:
            store.transact(work)
            equal(store.read(things), 1)

    def test_a_closed_store_is_refused(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            store.read(things)
            store.submit(things).result()
            store.close()
            for use in (store.transact, store.read):
                with raises(StorageError):
                    use(things)
            for queue in (store.submit, store.submit_read):
                with raises(StorageError):
                    queue(things).result()
            store.close()

    def test_closing_finishes_what_is_queued(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store, self.seen(store, tmp_path) as other:
            futures = [store.submit(put(f"t{number}")) for number in range(30)]
            if other is not store:
                store.close()
            equal([future.result() for future in futures], [1] * 30)
            equal(other.read(things), 30)

    def test_tables_are_made_once(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.migrate(), [])
            equal(len(store.read(ask("plans.find"))), 1)


def _both(tx: EngineTx) -> str:
    seed(tx)
    put("one")(tx)
    return "value"


def _counts(tx: EngineTx) -> tuple[int, Value]:
    return len(call(tx, "plans.listed")), things(tx)


def _is_over(tx: EngineTx) -> None:
    for side, name in ((tx, "plans.find"), (tx.app, "things.count")):
        for use in (side.one, side.all, side.run):
            with raises(Bug):
                use(name, org=ORG, plan=PLAN)
    with raises(Bug), tx.savepoint():
        pass
