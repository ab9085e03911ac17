"""The kind of route that the router has: each of its answers is shielded, a refusal too."""

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from semel.channels.web.refusal import Stopped
from semel.channels.web.shield import shielded
from semel.errors import StorageError

log = logging.getLogger("semel")


class Guarded(APIRoute):
    """A route without a way to an answer that lacks the headers, or shows a trace."""

    sign_in: str | None = None

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, and what is answered where it comes to nothing."""
        handler = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                answer = await handler(request)
            except Stopped as no:
                answer = no.answer(request, self.sign_in)
            except (RequestValidationError, HTTPException):
                answer = Stopped("fields").answer(request)
            except StorageError as no:
                log.warning("A request met a database that does not answer.", exc_info=no)
                answer = Stopped("away").answer(request)
            except Exception as no:
                log.exception("A request broke.", exc_info=no)
                answer = Stopped("broken").answer(request)
            shielded(answer.headers)
            return answer

        return guarded

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; one with another method changes nothing."""
        if scope["method"] in (self.methods or ()):
            await super().handle(scope, receive, send)
            return
        answer = Stopped("method").answer(Request(scope))
        answer.headers["allow"] = ", ".join(sorted(self.methods or ()))
        shielded(answer.headers)
        await answer(scope, receive, send)
