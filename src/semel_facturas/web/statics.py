"""The application's own style sheets and scripts: a fixed list, read once."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, HTTPException
from starlette.requests import Request
from starlette.responses import Response

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Static:
    """A file as it is served."""

    content: bytes
    kind: str
    etag: str


def _read(path: Path) -> Static:
    content = path.read_bytes()
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    return Static(content, TYPES[path.suffix], etag)


FILES = {path.name: _read(path) for path in sorted(FOLDER.iterdir()) if path.suffix in TYPES}
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
        # Asked about each time, so that a new version of the program never wears an old coat.
        headers = {"ETag": file.etag, "Cache-Control": "no-cache"}
        known = request.headers.get("if-none-match", "")
        if file.etag in (one.strip().removeprefix("W/") for one in known.split(",")):
            return Response(status_code=304, headers=headers)
        return Response(file.content, media_type=file.kind, headers=headers)

    return made
