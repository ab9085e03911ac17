"""Reading a request's body: no more of it than it may have, and nothing that is said twice."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request

from semel.channels.web.refusal import Stopped
from semel.domain.proposal import BYTES_MAX, Malformed, loaded

FORM_BYTES = 64 * 1024
"""A form of a card has a token and some typed words, well under a kilobyte."""

FIELDS_MAX = 32
"""A form of a card has five fields."""


def kind_of(request: Request) -> str:
    """The media type of a body, without what follows it."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read(request: Request, most: int = BYTES_MAX) -> bytes:
    """The body, of at most so many bytes.

    Raises:
        Stopped: it has more; what follows is not read.
    """
    told = request.headers.get("content-length", "")
    if told.isascii() and told.isdigit() and (len(told) > 18 or int(told) > most):
        raise Stopped("too_large")
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise Stopped("too_large")
        parts.append(part)
    return b"".join(parts)


async def fields(request: Request) -> Mapping[str, str]:
    """The fields of a form, or of a JSON object of texts and numbers.

    Raises:
        Stopped: it is neither, or a field is there twice.
    """
    kind = kind_of(request)
    if kind == "application/json":
        return _json(await read(request, FORM_BYTES))
    if kind == "application/x-www-form-urlencoded":
        return _form(await read(request, FORM_BYTES))
    raise Stopped("kind")


def _json(raw: bytes) -> dict[str, str]:
    try:
        given = loaded(raw)
    except Malformed:
        raise Stopped("fields") from None
    if not isinstance(given, dict) or len(given) > FIELDS_MAX:
        raise Stopped("fields")
    found = {}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise Stopped("fields")
        found[name] = str(value)
    return found


def _form(raw: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            raw.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(raw),
            encoding="utf-8",
            errors="strict",
            max_num_fields=FIELDS_MAX,
        )
    except ValueError:
        raise Stopped("fields") from None
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Stopped("fields")
    return found
