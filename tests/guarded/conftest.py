"""A guard's calls are kept in SQLite, PostgreSQL and Redis: every test here runs on all three.

The Redis server is one for each worker, and is started when a test first needs it.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "runtime"))

from guard_bench import Bench

import stores
from semel.testing.redis_server import RedisServer, redis_server


@pytest.fixture(scope="session")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis"), appendonly="yes") as server:
        yield server


@pytest.fixture(autouse=True)
def _redis(store: str | None, request: pytest.FixtureRequest) -> None:
    if store == "redis":
        server = request.getfixturevalue("redis")
        os.environ[stores.REDIS] = server.url


@pytest.fixture
def bench(store: str | None, tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()
