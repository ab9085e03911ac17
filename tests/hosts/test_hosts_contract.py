"""Both hosts keep the contract of a store, on both databases."""

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


class TestSqlAlchemy(HostContract):
    host = "sqlalchemy"


class TestDjango(HostContract):
    host = "django"


def test_the_contract_ran_on_the_kind_of_store_that_it_says(tmp_path):
    for name in ("sqlalchemy", "django"):
        opened, host = open_things(name, tmp_path / "books.db", None)
        opened.close()
        host.close()
        assert opened._dialect.name == stores.kind()
