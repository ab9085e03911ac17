"""The pages of the business, and the fragment that keeps the one beside the conversation fresh."""

import asyncio
from collections.abc import Callable

from fastapi import APIRouter, HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from semel import Engine, Tx
from semel.channels.web import card
from semel_facturas.books import invoices, payments
from semel_facturas.books.instants import day_of
from semel_facturas.books.invoices import Invoice
from semel_facturas.books.payments import Payment
from semel_facturas.web import chat
from semel_facturas.web.business import GLANCE, LIST, MAILS, business, knowledge, state_of
from semel_facturas.web.mailbox import Mailbox
from semel_facturas.web.page import draw, page, writes
from semel_facturas.web.place import place
from semel_facturas.web.session import Desk, Reader
from semel_facturas.web.words import words

SECTIONS = {
    "/facturas": "invoices",
    "/contactos": "contacts",
    "/gastos": "expenses",
    "/cobros": "payments",
    "/recordatorios": "reminders",
    "/buzon": "mailbox",
    "/mailbox": "mailbox",
}


def routes(engine: Engine, desk: Desk, mailbox: Mailbox) -> APIRouter:
    """Every page that only reads."""
    made = APIRouter(default_response_class=HTMLResponse)

    @made.get("/")
    async def home(request: Request, say: str | None = None) -> Response:
        one = await reader(desk, request)
        return page(
            engine,
            one,
            "home.html",
            here="home",
            title=words(one.person.who.locale).home,
            chat=await chat.pane(engine, one.person, say),
            b=await business(engine, one, mailbox, GLANCE),
            writes=writes(one),
            glance=GLANCE,
        )

    @made.get("/board")
    async def board(request: Request) -> Response:
        one = await reader(desk, request, leads=False)
        fragment = draw(
            "board.html",
            one.person.who.locale,
            b=await business(engine, one, mailbox, GLANCE),
            writes=writes(one),
            glance=GLANCE,
        )
        return HTMLResponse(fragment)

    for path, name in SECTIONS.items():
        made.get(path, name=f"{name} {path}")(_section(engine, desk, mailbox, name))
    _one_each(made, engine, desk)
    _mails(made, engine, desk, mailbox)
    return made


def _section(engine: Engine, desk: Desk, mailbox: Mailbox, name: str) -> Callable[..., object]:
    async def section(request: Request) -> Response:
        one = await reader(desk, request)
        return page(
            engine,
            one,
            "section.html",
            here=name,
            title=getattr(words(one.person.who.locale), name),
            b=await business(engine, one, mailbox, LIST),
            writes=writes(one),
            glance=MAILS if name == "mailbox" else LIST,
        )

    return section


def _one_each(made: APIRouter, engine: Engine, desk: Desk) -> None:
    """One invoice, and one plan."""

    @made.get("/facturas/{which}")
    async def invoice(request: Request, which: str) -> Response:
        one = await reader(desk, request)
        org = one.person.who.org
        found = await engine.read(lambda tx: _invoice(tx, org, which))
        if found is None:
            raise HTTPException(404)
        document, paid = found
        known = await knowledge(engine, one)
        today = day_of(engine.now(), document.zone)
        w = words(one.person.who.locale)
        return page(
            engine,
            one,
            "invoice.html",
            here="invoices",
            title=f"{w.invoice} {document.number}" if document.number else w.draft,
            i=document,
            paid=paid,
            reminders=[r for r in known.reminders if r.number == document.number],
            state=state_of(known, document.number, document.outstanding, document.due_date, today),
            late=(today - document.due_date).days,
            zone=document.zone,
            writes=writes(one),
        )

    @made.get("/planes/{plan}")
    async def plan(request: Request, plan: str) -> Response:
        one = await reader(desk, request)
        if await engine.person(one.person.who).show(plan) is None:
            raise HTTPException(404)
        return page(
            engine,
            one,
            "plan.html",
            here="history",
            title=words(one.person.who.locale).plan,
            card=await card(engine, one.person, plan, links=place),
            number=plan,
        )


def _mails(made: APIRouter, engine: Engine, desk: Desk, mailbox: Mailbox) -> None:
    """The mailbox as JSON, and a message as plain text."""

    @made.get("/mailbox.json", response_class=JSONResponse)
    async def sent(request: Request) -> Response:
        one = await reader(desk, request, leads=False)
        mails = await asyncio.to_thread(mailbox.sent_by, one.seat.email)
        return JSONResponse([mail.fields() for mail in mails])

    @made.get("/buzon/{file}")
    async def mail(request: Request, file: str) -> Response:
        one = await reader(desk, request)
        whole = file.endswith(".eml")
        name = file if whole else f"{file}.eml"
        opened = await asyncio.to_thread(mailbox.opened, name, one.seat.email)
        if opened is None:
            raise HTTPException(404)
        if whole:
            return PlainTextResponse(opened.raw)
        return page(
            engine,
            one,
            "mail.html",
            here="mailbox",
            title=opened.mail.subject,
            mail=opened.mail,
            text=opened.text,
            zone=one.seat.zone,
        )


async def reader(desk: Desk, request: Request, *, leads: bool = True) -> Reader:
    """Who asks for a page; *leads* says whether a stranger is led to where one signs in.

    Raises:
        HTTPException: 303 or 401, nobody is signed in.
    """
    found = await desk.reader(request)
    if found is not None:
        return found
    raise HTTPException(303, headers={"Location": "/sign-in"}) if leads else HTTPException(401)


def _invoice(tx: Tx, org: str, which: str) -> tuple[Invoice, list[Payment]] | None:
    """An invoice by its number, a draft by its id, with what was paid of it."""
    if not which.isprintable():
        return None  # a path may hold what no database takes for text
    numbered = invoices.invoices_numbered(tx, org, which)
    found = numbered[0] if numbered else invoices.invoice(tx, org, which)
    return None if found is None else (found, payments.payments_of(tx, found))
