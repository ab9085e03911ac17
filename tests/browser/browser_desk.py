"""The application in this process, as a browser finds it, and everything that a test moves in it.

It is served by a loop in a thread of its own. What a test does to the engine it does on that loop;
what it holds, it holds at one of the engine's named points.
"""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from facturas_smtp import Scripted

import semel_facturas
from semel import Clock, Engine, Tx, Who
from semel.runtime.points import arm
from semel_facturas.web import application

T = TypeVar("T")
START = "2026-10-19T10:00:00+02:00"
WAIT = 30.0
MARIA = (
    "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, y envíasela por correo,"
    " y recuérdale el pago cinco días antes si no la he marcado pagada"
)


class DeskClock(Clock):
    """Runs from the story's morning, and further when a test says so."""

    def __init__(self) -> None:
        self._start = datetime.fromisoformat(START).astimezone(UTC)
        self._began = time.monotonic()
        self.moved = 0.0

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return time.monotonic() - self._began + self.moved

    def move(self, **by: float) -> None:
        self.moved += timedelta(**by).total_seconds()


class Held:
    """A point at which the engine stands until it is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.go = threading.Event()


class Desk:
    """The application of one test."""

    def __init__(self, home: Path, *, url: str | None = None, **script: str) -> None:
        self.home = home
        self.smtp = Scripted(script) if script else None
        """A mail server that answers by a script, where a test gives one; else the local sink."""
        self.clock = DeskClock()
        self.port = 0
        self.engine: Engine
        self.loop: asyncio.AbstractEventLoop
        self._url = url or f"sqlite:///{home / 'books.db'}"
        self._ready = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="desk", daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(WAIT), "The application does not answer."
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        arm(None)
        self.loop.call_soon_threadsafe(setattr, self.server, "should_exit", True)
        self._thread.join(WAIT)
        assert not self._thread.is_alive(), "The application does not let go."
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._error = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self.loop = asyncio.get_running_loop()
        smtp, mails = None, None
        if self.smtp is not None:
            mails = await asyncio.start_server(self.smtp.converse, "127.0.0.1", 0)
            smtp = f"smtp://127.0.0.1:{mails.sockets[0].getsockname()[1]}"
        self.engine = semel_facturas.open(self._url, home=self.home, clock=self.clock, smtp=smtp)
        async with self.engine:
            await semel_facturas.seed(self.engine)
            config = uvicorn.Config(
                application(self.engine, home=self.home), log_config=None, lifespan="off",
                timeout_graceful_shutdown=2,
            )  # fmt: skip
            self.server = uvicorn.Server(config)
            with socket.create_server(("127.0.0.1", self.port)) as listening:
                self.port = listening.getsockname()[1]
                self._ready.set()
                await self.server.serve(sockets=[listening])
        if mails is not None:
            mails.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something on the application's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(WAIT)

    def who(self, person: str = "ana", org: str = "carmona-demo") -> Who:
        return Who(org, person, "main", "es")

    def let_go(self, reply: str = "250 taken") -> None:
        """Let the mail server that hangs answer after all."""
        assert self.smtp is not None
        self.smtp.script["BODY"] = reply
        self.loop.call_soon_threadsafe(self.smtp.silence.set_result, None)

    def sweep(self) -> None:
        self.do(self.engine.sweep())

    def write(self, work: Callable[[Tx], object]) -> None:
        """Change the books as another program of the application would."""
        self.do(self.engine.write(work))

    def mails(self) -> int:
        return len(list((self.home / "mail").glob("*.eml")))

    def events(self, plan: str) -> list[str]:
        """What happened to a plan, in order."""
        detail = self.do(self.engine.operator.show(plan))
        return [str(event["kind"]) for event in detail.events] if detail else []

    def plans(self) -> list[str]:
        """The numbers of all plans, newest first."""
        return [view.plan for view in self.do(self.engine.operator.plans())]

    @contextmanager
    def hold(self, point: str, occurrence: int = 1) -> Iterator[Held]:
        """Stop the engine at a point inside a transaction, until it is let go or the block ends."""
        held, passed = Held(), 0

        def hook(name: str) -> None:
            nonlocal passed
            passed += name == point
            if name == point and passed == occurrence:
                held.reached.set()
                held.go.wait(WAIT)

        arm(hook)
        try:
            yield held
        finally:
            held.go.set()
            arm(None)
