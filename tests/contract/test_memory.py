"""Memory keeps the contract."""

import pytest
from things_app import IN_MEMORY, in_memory, put

from semel.errors import Bug, Conflict
from semel.storage.memory import MemoryStore
from semel.storage.memory.schema import CONFIRMATIONS, PLANS
from semel.testing.contract import PARAMS, StillClock, StoreContract, everything


class TestMemory(StoreContract):
    def open_store(self, tmp_path, clock):
        return in_memory(clock)

    # No statement writes what follows; the tables refuse it all the same.

    @pytest.mark.parametrize(
        ("schema", "change"),
        [
            (PLANS, {"version": 0}),
            (PLANS, {"round": 0}),
            (PLANS, {"stall": -1}),
            (PLANS, {"version": None}),
            (PLANS, {"undone_by": "p_1"}),
            (CONFIRMATIONS, {"used_at": "now", "revoked_at": "now"}),
        ],
    )
    def test_rows_that_no_statement_writes_are_refused(self, tmp_path, schema, change):
        with self.opened(tmp_path) as store:
            store.transact(everything)
            table = store._tables[schema]
            with pytest.raises(Conflict):
                table.update(table.all()[0], **change)

    def test_a_plan_that_is_cancelled_begins_nothing(self, tmp_path):
        with self.opened(tmp_path) as store:
            store.transact(everything)
            for row in store._tables[PLANS].all():
                store._tables[PLANS].update(row, cancelled_at="now")
            for name, plan in (("plans.press", "p_1"), ("plans.start", "p_2")):
                found = store.transact(lambda tx: tx.all(name, **{**PARAMS[name], "plan": plan}))  # noqa: B023 - used at once
                assert found == []


def test_a_key_cannot_be_changed_nor_a_column_invented():
    store = in_memory(StillClock())
    store.transact(everything)
    plans = store._tables[PLANS]
    for change in ({"plan": "p_9"}, {"colour": "red"}):
        with pytest.raises(Bug):
            plans.update(plans.all()[0], **change)


def test_rows_are_copied_only_for_a_reader_that_looks():
    store = in_memory(StillClock())
    store.transact(everything)
    rows = store._tables[PLANS]._rows

    def press(tx):
        tx.one("plans.press", **PARAMS["plans.press"])

    store.read(lambda tx: tx.all("plans.find", **PARAMS["plans.find"]))
    store.transact(press)
    assert store._tables[PLANS]._rows is rows
    store.read(lambda tx: store.transact(lambda tx: tx.run("plans.stop", **PARAMS["plans.stop"])))
    assert store._tables[PLANS]._rows is not rows
    rows = store._tables[PLANS]._rows
    store.transact(lambda tx: tx.run("plans.dismiss", **PARAMS["plans.dismiss"]))
    store.transact(lambda tx: tx.run("plans.prove", **{**PARAMS["plans.prove"], "plan": "p_3"}))
    assert store._tables[PLANS]._rows is rows


def test_a_statement_that_fails_half_way_leaves_nothing():
    def twice(tables, params):
        for _ in range(2):
            put(tables, params)
        return []

    def work(tx):
        with pytest.raises(Conflict), tx.savepoint():
            tx.app.run("things.twice", id="a", value="v")
        assert tx.app.one("things.count") == {"n": 0}

    store = MemoryStore(clock=StillClock(), app={**IN_MEMORY, "things.twice": twice})
    store.transact(work)


def test_a_future_is_done_when_it_is_returned():
    store = in_memory(StillClock())
    assert store.submit(everything).done()
    assert store.submit_read(lambda tx: None).done()
