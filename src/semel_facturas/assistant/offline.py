"""The planner that needs no account, as a model of the same loop: openly a grammar.

It reads the person's last message, calls the one tool with the steps that the grammar made of it,
and says what the tool's answer came to. What it does not understand it says; it never guesses.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from semel import Engine, Who
from semel.integrations.tool import NAME
from semel_facturas.assistant.words import words
from semel_facturas.planned import planned

SAID = {
    "needs_person": "asks",
    "running": "running",
    "done": "done",
    "already_done": "already_done",
    "not_done": "other",
    "partial": "other",
    "in_doubt": "other",
    "invalid": "missing",
}
"""The plan's card says the rest; where there is none, the person is told why in semel's words."""


def offline(engine: Engine, who: Who) -> FunctionModel:
    """The grammar as a model, for the messages of one person."""
    return _Grammar(engine, who).model()


@dataclass(frozen=True, slots=True)
class _Grammar:
    engine: Engine
    who: Who

    def model(self) -> FunctionModel:
        return FunctionModel(self.answer, stream_function=self.stream, model_name="grammar")

    async def answer(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        said = await self._said(messages)
        if isinstance(said, str):
            return ModelResponse(parts=[TextPart(said)])
        return ModelResponse(parts=[ToolCallPart(self._tool, said)])

    async def stream(
        self, messages: list[ModelMessage], _: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        said = await self._said(messages)
        if isinstance(said, str):
            for word in said.split(" "):
                yield f"{word} "
        else:
            yield {0: DeltaToolCall(self._tool, json.dumps(said, ensure_ascii=False))}

    @property
    def _tool(self) -> str:
        return NAME["en" if self.who.locale.startswith("en") else "es"]

    async def _said(self, messages: list[ModelMessage]) -> str | dict[str, object]:
        """What to say now, or the plan to propose."""
        last = messages[-1]
        parts = last.parts if isinstance(last, ModelRequest) else []
        for part in parts:
            if isinstance(part, ToolReturnPart):
                return self._told(str(part.content))
        for part in reversed(parts):
            if isinstance(part, UserPromptPart):
                read = await planned(self.engine, self.who, str(part.content))
                return read if isinstance(read, str) else {"steps": read.steps}
        return words(self.who.locale, "no_plan")

    def _told(self, answer: str) -> str:
        told = json.loads(answer)
        return words(self.who.locale, SAID.get(told["status"], "no_plan"))
