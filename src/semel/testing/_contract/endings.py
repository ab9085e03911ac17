"""What is over stays over, and what was never asked for is refused."""

from pathlib import Path

from semel.errors import Bug, SemelError, StorageError
from semel.ports import EngineTx
from semel.testing._contract.base import Contract, ask, equal, put, raises, things
from semel.testing._contract.rows import ORG, PLAN


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


def _is_over(tx: EngineTx) -> None:
    for side, name in ((tx, "plans.find"), (tx.app, "things.count")):
        for use in (side.one, side.all, side.run):
            with raises(Bug):
                use(name, org=ORG, plan=PLAN)
    with raises(Bug), tx.savepoint():
        pass
