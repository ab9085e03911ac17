"""Who makes a request, and whether they may decide by it."""

import inspect
from dataclasses import dataclass

from starlette.requests import Request

from semel.channels.web.gate import is_guess, same_csrf, same_origin
from semel.channels.web.refusal import Stopped
from semel.channels.web.visitor import Agent, Knows, Person, Visitor
from semel.runtime.engine import Engine


@dataclass(frozen=True, slots=True)
class Desk:
    """Asks the application who somebody is, and them for what a decision takes."""

    engine: Engine
    knows: Knows
    origin: str | None

    async def visitor(self, request: Request) -> Person | Agent:
        """Whoever makes a request.

        Raises:
            Stopped: the application does not know them.
        """
        found = self.knows(request)
        visitor: Visitor = await found if inspect.isawaitable(found) else found
        if visitor is None:
            raise Stopped("unknown")
        return visitor

    async def person(self, request: Request) -> Person:
        """The person who makes a request.

        Raises:
            Stopped: it is a program, or nobody that is known.
        """
        visitor = await self.visitor(request)
        if isinstance(visitor, Agent):
            raise Stopped("agent", visitor.who.locale, program=True)
        return visitor

    async def holds(self, request: Request, person: Person) -> bool:
        """Whether a request's session is still that person's."""
        found = self.knows(request)
        return (await found if inspect.isawaitable(found) else found) == person

    async def decider(self, request: Request) -> Person:
        """A person who has sent this from a page of this site, and not by a guess of the browser.

        Raises:
            Stopped: it is anything else.
        """
        person = await self.person(request)
        if is_guess(request):
            raise Stopped("guess", person.who.locale)
        if not same_origin(request, self.origin):
            raise Stopped("foreign", person.who.locale)
        return person

    def check(self, request: Request, person: Person, given: object) -> None:
        """Hold a form against the session: in its body, or in the header ``X-CSRF``.

        Raises:
            Stopped: it was made for another one.
        """
        held = request.headers.get("x-csrf") or given
        if not isinstance(held, str) or not same_csrf(self.engine, person, held):
            raise Stopped("stale", person.who.locale)
