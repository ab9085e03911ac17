"""The runtime's bench serves here too; nothing is left behind by a client or a command either."""

import logging
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


@pytest.fixture(autouse=True)
def the_log_goes_where_it_went() -> Iterator[None]:
    """A command that is run in this process writes the library's log to its own home."""
    logger = logging.getLogger("semel")
    handlers, propagate = logger.handlers[:], logger.propagate
    yield
    for handler in logger.handlers:
        if handler not in handlers:
            handler.close()
    logger.handlers[:], logger.propagate = handlers, propagate
