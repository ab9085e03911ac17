"""Savepoints, and what a reader sees: the two ways to look at less than a whole transaction."""

from collections.abc import Callable
from enum import IntEnum, StrEnum
from pathlib import Path
from threading import Event
from typing import cast

from semel.errors import Bug, SemelError, Unreachable
from semel.ports import EngineTx, Savepoint
from semel.testing._contract.base import (
    PATIENCE,
    Contract,
    ask,
    equal,
    put,
    raises,
    things,
    together,
)
from semel.testing._contract.world import call, plan


class Word(StrEnum):
    """A text that is also a member."""

    ASKING = "asking"


class Number(IntEnum):
    """A number that is also a member."""

    ONE = 1


class Savepoints(Contract):
    """A part of a transaction can be taken back on its own."""

    def kept(self, tmp_path: Path, work: Callable[[EngineTx], object]) -> list[str]:
        """Which of the things a to f are there after *work*."""

        def there(tx: EngineTx) -> list[str]:
            return [id for id in "abcdef" if tx.app.one("things.get", id=id)]

        with self.opened(tmp_path) as store:
            store.transact(work)
            return store.read(there)

    def test_a_savepoint_that_ends_well_is_kept(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            with tx.savepoint():
                put("a")(tx)

        equal(self.kept(tmp_path, work), ["a"])

    def test_a_savepoint_is_taken_back_and_its_block_goes_on(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            put("a")(tx)
            with tx.savepoint() as part:
                put("b")(tx)
                part.roll_back()
                put("c")(tx)
                part.roll_back()
                put("d")(tx)
            put("e")(tx)

        equal(self.kept(tmp_path, work), ["a", "d", "e"])

    def test_an_exception_takes_its_savepoint_back(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            put("a")(tx)
            with raises(ValueError), tx.savepoint():
                put("b")(tx)
                raise ValueError
            put("c")(tx)

        equal(self.kept(tmp_path, work), ["a", "c"])

    def test_an_outer_savepoint_takes_the_inner_one_with_it(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            with tx.savepoint() as outer:
                put("a")(tx)
                with tx.savepoint():
                    put("b")(tx)
                put("c")(tx)
                outer.roll_back()
                put("d")(tx)

        equal(self.kept(tmp_path, work), ["d"])

    def test_an_inner_savepoint_leaves_the_outer_one(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            with tx.savepoint():
                put("a")(tx)
                with tx.savepoint() as inner:
                    put("b")(tx)
                    inner.roll_back()
                with raises(ValueError), tx.savepoint():
                    put("c")(tx)
                    raise ValueError
                put("d")(tx)

        equal(self.kept(tmp_path, work), ["a", "d"])

    def test_a_savepoint_counts_for_both_sides(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            with tx.savepoint() as part:
                plan(tx, "p_2")
                put("a")(tx)
                part.roll_back()

        with self.opened(tmp_path) as store:
            store.transact(work)
            equal(store.read(ask("plans.listed")), [])
            equal(store.read(things), 0)

    def test_a_change_is_taken_back_to_what_it_was(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            with tx.savepoint() as part:
                call(tx, "plans.press")
                plan(tx, "p_2", conversation="main")
                part.roll_back()

        with self.seeded(tmp_path) as store:
            before = store.read(ask("plans.listed"))
            store.transact(work)
            equal(store.read(ask("plans.listed")), before)
            equal(store.read(ask("plans.pending")), before)

    def test_a_savepoint_is_of_no_use_outside_its_block(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> Savepoint:
            with tx.savepoint() as early:
                put("a")(tx)
            with raises(Bug):
                early.roll_back()
            with tx.savepoint() as outer, tx.savepoint():
                with raises(Bug):
                    early.roll_back()
                with raises(Bug):
                    outer.roll_back()
            return outer

        with self.opened(tmp_path) as store:
            with raises(Bug):
                store.transact(work).roll_back()
            equal(store.read(things), 1)


class Readers(Contract):
    """A reader sees what is committed, all of it at one instant."""

    def test_a_read_cannot_write(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            with raises(SemelError), tx.savepoint():
                put("a")(tx)
            with raises(SemelError), tx.savepoint():
                call(tx, "plans.press")
            equal(things(tx), 0)

        with self.seeded(tmp_path) as store:
            store.read(work)
            store.submit_read(work).result()
            for read in (store.read, lambda work: store.submit_read(work).result()):
                with raises(SemelError):
                    read(put("a"))
            equal(store.read(things), 0)
            equal(len(store.transact(ask("plans.press"))), 1)

    def test_a_read_sees_one_instant(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store, self.seen(store, tmp_path) as other:

            def work(tx: EngineTx) -> None:
                for number in range(3):
                    equal(things(tx), 0)
                    equal(call(tx, "plans.running"), [])
                    other.transact(put(f"t{number}"))
                    if number == 0:
                        other.transact(ask("plans.press"))

            store.read(work)
            equal(store.read(things), 3)
            equal(len(store.read(ask("plans.running"))), 1)

    def test_a_read_neither_sees_nor_awaits_what_is_not_committed(self, tmp_path: Path) -> None:
        written, seen = Event(), Event()

        def slow(tx: EngineTx) -> bool:
            put("a")(tx)
            call(tx, "plans.press")
            written.set()
            return seen.wait(PATIENCE)

        with self.seeded(tmp_path) as store, self.seen(store, tmp_path) as other:

            def reader() -> bool:
                try:
                    written.wait(PATIENCE)
                    for side in (store, other):
                        equal(side.read(things), 0)
                        equal(len(side.read(ask("plans.pending"))), 1)
                finally:
                    seen.set()
                return True

            both = (lambda: store.transact(slow), reader)
            equal(together(2, lambda number: both[number]()), [True, True])
            equal((store.read(things), other.read(things)), (1, 1))

    def test_futures_carry_values_and_errors(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            equal(store.submit(put("a")).result(), 1)
            equal(store.submit_read(things).result(), 1)
            for error in (ValueError, Unreachable, Bug):

                def fail(_: EngineTx, error: type[Exception] = error) -> None:
                    raise error

                for queue in (store.submit, store.submit_read):
                    with raises(error):
                        queue(fail).result()

    def test_rows_are_the_readers_own(self, tmp_path: Path) -> None:
        def spoil(tx: EngineTx) -> None:
            cast("dict[str, object]", call(tx, "plans.find")[0])["state"] = "spoilt"

        with self.seeded(tmp_path) as store:
            store.read(spoil)
            store.transact(spoil)
            equal(store.read(ask("plans.find"))[0]["state"], "asking")

    def test_values_come_back_as_they_were(self, tmp_path: Path) -> None:
        texts = ("", "ñandú €", "a\nb", "𝄞", "' OR 1=1 --", "$1", "0042", " 7 ", "x" * 300_000)

        def keep(tx: EngineTx) -> None:
            for text in texts:
                tx.app.run("things.put", id=text[:99], value=text)
            tx.app.run("things.put", id="nothing", value=None)

        def kept(tx: EngineTx) -> None:
            for text in texts:
                found = tx.app.one("things.get", id=text[:99])
                equal(found, {"id": text[:99], "value": text})
            equal(tx.app.one("things.get", id="nothing"), {"id": "nothing", "value": None})
            equal(tx.app.one("things.get", id=None), None)

        with self.opened(tmp_path) as store:
            store.transact(keep)
            store.read(kept)

    def test_whole_numbers_have_64_bits(self, tmp_path: Path) -> None:
        ends = (-(1 << 63), (1 << 63) - 1)
        with self.seeded(tmp_path) as store:
            for seq, number in enumerate(ends, start=1):
                store.transact(ask("events.append", seq=seq, position=number))
            for number in (ends[0] - 1, ends[1] + 1):
                with raises(SemelError):
                    store.transact(ask("events.append", seq=3, position=number))
            found = store.read(ask("events.of_plan"))
            equal(tuple(row["position"] for row in found), ends)

    def test_a_member_of_an_enumeration_comes_back_as_its_value(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            store.transact(lambda tx: plan(tx, "p_2", state=Word.ASKING, risk=Number.ONE))
            row = store.read(ask("plans.find", plan="p_2"))[0]
            equal([type(row[name]) for name in ("state", "risk")], [str, int])
            equal((row["state"], row["risk"]), ("asking", 1))

    def test_run_counts_rows(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            equal(tx.run("steps.of_plan", org="taller", plan="p_1"), 3)
            not_reached = {"org": "taller", "plan": "p_1", "reason": "cancelled", "now": "n"}
            equal(tx.run("steps.not_reached", **not_reached), 3)
            equal(tx.run("steps.not_reached", **not_reached), 0)
            equal(tx.app.run("things.get", id="a"), 0)
            equal(put("a")(tx), 1)

        with self.seeded(tmp_path) as store:
            store.transact(work)
