"""The card's own files: a fixed list, read once, told apart by their content."""

import hashlib
import json
from dataclasses import dataclass
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from semel.channels.web.refusal import Stopped
from semel.words.web import SENTENCES

STYLE, SCRIPT = "text/css; charset=utf-8", "text/javascript; charset=utf-8"
TYPES = {
    "card-draw.js": SCRIPT,
    "card-line.js": SCRIPT,
    "card-say.js": SCRIPT,
    "card.css": STYLE,
    "card.js": SCRIPT,
    "mark.svg": "image/svg+xml",
    "operator.css": STYLE,
    "operator.js": SCRIPT,
    "tokens.css": STYLE,
}
WORDS = "card-words.js"
"""The script's own sentences, in every language; they are written where all the others are."""


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is served; an application serves its own in the same way as the card's.

    Args:
        content: its bytes.
        kind: its media type, as the answer's header has it.
        tag: what tells this content apart, as an entity tag (RFC 9110).
    """

    content: bytes
    kind: str
    tag: str

    @classmethod
    def of(cls, content: bytes, kind: str) -> "File":
        """A file of that content and media type."""
        return cls(content, kind, f'"{hashlib.sha256(content).hexdigest()[:32]}"')

    def answer(self, request: Request) -> Response:
        """The file, or nothing of it when whoever asks has it already."""
        # It may be kept and is asked for each time: a new release is there with the next page.
        headers = {"etag": self.tag, "cache-control": "no-cache"}
        had = request.headers.get("if-none-match", "").split(",")
        if self.tag in {one.strip().removeprefix("W/") for one in had}:
            return Response(status_code=304, headers=headers)
        return Response(self.content, headers={**headers, "content-type": self.kind})


class Files:
    """The files, as they were when the router was made."""

    def __init__(self) -> None:
        folder = files("semel.channels.web") / "static"
        self._held = {
            name: File.of((folder / name).read_bytes(), kind)
            for name, kind in TYPES.items()
            if (folder / name).is_file()
        }
        self._held[WORDS] = File.of(_words(), SCRIPT)

    def answer(self, request: Request, name: str) -> Response:
        """One of them.

        Raises:
            Stopped: there is none of that name.
        """
        if name not in self._held:
            raise Stopped("not_found")
        return self._held[name].answer(request)


def _words() -> bytes:
    told = {
        language: {
            name.removeprefix("script."): sentence
            for name, sentence in sentences.items()
            if name.startswith("script.")
        }
        for language, sentences in SENTENCES.items()
    }
    return f"export const WORDS = {json.dumps(told)};\n".encode()
