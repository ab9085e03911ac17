"""A site of a few lines on the notes' bench, served over real HTTP, and browsers of a few lines."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from app import ANA, BOTH, EVA, LUIS, Nota, insert
from fastapi import FastAPI
from notas_bench import Bench, act, crear, plan
from starlette.requests import Request

from semel import SAFE, Action, Ctx, Engine, Input, Local, Made, Preview, Risk, Who
from semel.channels.web import Agent, Person, Shield, csrf, router

PEOPLE = {"ana": ANA, "luis": LUIS, "eva": EVA}
ALSO = {"ana2": Who("o-1", "ana", "c-2", "es")}
RISKY = crear("Logo", urgente=True)


class Nada(Input):
    """Nothing is asked for."""


class Anotar(Action, name="nota.anotar", effect=Local(), makes=Nota, allow="notas.crear"):
    """Write a note that can be struck out again."""

    will = did = BOTH
    Input = Nada

    def risk(self, i: Nada, ctx: Ctx) -> Risk:
        return SAFE

    def preview(self, i: Nada, ctx: Ctx) -> Preview:
        return Preview()

    def run(self, i: Nada, ctx: Ctx) -> Made:
        row = insert(ctx, "Anotada", Decimal(1))
        return Made(row, undo={"id": row["id"]})

    def undo(self, data: Any, ctx: Ctx) -> Made:
        ctx.tx.run("notas.delete", org=ctx.org, id=data["id"])
        return Made()


class Notebook(Bench):
    """The notes' bench, with one action more."""

    def engine(self, **more: Any) -> Engine:
        engine = super().engine(**more)
        catalog = engine._core.catalog
        engine._core.catalog = type(catalog)([*catalog, Anotar()])
        return engine


@dataclass
class Site:
    """A site that is being served."""

    bench: Bench
    engine: Engine
    app: Any
    url: str
    signed_out: set[str] = field(default_factory=set)
    asked: int = 0

    def who(self, request: Request) -> Person | Agent | None:
        self.asked += 1
        name = request.headers.get("authorization", "").removeprefix("Bearer agent-")
        if name in PEOPLE:
            return Agent(PEOPLE[name])
        name = request.cookies.get("who", "")
        found = {**PEOPLE, **ALSO}.get(name)
        return Person(found, f"s-{name}") if found and name not in self.signed_out else None

    def browser(self, name: str | None = "ana", **headers: str) -> httpx.AsyncClient:
        """A browser that is signed in as somebody, on a page of this site."""
        own = {"origin": self.url, "sec-fetch-site": "same-origin", **headers}
        cookies = {"who": name} if name else {}
        return httpx.AsyncClient(base_url=self.url, headers=own, cookies=cookies, timeout=30)

    def agent(self, name: str = "ana") -> httpx.AsyncClient:
        """A program that works for somebody's model."""
        held = {"authorization": f"Bearer agent-{name}"}
        return httpx.AsyncClient(base_url=self.url, headers=held, timeout=30)

    def csrf(self, name: str = "ana") -> str:
        return csrf(self.engine, Person({**PEOPLE, **ALSO}[name], f"s-{name}"))

    async def asked_for(
        self, *steps: Any, name: str = "ana", message: str = "m-1"
    ) -> tuple[str, str]:
        """A plan that asks: its number and its token."""
        who = {**PEOPLE, **ALSO}[name]
        outcome = await act(self.engine, *(steps or [RISKY]), message=message, who=who)
        return outcome.view.plan, outcome.token

    def form(self, token: str = "", name: str = "ana", **more: str) -> dict[str, str]:
        return {"csrf": self.csrf(name), **({"token": token} if token else {}), **more}


@asynccontextmanager
async def served(app: Any) -> AsyncIterator[str]:
    """Serve an application on loopback while the block lasts."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, log_level="error", lifespan="off",
        timeout_graceful_shutdown=2,
    )  # fmt: skip
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    try:
        async with asyncio.timeout(30):
            while not server.started:  # noqa: ASYNC110 - uvicorn tells by this alone
                await asyncio.sleep(0.005)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def site(
    folder: Path, prefix: str = "", bench: Bench | None = None, **more: Any
) -> AsyncIterator[Site]:
    """A site on a bench of its own, or on the one that is given."""
    bench = bench or Notebook(folder)
    async with bench.engine() as engine:
        app = FastAPI()
        made = Site(bench, engine, None, "")
        app.include_router(router(engine, who=made.who, prefix=prefix, **more))
        made.app = Shield(app)
        async with served(made.app) as made.url:
            yield made
            engine._core.watch and engine._core.watch.end()


def token_in(html: str) -> str | None:
    """The token in a card's form."""
    found = re.search(r"smlc_[\w-]+", html)
    return found.group() if found else None


@dataclass
class Heard:
    """One event of a stream."""

    name: str
    id: int | None
    data: Any


async def events(answer: httpx.Response) -> AsyncIterator[Heard]:
    """The events of a stream; a comment comes as one without a name."""
    name, id, data = "", None, None
    async for line in answer.aiter_lines():
        kind, _, rest = line.partition(": ")
        if kind == "event":
            name = rest
        elif kind == "id":
            id = int(rest)
        elif kind == "data":
            data = json.loads(rest)
        elif not line and name:
            yield Heard(name, id, data)
            name, id, data = "", None, None


@asynccontextmanager
async def following(browser, number, **headers):
    """The events of a plan, in the order in which they come."""
    async with browser.stream("GET", f"/plans/{number}/events", headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield events(answer)


async def upto(stream, *, final):
    """What comes until the card is final, or once."""
    told = []
    async with asyncio.timeout(20):
        async for event in stream:
            told.append(event)
            if event.name == "end" or (event.data or {}).get("final") is final:
                return told
    return told


def paths(app: Any) -> Iterator[tuple[str, str]]:
    """Every method and path that an application describes."""
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            yield method.upper(), path


__all__ = [
    "ALSO",
    "PEOPLE",
    "RISKY",
    "Heard",
    "Site",
    "events",
    "following",
    "paths",
    "plan",
    "served",
    "site",
    "token_in",
    "upto",
]
