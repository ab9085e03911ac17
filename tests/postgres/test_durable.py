"""A server that may lose what it has answered is refused, in one sentence."""

import asyncio

import pytest
from afuera import Afuera
from pedidos import open_pedidos

import stores
from semel.errors import CatalogError, StorageError

pytestmark = pytest.mark.only_on("postgres", "SQLite is opened with the settings that it needs")


def opened(tmp_path) -> None:
    async def main():
        engine = open_pedidos(tmp_path, Afuera(tmp_path / "outside"))
        try:
            await engine.start(sweeps=False)
        finally:
            await engine.stop()

    asyncio.run(main())


def test_what_may_be_lost_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv(stores.UNSAFE)
    with pytest.raises(StorageError) as refused:
        opened(tmp_path)
    # The tests' own server is one of that kind.
    assert "fsync, full_page_writes, synchronous_commit is off" in str(refused.value)
    monkeypatch.setenv(stores.UNSAFE, "1")
    opened(tmp_path)


def test_only_the_very_word_opens_it(tmp_path, monkeypatch):
    for word in ("", "0", "yes", "true"):
        monkeypatch.setenv(stores.UNSAFE, word)
        with pytest.raises(StorageError):
            opened(tmp_path)


def test_without_keys_it_does_not_start(tmp_path, monkeypatch):
    stores.url(tmp_path / "pedidos.db", "pedidos")
    monkeypatch.delenv("SEMEL_KEYS")
    with pytest.raises((StorageError, CatalogError), match="SEMEL_KEYS"):
        opened(tmp_path)
