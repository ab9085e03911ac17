"""SQLite keeps the contract."""

import pytest
from things_app import in_sqlite

from semel.errors import Conflict
from semel.storage.sqlite.connection import translated
from semel.testing.contract import PARAMS, StoreContract, everything


class TestSqlite(StoreContract):
    def open_store(self, tmp_path, clock):
        return in_sqlite(tmp_path / "books.db", clock)

    def second(self, store, tmp_path, clock):
        return in_sqlite(tmp_path / "books.db", clock, create=False)

    # No statement writes what follows; the tables refuse it all the same.

    def change(self, store, table, change):
        with translated(store._path):
            store._connection.execute(f"UPDATE semel_{table} SET {change}")

    @pytest.mark.parametrize(
        ("table", "change"),
        [
            ("plans", "version = 0"),
            ("plans", "round = 0"),
            ("plans", "stall = -1"),
            ("plans", "undone_by = 'p_1'"),
            ("plans", "version = NULL"),
            ("confirmations", "used_at = 'now', revoked_at = 'now'"),
        ],
    )
    def test_rows_that_no_statement_writes_are_refused(self, tmp_path, table, change):
        with self.opened(tmp_path) as store:
            store.transact(everything)
            with pytest.raises(Conflict):
                self.change(store, table, change)

    def test_a_plan_that_is_cancelled_begins_nothing(self, tmp_path):
        with self.opened(tmp_path) as store:
            store.transact(everything)
            self.change(store, "plans", "cancelled_at = 'now'")
            for name, plan in (("plans.press", "p_1"), ("plans.start", "p_2")):
                found = store.transact(lambda tx: tx.all(name, **{**PARAMS[name], "plan": plan}))  # noqa: B023 - used at once
                assert found == []
