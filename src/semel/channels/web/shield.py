"""What every answer of the web carries, and under which names it may be asked."""

from collections.abc import Iterable, MutableMapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types semel"
)
"""Nothing runs, shows or is sent that is not this site's own file; and no page holds ours."""

KEPT = "no-store"
"""No cache keeps a card: it holds tokens, and what it says is of its moment."""

HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "cache-control": KEPT,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""Each answer has them; one that has set its own ``cache-control`` keeps it, as a file does."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""The names under which a machine reaches itself, and nobody else reaches it."""


def shielded(headers: MutableHeaders) -> None:
    """Put what every answer carries into an answer's headers."""
    for name, value in HEADERS.items():
        if name == "cache-control":
            headers.setdefault(name, value)
        else:
            headers[name] = value


class Shield:
    """An application with these headers on each of its answers, known under its own names only.

    A page of another site whose name is made to lead here would be this site's own for a browser
    (DNS rebinding): what is asked under a foreign name is refused before anything looks at it.

    Args:
        app: the application.
        hosts: the names under which it is served, without a port; a machine's own by default.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = LOOPBACK) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, and shield what is answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def shield(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                shielded(MutableHeaders(scope=_with_headers(message)))
            await send(message)

        if _host(scope) not in self._hosts:
            refused = JSONResponse({"says": "This site has another name."}, 421)
            await refused(scope, receive, shield)
            return
        try:
            await self._app(scope, receive, shield)
        except Exception:
            # Starlette has answered by now, with its own 500; what it raises is for the log.
            if not begun:
                await JSONResponse({"says": "Something broke here."}, 500)(scope, receive, shield)
            raise


def _with_headers(message: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    message.setdefault("headers", [])
    return message


def _host(scope: Scope) -> str:
    """The name that a request was made to; none, or two, are no name of ours."""
    named = [value for name, value in scope["headers"] if name == b"host"]
    if len(named) != 1:
        return ""
    host = str(named[0].decode("latin-1").lower())
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]
