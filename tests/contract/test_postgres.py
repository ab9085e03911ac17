"""PostgreSQL keeps the contract."""

import psycopg
import pytest
from things_app import in_postgres

import stores
from semel.testing.contract import PARAMS, StoreContract, everything

pytestmark = pytest.mark.only_on("postgres", "the contract runs on each store by its own class")


class TestPostgres(StoreContract):
    def open_store(self, tmp_path, clock):
        return in_postgres(stores.url(tmp_path / "books.db", "things"), clock)

    def second(self, store, tmp_path, clock):
        return in_postgres(stores.url(tmp_path / "books.db", "things"), clock)

    # No statement writes what follows; the tables refuse it all the same.

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
            with pytest.raises(psycopg.IntegrityError):
                stores.rows(tmp_path / "books.db", f"UPDATE semel_{table} SET {change}")

    def test_a_plan_that_is_cancelled_begins_nothing(self, tmp_path):
        with self.opened(tmp_path) as store:
            store.transact(everything)
            stores.rows(tmp_path / "books.db", "UPDATE semel_plans SET cancelled_at = 'now'")
            for name, plan in (("plans.press", "p_1"), ("plans.start", "p_2")):
                found = store.transact(lambda tx: tx.all(name, **{**PARAMS[name], "plan": plan}))  # noqa: B023 - used at once
                assert found == []
