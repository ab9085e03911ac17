"""What stands before the application: it lets go of whoever only listens when it ends."""

import asyncio
from dataclasses import dataclass, field

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(slots=True)
class _Answer:
    """An answer that is on its way."""

    send: Send
    begun: bool = False
    over: bool = False
    stream: bool = False

    async def pass_on(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = dict(message["headers"])
            self.begun = True
            self.stream = headers.get(b"content-type", b"").startswith(b"text/event-stream")
        else:
            self.over = not message.get("more_body", False)
        await self.send(message)

    async def end(self) -> None:
        """End it properly where it is: a browser that follows a plan then connects anew."""
        if not self.begun:
            await PlainTextResponse("", 503)({"type": "http"}, _nothing, self.send)
        elif not self.over:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})


@dataclass(slots=True)
class Doors:
    """The application as it is reached.

    Args:
        app: the application.
    """

    app: ASGIApp
    _closed: bool = False
    _answers: dict["asyncio.Task[object]", _Answer] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        task = asyncio.current_task()
        if scope["type"] != "http" or task is None:
            return
        answer = self._answers[task] = _Answer(send)
        try:
            await self.app(scope, receive, self._watched(task, answer))
        except asyncio.CancelledError:
            if not self._closed:
                raise
            task.uncancel()
            await answer.end()
        finally:
            del self._answers[task]

    def close(self) -> None:
        """Let go of whoever only follows something, now and from here on."""
        self._closed = True
        for task, answer in self._answers.items():
            if answer.stream and not answer.over:
                task.cancel()

    def clear(self) -> None:
        """Let go of everybody; nothing that runs in the engine ends with its request."""
        for task in self._answers:
            task.cancel()

    def _watched(self, task: "asyncio.Task[object]", answer: _Answer) -> Send:
        async def send(message: Message) -> None:
            await answer.pass_on(message)
            if self._closed and answer.stream and not answer.over:
                task.cancel()

        return send


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
