"""What somebody reads when something goes wrong: a page for a browser, JSON for a program."""

from collections.abc import Awaitable, Callable

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from semel import StorageError
from semel_facturas.web.page import draw, frame
from semel_facturas.web.session import Desk, asked_for
from semel_facturas.web.words import words

READS = ("GET", "HEAD")


def handle(app: FastAPI, desk: Desk) -> None:
    """Answer every error of the application in the words of the person who meets it."""

    async def known(request: Request, error: Exception) -> Response:
        status, headers = 500, None
        if isinstance(error, HTTPException):
            status, headers = error.status_code, dict(error.headers or {})
        if isinstance(error, RequestValidationError):
            status = 422
        if status < 400:
            return Response(status_code=status, headers=headers)
        if status == 401 and request.method in READS and wants_page(request):
            return RedirectResponse("/sign-in", 303)
        return failed(request, status, await _locale(desk, request), headers)

    async def storage(request: Request, error: Exception) -> Response:
        del error  # what the database says is for the machine's log, and may hold paths
        return failed(request, 503, asked_for(request))

    async def unknown(request: Request, error: Exception) -> Response:
        del error  # the server writes it down; nothing of it is for the person
        return failed(request, 500, asked_for(request))

    table: dict[int | type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
        HTTPException: known,
        RequestValidationError: known,
        StorageError: storage,
        Exception: unknown,
    }
    for kind, handler in table.items():
        app.add_exception_handler(kind, handler)


def failed(
    request: Request, status: int, locale: str, headers: dict[str, str] | None = None
) -> Response:
    """The answer for a status, as a page or as JSON."""
    errors = words(locale).errors
    title, says = errors.get(status, errors[500 if status >= 500 else 422])
    if not wants_page(request):
        return JSONResponse({"detail": says}, status, headers)
    text = draw(
        "error.html", locale, title=title, says=says, status=status, here="", **frame(locale)
    )
    return HTMLResponse(text, status, headers)


def wants_page(request: Request) -> bool:
    """Whether a browser asks that shows what it gets, and no script or program."""
    return "text/html" in request.headers.get("accept", "")


async def _locale(desk: Desk, request: Request) -> str:
    try:
        person = await desk.who(request)
    except StorageError:
        person = None
    return asked_for(request) if person is None else person.who.locale
