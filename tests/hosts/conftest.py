"""The test application and its bench lie beside the tests; each test runs for each host."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "contract")]

import hosts_bench  # noqa: E402 - tests are no package, so the line above leads to it


@pytest.fixture(params=["sqlalchemy", "django"])
def host(request):
    return request.param


@pytest.fixture
def bench(host, tmp_path):
    with hosts_bench.bench(host, tmp_path / "tienda.db") as one:
        yield one
