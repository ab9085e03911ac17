"""What each command does."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

from semel.cli import audits, demo, fronting, guarding, history, keeping, scanning, screen, serving
from semel.cli.application import Application, find
from semel.cli.application import who_speaks as _who
from semel.cli.settings import Settings, Usage
from semel.cli.signals import on_terminate
from semel.domain.doubt import Happened, LookAgain, SendAnyway
from semel.domain.proposal import BYTES_MAX
from semel.domain.reply import clear_yes
from semel.domain.report import Outcome, Refusal, Refused
from semel.guard.place import is_redis
from semel.open import Engine, printed
from semel.placed import dialect_of
from semel.runtime.sweep import Swept

QUIET_SECONDS = 0.2
"""Between two sweeps of ``--until-quiet``: short beside the seconds that a plan is not yet due."""

Verb: TypeAlias = Callable[[Application, Engine, Settings, argparse.Namespace], Awaitable[int]]


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Run a command and return its exit status."""
    if options.command == "migrate" and options.print:
        screen.migrations(printed(options.dialect or dialect_of(settings.db)), json=settings.json)
        return 0
    if options.command in APART:
        return APART[options.command](settings, options)
    if options.command == "doctor" and is_redis(settings.db):
        return keeping.redis(settings)
    if options.command == "mcp":
        serving.check()
    app = find(settings.app)
    if options.command == "demo":
        return demo.run(app, settings, options)
    if options.command == "migrate":
        return _migrate(app, settings)
    if options.command in keeping.VERBS:
        return keeping.run(app, settings, options)
    return asyncio.run(_with_engine(app, settings, options))


async def _with_engine(app: Application, settings: Settings, options: argparse.Namespace) -> int:
    create = options.command == "seed"
    engine = app.open(settings.db, home=settings.home, create=create)
    # A command that looks must not run other people's plans beside; `semel sweep` does that.
    await engine.start(sweeps=options.command in STAYING)
    verb = asyncio.ensure_future(_verb(app, engine, settings, options))
    _stop_on_terminate(verb)
    try:
        return await verb
    except asyncio.CancelledError:
        screen.stopped()
        return 1
    finally:
        await engine.stop()


