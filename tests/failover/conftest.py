"""The application with every class of effect, and the lives of its plans, serve here too."""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [
    str(Path(__file__).parents[1] / name) for name in ("doubt", "crash", "postgres", "spec")
]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A primary and its standby, made once; each test begins with copies of both."""
    from pair import make  # noqa: PLC0415 - the lines above lead to it

    folder = tmp_path_factory.mktemp("pair")
    make(folder)
    return folder
