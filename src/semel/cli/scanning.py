"""`semel scan`: which tool does the most damage when it is called twice, and what to add to it."""

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from semel.cli.screen import console, write
from semel.cli.settings import Usage
from semel.facts import JSON
from semel.guard.scan.classify import ranked
from semel.guard.scan.tool import Finding, Kind, ScanError, Tool
from semel.words.neutral import visible

if TYPE_CHECKING:
    from semel.cli.parser import Commands

# Text from outside is made visible, and not neutral: nothing in it moves the cursor or hides, and a
# name keeps the underscores by which its reader finds it.
NAME_SHOWN = 60
"""Characters of a tool's name, and twice as many of a reason: a row stays one that is read."""

CALLED = {
    Kind.MONEY: "money",
    Kind.MESSAGE: "message",
    Kind.RESOURCE: "external resource",
    Kind.WEBHOOK: "webhook",
    Kind.UNKNOWN: "unclear effect",
    Kind.WRITE: "own write",
    Kind.READ_WRITES: "read that writes",
    Kind.HARMLESS: "harmless repeat",
    Kind.READ: "read",
}

COLOUR = {Kind.MONEY: "red", Kind.MESSAGE: "red", Kind.HARMLESS: "green", Kind.READ: "green"}

HELP = """\
Class each tool by what a second call of it would do, the worst first, and name the one to protect
first. Nothing is called, and no module is imported: names, descriptions, parameters and source are
read. What cannot be told counts as an effect.

  semel scan my_app.tools            a module by its name, a file or a folder
  semel scan --openapi api.json      each operation of a document
  semel scan --mcp "my-server --x"   a server that is started, asked for its list, and ended
"""

EPILOG = """\
exit status:
  0  every tool was classed
  1  a file could not be read, and the others were classed
  2  nothing could be read
"""


def add(commands: "Commands") -> None:
    """Add the command to the command line."""
    scan = commands.add_parser(
        "scan",
        help="order an agent's tools by the damage of a duplicate, and name the first to protect",
        description=HELP,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    where = scan.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "module", nargs="?", metavar="MODULE", help="Python source: a dotted name, a file, a folder"
    )
    where.add_argument("--mcp", metavar="COMMAND", help="a command that starts an MCP server")
    where.add_argument("--openapi", metavar="FILE", help="an OpenAPI document, in JSON")
    scan.add_argument("--json", action="store_true", help="one JSON value instead of text")
    # It looks at no database, so it has none of the options that lead to one.
    scan.set_defaults(home=None, db=None, lang=None)


def run(options: argparse.Namespace) -> int:
    """Scan and show what was found; the exit status.

    Raises:
        Usage: nothing could be read.
    """
    try:
        tools, decorated, unread = _read(options)
    except ScanError as no:
        raise Usage(visible(str(no), limit=2_000)) from no
    found = ranked(tools)
    if options.json:
        _as_json(found, unread)
    else:
        _as_text(found, unread, decorated=decorated)
    return 1 if unread else 0


def _read(options: argparse.Namespace) -> tuple[Sequence[Tool], bool, Sequence[str]]:
    """The tools, whether they say themselves that they are tools, and what could not be read."""
    from semel.guard.scan import mcp, openapi, python  # noqa: PLC0415 - other commands go without

    if options.mcp is not None:
        return mcp.scan(options.mcp), True, ()
    if options.openapi is not None:
        return openapi.scan(options.openapi), True, ()
    sources = python.scan(options.module)
    return sources.tools, sources.decorated, sources.unread


def _as_json(found: Sequence[Finding], unread: Sequence[str]) -> None:
    listed: list[JSON] = [_row(one) for one in found]
    first = found[0] if found[0].kind.effect else None
    value: dict[str, JSON] = {
        "tools": listed,
        "first": None if first is None else {"tool": _shown(first.tool.name), "line": first.line,
                                             "place": _shown(first.tool.place)},
        "unread": [visible(one, limit=500) for one in unread],
    }  # fmt: skip
    write(value)


def _row(one: Finding) -> dict[str, JSON]:
    return {
        "tool": _shown(one.tool.name),
        "class": str(one.kind),
        "damage": one.kind.damage,
        "place": _shown(one.tool.place),
        "reasons": [visible(reason, limit=2 * NAME_SHOWN) for reason in one.reasons],
        "line": one.line,
    }


def _shown(text: str) -> str:
    """A name that is read again by programs: one line, and its underscores as they are."""
    return visible(text, limit=200)


def _as_text(found: Sequence[Finding], unread: Sequence[str], *, decorated: bool) -> None:
    out = console()
    table = Table("tool", "class", "why", box=None, pad_edge=False)
    for one in found:
        name = visible(one.tool.name, limit=NAME_SHOWN)
        why = visible(one.reasons[0], limit=2 * NAME_SHOWN)
        table.add_row(name, CALLED[one.kind], why, style=COLOUR.get(one.kind))
    out.print(table)
    out.print()
    for sentence in unread:
        out.print(visible(sentence, limit=500), soft_wrap=True)
    if not decorated:
        out.print(
            "No function is marked as a tool, so every public one was looked at.", soft_wrap=True
        )
    effects = [one for one in found if one.kind.effect]
    _first(effects)
    counted = Counter(one.kind for one in found)
    parts = [f"{counted[kind]} {CALLED[kind]}" for kind in Kind if counted[kind]]
    said = f"scan: {len(found)} tools, {len(effects)} to protect ({', '.join(parts)})"
    out.print(said, soft_wrap=True)


def _first(effects: Sequence[Finding]) -> None:
    """The tool to begin with, why, and the line to add."""
    out = console()
    if not effects:
        out.print("No tool needs protection: a second call of any of them does nothing more.")
        return
    first = effects[0]
    name = visible(first.tool.name, limit=NAME_SHOWN)
    reasons = "; ".join(visible(one, limit=2 * NAME_SHOWN) for one in first.reasons)
    out.print(f"Protect {name} first: {reasons}.", soft_wrap=True)
    where = "above the function that calls it"
    if first.tool.deeds is not None:
        where = f"right above `def`, at {visible(first.tool.place, limit=200)}"
    out.print(f"Add this line {where}:", soft_wrap=True)
    out.print(f"    {first.line}", soft_wrap=True)
    if first.tool.key:
        key = visible(first.tool.key, limit=NAME_SHOWN)
        out.print(
            f"It takes a key ({key}): hand it the guard's, and let ttl be the seconds for which the"
            " other side remembers one.", soft_wrap=True,
        )  # fmt: skip
