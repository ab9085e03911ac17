"""The routes of a plan: propose one, read its card, decide about it, follow it."""

from collections.abc import Callable
from dataclasses import replace

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.responses import StreamingResponse as Streaming

from semel.channels.cards import Links, State, nowhere
from semel.channels.web import described
from semel.channels.web.body import fields
from semel.channels.web.decide import KINDS, decide
from semel.channels.web.desk import Desk
from semel.channels.web.events import Stream, is_over
from semel.channels.web.files import Files
from semel.channels.web.pages import Pages
from semel.channels.web.place import Place
from semel.channels.web.propose import propose
from semel.channels.web.refusal import Stopped, wants_json
from semel.channels.web.routes import Guarded
from semel.channels.web.snapshot import OVER, is_missing, shot, told_off
from semel.channels.web.visitor import Agent, Knows, Person
from semel.domain.report import Outcome, Refused
from semel.runtime.engine import Engine

BODIES = {
    "confirm": described.body(("token",), token=described.TOKEN, words=described.WORDS),
    "cancel": described.body(()),
    "retry": described.body(("token",), token=described.TOKEN, words=described.WORDS),
    "undo": described.body(("token",), token=described.TOKEN),
    "resolve": described.body(
        ("position", "answer"),
        position={"type": "integer", "minimum": 1},
        answer={"enum": ["happened", "did_not", "look_again", "send_anyway"]},
        id={"type": "string", "description": "The id of what was made, where the person has it."},
        words=described.WORDS,
        epoch={"type": "integer"},
        settled={"enum": ["0", "1"]},
    ),
}
SUMMARIES = {
    "confirm": "Say yes to a plan",
    "cancel": "Stop a plan, or what is left of it",
    "retry": "Do what is left of a plan that stopped",
    "undo": "Take back what a plan did",
    "resolve": "Say what became of a step that is in doubt",
}


def router(
    engine: Engine,
    *,
    who: Knows,
    prefix: str = "",
    back: Callable[[str], str] | None = None,
    origin: str | None = None,
    sign_in: str | None = None,
    links: Links = nowhere,
) -> APIRouter:
    """The routes, for any FastAPI application.

    Args:
        engine: whose plans they are about.
        who: says who makes a request: a ``Person`` with a session, an ``Agent``, or None.
        prefix: under which path they are.
        back: the page to which a form without a script leads back, by the plan's number; by
            default the plan's own.
        origin: this site's own, ``https://invoices.example``, where a proxy hides it.
        sign_in: where a person signs in whose session has ended.
        links: where the application shows a record, by its kind, its id and how it is called.
    """
    engine.announce()
    kind = type("Guarded", (Guarded,), {"sign_in": sign_in})
    routes = APIRouter(prefix=prefix, route_class=kind, tags=["plans"])
    desk = Desk(engine, who, origin)
    place = Place(prefix, links)
    pages = Pages(place, sign_in, back)
    _proposing(routes, desk)
    # Before what takes any number of a plan: the card's files are no plan's.
    _serving(routes)
    _following(routes, desk, place)
    _showing(routes, desk, pages)
    for one in KINDS:
        _deciding(routes, desk, pages, one)
    return routes


def _proposing(routes: APIRouter, desk: Desk) -> None:
    @routes.post(
        "/plans",
        summary="Propose a plan",
        responses={
            200: {"model": described.Answer},
            **described.told(401, 403, 409, 413, 415, 422),
        },
        openapi_extra=described.PROPOSAL,
    )
    async def propose_plan(request: Request) -> Response:
        """Propose a plan for a person's message, with an agent's credential or from a page."""
        return await propose(desk, request)


def _showing(routes: APIRouter, desk: Desk, pages: Pages) -> None:
    @routes.get(
        "/plans/{plan}",
        summary="Read a plan's card",
        responses={
            200: {
                "model": described.Snapshot | described.Answer,
                "description": "The card as a page; as JSON its snapshot, or what an agent reads.",
                "content": {"text/html": {"schema": {"type": "string"}}},
            },
            **described.told(401, 404),
        },
    )
    async def show(request: Request, plan: str) -> Response:
        """A plan's card for its person; ``?fragment`` gives the card without a page around it."""
        visitor = await desk.visitor(request)
        if isinstance(visitor, Agent):
            return await _told_agent(desk.engine, visitor, plan)
        made = await shot(desk.engine, visitor, plan, pages.place)
        if wants_json(request):
            return JSONResponse(made.snapshot.plain())
        if "fragment" in request.query_params:
            return HTMLResponse(made.snapshot.html)
        return pages.page(visitor, made)


