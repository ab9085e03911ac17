"""The application's own style sheets and scripts: a fixed list, read once."""

from pathlib import Path

from fastapi import APIRouter, HTTPException
from starlette.requests import Request
from starlette.responses import Response

from semel.channels.web import File

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


FILES = {
    path.name: File.of(path.read_bytes(), TYPES[path.suffix])
    for path in sorted(FOLDER.iterdir())
    if path.suffix in TYPES
}
SHEETS = tuple(name for name in FILES if name.endswith(".css"))
SCRIPTS = tuple(name for name in FILES if name.endswith(".js"))


def routes() -> APIRouter:
    """Where the files are."""
    made = APIRouter(include_in_schema=False)

    @made.get("/static/{name}")
    async def static(request: Request, name: str) -> Response:
        file = FILES.get(name)
        if file is None:
            raise HTTPException(404)
        return file.answer(request)

    return made
