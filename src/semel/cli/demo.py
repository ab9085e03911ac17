"""`semel demo`: the application in a browser, on this machine only; or its story, judged."""

import argparse
import errno
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from semel.cli.application import Application
from semel.cli.logs import log_to
from semel.cli.serving import PORT_MAX, port, ready
from semel.cli.settings import Settings, Usage

if TYPE_CHECKING:
    from semel.cli.parser import Commands

PORT = 8000
"""Where a demo of this kind is looked for."""

NOT_HAD = {errno.EADDRINUSE, errno.EACCES, errno.EADDRNOTAVAIL}
"""How the system says that a port is somebody else's, or not for this user."""

INSTANCES_MAX = 16
"""Processes of one demo: it shows that several are as good as one, and two show that."""

HELP = """\
Serve the application in a browser, on this machine only, with data of today. Ctrl-C ends the step
that is on its way and hands on what is left; a second one ends at once.

  semel demo                                     one process, its books in the home
  semel demo --instances 2 --store postgres      two behind a database server of their own
  semel demo --story                             the scenes, each judged, in this terminal
"""


def add(commands: "Commands", command: "Callable[..., argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    demo = command(commands, "demo", "use the product in a browser, or watch its story")
    demo.formatter_class = argparse.RawDescriptionHelpFormatter
    demo.description = HELP
    demo.add_argument("--story", action="store_true", help="the scenes, each judged")
    demo.add_argument(
        "--store",
        choices=("sqlite", "postgres"),
        help="where it is kept (sqlite); postgres starts a server unless --db names one",
    )
    demo.add_argument(
        "--port",
        type=port,
        metavar="PORT",
        help=f"of the loopback interface, and the ones after it ({PORT}); 0 for any that is free",
    )
    demo.add_argument(
        "--instances", type=instances, metavar="N", help="how many processes serve it (1)"
    )
    # Whoever starts several holds the other end of their input.
    demo.add_argument("--tied", action="store_true", help=argparse.SUPPRESS)


def instances(text: str) -> int:
    """How many processes."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= INSTANCES_MAX:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of processes: 1 to {INSTANCES_MAX}"
        )
    return int(text)


def run(app: Application, settings: Settings, options: argparse.Namespace) -> int:
    """Play the story, or serve until told to end; the exit status.

    Raises:
        Usage: the options do not go together, or the port cannot be had.
    """
    if options.story:
        if options.port is not None or options.instances is not None:
            raise Usage("The story is played in this terminal: --port and --instances are not its.")
        return app.story(
            settings.home,
            lang=settings.lang or "es",
            json=settings.json,
            store=options.store or "sqlite",
            db=settings.db,
        )
    if settings.json:
        raise Usage("What `semel demo` shows is in the browser; --json is the story's.")
    first = PORT if options.port is None else options.port
    count = options.instances or 1
    if first + count - 1 > PORT_MAX:
        raise Usage(f"There is no port {first + count - 1}; the last one is {PORT_MAX}.")
    store = _store(settings, options)
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    log_to(settings.home, "semel", "uvicorn", "asyncio")
    try:
        return app.serve(
            settings.home,
            lang=settings.lang,
            store=store,
            db=settings.db,
            port=first,
            instances=count,
            tied=options.tied,
            ready=ready,
            say=_say,
        )
    except OSError as no:
        if no.errno not in NOT_HAD or no.filename:
            raise
        raise Usage(
            f"The port {first} cannot be had ({no.strerror or no})."
            " Name another one with --port, or 0 for any that is free."
        ) from no


def _store(settings: Settings, options: argparse.Namespace) -> str:
    server = settings.db.startswith(("postgresql://", "postgres://"))
    if options.store == "sqlite" and server:
        raise Usage("--store sqlite keeps the books in a file, and the database is a server's.")
    return options.store or ("postgres" if server else "sqlite")


def _say(sentence: str) -> None:
    print(f"semel: {sentence}", file=sys.stderr, flush=True)
