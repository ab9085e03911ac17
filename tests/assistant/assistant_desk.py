"""The assistant at work on the demo world, with the offline grammar or with a model of a test's."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

import semel_facturas
import stores
from semel import Engine, Who
from semel.testing import MovableClock
from semel_facturas.application import seed
from semel_facturas.assistant import Assistant, Shown
from semel_facturas.books import conversation

ANA = Who("carmona-demo", "ana", "main", "es")
LUIS = Who("carmona-demo", "luis", "main", "es")
EVA = Who("otra-demo", "eva", "main", "es")
ENGLISH = Who("carmona-demo", "ana", "english", "en")
BEGIN = datetime(2026, 10, 19, 8, 0, tzinfo=UTC)
SENTENCE = (
    "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, y envíasela por correo"
)
TWIN = "Make an invoice to María Carmona for the logo design, €500 plus VAT, and email it to her"
EXPENSE = "Apunta un gasto de Adobe, 72,59 € IVA incluido"
EXPENSE_STEPS = {
    "steps": [
        {
            "action": "gasto.crear",
            "input": {"concepto": "Adobe", "importe": "72.59", "iva_incluido": True},
        }
    ]
}

Reply = str | list[tuple[str, Any]] | Exception
"""What a fake model answers: a text, calls of tools with their arguments, or a failure."""


@dataclass
class Fake:
    """A provider's model that says what a test has written, and remembers what it was sent."""

    replies: list[Reply]
    asked: list[list[ModelMessage]] = field(default_factory=list)
    info: list[AgentInfo] = field(default_factory=list)
    before: Callable[[], Coroutine[Any, Any, None]] | None = None
    preface: str = ""
    """What it says before it calls a tool."""

    def model(self, _: Who) -> Model:
        return FunctionModel(self.answer, stream_function=self.stream, model_name="fake")

    async def next(self, messages: list[ModelMessage], info: AgentInfo) -> str | list[Any]:
        self.asked.append(list(messages))
        self.info.append(info)
        if self.before is not None:
            await self.before()
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        reply = await self.next(messages, info)
        if isinstance(reply, str):
            return ModelResponse(parts=[TextPart(reply)])
        return ModelResponse(parts=[ToolCallPart(name, given) for name, given in reply])

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        reply = await self.next(messages, info)
        if isinstance(reply, str):
            for word in reply.split(" "):
                yield f"{word} "
            return
        if self.preface:
            yield self.preface
        for place, (name, given) in enumerate(reply):
            text = given if isinstance(given, str) else json.dumps(given)
            yield {place: DeltaToolCall(name, text, tool_call_id=f"call-{len(self.asked)}-{place}")}


@dataclass
class Table:
    """An engine on the demo world, and the assistant that answers there."""

    home: Path
    engine: Engine
    assistant: Assistant
    clock: MovableClock

    async def say(self, text: str, who: Who = ANA, request: str | None = None) -> Shown:
        message = await self.assistant.hear(who, request or self.engine.new_id(), text)
        await self.assistant.wait(who, message)
        shown = await self.assistant.shown(who, message)
        assert shown is not None
        return shown

    async def plans(self, who: Who = ANA) -> list[str]:
        return [view.plan for view in await self.engine.person(who).plans()]

    async def lines(self, who: Who = ANA) -> list[conversation.Line]:
        return await self.engine.read(lambda tx: conversation.lines(tx, who, 500))

    def count(self, table: str) -> int:
        return int(stores.rows(self.home / "books.db", f"SELECT count(*) FROM {table}")[0][0])

    def another(self, fake: Fake | None = None) -> "Table":
        """One more process on the same books."""
        engine = opened(self.home, self.clock)
        return Table(self.home, engine, Assistant(engine, fake.model if fake else None), self.clock)


def opened(home: Path, clock: MovableClock) -> Engine:
    url = stores.url(home / "books.db", "facturas")
    return semel_facturas.open(url, home=home, clock=clock)


@asynccontextmanager
async def table(home: Path, fake: Fake | None = None) -> AsyncIterator[Table]:
    clock = MovableClock(BEGIN)
    engine = opened(home, clock)
    await engine.start(sweeps=False)
    try:
        await seed(engine)
        yield Table(home, engine, Assistant(engine, fake.model if fake else None), clock)
    finally:
        await engine.stop()


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)
