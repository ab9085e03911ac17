"""`semel mcp`: one person's engine as an MCP server, over pipes or a loopback port."""

import argparse
import asyncio
import os
from importlib import import_module
from typing import TYPE_CHECKING

from semel.cli.application import Application, who_speaks
from semel.cli.settings import Settings, Usage
from semel.domain.plan import SAME_SECONDS
from semel.open import Engine

if TYPE_CHECKING:
    from semel.cli.parser import Commands

PORT_MAX = 65535

HELP = """\
Serve the one tool, and one that looks how a plan stands, to a client of the Model Context Protocol,
for one person. Without --port the client starts this command and talks over its pipes.
"""


def add(commands: "Commands") -> argparse.ArgumentParser:
    """Add the command to the command line; whom it serves is added by the caller."""
    command = commands.add_parser(
        "mcp", help="serve the one tool to an MCP client, for one person", description=HELP
    )
    command.add_argument("--home", metavar="DIR", help="folder of the books (SEMEL_HOME, ./.semel)")
    command.add_argument(
        "--db", metavar="URL", help="database, sqlite:///path or postgresql://… (SEMEL_DB)"
    )
    command.add_argument("--lang", choices=("es", "en"), help="language (SEMEL_LANG, the person's)")
    command.add_argument(
        "--port",
        type=port,
        metavar="PORT",
        help="streamable HTTP on this port of the loopback interface; 0 for any that is free",
    )
    command.add_argument(
        "--same",
        type=seconds,
        default=SAME_SECONDS,
        metavar="SECONDS",
        help="for how long after its end a plan answers equal calls (3600)",
    )
    # What it prints is the protocol's.
    command.set_defaults(json=False)
    return command


def port(text: str) -> int:
    """A port's number; 0 for any that is free."""
    if not text.isascii() or not text.isdigit() or int(text) > PORT_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: 0 to {PORT_MAX}")
    return int(text)


def seconds(text: str) -> float:
    """A whole number of seconds, more than none and at most a year's."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= 366 * 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return float(text)


def check() -> None:
    """Whether there is what speaks the protocol.

    Raises:
        Usage: the extra is not installed.
    """
    try:
        import_module("semel.integrations.mcp")
        import_module("semel.integrations.mcp_wire")
    except ImportError as no:
        raise Usage("MCP needs its library, in version 2: pip install 'semel[mcp]'.") from no


async def serve(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    """Serve until the client has closed its side, or the program is ended.

    Raises:
        Usage: the port cannot be had.
    """
    from semel.integrations import mcp, mcp_wire  # noqa: PLC0415 - an extra brings what they import

    who = await who_speaks(app, engine, settings, options)
    served = mcp.Served(engine.agent, who, options.same)
    try:
        if options.port is None:
            await mcp_wire.over_stdio(served.server)
        else:
            secret = os.environ.get("SEMEL_MCP_SECRET") or None
            await mcp_wire.over_http(served.server, options.port, ready, secret)
    except mcp_wire.NoPort as no:
        raise Usage(str(no)) from no
    except asyncio.CancelledError:
        # What runs ends its step, and whoever waits for it here is told how it stands.
        await engine.drain()
        raise
    finally:
        await served.settle()
    return 0


def ready(address: str) -> None:
    """Say where it can be reached."""
    print(f"ready {address}", flush=True)
