"""The application of these tests stands in tests/doubt; nothing is left behind by a test."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "doubt"))

from semel.runtime import points


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    before = {*threading.enumerate()}
    yield
    assert points._hook is None
    new = {*threading.enumerate()} - before
    assert [thread.name for thread in new if thread.name.startswith("semel")] == []
