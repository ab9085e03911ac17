"""The application as one: its routes, its pages, and what surrounds all of them."""

import os
from pathlib import Path

from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from semel import Engine, StorageError
from semel.channels.web import Shield, operator, router
from semel_facturas.books import organizations
from semel_facturas.web import chat, errors, history, pages, signing, statics
from semel_facturas.web.mailbox import Mailbox
from semel_facturas.web.place import place
from semel_facturas.web.session import Desk
from semel_facturas.web.words import words


class Application(FastAPI):
    """Shielded whole: also the answer to a fault, which is made outside of every middleware."""

    def build_middleware_stack(self) -> ASGIApp:
        """The application as it is called."""
        return Shield(super().build_middleware_stack())


def application(
    engine: Engine, *, home: str | os.PathLike[str], lang: str | None = None
) -> FastAPI:
    """The application on an engine that is open.

    Args:
        engine: whose plans and books it shows.
        home: the folder that the engine was opened with; the mailbox is in it.
        lang: what everybody reads who has not chosen; without it, each their own.

    Raises:
        CatalogError: the model that the environment asks for cannot be used.
    """
    desk = Desk(engine, lang)
    mailbox = Mailbox(Path(home) / "mail")
    app = Application(title="semel facturas", docs_url=None, redoc_url=None)
    errors.handle(app, desk)
    app.include_router(
        router(engine, who=desk.who, back=lambda plan: f"/#{plan}", sign_in="/sign-in", links=place)
    )
    app.include_router(chat.routes(engine, desk))
    app.include_router(signing.routes(engine, desk))
    app.include_router(history.routes(engine, desk))
    app.include_router(operator(engine, who=desk.who, prefix="/operator", sign_in="/sign-in"))
    app.include_router(pages.routes(engine, desk, mailbox))
    app.include_router(statics.routes())
    app.include_router(_health(engine))
    return app


def _health(engine: Engine) -> APIRouter:
    """Whether it can be used, for whoever watches it."""
    made = APIRouter()

    @made.get("/healthz")
    async def health(request: Request) -> Response:
        del request  # everybody may ask, and learns nothing else
        try:
            await engine.read(lambda tx: organizations.organization(tx, ""))
        except StorageError:
            return JSONResponse({"status": "unusable", "says": words("en").errors[503][1]}, 503)
        return JSONResponse({"status": "ok"})

    return made
