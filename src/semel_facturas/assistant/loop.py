"""One message through the loop: a model, the tool that proposes, the tools that read, their limits.

Whatever the model is, what it can bring about is a plan that a person reads: nothing here decides.
"""

import asyncio
import logging
from collections.abc import AsyncIterable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import Agent, RunContext
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from semel import Engine
from semel.integrations.pydantic_ai import as_tool
from semel_facturas.assistant.reading import tools
from semel_facturas.assistant.turn import Noting, Turn, through
from semel_facturas.assistant.words import words

REQUESTS_MAX = 8
"""Requests of a model for one message. A plan takes two, and a name or two to look up first make
four; what asks more often goes round in circles, and each turn costs somebody money."""

ANSWER_SECONDS = 60.0
"""How long a message may take a model altogether. Nobody reads a chat that says nothing for longer,
and the form without a script waits as long."""

TEXT_MAX = 8_000
"""Characters of an answer that are shown and kept; a plan's figures are on its card, not in it."""

HISTORY_BYTES = 64 * 1024
"""What a model is reminded of, at most: older turns go first. Twelve turns with a look into the
books each are about half of it."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What the assistant said, and what its model will remember of it."""

    text: str
    memory: str


class Loop:
    """The agent, once for each language."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._agents: dict[str, Agent[Turn, str]] = {}

    async def run(
        self,
        turn: Turn,
        text: str,
        model: Model,
        history: Sequence[str],
        hear: Callable[[str], None],
    ) -> Spoken:
        """Let the model work on a message; whatever goes wrong becomes a sentence.

        Args:
            turn: whose message it is; it notes what the tool answered.
            text: the person's words.
            model: which one.
            history: the turns before, as ``memory`` kept them, oldest first.
            hear: is told each piece of text as it comes.
        """
        said = _Said(hear)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                done = await self._agent(turn.who.locale).run(
                    text,
                    deps=turn,
                    model=model,
                    message_history=remembered(history),
                    usage_limits=UsageLimits(request_limit=REQUESTS_MAX),
                    event_stream_handler=said.hear,
                )
        except UsageLimitExceeded:
            return await _broken(turn, text, said, "too_long")
        except Exception:
            # A provider has its own ways to fail, and the person is owed a sentence for each.
            log.exception("The model did not finish the answer to message %s.", turn.message)
            return await _broken(turn, text, said, "unavailable")
        if not said.text.strip():
            said.say(words(turn.who.locale, "silent" if not turn.plans else "other"))
        return Spoken(_bounded(turn, said.text), done.new_messages_json().decode())

    def _agent(self, locale: str) -> Agent[Turn, str]:
        if locale not in self._agents:
            self._agents[locale] = Agent(
                deps_type=Turn,
                output_type=str,
                instructions=_instructions,
                tools=[as_tool(Noting(self._engine.agent, locale)), *tools(self._engine, locale)],
            )
        return self._agents[locale]


def memory(text: str, answer: str) -> str:
    """A turn in which no model took part, as one will remember it."""
    turn: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart(text)]),
        ModelResponse(parts=[TextPart(answer)]),
    ]
    return ModelMessagesTypeAdapter.dump_json(turn).decode()


def remembered(history: Sequence[str]) -> list[ModelMessage]:
    """The turns that fit, as a model is sent them."""
    kept: list[str] = []
    for one in reversed(history):
        if sum(map(len, kept)) + len(one) > HISTORY_BYTES:
            break
        kept.append(one)
    found: list[ModelMessage] = []
    for one in reversed(kept):
        found.extend(ModelMessagesTypeAdapter.validate_json(one))
    return found


def _instructions(ctx: RunContext[Turn]) -> str:
    return ctx.deps.prompt


async def _broken(turn: Turn, text: str, said: "_Said", why: str) -> Spoken:
    """What is said of a run that did not come to its end; the plans that it left are told of."""
    await through(turn)
    said.begin()
    said.say(words(turn.who.locale, f"{why}.plan" if turn.plans else why))
    answer = _bounded(turn, said.text)
    plans = f" ({', '.join(turn.plans)})" if turn.plans else ""
    return Spoken(answer, memory(text, answer + plans))


def _bounded(turn: Turn, text: str) -> str:
    text = text.strip()
    if len(text) <= TEXT_MAX:
        return text
    return text[:TEXT_MAX] + words(turn.who.locale, "cut")


class _Said:
    """The text of a run so far: what each response says is a paragraph."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        self.text = ""
        self._hear = hear

    async def hear(self, _: RunContext[Turn], events: AsyncIterable[Any]) -> None:
        async for event in events:
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                self.begin()
                self.say(event.part.content)
            elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                self.say(event.delta.content_delta)

    def begin(self) -> None:
        if self.text.strip():
            self.say("\n\n")

    def say(self, piece: str) -> None:
        room = TEXT_MAX - len(self.text)
        self.text += piece
        if piece and room > 0:
            self._hear(piece[:room])
