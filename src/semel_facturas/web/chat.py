"""The conversation: what was said, the card of each plan, and the box to write in."""

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from semel import Engine
from semel.channels.web import Person, card, csrf
from semel_facturas.application import ask
from semel_facturas.web.session import Desk


async def pane(engine: Engine, person: Person) -> Markup:
    """The conversation as HTML, with a card for each plan."""
    views = await engine.person(person.who).plans(10)
    cards = [await card(engine, person, view.plan) for view in reversed(views)]
    form = Markup(
        '<form method="post" action="/messages"><input type="hidden" name="csrf" value="{}">'
        '<label for="text">…</label><textarea id="text" name="text"></textarea>'
        "<button>→</button></form>"
    ).format(escape(csrf(engine, person)))
    return Markup("").join([*cards, form])


def routes(engine: Engine, desk: Desk) -> APIRouter:
    """Where a message is sent to."""
    made = APIRouter()

    @made.post("/messages")
    async def message(request: Request, text: Annotated[str, Form()]) -> Response:
        person = await desk.who(request)
        if person is None:
            raise HTTPException(401)
        await ask(engine, person.who, text, message=engine.new_id())
        return RedirectResponse("/", 303)

    return made
