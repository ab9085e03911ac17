"""The routes of a plan: read its card, decide about it, follow it."""

import inspect
from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from semel.channels.web.card import draw
from semel.channels.web.gate import same_csrf
from semel.channels.web.visitor import Knows, Person
from semel.runtime.engine import Engine


def router(
    engine: Engine,
    *,
    who: Knows,
    prefix: str = "",
    back: Callable[[str], str] | None = None,
) -> APIRouter:
    """The routes, for any FastAPI application.

    Args:
        engine: whose plans they are about.
        who: says who makes a request: a ``Person`` with a session, an ``Agent``, or None.
        prefix: under which path they are.
        back: the page to which a form without a script leads back, by the plan's number; by
            default the plan's own.
    """
    routes = APIRouter(prefix=prefix)
    where = back or (lambda plan: f"{prefix}/plans/{plan}")

    async def person(request: Request) -> Person:
        found = who(request)
        visitor = await found if inspect.isawaitable(found) else found
        if not isinstance(visitor, Person):
            raise HTTPException(401 if visitor is None else 403)
        return visitor

    @routes.get("/plans/{plan}", response_class=HTMLResponse)
    async def show(request: Request, plan: str) -> Response:
        one = await person(request)
        outcome = await engine.person(one.who).status(plan)
        return HTMLResponse(draw(engine, one, outcome, prefix=prefix))

    @routes.post("/plans/{plan}/confirm")
    async def confirm(
        request: Request,
        plan: str,
        token: Annotated[str, Form()],
        csrf: Annotated[str, Form()],
        words: Annotated[str, Form()] = "",
    ) -> Response:
        one = await person(request)
        if not same_csrf(engine, one, csrf):
            raise HTTPException(403)
        await engine.person(one.who).confirm(token, words or None)
        return RedirectResponse(where(plan), 303)

    @routes.post("/plans/{plan}/cancel")
    async def cancel(request: Request, plan: str, csrf: Annotated[str, Form()]) -> Response:
        one = await person(request)
        if not same_csrf(engine, one, csrf):
            raise HTTPException(403)
        await engine.person(one.who).cancel(plan)
        return RedirectResponse(where(plan), 303)

    return routes
