"""What whoever keeps the machine does: look at the database, fence a copy, give up a host."""

import argparse
import asyncio
import getpass
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from semel.cli import guarding
from semel.cli.application import Application
from semel.cli.screen import console, write
from semel.cli.settings import Settings, Usage
from semel.domain.finding import Finding, Level, closed
from semel.errors import SemelError, StorageError
from semel.facts import JSON
from semel.open import Engine

if TYPE_CHECKING:
    from semel.cli.parser import Commands

COLOUR = {Level.OK: "green", Level.WARN: "yellow", Level.OFF: "red", Level.STOP: "red"}

SHOWN_MAX = 20
"""Plans of each sort that are named; the others are counted."""

OFF = "Nothing is sent outside: {why}"


def add(commands: "Commands", command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the commands to the command line."""
    command(
        commands, "doctor", "look at the database: may what is answered be lost, and is it whole"
    )
    fence = command(commands, "fence", "say that this database was put here, before it sends again")
    how = fence.add_mutually_exclusive_group(required=True)
    how.add_argument(
        "--restored",
        action="store_true",
        help="an older copy was put back, and nothing runs any more on what was lost",
    )
    how.add_argument(
        "--moved", action="store_true", help="it was moved here whole, and nothing was lost"
    )
    fence.add_argument("--dry-run", action="store_true", help="only count what it would do")
    settle = command(
        commands, "settle", "say that a host is gone for good: what it was sending settles"
    )
    settle.add_argument("host", metavar="HOST", help="as `semel show` has it of a send")
    settle.add_argument("--dry-run", action="store_true", help="only say what it would come to")


def run(app: Application, settings: Settings, options: argparse.Namespace) -> int:
    """Run one of them; its exit status."""
    if options.command == "doctor":
        return asyncio.run(_doctor(app, settings))
    if options.command == "fence" and options.moved and options.dry_run:
        raise Usage("There is nothing to count where nothing was lost: leave --dry-run out.")
    verb = _settle if options.command == "settle" else _fence
    return asyncio.run(_opened(app, settings, options, verb))


async def _opened(
    app: Application, settings: Settings, options: argparse.Namespace, verb: Callable[..., object]
) -> int:
    engine = app.open(settings.db, home=settings.home, create=False)
    await engine.start(sweeps=False)
    try:
        code: int = await verb(engine, settings, options)  # type: ignore[misc]  # one of the two below
        return code
    finally:
        await engine.stop()


def redis(settings: Settings) -> int:
    """What a look at a guard's Redis server finds: it keeps no plans."""
    try:
        findings = guarding.examined(settings.db)
    except StorageError as no:
        return _told([Finding("opening", Level.STOP, str(no))], None, settings, opens=False)
    return _told(findings, closed(findings), settings, opens=True)


async def _doctor(app: Application, settings: Settings) -> int:
    """Every finding, also where an engine would not even open."""
    try:
        engine = app.open(settings.db, home=settings.home, create=False)
    except SemelError as no:
        return _told([Finding("opening", Level.STOP, str(no))], None, settings, opens=False)
    try:
        health = await engine.doctor()
    except StorageError as no:
        return _told([Finding("opening", Level.STOP, str(no))], None, settings, opens=False)
    finally:
        engine.close()
    return _told(health.findings, health.closed, settings, opens=health.opens)


def _told(
    findings: Sequence[Finding], closed: str | None, settings: Settings, *, opens: bool
) -> int:
    bad = any(one.level in {Level.OFF, Level.STOP} for one in findings)
    outside = opens and closed is None
    if settings.json:
        listed: list[JSON] = [
            {"name": one.name, "level": str(one.level), "says": one.says} for one in findings
        ]
        write({"opens": opens, "outside": outside, "findings": listed})
    else:
        out = console()
        for one in findings:
            out.print(
                f"{one.level!s:5} {one.name}: {one.says}", soft_wrap=True, style=COLOUR[one.level]
            )
        out.print("Outside steps may begin." if outside else "No outside step begins.")
    if not opens:
        return 3
    return 1 if bad else 0


async def _fence(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    if options.moved:
        await engine.moved()
        return _stays(await engine.doctor(), settings)
    done = await engine.fence(_somebody(), dry=options.dry_run)
    sorts: Mapping[str, Sequence[str]] = {
        "in_doubt": done.in_doubt,
        "widened": done.widened,
        "expired": done.expired,
        "going_on": done.going_on,
        "later": done.later,
        "not_offered": done.not_offered,
    }
    if settings.json:
        listed: dict[str, JSON] = {name: [*plans] for name, plans in sorts.items()}
        write(
            {"generation": done.generation, "at": done.at, **listed, "revoked": done.revoked,
             "dry_run": bool(options.dry_run)}
        )  # fmt: skip
        return 0
    out = console()
    would = "would be " if options.dry_run else ""
    out.print(f"Generation {done.generation}{' (counted only)' if options.dry_run else ''}.")
    for name, plans in sorts.items():
        out.print(f"{len(plans)} {SAYS[name].format(would=would)}", soft_wrap=True)
        for plan in plans[:SHOWN_MAX]:
            out.print(f"  {plan}")
        if len(plans) > SHOWN_MAX:
            out.print(f"  and {len(plans) - SHOWN_MAX} more")
    out.print(f"{done.revoked} questions and offers {would}taken back.")
    return 0


SAYS = {
    "in_doubt": "plans {would}in doubt: a person says of each what happened.",
    "widened": "plans were in doubt already, and no look can rule anything out for them any more.",
    "expired": "questions {would}expired.",
    "going_on": "plans go on: only Local steps are left of them.",
    "later": "plans wait for a day that has not come.",
    "not_offered": "plans that failed are not offered to be retried any more.",
}


def _stays(health: object, settings: Settings) -> int:
    closed = getattr(health, "closed", None)
    if settings.json:
        write({"outside": closed is None, "closed": closed})
    else:
        said = "This is its place from here on." if closed is None else OFF.format(why=closed)
        console().print(said, soft_wrap=True)
    return 0 if closed is None else 1


async def _settle(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    if not options.host.strip() or ":" in options.host:
        raise Usage("A host is named as before the first colon of a sender, without one.")
    done = await engine.gone(options.host, _somebody(), dry=options.dry_run)
    if settings.json:
        write(
            {"host": done.host, "at": done.at, "handed_on": [*done.handed_on],
             "doubts": [*done.doubts], "dry_run": bool(options.dry_run)}
        )  # fmt: skip
        return 0
    out = console()
    would = "would be " if options.dry_run else ""
    out.print(f"What {done.host} had begun by {done.at} {would}taken for a dead sender's.")
    out.print(f"{len(done.handed_on)} running plans {would}handed on.")
    for plan in done.handed_on[:SHOWN_MAX]:
        out.print(f"  {plan}")
    out.print(f"{len(done.doubts)} plans in doubt have a send of it.")
    for plan in done.doubts[:SHOWN_MAX]:
        out.print(f"  {plan}")
    return 0


def _somebody() -> str:
    """Who gives the word, as the machine knows them."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = "somebody"
    return f"{name}@{socket.gethostname()}"


VERBS = frozenset({"doctor", "fence", "settle"})
