"""Calls that outlive whoever asked for them: how they stand, and what a person says of a doubt."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from semel.guard import call as calls
from semel.guard.answer import Answer, no_job
from semel.guard.call import Call, CallState
from semel.guard.calls import Change
from semel.guard.kit import Ended, Kit, Tool
from semel.guard.send import resolve
from semel.guard.value import Values
from semel.guard.way import Way
from semel.words import guarded as words

BY_PERSON = "A person has looked, and it had not happened."

DESCRIPTION = {
    "es": "Dice cómo está un trabajo que sigue en marcha. No lo repite ni lo cambia.",
    "en": "Tells how a job stands that goes on. It neither repeats nor changes it.",
}

unknown = no_job


def status(
    kit: Kit, tools: Mapping[str, Tool], job: str, session: str | None
) -> Way[tuple[Tool | None, Ended] | None]:
    """How a job stands; None where this conversation has no such job.

    One whose time has passed is brought to a proof or a doubt first; nothing is ever sent for it.
    """
    found: Call | None = yield kit.calls.of_id(job)
    if found is None or session is None or found.session != session:
        return None
    tool = tools.get(found.tool)
    if found.state is CallState.STARTED and found.due(kit.now(), kit.host.is_dead):
        found = yield from _brought(kit, tool, found)
    return tool, Ended(found)


def _brought(kit: Kit, tool: Tool | None, found: Call) -> Way[Call]:
    if tool is not None:
        return (yield from resolve(kit, tool, found, None))
    # Nobody here knows how to ask about it.
    change = Change(lambda now: calls.doubt(now, found), kit.new_id())
    doubted: Call = yield kit.calls.change(found.key, change)
    return doubted


def resolved(
    kit: Kit, tools: Mapping[str, Tool], job: str, *, happened: bool, value: Any
) -> Way[tuple[Tool | None, Ended] | None]:
    """Write down what a person found out; None where there is no such job."""
    found: Call | None = yield kit.calls.of_id(job)
    if found is None:
        return None
    tool = tools.get(found.tool)
    decide = _happened if happened else _did_not
    change = Change(partial(decide, kit, tool, found, value), kit.new_id())
    after: Call = yield kit.calls.change(found.key, change)
    return tool, Ended(after)


def _happened(
    kit: Kit, tool: Tool | None, call: Call, value: Any, found: Call | None
) -> tuple[Call | None, Call]:
    if found is None or found.state is not CallState.IN_DOUBT:
        return None, found or call
    values = tool.values if tool is not None else Values(_anything)
    written, (after, _) = calls.made(
        found, call, None, values.text(value), kit.now(), kit.after(_window(tool))
    )
    return written, after


def _did_not(
    kit: Kit, tool: Tool | None, call: Call, value: Any, found: Call | None
) -> tuple[Call | None, Call]:
    del value
    if found is None or found.state is not CallState.IN_DOUBT:
        return None, found or call
    if not found.settled(kit.now(), kit.host.is_dead):
        # What was sent may still arrive: whoever looks now sees nothing, and would be wrong.
        return None, found
    return calls.absent(found, found, BY_PERSON, kit.now(), kit.after(_window(tool)))


def _window(tool: Tool | None) -> float:
    return 24 * 3600 if tool is None else tool.window


def _anything() -> Any:
    """What a value is read as whose tool this program does not know."""


def tool(
    ask: Callable[[str, str], Awaitable[Answer]], locale: str
) -> Callable[[str], Awaitable[str]]:
    """A function that models call to ask how a job stands."""
    language = words.language(locale)

    async def consultar_estado(trabajo: str) -> str:
        return (await ask(trabajo, locale)).says

    async def check_status(job: str) -> str:
        return (await ask(job, locale)).says

    made = consultar_estado if language == "es" else check_status
    made.__doc__ = DESCRIPTION[language]
    return made
