"""Nothing is left behind: an armed point, or an engine's thread that outlives its test."""

import threading
from collections.abc import Iterator

import pytest

from semel.runtime import points


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    before = {*threading.enumerate()}
    yield
    assert points._hook is None
    new = {*threading.enumerate()} - before
    assert [thread.name for thread in new if thread.name.startswith("semel")] == []
