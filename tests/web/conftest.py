"""The web application at work."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_place import Place
from pages_place import place as placed


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with placed(tmp_path) as place:
        yield place
