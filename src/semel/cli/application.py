"""Finding the application that a machine has, and what the terminal needs of it."""

import argparse
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, cast

from semel.cli.settings import Settings
from semel.domain.plan import Who
from semel.domain.report import Outcome
from semel.errors import CatalogError
from semel.open import Engine


@dataclass(frozen=True, slots=True)
class Application:
    """An application's module, by the functions that the terminal calls."""

    name: str
    open: Callable[..., Engine]
    seed: Callable[[Engine], Coroutine[Any, Any, Any]]
    ask: Callable[..., Coroutine[Any, Any, Outcome | str]]
    locale: Callable[[Engine, str, str], Coroutine[Any, Any, str | None]]
    story: Callable[..., int]
    serve: Callable[..., int]


def find(module: str | None) -> Application:
    """The application of ``SEMEL_APP``, else the one installed under ``semel.apps``.

    Raises:
        CatalogError: there is none, or more than one, or it lacks something.
    """
    if module is None:
        found = list(entry_points(group="semel.apps"))
        if len(found) != 1:
            raise CatalogError(f"{len(found)} applications are installed; name one in SEMEL_APP.")
        module = found[0].value
    try:
        app = cast("Any", import_module(module))
    except ImportError as no:
        raise CatalogError(f"The application {module} cannot be imported ({no}).") from no
    names = ("open", "seed", "ask", "locale", "story", "serve")
    lacking = [name for name in names if not callable(getattr(app, name, None))]
    if lacking:
        raise CatalogError(f"The application {module} has no {', '.join(lacking)}.")
    return Application(module, app.open, app.seed, app.ask, app.locale, app.story, app.serve)


async def who_speaks(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> Who:
    """The person of ``--as``, in the conversation and the language that they speak."""
    person, org = options.who
    locale = settings.lang or await app.locale(engine, org, person) or "en"
    return Who(org, person, options.conversation, locale)
