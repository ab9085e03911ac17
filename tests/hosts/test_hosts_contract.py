"""Both hosts keep the contract of a store: each on one database here, and in the other files on both.

The statements and the transaction of a database are the same code for both hosts.
"""

import pytest
from things_host import open_things

import stores
from semel.testing.contract import StoreContract


class HostContract(StoreContract):
    host = ""

    @pytest.fixture(autouse=True)
    def _hosts(self, store):
        self.hosts = []
        yield
        for host in self.hosts:
            host.close()

    def open_store(self, tmp_path, clock):
        opened, host = open_things(self.host, tmp_path / "books.db", clock)
        self.hosts.append(host)
        return opened

    def second(self, store, tmp_path, clock):
        return self.open_store(tmp_path, clock)


@pytest.mark.only_on("postgres", "Django has the whole contract on SQLite")
class TestSqlAlchemy(HostContract):
    host = "sqlalchemy"


@pytest.mark.only_on("sqlite", "SQLAlchemy has the whole contract on PostgreSQL")
class TestDjango(HostContract):
    host = "django"


def test_the_contract_ran_on_the_kind_of_store_that_it_says(tmp_path):
    for name in ("sqlalchemy", "django"):
        opened, host = open_things(name, tmp_path / "books.db", None)
        opened.close()
        host.close()
        assert opened._dialect.name == stores.kind()
