"""Signing in as one of the demo's people, signing out, and the language of a session."""

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from semel import Engine, Tx
from semel.channels.web import same_csrf
from semel_facturas.books import demo, organizations
from semel_facturas.books.organizations import Seat
from semel_facturas.web.page import draw, frame
from semel_facturas.web.session import LOCALES, Desk, asked_for
from semel_facturas.web.words import words


def routes(engine: Engine, desk: Desk) -> APIRouter:
    """The routes."""
    made = APIRouter()

    def seats(tx: Tx) -> list[tuple[str, Seat]]:
        found = [(who, organizations.seat(tx, org, who)) for org, who, _ in demo.PEOPLE]
        return [(who, seat) for who, seat in found if seat is not None]

    @made.get("/sign-in", response_class=HTMLResponse)
    async def choose(request: Request, lang: str = "") -> Response:
        locale = lang if lang in LOCALES else asked_for(request)
        page = draw(
            "sign-in.html",
            locale,
            people=await engine.read(seats),
            chosen=lang if lang in LOCALES else "",
            here="",
            title=words(locale).sign_in,
            **frame(locale),
        )
        return HTMLResponse(page)

    @made.post("/sign-in", status_code=303)
    async def sign_in(
        request: Request, person: Annotated[str, Form()], lang: Annotated[str, Form()] = ""
    ) -> Response:
        ours(request)
        orgs = [org for org, name, _ in demo.PEOPLE if name == person]
        if not orgs or person not in [who for who, _ in await engine.read(seats)]:
            raise HTTPException(404)
        response = RedirectResponse("/", 303)
        desk.keep(request, response, orgs[0], person, lang if lang in LOCALES else None)
        return response

    @made.post("/sign-out", status_code=303)
    async def sign_out(request: Request, csrf: Annotated[str, Form()] = "") -> Response:
        ours(request)
        person = await desk.who(request)
        if person is not None and not same_csrf(engine, person, csrf):
            raise HTTPException(403)
        response = RedirectResponse("/sign-in", 303)
        desk.forget(request, response)
        return response

    @made.post("/language", status_code=303)
    async def speak(
        request: Request, locale: Annotated[str, Form()], csrf: Annotated[str, Form()] = ""
    ) -> Response:
        ours(request)
        person = await desk.who(request)
        if person is None:
            raise HTTPException(401)
        if not same_csrf(engine, person, csrf):
            raise HTTPException(403)
        if locale not in LOCALES:
            raise HTTPException(422)
        response = RedirectResponse(_back(request), 303)
        desk.speak(request, response, locale)
        return response

    return made


def ours(request: Request) -> None:
    """Refuse what another site's page sends; a program that names no origin decides nothing here.

    Raises:
        HTTPException: 403, the request comes from elsewhere.
    """
    origin = request.headers.get("origin")
    own = f"{request.url.scheme}://{request.headers.get('host', '')}"
    site = request.headers.get("sec-fetch-site", "same-origin")
    if origin not in {None, own} or site not in {"same-origin", "none"}:
        raise HTTPException(403)


def _back(request: Request) -> str:
    """The page that a form was sent from, as a path of this site; else the first one."""
    parts = urlsplit(request.headers.get("referer", ""))
    path = parts.path if parts.netloc == request.headers.get("host", "") else "/"
    return path if path.startswith("/") and not path.startswith("//") else "/"
