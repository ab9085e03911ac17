"""README.md and docs/*.md are tests too: their examples run as they stand.

The collector is here because a conftest.py only sees files beside and below it.
"""

import gc
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Until every test is here, what is made stays; and of a million objects none is garbage later.
gc.disable()

ROOT = Path(__file__).parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "docs")]

from docs_examples import Page  # noqa: E402 - tests are no package, so the line above leads to it

# The same cases in every run: what fails on one machine fails on all, and nothing fails at night.
settings.register_profile("semel", derandomize=True, deadline=None, database=None)
settings.load_profile("semel")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the pages that people read; other .md files hold fragments."""
    if file_path == ROOT / "README.md" or (ROOT / "docs" in file_path.parents):
        return Page.from_parent(parent, path=file_path) if file_path.suffix == ".md" else None
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """From here on garbage is collected, among what the tests make."""
    gc.freeze()
    gc.enable()
