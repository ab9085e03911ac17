"""Everything that a model was sent and what it answered, as lines of JSON in a file.

It is a wrapper around whichever model there is, so that no request goes past it. A request that
cannot be written down is not sent.
"""

import json
import os
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from semel.facts import instant_text

TOKEN = re.compile(r"smlc_[A-Za-z0-9_-]*")
"""A token of a card's button. Nothing gives one to a model; should a person paste one into a
message, it is taken out before anything is kept of it."""

TAKEN_OUT = "⟨token⟩"


def tokenless(text: str) -> str:
    """A text without any token in it."""
    return TOKEN.sub(TAKEN_OUT, text)


UNSEEN = "Messages are sent only where the transcript sees them."


class Transcript:
    """A file that only grows, and that only its owner reads."""

    def __init__(self, path: Path, now: Callable[[], datetime]) -> None:
        self._path = path
        self._now = now

    def write(self, kind: str, model: str, **said: object) -> None:
        """Append a line: one write, so that the lines of two processes do not mix.

        Raises:
            OSError: the file cannot be written.
        """
        line = {"at": instant_text(self._now()), "kind": kind, "model": model, **said}
        text = json.dumps(line, ensure_ascii=False, default=str)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        file = os.open(self._path, flags, 0o600)
        try:
            os.fchmod(file, 0o600)
            os.write(file, f"{tokenless(text)}\n".encode())
        finally:
            os.close(file)


class Recorded(WrapperModel):
    """A model whose every request and answer is in a transcript."""

    def __init__(self, wrapped: Model, transcript: Transcript) -> None:
        super().__init__(wrapped)
        self._transcript = transcript

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Write the request down, make it, and write the answer down."""
        self._sent(messages, model_settings, model_request_parameters)
        try:
            answer = await super().request(messages, model_settings, model_request_parameters)
        except BaseException as no:
            self._failed(no)
            raise
        self._answered(answer)
        return answer

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Write the request down, make it, and write down what was streamed."""
        self._sent(messages, model_settings, model_request_parameters)
        try:
            async with super().request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as stream:
                yield stream
                self._answered(stream.get())
        except BaseException as no:
            self._failed(no)
            raise

    async def count_tokens(self, *_: object, **__: object) -> NoReturn:
        """Refuse: it would send the messages past the transcript."""
        raise NotImplementedError(UNSEEN)  # the base class would send them unseen

    async def compact_messages(self, *_: object, **__: object) -> NoReturn:
        """Refuse, as ``count_tokens``."""
        raise NotImplementedError(UNSEEN)  # the base class would send them unseen

    def _sent(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> None:
        tools = [*parameters.function_tools, *parameters.output_tools]
        self._transcript.write(
            "sent",
            self.model_name,
            messages=ModelMessagesTypeAdapter.dump_python(messages, mode="json"),
            settings=dict(settings or {}),
            tools=[
                {
                    "name": one.name,
                    "description": one.description,
                    "parameters": one.parameters_json_schema,
                }
                for one in tools
            ],
        )

    def _answered(self, answer: ModelResponse) -> None:
        said = ModelMessagesTypeAdapter.dump_python([answer], mode="json")[0]
        self._transcript.write("answered", self.model_name, answer=said)

    def _failed(self, no: BaseException) -> None:
        self._transcript.write("failed", self.model_name, error=f"{type(no).__name__}: {no}")
