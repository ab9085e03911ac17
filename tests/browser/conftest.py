"""A real Chromium, and the application that it talks to.

Playwright's blocking face keeps a loop in this thread for as long as it is open, in which no test
of another kind could start its own; so it lives no longer than a module's tests.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "facturas"))
sys.path.insert(0, str(Path(__file__).parents[1] / "security"))

from browser_desk import Desk
from browser_find import arguments, chromium
from browser_look import Look


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=arguments())
        yield started
        started.close()


@pytest.fixture
def desk(desk_with: Callable[..., Desk]) -> Desk:
    return desk_with()


@pytest.fixture
def desk_with(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Serves the application; given a script, with a mail server that answers by it."""
    with ExitStack() as stack:

        def made(**script: str) -> Desk:
            desk = Desk(tmp_path / "home", **script)
            desk.start()
            stack.callback(desk.stop)
            return desk

        yield made


@pytest.fixture
def look(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Look]:
    """Opens pages; at the end no page may have had an error in its console."""
    with ExitStack() as stack:
        yield (made := Look(browser, stack, request.node.name))
    assert not made.errors, made.errors
