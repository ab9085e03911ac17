"""The application as one page and its routes."""

from typing import Annotated

from fastapi import FastAPI, Form, HTTPException
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from semel import Engine
from semel.channels.web import router
from semel_facturas.books import demo
from semel_facturas.web import chat
from semel_facturas.web.session import Desk

TEMPLATES = Environment(
    loader=PackageLoader("semel_facturas.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def application(engine: Engine) -> FastAPI:
    """The application on an engine that is open."""
    desk = Desk(engine)
    app = FastAPI(title="semel facturas")
    app.include_router(router(engine, who=desk.who, back=lambda plan: f"/#{plan}"))
    app.include_router(chat.routes(engine, desk))

    @app.get("/", response_class=HTMLResponse)
    async def home(request: Request) -> Response:
        person = await desk.who(request)
        if person is None:
            return RedirectResponse("/sign-in", 303)
        page = TEMPLATES.get_template("home.html").render(
            chat=await chat.pane(engine, person), lang=person.who.locale
        )
        return HTMLResponse(page)

    @app.get("/sign-in", response_class=HTMLResponse)
    async def sign_in_page() -> Response:
        people = [person for _, person, _ in demo.PEOPLE]
        return HTMLResponse(TEMPLATES.get_template("sign-in.html").render(people=people))

    @app.post("/sign-in")
    async def sign_in(person: Annotated[str, Form()]) -> Response:
        orgs = [org for org, name, _ in demo.PEOPLE if name == person]
        if not orgs:
            raise HTTPException(404)
        response = RedirectResponse("/", 303)
        desk.keep(response, orgs[0], person)
        return response

    @app.get("/healthz")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    return app
