"""The application over real HTTP, with a form's fields read from its page."""

import asyncio
import html
import json
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from assistant_desk import Fake, Table, table
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse

from semel_facturas.assistant import Assistant
from semel_facturas.web import application, chat
from semel_facturas.web.session import Desk


@dataclass
class Browser:
    """Somebody who is signed in, without a script."""

    client: httpx.AsyncClient
    at: Table

    @property
    def origin(self) -> str:
        return str(self.client.base_url).rstrip("/")

    async def page(self) -> str:
        answer = await self.client.get("/")
        assert answer.status_code == 200, answer.text
        return answer.text

    async def fields(self) -> dict[str, str]:
        """The hidden fields of the composer."""
        form = (await self.page()).partition('class="composer"')[2].partition("</form>")[0]
        return {
            name: html.unescape(value)
            for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
        }

    async def send(self, text: str, *, script: bool = False, **more: Any) -> httpx.Response:
        headers = {"origin": self.origin, **more.pop("headers", {})}
        if script:
            headers["accept"] = "application/json"
        fields = more or await self.fields()
        return await self.client.post("/messages", data={**fields, "text": text}, headers=headers)

    async def events(self, message: str) -> list[tuple[str, Any]]:
        """All events of an answer, until it ends."""
        found: list[tuple[str, Any]] = []
        async with self.client.stream("GET", f"/messages/{message}/events") as stream:
            assert stream.status_code == 200
            assert stream.headers["content-type"].startswith("text/event-stream")
            kind = ""
            async for line in stream.aiter_lines():
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    found.append((kind, json.loads(line.removeprefix("data: "))))
        return found


@asynccontextmanager
async def browser(home: Path, fake: Fake | None = None, who: str = "ana") -> AsyncIterator[Browser]:
    async with (
        table(home, fake) as at,
        serving(at, fake) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, timeout=30) as client,
    ):
        one = Browser(client, at)
        await sign_in(one, who)
        yield one


async def sign_in(one: Browser, who: str) -> None:
    answer = await one.client.post("/sign-in", data={"person": who}, headers={"origin": one.origin})
    assert answer.status_code == 303, answer.text


@asynccontextmanager
async def serving(at: Table, fake: Fake | None) -> AsyncIterator[str]:
    app = application(at.engine, home=at.home) if fake is None else _with(at, fake)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    task = asyncio.ensure_future(server.serve(sockets=[listening]))
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        listening.close()


def _with(at: Table, fake: Fake) -> FastAPI:
    """The conversation alone, on a model of a test's."""
    desk = Desk(at.engine)
    app = FastAPI()
    app.include_router(chat.routes(at.engine, desk, Assistant(at.engine, fake.model)))

    @app.get("/")
    async def page(request: Request) -> HTMLResponse:
        person = await desk.who(request)
        assert person is not None
        return HTMLResponse(await chat.pane(at.engine, person))

    @app.post("/sign-in")
    async def sign_in_(request: Request) -> HTMLResponse:
        answer = HTMLResponse("", 303)
        desk.keep(request, answer, "carmona-demo", "ana", None)
        return answer

    return app
