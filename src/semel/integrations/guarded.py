"""Guarded tools in a framework: whose turn their calls are in, and what a model reads of them.

Each adapter has a ``guarded`` of its own on top of this; a loop of one's own uses it as it is.
"""

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any

from semel.guard import Guard
from semel.guard.turn import current
from semel.integrations.tool import Call


def session(call: Call) -> str:
    """The conversation of a call, as the one text for a guard that no other one has."""
    return json.dumps([call.who.org, call.who.person, call.who.conversation], ensure_ascii=False)


@contextmanager
def turn(guard: Guard, call: Call) -> Iterator[None]:
    """Make the guarded calls of a block in a call's conversation, for its message.

    An adapter does so for each call of a tool. Around a whole run it tells the guard's counts, too,
    which repeats are of one run's loop; a block within one for the same message stays in it.
    """
    here = current()
    if here is not None and (here.session, here.message) == (session(call), call.message):
        yield
        return
    with guard.turn(session(call), call.message, locale=call.who.locale):
        yield


def telling(function: Callable[..., Any]) -> Callable[..., Awaitable[str]]:
    """A guarded function as a tool that tells a model how the world is, as JSON text.

    A model that gets the plain value of a repeat takes it for another success, and one that gets an
    error tries again. A function that is not guarded, such as ``guard.status_tool()``, is left as
    it is.
    """
    answer = getattr(function, "answer", None)
    if answer is None:
        return function

    @wraps(function)
    async def told(*args: object, **kwargs: object) -> str:
        return json.dumps((await answer(*args, **kwargs)).plain(), ensure_ascii=False)

    shown: Any = told
    shown.__name__ = shown.tool.name
    shown.__signature__ = signature(function).replace(return_annotation=str)
    shown.__annotations__ = shown.__annotations__ | {"return": str}
    return told