async def _verb(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    code: int = await VERBS[options.command](app, engine, settings, options)
    # What the plan wrote for this very moment is done before the process goes.
    await engine.settle()
    return code


def _stop_on_terminate(verb: "asyncio.Future[int]") -> None:
    """On SIGTERM begin no further step, end the one in flight and hand the plan on; twice, die."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGTERM)
        verb.cancel()

    on_terminate(stop)


def _migrate(app: Application, settings: Settings) -> int:
    engine = app.open(settings.db, home=settings.home, create=True)
    screen.migrated(engine.migrate(), json=settings.json)
    engine.close()
    return 0


async def _seed(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    del options
    screen.seeded(await app.seed(engine), json=settings.json)
    return 0


async def _ask(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    who = await _who(app, engine, settings, options)
    message = options.message or engine.new_id()
    answer = await app.ask(engine, who, options.text, message=message)
    return screen.answered(answer, who.locale, json=settings.json)


async def _act(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    who = await _who(app, engine, settings, options)
    message = options.message or engine.new_id()
    outcome = await engine.agent.act(who, _plan(options.file), message=message)
    return screen.answered(outcome, who.locale, json=settings.json)


def _plan(name: str) -> bytes:
    """The plan's bytes, one more than is allowed at most: the rest would only fill the memory."""
    if name == "-":
        return sys.stdin.buffer.read(BYTES_MAX + 1)
    try:
        with Path(name).open("rb") as file:
            return file.read(BYTES_MAX + 1)
    except OSError as no:
        raise Usage(f"The plan {name} could not be read ({no.strerror}).") from no


async def _say(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    """Answer the pending question; what is no answer goes to the planner as usual."""
    who = await _who(app, engine, settings, options)
    message = options.message or engine.new_id()
    outcome = await engine.person(who).says(options.text, message=message)
    nothing_pending = isinstance(outcome, Refused) and outcome.why is Refusal.NOTHING_PENDING
    cancelled = getattr(getattr(outcome, "view", None), "reason", None) == "cancelled"
    if nothing_pending or (cancelled and clear_yes(options.text) == "OTHER"):
        answer = await app.ask(engine, who, options.text, message=message)
        if not isinstance(answer, str):
            if cancelled and not settings.json:
                screen.answered(outcome, who.locale, json=False)
            return screen.answered(answer, who.locale, json=settings.json)
    return screen.answered(outcome, who.locale, json=settings.json)


async def _confirm(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    who = await _who(app, engine, settings, options)
    outcome: Outcome = await engine.person(who).confirm(options.token, options.words)
    return screen.answered(outcome, who.locale, json=settings.json)


async def _retry(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    who = await _who(app, engine, settings, options)
    outcome = await engine.person(who).retry(options.token, options.words)
    return screen.answered(outcome, who.locale, json=settings.json)


async def _undo(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    who = await _who(app, engine, settings, options)
    outcome = await engine.person(who).undo(options.token)
    return screen.answered(outcome, who.locale, json=settings.json)


async def _cancel(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    who = await _who(app, engine, settings, options)
    outcome = await engine.person(who).cancel(options.plan)
    return screen.answered(outcome, who.locale, json=settings.json)


async def _resolve(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    """Take a person's word on a step in doubt; "did not" is by the look that is taken now."""
    who = await _who(app, engine, settings, options)
    person, plan, position = engine.person(who), options.plan, options.position
    if options.did_not:
        outcome = await person.did_not(plan, position)
    elif options.send_anyway is not None:
        outcome = await person.resolve(plan, position, SendAnyway(options.send_anyway))
    elif options.look:
        outcome = await person.resolve(plan, position, LookAgain())
    else:
        outcome = await person.resolve(plan, position, Happened(options.happened or None))
    return screen.answered(outcome, who.locale, json=settings.json)


async def _trace(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    kind, id_ = options.record
    if options.who:
        who = await _who(app, engine, settings, options)
        found = await engine.person(who).trace(kind, id_)
    else:
        found = await engine.operator.trace(kind, id_)
    return history.traced(found, settings.lang or "en", json=settings.json)


async def _plans(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    if options.who:
        views = await engine.person(await _who(app, engine, settings, options)).plans()
    else:
        views = await engine.operator.plans()
    history.listed(views, settings.lang or "en", json=settings.json)
    return 0


async def _show(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    if options.who:
        who = await _who(app, engine, settings, options)
        detail = await engine.person(who).show(options.plan)
        if detail is not None and not settings.json:
            # What a question is about, and what can be pressed: another channel may have asked it.
            screen.answered(await engine.person(who).status(options.plan), who.locale, json=False)
    else:
        detail = await engine.operator.show(options.plan)
    return history.shown(detail, settings.lang or "en", json=settings.json)


async def _audit(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    who = await _who(app, engine, settings, options) if options.who else None
    locale = settings.lang or (who.locale if who else "en")
    return await audits.verify(engine, who, locale, json=settings.json)


async def _sweep(
    app: Application, engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    del app
    total = await engine.sweep()
    while options.until_quiet and total.running:
        if not settings.json:
            screen.waiting(total.running)
        await asyncio.sleep(QUIET_SECONDS)
        again = await engine.sweep()
        total = Swept(
            total.resumed + again.resumed,
            total.given_up + again.given_up,
            total.expired + again.expired,
            total.looked_at + again.looked_at,
            again.running,
            again.held,
            again.closed,
        )
    screen.swept(total, json=settings.json)
    return 0 if not total.running and not total.held else 1


VERBS: dict[str, Verb] = {
    "seed": _seed,
    "ask": _ask,
    "act": _act,
    "say": _say,
    "confirm": _confirm,
    "retry": _retry,
    "undo": _undo,
    "cancel": _cancel,
    "resolve": _resolve,
    "trace": _trace,
    "plans": _plans,
    "show": _show,
    "sweep": _sweep,
    "audit": _audit,
    "mcp": serving.serve,
}

APART: dict[str, Callable[[Settings, argparse.Namespace], int]] = {
    **dict.fromkeys(guarding.VERBS, guarding.run),
    "scan": lambda _, options: scanning.run(options),
    "mcp-guard": fronting.run,
}
"""Commands that need no application."""
STAYING = frozenset({"mcp"})
"""Commands that go on until they are ended."""
