"""The runtime's benches serve here too; nothing is left behind by an attack either."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from semel.runtime import points

sys.path.insert(0, str(Path(__file__).parents[1] / "runtime"))


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    assert points._hook is None
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith("semel")]
    assert left == []
