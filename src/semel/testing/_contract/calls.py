"""Statements on calls: a value is written once, by whoever holds its key."""

from contextlib import suppress
from pathlib import Path

from semel.errors import Conflict
from semel.ports import EngineTx, Value
from semel.testing._contract.base import Contract, ask, equal, put, raises, things, together
from semel.testing._contract.rows import ORG, OTHER, PARAMS
from semel.testing._contract.world import call

KEYS = ("call 1", "call 2", "call 3", "call 4")
CALLERS = 8


class Calls(Contract):
    """A call with a key has one value, and one of those who run it at once does it."""

    def test_a_value_is_found_by_its_organization_and_key(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            equal(store.read(ask("calls.find")), [])
            equal(store.transact(ask("calls.insert")), [])
            equal(store.read(ask("calls.find")), [{"result": '{"id":"f1"}'}])
            nothing: tuple[dict[str, Value], ...] = (
                {"org": OTHER}, {"org": None}, {"key": "call 11"}, {"key": None}
            )  # fmt: skip
            for other in nothing:
                equal(store.read(ask("calls.find", **other)), [])

    def test_a_key_has_one_value_in_each_organization(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            for org in (ORG, OTHER):
                store.transact(ask("calls.insert", org=org, result=f'"{org}"'))
                with raises(Conflict):
                    store.transact(ask("calls.insert", org=org, result='"again"'))
                equal(store.read(ask("calls.find", org=org)), [{"result": f'"{org}"'}])

    def test_a_key_and_a_value_may_be_as_long_as_they_may_be(self, tmp_path: Path) -> None:
        long: dict[str, Value] = {"key": "ñ" * 512, "result": f'"{"ñ" * 100_000}"'}
        with self.opened(tmp_path) as store:
            store.transact(ask("calls.insert", **long))
            found = store.read(ask("calls.find", key=long["key"]))
            equal(found, [{"result": long["result"]}])

    def test_a_key_is_held_whether_or_not_it_has_a_value(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            for held in ("call 1", "call 1", "call 2"):
                equal(store.transact(ask("keys.hold", key=held)), [{"held": 1}])
                equal(store.transact(ask("keys.hold", key=None)), [])
                equal(store.transact(ask("keys.hold", org=None)), [])
                with suppress(Conflict):
                    store.transact(ask("calls.insert"))
            equal(store.read(ask("calls.find", key="call 2")), [])

    def test_of_those_who_hold_a_key_at_once_the_others_find_its_value(
        self, tmp_path: Path
    ) -> None:
        def once(number: int) -> Value:
            key = KEYS[number % len(KEYS)]

            def work(tx: EngineTx) -> Value:
                call(tx, "keys.hold", key=key)
                found = call(tx, "calls.find", key=key)
                if found:
                    return found[0]["result"]
                put(f"{key} of {number}")(tx)
                call(tx, "calls.insert", key=key, result=str(number))
                return str(number)

            return store.transact(work)

        with self.opened(tmp_path) as store:
            answers = together(CALLERS * len(KEYS), once)
            for place in range(len(KEYS)):
                equal(len({*answers[place :: len(KEYS)]}), 1)
            equal(len({*answers}), len(KEYS))
            equal(store.read(things), len(KEYS))

    def test_what_was_sent_in_one_savepoint_stays_when_the_next_is_taken_back(
        self, tmp_path: Path
    ) -> None:
        def work(tx: EngineTx) -> None:
            for key in KEYS:
                with tx.savepoint() as part:
                    tx.send("calls.insert", **{**PARAMS["calls.insert"], "key": key})
                    if key in KEYS[1::2]:
                        part.roll_back()

        with self.opened(tmp_path) as store:
            store.transact(work)
            found = [len(store.read(ask("calls.find", key=key))) for key in KEYS]
            equal(found, [1, 0, 1, 0])

    def test_what_is_sent_and_refused_is_nobodys(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            call(tx, "calls.insert", key="call 2")
            tx.send("calls.insert", **PARAMS["calls.insert"])
            tx.one("calls.find", **PARAMS["calls.find"])

        with self.opened(tmp_path) as store:
            store.transact(ask("calls.insert"))
            with raises(Conflict):
                store.transact(work)
            equal(store.read(ask("calls.find", key="call 2")), [])

    def test_several_statements_are_asked_one_after_the_other(self, tmp_path: Path) -> None:
        of = PARAMS["calls.find"]

        def work(tx: EngineTx) -> None:
            tx.send("calls.insert", **PARAMS["calls.insert"])
            rows = tx.each(("calls.find", of), ("keys.hold", of), ("calls.find", {**of, "key": ""}))
            equal(rows, [[{"result": '{"id":"f1"}'}], [{"held": 1}], []])

        with self.opened(tmp_path) as store:
            store.transact(work)
            equal(store.read(lambda tx: tx.each(("calls.find", of))), [[{"result": '{"id":"f1"}'}]])
