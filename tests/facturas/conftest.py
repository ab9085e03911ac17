"""The books in a fresh database, empty or with the demo world."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from facturas_desk import Desk, opened
from facturas_world import NOW, ORG, Books, World

from semel_facturas.books.contacts import contacts_named
from semel_facturas.books.demo import seed
from semel_facturas.sink import Sink


@pytest.fixture
def books_tx(tmp_path: Path) -> Books:
    books = Books(tmp_path / "books.db")
    books.migrate()
    return books


@pytest.fixture
def world(books_tx: Books) -> World:
    numbers = itertools.count(1)

    def new_id() -> str:
        return f"id-{next(numbers):04d}"

    with books_tx() as tx:
        seed(tx, NOW, new_id)
        (maria,) = contacts_named(tx, ORG, "María Carmona")
    return World(books_tx, maria, new_id)


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[Sink]:
    with Sink(tmp_path / "mail") as sink:
        yield sink


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with opened(tmp_path) as desk:
        yield desk
