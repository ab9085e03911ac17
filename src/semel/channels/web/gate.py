"""What a request must show before it decides anything: a form of this session, from this site."""

import base64
import hmac

from starlette.requests import Request

from semel.channels.web.visitor import Person
from semel.runtime.engine import Engine

PORTS = {"http": 80, "https": 443}


def csrf(engine: Engine, person: Person) -> str:
    """What the forms of a session carry, so that no other site can send one of them."""
    return _mac(engine.subkeys("semel.csrf.v1")[0], person)


def same_csrf(engine: Engine, person: Person, given: str) -> bool:
    """Whether a form was made for this session, under any signing key that is still in use."""
    made = [_mac(key, person) for key in engine.subkeys("semel.csrf.v1")]
    return any(hmac.compare_digest(one.encode(), given.encode()) for one in made)


def same_origin(request: Request, origin: str | None = None) -> bool:
    """Whether a request comes from a page of this site, by what the browser itself says.

    Args:
        request: the request.
        origin: this site's own, ``https://invoices.example``, where a proxy hides it; by default
            the scheme, name and port under which the request came in.
    """
    said = request.headers.getlist("origin")
    site = request.headers.getlist("sec-fetch-site")
    # A browser that does not say where a form was, and a program that never says, decide nothing.
    if len(said) != 1 or any(one != "same-origin" for one in site):
        return False
    return _place(said[0]) == _place(origin or f"{request.url.scheme}://{request.url.netloc}")


def is_guess(request: Request) -> bool:
    """Whether nobody has asked yet: a browser or a preview fetches what may be asked for."""
    told = ("sec-purpose", "purpose", "x-moz", "x-purpose")
    return any(
        word in request.headers.get(name, "").lower()
        for name in told
        for word in ("prefetch", "prerender", "preview")
    )


def _place(origin: str) -> tuple[str, str, int] | None:
    scheme, found, rest = origin.lower().partition("://")
    if not found or scheme not in PORTS or not rest or set(rest) & set("/?#@ "):
        return None
    name, _, port = rest.rpartition(":") if not rest.endswith("]") else (rest, "", "")
    if not name:
        name, port = port, ""
    if port and not (len(port) < 6 and port.isascii() and port.isdigit()):
        return None
    return scheme, name, int(port or PORTS[scheme])


def _mac(key: bytes, person: Person) -> str:
    parts = f"{person.session}\x00{person.who.org}\x00{person.who.person}"
    return base64.urlsafe_b64encode(hmac.digest(key, parts.encode(), "sha256")[:24]).decode()
