"""What is kept of guarded tools: how often each was asked again, and which calls are in doubt."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.table import Column, Table

from semel.cli.screen import console, write
from semel.cli.settings import Settings, Usage
from semel.domain.finding import Finding
from semel.facts import JSON
from semel.guard import Guard
from semel.guard.answer import Answer
from semel.guard.call import Call
from semel.guard.place import is_redis
from semel.placed import is_postgres, sqlite_path
from semel.words.neutral import visible

if TYPE_CHECKING:
    from semel.cli.parser import Commands

SHOWN_MAX = 100
"""Calls that are listed: more are a matter for a report of one's own."""

ORG = "main"
"""Whose calls they are where nobody says it, as in ``Guard``."""

VERBS = frozenset({"repeats", "calls"})


def add(commands: "Commands", command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the commands to the command line."""
    repeats = command(
        commands, "repeats", "how often guarded or watched tools were asked again, and by what"
    )
    repeats.add_argument(
        "--since", metavar="DAY", default="0001-01-01", help="only from this day on: 2026-10-19"
    )
    calls = command(
        commands, "calls", "guarded calls that nobody knows the end of; say what became of one"
    )
    calls.add_argument("job", metavar="JOB", nargs="?", help="the id of a call, as it is listed")
    answer = calls.add_mutually_exclusive_group()
    answer.add_argument(
        "--happened", nargs="?", const="", metavar="VALUE", help="it happened; what it returned"
    )
    answer.add_argument(
        "--did-not", action="store_true", help="it did not: once nothing of it can still arrive"
    )
    for one in (repeats, calls):
        one.add_argument(
            "--org", default=ORG, help=f"whose calls, as the guard was given it ({ORG})"
        )


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Run one of them; its exit status."""
    if not is_redis(settings.db) and not is_postgres(settings.db):
        path = sqlite_path(settings.db)
        if not path.exists():
            raise Usage(f"There is no guard's database at {path}: name it with --db or SEMEL_DB.")
    with Guard(settings.db, org=options.org, locale=settings.lang or "en") as guard:
        if options.command == "repeats":
            return _repeats(guard, settings, options.since)
        if options.job is None:
            if options.happened is not None or options.did_not:
                raise Usage("Say which call it is about: semel calls JOB --happened.")
            return _calls(guard, settings)
        if options.happened is None and not options.did_not:
            raise Usage("Say what became of it: --happened [VALUE] or --did-not.")
        value = options.happened or None
        return _resolved(
            guard.resolve(options.job, happened=not options.did_not, value=value), settings
        )


def examined(url: str) -> list[Finding]:
    """What a look at a guard's Redis server finds, for `semel doctor`."""
    with Guard(url) as guard:
        return guard.kit().calls.examine().result()


def _repeats(guard: Guard, settings: Settings, since: str) -> int:
    found = guard.repeats(since)
    if settings.json:
        listed: list[JSON] = [
            {"tool": tool, "source": source, "mode": mode, "calls": calls}
            for tool, source, mode, calls in found
        ]
        write(listed)
        return 0
    out = console()
    if not found:
        out.print("Nothing was counted yet: put observe=True on a guarded tool, and use it.")
        return 0
    table = Table("tool", "mode", "asked by", "calls", box=None, pad_edge=False)
    for tool, source, mode, calls in found:
        table.add_row(visible(tool, limit=60), mode, ASKED[source], str(calls))
    out.print(table)
    whole = sum(calls for *_, calls in found)
    again = sum(calls for _, source, _, calls in found if source != "first")
    out.print(f"repeats: {again} of {whole} calls asked for something again")
    return 0


ASKED = {
    "first": "nobody before",
    "parallel": "a call at the same time",
    "loop": "the agent's loop",
    "http_retry": "the same request again",
    "restored": "a turn restored",
    "person": "the person again",
}


def _calls(guard: Guard, settings: Settings) -> int:
    found = guard.unsettled(SHOWN_MAX)
    if settings.json:
        write([_row(call) for call in found])
        return 1 if found else 0
    out = console()
    if not found:
        out.print("No call is open.")
        return 0
    # The id is what one types next, so it is never cut.
    job = Column("job", min_width=max(len(call.id) for call in found))
    table = Table(job, "tool", "state", "since", "given", box=None, pad_edge=False)
    for call in found:
        given = visible(call.shown, limit=80)
        table.add_row(
            call.id, visible(call.tool, limit=40), str(call.state), call.created_at, given
        )
    out.print(table)
    return 1


def _row(call: Call) -> dict[str, JSON]:
    row: dict[str, Any] = {
        "job": call.id,
        "tool": visible(call.tool, limit=200),
        "state": str(call.state),
        "since": call.created_at,
        "sends": len(call.mine),
        "settles_at": call.settles_at(),
    }
    return row


def _resolved(answer: Answer, settings: Settings) -> int:
    if settings.json:
        write({**answer.plain(), "job": answer.job})
    else:
        console().print(answer.says, soft_wrap=True)
    return 0 if answer.status in {"done", "already_done", "not_done"} else 1
