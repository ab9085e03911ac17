"""The conversation: what was said, the card of each plan, and the box to write in."""

import json
import re
from collections.abc import AsyncIterator, Mapping
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)

from semel import Engine
from semel.channels.cards import kept
from semel.channels.web import Person, card, fragment, same_csrf
from semel.channels.web.gate import same_origin
from semel_facturas.assistant import Assistant, Shown
from semel_facturas.assistant.answering import ID
from semel_facturas.planner import LONGEST
from semel_facturas.web.chat_draw import clock, drawn, refused
from semel_facturas.web.chat_words import words
from semel_facturas.web.place import place
from semel_facturas.web.session import Desk

pane = drawn

UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
"""Control characters that nobody types; a database would refuse the first of them."""


def routes(engine: Engine, desk: Desk, assistant: Assistant | None = None) -> APIRouter:
    """Where a message is sent to, and where its answer is read from.

    Args:
        engine: the engine.
        desk: says who makes a request.
        assistant: what answers; by default the one that the environment asks for.

    Raises:
        CatalogError: the model that the environment asks for cannot be used.
    """
    assistant = assistant or Assistant(engine)
    made = APIRouter()

    async def person(request: Request) -> Person:
        found = await desk.who(request)
        if found is None:
            raise HTTPException(401)
        return found

    @made.post("/messages", response_model=None)
    async def send(
        request: Request,
        text: Annotated[str, Form()] = "",
        csrf: Annotated[str, Form()] = "",
        request_id: Annotated[str, Form(alias="request")] = "",
    ) -> Response:
        """Say something to the assistant; the same form again is the same message."""
        one = await person(request)
        if not same_origin(request) or not same_csrf(engine, one, csrf):
            raise HTTPException(403)
        script = "application/json" in request.headers.get("accept", "")
        text = UNSEEN.sub("", text.replace("\r\n", "\n")).strip()
        no = _no(text, request_id)
        if no is not None:
            said = words(one.who.locale, no, longest=str(LONGEST))
            if script:
                return JSONResponse({"says": said}, 422)
            return HTMLResponse(refused(one, said), 422)
        message = await assistant.hear(one.who, request_id, text)
        if script:
            # The box stays where it is, so its next message needs an id of its own.
            where = {"message": message, "events": f"/messages/{message}/events"}
            told = {**where, "request": engine.new_id(), "time": await clock(engine, one)}
            return JSONResponse(told, 202)
        await assistant.wait(one.who, message)
        shown = await assistant.shown(one.who, message)
        plan = shown.plans[-1] if shown and shown.plans else f"m-{message}"
        return RedirectResponse(f"/#{plan}", 303)

    @made.get("/messages/{message}")
    async def look(request: Request, message: str) -> Response:
        """Whether a message has arrived, and what it was answered so far."""
        one = await person(request)
        shown = await assistant.shown(one.who, message) if ID.fullmatch(message) else None
        if shown is None:
            raise HTTPException(404)
        told = {"message": message, "said": shown.said, "text": shown.text, "plans": shown.plans}
        fresh = {"request": engine.new_id(), "time": await clock(engine, one)}
        headers = {"cache-control": "no-store"}
        return JSONResponse({**told, "state": shown.state, **fresh}, headers=headers)

    @made.get("/messages/{message}/events")
    async def events(request: Request, message: str) -> Response:
        """The answer to a message as it is written: ``text``, ``card``, and ``end``."""
        one = await person(request)
        if not ID.fullmatch(message) or await assistant.shown(one.who, message) is None:
            raise HTTPException(404)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        stream = _events(engine, one, assistant.follow(one.who, message))
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    return made


async def _events(
    engine: Engine, person: Person, follow: AsyncIterator[Shown]
) -> AsyncIterator[str]:
    """Each piece says where it begins, so that whoever reconnects has the whole text again."""
    told, plans = "", set[str]()
    async for shown in follow:
        if not shown.text.startswith(told):
            told = ""
        if len(shown.text) > len(told):
            yield _event("text", {"from": len(told), "text": shown.text[len(told) :]})
            told = shown.text
        else:
            # Proxies close what is silent.
            yield ": \n\n"
        for plan in shown.plans:
            if plan not in plans:
                plans.add(plan)
                yield _event(
                    "card",
                    {"plan": plan, "html": str(await card(engine, person, plan, links=place))},
                )
        if shown.invalid:
            drawn = fragment(engine, person, kept(shown.invalid))
            told_of = {"plan": None, "html": str(drawn.html), "announce": drawn.sheet.announce}
            yield _event("card", told_of)
        if shown.state != "open":
            yield _event("end", {"state": shown.state, "time": await clock(engine, person)})


def _event(kind: str, data: Mapping[str, object]) -> str:
    return f"event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def _no(text: str, request: str) -> str | None:
    """Why a message is not taken, as the name of a sentence."""
    if not text:
        return "blank"
    if len(text) > LONGEST:
        return "too_long"
    return None if ID.fullmatch(request) else "no_request"
