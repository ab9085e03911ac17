"""A transaction that signs: what was taken back is told by nobody, and what nobody told is noted."""

import json

import pytest
from things_app import in_memory

from semel.domain.keyring import Keyring
from semel.runtime.chain import NOTED, Chained, Link, chained, event, signed
from semel.testing._contract.base import StillClock
from semel.testing._contract.rows import ORG, PLAN
from semel.testing._contract.world import call, everything

KEYS = Keyring((("k2", b"2" * 32), ("k1", b"1" * 32)))


class Stop(Exception):
    """Ends a part of a transaction."""


@pytest.fixture
def store():
    store = in_memory(StillClock())
    store.transact(everything)
    return store


def run(store, work):
    return store.transact(lambda tx: chained(KEYS, work, tx, tx))


def events(store):
    rows = store.read(lambda tx: call(tx, "events.of_plan"))
    return [(row["kind"], json.loads(row["told"] or "null")) for row in rows[1:]]


def head(store):
    return store.read(lambda tx: call(tx, "plans.find"))[0]["head"]


def test_what_is_taken_back_is_told_by_no_event_and_ends_no_chain(store):
    def work(tx):
        with tx.savepoint() as part:
            call(tx, "plans.dismiss")
            event(tx, ORG, PLAN, "cancelled")
            call(tx, "plans.stop", plan="p_2")
            event(tx, ORG, "p_2", "ended")
            part.roll_back()
            # What comes after it in the block is kept.
            call(tx, "steps.reshow")
        try:
            with tx.savepoint():
                call(tx, "steps.mark")
                raise Stop
        except Stop:
            pass
        event(tx, ORG, PLAN, "changed")

    run(store, work)
    ((kind, told),) = events(store)
    assert kind == "changed"
    (other,) = store.read(lambda tx: call(tx, "plans.find", plan="p_2"))
    assert (other["state"], other["head"]) == ("running", None)
    assert [name for name, _ in told] == [["step", 1]]
    assert "state" not in told[0][1]
    last = store.read(lambda tx: call(tx, "events.last"))[0]
    assert head(store) == signed(KEYS, "k2", ORG, PLAN, Link(last["seq"], last["digest"]))


def test_what_no_event_tells_gets_one_at_the_end(store):
    run(store, lambda tx: call(tx, "attempts.close"))
    ((kind, told),) = events(store)
    assert kind == NOTED
    assert told == [[["attempt", 1, "a1"], {"detail": told[0][1]["detail"], "outcome": "made",
                                            "returned_at?": "2026-10-19T08:10:00.000000Z"}]]  # fmt: skip


def test_a_transaction_that_writes_nothing_of_a_plan_signs_nothing(store):
    before = head(store)
    run(store, lambda tx: call(tx, "calls.insert", key="call 2"))
    run(store, lambda tx: call(tx, "plans.find"))
    run(store, lambda tx: call(tx, "plans.take_over", epoch=9))
    assert (events(store), head(store)) == ([], before)


def test_an_event_tells_of_its_own_plan_and_of_what_came_since_the_one_before(store):
    def work(tx):
        assert isinstance(tx, Chained)
        call(tx, "plans.stop", plan="p_2")
        call(tx, "steps.mark")
        link = event(tx, ORG, PLAN, "first")
        call(tx, "steps.done")
        event(tx, ORG, PLAN, "second", after=link)
        event(tx, ORG, "p_2", "ended")

    run(store, work)
    told = dict(events(store))
    assert told["first"][0][1]["state"] == "started"
    assert told["second"][0][1]["state"] == "done"
    ended = store.read(lambda tx: call(tx, "events.of_plan", plan="p_2"))[-1]
    assert json.loads(ended["told"])[0] == [
        ["plan"], {"ended_at": "2026-10-19T08:00:00.000000Z", "reason": "finished", "state": "ended"}
    ]  # fmt: skip
