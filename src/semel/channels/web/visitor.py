"""Who makes a request, as the application knows it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from starlette.requests import Request

from semel.domain.plan import Who


@dataclass(frozen=True, slots=True)
class Person:
    """A person with a session of their own: they may decide."""

    who: Who
    session: str
    """What the application knows the session by; forms are bound to it. It is never shown."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A program that proposes for a person, with a credential of its own: it may never decide."""

    who: Who


Visitor: TypeAlias = Person | Agent | None
"""None is somebody whom the application does not know."""

Knows: TypeAlias = Callable[[Request], Visitor | Awaitable[Visitor]]
"""How the application says who makes a request."""
