"""What a request is told that comes to nothing: as JSON, or as a small page."""

from typing import ClassVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from semel.channels.web.card import TEMPLATES
from semel.facts import JSON
from semel.words.web import language, sentence


class Stopped(Exception):
    """A request comes to nothing, and why."""

    STATUS: ClassVar[dict[str, int]] = {
        "unknown": 401,
        "agent": 403,
        "foreign": 403,
        "stale": 403,
        "guess": 403,
        "not_found": 404,
        "method": 405,
        "too_large": 413,
        "kind": 415,
        "fields": 422,
        "broken": 500,
        "away": 503,
    }

    def __init__(self, why: str, locale: str | None = None, *, program: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.locale = locale
        self.program = program

    def answer(self, request: Request, sign_in: str | None = None) -> Response:
        """The answer: the same bytes for everybody who is refused for the same reason."""
        locale = self.locale or request.headers.get("accept-language", "")
        status = self.STATUS[self.why]
        says = sentence(self.why, locale)
        if self.program or "text/html" not in request.headers.get("accept", ""):
            return JSONResponse(refused(says), status)
        page = TEMPLATES.get_template("said.html").render(
            lang=language(locale),
            title=sentence("page.title", locale),
            says=says,
            sign_in=sign_in if self.why == "unknown" else None,
            enter=sentence("page.sign_in", locale),
        )
        return HTMLResponse(page, status)


def refused(says: str) -> dict[str, JSON]:
    """A refusal in the shape of every other answer to a program."""
    return {"status": "refused", "says": says, "next": "nothing", "plan": None}


def wants_json(request: Request) -> bool:
    """Whether whoever asks reads JSON; a browser that follows a link or sends a form does not."""
    return "application/json" in request.headers.get("accept", "")