async def _told_agent(engine: Engine, agent: Agent, plan: str) -> Response:
    outcome = await engine.agent.status(agent.who, plan)
    if is_missing(outcome):
        raise Stopped("not_found", agent.who.locale, program=True)
    return JSONResponse(outcome.for_model(agent.who.locale).plain())


def _deciding(routes: APIRouter, desk: Desk, pages: Pages, kind: str) -> None:
    @routes.post(
        f"/plans/{{plan}}/{kind}",
        summary=SUMMARIES[kind],
        operation_id=f"{kind}_plan",
        responses={
            200: {"model": described.Decided},
            303: {
                "description": "Done; the page that shows the card, for a form without a script."
            },
            **described.told(401, 403, 404, 409, 413, 415, 422),
        },
        openapi_extra=BODIES[kind],
    )
    async def decided(request: Request, plan: str) -> Response:
        person = await desk.decider(request)
        given = await fields(request)
        desk.check(request, person, given.get("csrf"))
        at_once = _is_live(request)
        face = desk.engine.person(person.who)
        outcome = await decide(face, plan, kind, given, patient=not at_once)
        if is_missing(outcome):
            raise Stopped("not_found", person.who.locale)
        if wants_json(request):
            return await _told(desk.engine, person, pages.place, plan, outcome, live=at_once)
        return await _shown(desk.engine, person, pages, plan, outcome)


def _is_live(request: Request) -> bool:
    """Whether whoever sends this follows the plan's events, and need not wait here for its end.

    So says the card's own script (RFC 7240). A browser notes every 4xx as an error of the page, and
    a "no" that is shown on the card is none.
    """
    return "respond-async" in request.headers.get("prefer", "")


async def _shown(
    engine: Engine, person: Person, pages: Pages, plan: str, outcome: Outcome
) -> Response:
    """What a form without a script leads to: the page with the card, or why nothing was done."""
    if not isinstance(outcome, Refused):
        return RedirectResponse(pages.after(plan, _number(outcome) or plan), 303)
    made = await shot(engine, person, plan, pages.place)
    return pages.page(person, made, notice=outcome.card(person.who.locale).title, status=409)


async def _told(
    engine: Engine, person: Person, place: Place, plan: str, outcome: Outcome, *, live: bool
) -> Response:
    """What a decision came to as JSON: the card as it is now, and the outcome."""
    made = await shot(engine, person, plan, place)
    snapshot = made.snapshot
    # What has ended says so itself, and the same in every tab.
    asks = snapshot.state == State.AWAITING
    if isinstance(outcome, Refused) and outcome.why in OVER and asks:
        snapshot = told_off(engine, person, replace(outcome, plan=plan), snapshot, place)
    came = {**outcome.for_model(person.who.locale).plain(), "replayed": outcome.replayed}
    came["plan"] = _number(outcome) or plan
    refused = isinstance(outcome, Refused) and not live
    return JSONResponse({**snapshot.plain(), "outcome": came}, 409 if refused else 200)


def _number(outcome: Outcome) -> str | None:
    """The plan that an outcome is of; of an undo that is the one which takes back."""
    view = getattr(outcome, "view", None)
    return None if view is None else str(view.plan)


def _following(routes: APIRouter, desk: Desk, place: Place) -> None:
    @routes.get(
        "/plans/{plan}/events",
        summary="Follow a plan",
        response_class=Response,
        responses={
            200: {
                "description": "Server-sent events `card`, each with a snapshot and its number.",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            },
            204: {"description": "Nothing more will happen, and the browser has all of it."},
            **described.told(401, 403, 404),
        },
    )
    async def events(request: Request, plan: str) -> Response:
        """The card of a plan whenever it changes, until nothing more will."""
        person = await desk.person(request)
        made = await shot(desk.engine, person, plan, place)
        last = request.headers.get("last-event-id", "")
        seen = int(last) if last.isascii() and last.isdigit() and len(last) < 10 else 0
        if seen == made.snapshot.seq and is_over(made):
            return Response(status_code=204)
        stream = Stream(
            desk.engine, person, plan, place,
            holds=lambda: desk.holds(request, person), seen=seen,
        )  # fmt: skip
        # A proxy that gathers what it is sent would hold the events back.
        headers = {"x-accel-buffering": "no"}
        return Streaming(stream(), media_type="text/event-stream", headers=headers)


def _serving(routes: APIRouter) -> None:
    files = Files()

    @routes.get(
        "/card/{file}",
        summary="A file of the card: its script or its style",
        response_class=Response,
        responses={
            200: {"content": {"text/css": {}, "text/javascript": {}}},
            304: {"description": "It has not changed."},
            **described.told(404),
        },
    )
    async def file(request: Request, file: str) -> Response:
        """One of ``card.js``, ``card.css`` and ``tokens.css``."""
        return files.answer(request, file)
