"""Another application with the router in it: two notices that go outside, and need no yes."""

import asyncio
import socket
import threading
from pathlib import Path
from typing import Any, Self

import uvicorn
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

import semel
from semel import Action, Ctx, Keyed, Made, Preview
from semel.channels.web import Person, Shield, router, sprite
from semel.facts import Text

WAIT = 30.0
WHO = semel.Who("org", "ana", "main", "es")
PAGE = """<!doctype html>
<html lang="es"><head><meta charset="utf-8"><title>Avisos</title>
<meta name="referrer" content="same-origin">
<link rel="icon" href="/s/card/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/s/card/tokens.css"><link rel="stylesheet" href="/s/card/card.css">
<script type="module" src="/s/card/card.js"></script></head>
<body>{sprite}<p class="vh" role="status" aria-live="polite" id="semel-status"></p>
<main><h1>Avisos</h1><h2>El plan</h2>
<semel-card plan="{plan}" src="/s/plans/{plan}"></semel-card></main></body></html>"""


class Words(semel.Input):
    texto: str


class Publish(Action, name="aviso.publicar", effect=Keyed(ttl=None), allow="avisos"):
    """Put a notice on the board, which knows a repeat by its key."""

    will = {"es": "Publicar «{texto}»", "en": "Publish “{texto}”"}
    did = {"es": "Publicado «{texto}»", "en": "Published “{texto}”"}
    Input = Words

    def __init__(self, small: "Small") -> None:
        self.small = small

    def risk(self, i: Words, ctx: Ctx) -> semel.Risk:
        return semel.SAFE

    def preview(self, i: Words, ctx: Ctx) -> Preview:
        return Preview(texto=Text(i.texto))

    async def run(self, i: Words, ctx: Ctx) -> Made:
        self.small.board.append(i.texto)
        if len(self.small.board) == 2:
            self.small.at_two.set()
            await self.small.go.wait()
        return Made(id=f"n{len(self.small.board)}")


class Small:
    """Serves it from a thread until the block ends."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.board: list[str] = []
        self.at_two = threading.Event()
        self.plan = ""
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(WAIT)
        return self

    def __exit__(self, *raised: object) -> None:
        self.let_go()
        self._loop.call_soon_threadsafe(setattr, self._server, "should_exit", True)
        self._thread.join(WAIT)
        assert not self._thread.is_alive()

    def let_go(self) -> None:
        self._loop.call_soon_threadsafe(self.go.set)

    def act(self, *texts: str) -> None:
        """A model proposes; nobody waits for how it ends."""
        steps = [{"action": "aviso.publicar", "input": {"texto": text}} for text in texts]
        acting = self.engine.agent.act(WHO, {"steps": steps}, message="m-1")
        self._acting: Any = asyncio.run_coroutine_threadsafe(acting, self._loop)

    async def _serve(self) -> None:
        self._loop, self.go = asyncio.get_running_loop(), asyncio.Event()
        self.engine = semel.Engine(
            f"sqlite:///{self.home / 'small.db'}", [Publish(self)], allow=lambda *_: True
        )
        app = FastAPI()
        app.include_router(router(self.engine, who=lambda _: Person(WHO, "s-1"), prefix="/s"))

        @app.get("/{plan}")
        async def page(request: Request, plan: str) -> Response:
            del request  # everybody sees the board
            return HTMLResponse(PAGE.format(plan=plan, sprite=sprite()))

        async with self.engine:
            with socket.create_server(("127.0.0.1", 0)) as listening:
                self.address = f"http://127.0.0.1:{listening.getsockname()[1]}"
                config = uvicorn.Config(
                    Shield(app), log_config=None, lifespan="off", timeout_graceful_shutdown=2
                )
                self._server = uvicorn.Server(config)
                self._ready.set()
                await self._server.serve(sockets=[listening])

    def newest(self) -> str:
        """The number of the plan that was proposed last."""
        plans = asyncio.run_coroutine_threadsafe(self.engine.operator.plans(), self._loop)
        return plans.result(WAIT)[0].plan

    def events(self, plan: str) -> list[str]:
        detail = asyncio.run_coroutine_threadsafe(self.engine.operator.show(plan), self._loop)
        found = detail.result(WAIT)
        return [str(event["kind"]) for event in found.events] if found else []
