"""The web application over real HTTP on a folder of its own, with a clock that moves."""

import contextlib
import itertools
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import uvicorn

import semel_facturas
import stores
from semel import Engine, Invalid, Outcome, Refused, Who
from semel.testing import MovableClock
from semel_facturas.sink import Sink
from semel_facturas.web import application

ANA = Who("carmona-demo", "ana", "main", "es")
BEGIN = datetime(2026, 10, 19, 8, 0, tzinfo=UTC)
LOGO = "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA"
MAILED = f"{LOGO}, y envíasela por correo"
REMINDED = f"{MAILED}, y recuérdale el pago cinco días antes si no la he marcado pagada"
HTML = {"Accept": "text/html"}


@dataclass
class Place:
    """A server, its engine, its sink, and who is signed in at it."""

    home: Path
    engine: Engine
    clock: MovableClock
    sink: Sink
    base: str
    clients: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _messages: "itertools.count[int]" = field(default_factory=itertools.count)

    def client(self, person: str | None = None, **headers: str) -> httpx.Client:
        """Somebody with a browser that follows nothing by itself; signed in when they have a name."""
        made = httpx.Client(base_url=self.base, headers=HTML | headers, timeout=30)
        self.clients.enter_context(made)
        if person is not None:
            answer = made.post("/sign-in", data={"person": person})
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
        return made

    def call(self, work: Any) -> Any:
        return self.engine.sync.call(work)

    def say(self, text: str, who: Who = ANA, *, yes: bool = True) -> Outcome:
        """What a sentence leads to, with a yes if it asks for one."""
        message = f"m-{next(self._messages)}"
        outcome = self.call(semel_facturas.ask(self.engine, who, text, message=message))
        assert not isinstance(outcome, str), outcome
        token = getattr(outcome, "token", None)
        if yes and token:
            outcome = self.call(self.engine.person(who).confirm(token))
            self.call(self.engine.settle())
        assert not isinstance(outcome, Invalid | Refused), outcome.for_model("es")
        return outcome

    def write(self, work: Any) -> Any:
        return self.call(self.engine.write(work))


@contextlib.contextmanager
def place(home: Path) -> Iterator[Place]:
    clock = MovableClock(BEGIN)
    home.mkdir(exist_ok=True)
    with Sink(home / "mail") as sink, contextlib.ExitStack() as clients:
        engine = semel_facturas.open(
            stores.url(home / "books.db", "facturas"), home=home, clock=clock, smtp=sink.url
        )
        with engine.sync:
            engine.sync.call(semel_facturas.seed(engine))
            with served(engine, home) as base:
                yield Place(home, engine, clock, sink, base, clients)


@contextlib.contextmanager
def served(engine: Engine, home: Path) -> Iterator[str]:
    """The application on a port of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            application(engine, home=home), log_level="critical", lifespan="off", ws="none"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


class Outline(HTMLParser):
    """A page's tags with their attributes' names, in order: its shape without a word of content."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.shape: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shape.append(" ".join([tag, *sorted(name for name, _ in attrs)]))

    def handle_endtag(self, tag: str) -> None:
        self.shape.append(f"/{tag}")


def shape(text: str) -> list[str]:
    return Outline(text).shape


def rows(text: str) -> dict[str, str]:
    """The invoices of a page with their states."""
    return dict(re.findall(r'data-invoice="([^"]+)" data-state="(\w+)"', text))


def words(text: str) -> str:
    """What somebody reads of a page, on one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).replace("&nbsp;", " ").split())


def csrf(text: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', text)
    assert found
    return found[1]
