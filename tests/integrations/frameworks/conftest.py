"""The demo world and a driver for each framework; the frameworks are imported where they are used."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "runtime"))

import facturas_bench
from driving import Driver, World


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[type[Driver]], AbstractAsyncContextManager[World]]:
    """The demo world with a driver on its engine."""

    @asynccontextmanager
    async def inner(driver: type[Driver]) -> AsyncIterator[World]:
        async with facturas_bench.opened(tmp_path) as (facturas, engine):
            yield World(facturas, engine, driver(engine))

    return inner
