"""A home for each demo."""

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path) -> Path:
    # A path with a space, since people have them.
    return tmp_path / "a home"
