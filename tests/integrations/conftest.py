"""The runtime's bench serves here too; nothing is left behind by a client either."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from semel.runtime import points

sys.path.insert(0, str(Path(__file__).parents[1] / "runtime"))


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    before = {*threading.enumerate()}
    yield
    assert points._hook is None
    new = {*threading.enumerate()} - before
    assert [thread.name for thread in new if thread.name.startswith("semel")] == []
