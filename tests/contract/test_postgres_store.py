"""What only a store with many writers has to do: run again, prepare again, keep its sessions."""

import threading

import pytest
from things_app import in_postgres

import stores
from semel.errors import Conflict
from semel.testing._contract.rows import ORG, PARAMS
from semel.testing.contract import StillClock

pytestmark = pytest.mark.only_on("postgres", "it is about PostgreSQL's sessions and locks")


@pytest.fixture
def store(tmp_path, store):
    """A store with its tables; *store* is the name of its kind."""
    del store
    found = in_postgres(stores.url(tmp_path / "books.db", "things"), StillClock())
    found.migrate()
    yield found
    found.close()


def test_of_two_transactions_in_each_others_way_both_are_done_in_the_end(store):
    meet = threading.Barrier(2)
    tried = []

    def works(first, second):
        def work(tx):
            tried.append(first)
            tx.one("keys.hold", org=ORG, key=first)
            if len(tried) <= 2:
                meet.wait(30)
            tx.one("keys.hold", org=ORG, key=second)
            tx.app.run("things.put", id=first, value=None)
            return first

        return work

    futures = [store.submit(works("a", "b")), store.submit(works("b", "a"))]
    assert [future.result(30) for future in futures] == ["a", "b"]
    assert len(tried) == 3  # one of the two was the deadlock's victim, and ran again
    assert store.read(lambda tx: tx.app.one("things.count"))["n"] == 2


def test_statements_are_prepared_anew_when_another_instance_has_changed_the_tables(store, tmp_path):
    def find(tx):
        return tx.all("confirmations.of_plan", **PARAMS["confirmations.of_plan"])

    for _ in range(3):
        assert store.transact(find) == store.read(find) == []
        one = store.submit_one("confirmations.by_token", **PARAMS["confirmations.by_token"])
        assert one.result(30) is None
    stores.rows(tmp_path / "books.db", "ALTER TABLE semel_confirmations ADD COLUMN more TEXT")
    assert store.transact(find) == store.read(find) == []
    one = store.submit_one("confirmations.by_token", **PARAMS["confirmations.by_token"])
    assert one.result(30) is None


def test_a_refused_row_leaves_a_session_that_goes_on(store):
    for number in range(3):
        with pytest.raises(Conflict):
            store.transact(
                lambda tx: [tx.app.run("things.put", id="same", value=None) for _ in range(2)]
            )
        store.transact(lambda tx: tx.app.run("things.put", id=f"{number}", value=None))  # noqa: B023 - used at once
    assert store.read(lambda tx: tx.app.one("things.count"))["n"] == 3
