"""The card's own files: a fixed list, read once, told apart by their content."""

import hashlib
import json
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


class Files:
    """The files, as they were when the router was made."""

    def __init__(self) -> None:
        folder = files("semel.channels.web") / "static"
        self._held = {
            name: (folder / name).read_bytes() for name in TYPES if (folder / name).is_file()
        }
        self._held[WORDS] = _words()
        self._tags = {
            name: f'"{hashlib.sha256(held).hexdigest()[:32]}"' for name, held in self._held.items()
        }

    def answer(self, request: Request, name: str) -> Response:
        """One of them; nothing of it when whoever asks has it already.

        Raises:
            Stopped: there is none of that name.
        """
        if name not in self._held:
            raise Stopped("not_found")
        # It may be kept and is asked for each time: a new release is there with the next page.
        headers = {"etag": self._tags[name], "cache-control": "no-cache"}
        had = [one.strip() for one in request.headers.get("if-none-match", "").split(",")]
        if self._tags[name] in {one.removeprefix("W/") for one in had}:
            return Response(status_code=304, headers=headers)
        return Response(
            self._held[name], headers={**headers, "content-type": TYPES.get(name, SCRIPT)}
        )


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
