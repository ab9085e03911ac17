"""The web application at work, as its own tests have it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "security"))
sys.path.insert(0, str(Path(__file__).parents[1] / "web"))

from pages_place import Place
from pages_place import place as placed


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with placed(tmp_path) as place:
        yield place
