"""`semel mcp-guard`: a proxy in front of any MCP server, behind which each call happens once."""

import argparse
import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semel.cli.serving import check, port, ready
from semel.cli.settings import LANGUAGES, Settings, Usage
from semel.cli.signals import on_terminate

if TYPE_CHECKING:
    from semel.cli.parser import Commands

HELP = """\
Stand in front of an MCP server: what reads goes through, and everything else happens once for
its arguments, whatever repeats it. A policy says which tool is which; what it does not name counts
as an effect unless its name and description say that it reads.

  semel mcp-guard --policy policy.toml -- my-server --x   the server is started, over its pipes
  semel mcp-guard --url http://127.0.0.1:9000/mcp         the server is reached over HTTP
  semel mcp-guard --print-policy -- my-server --x         a first policy, from its list of tools
"""


def add(commands: "Commands") -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "mcp-guard",
        help="make each call of another MCP server's tools happen once",
        description=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("server", nargs="*", metavar="COMMAND", help="what starts the server")
    command.add_argument("--url", metavar="URL", help="where the server is, over HTTP")
    command.add_argument("--policy", metavar="FILE", type=Path, help="what is done about each tool")
    command.add_argument(
        "--print-policy", action="store_true", help="print a policy for the server's tools, and end"
    )
    command.add_argument(
        "--session", default="main", metavar="S", help="within which a repeat is one (main)"
    )
    command.add_argument("--home", metavar="DIR", help="folder of guard.db (SEMEL_HOME, ./.semel)")
    command.add_argument(
        "--db", metavar="URL", help="where calls are kept: sqlite:///…, postgresql://…, redis://…"
    )
    command.add_argument("--lang", choices=LANGUAGES, help="language (SEMEL_LANG, English)")
    command.add_argument(
        "--port",
        type=port,
        metavar="PORT",
        help="streamable HTTP on this port of the loopback interface; 0 for any that is free",
    )
    # What it prints is the protocol's.
    command.set_defaults(json=False)


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Serve until the client has closed its side, or the program is ended; the exit status.

    Raises:
        Usage: the command line, the policy or the server is of no use.
    """
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    db = options.db or f"sqlite:///{settings.home / 'guard.db'}"
    if bool(options.server) == bool(options.url):
        raise Usage("`semel mcp-guard` stands before one server: -- COMMAND or --url URL.")
    if not options.session.strip():
        raise Usage("A session is a name that is not blank.")
    check()
    from semel.integrations import mcp_front  # noqa: PLC0415 - an extra brings what it imports

    serving = mcp_front.serve(
        mcp_front.Front(
            command=tuple(options.server),
            url=options.url,
            db=db,
            policy=options.policy,
            session=options.session,
            locale=settings.lang or "en",
            port=options.port,
            secret=os.environ.get("SEMEL_MCP_SECRET") or None,
        ),
        ready,
        only_print=print if options.print_policy else None,
    )
    try:
        return asyncio.run(_until_told(serving))
    except mcp_front.NoServer as no:
        raise Usage(str(no)) from no


async def _until_told(serving: Coroutine[Any, Any, None]) -> int:
    """Serve; on SIGTERM let go of the client, and end what is on its way."""
    task = asyncio.ensure_future(serving)
    on_terminate(task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        return 1
    return 0
