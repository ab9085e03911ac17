"""The history: every plan by page and by word, and from each record back to its sentence."""

from urllib.parse import quote

from fastapi import APIRouter, HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from semel import Engine
from semel.channels.web import card, past, traced
from semel_facturas.web.page import page
from semel_facturas.web.pages import reader
from semel_facturas.web.session import Desk
from semel_facturas.web.words import words

BASE = "/historial"
JSON = ".json"


def link(kind: str, id: str, label: str) -> str | None:
    """Where a record is shown."""
    return f"/facturas/{quote(label or id, safe='')}" if kind == "factura" else None


def routes(engine: Engine, desk: Desk) -> APIRouter:
    """Where plans are looked for and read."""
    made = APIRouter(include_in_schema=False)

    @made.get(BASE)
    async def plans(request: Request) -> Response:
        one = await reader(desk, request)
        given = {name: request.query_params.get(name, "")[:200] for name in ("q", "person")}
        list_ = await past(
            engine, one.person, base=BASE, words=_text(given["q"]), of=_text(given["person"]),
            before=_text(request.query_params.get("before", "")[:80]),
        )  # fmt: skip
        title = words(one.person.who.locale).history
        return page(engine, one, "history.html", here="history", title=title, past=list_)

    @made.get(BASE + "/{plan}")
    async def plan(request: Request, plan: str) -> Response:
        return await _traced(request, plan.removesuffix(JSON), None, json=plan.endswith(JSON))

    @made.get(BASE + "/{kind}/{id}")
    async def record(request: Request, kind: str, id: str) -> Response:
        return await _traced(request, "", (kind, id.removesuffix(JSON)), json=id.endswith(JSON))

    async def _traced(
        request: Request, plan: str, record: tuple[str, str] | None, *, json: bool
    ) -> Response:
        one = await reader(desk, request, leads=not json)
        asked = record or (plan,)
        found = None
        if all(part.isprintable() for part in asked):  # a path may hold what no text column does
            found = await traced(
                engine, one.person, plan=plan, record=record, base=BASE, links=link
            )
        if found is None:
            raise HTTPException(404)
        if json:
            return JSONResponse(found.json)
        return page(
            engine, one, "history-plan.html", here="history", title=found.title,
            trace=found.html, card=await card(engine, one.person, found.plan, links=link),
        )  # fmt: skip

    return made


def _text(given: str) -> str:
    return given if given.isprintable() else ""
