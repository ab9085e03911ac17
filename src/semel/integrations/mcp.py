"""The one tool over the Model Context Protocol, for one person whom no argument can change.

Person and conversation are the server's own; the protocol knows no person's message, so equal plans
are one request for a time, unless the host names the message in ``_meta``. Whatever a client does
with its request, what began goes on: its answer is there for whoever asks again.
"""

import asyncio
import json
import logging
from collections.abc import Coroutine, Mapping
from importlib.metadata import version
from typing import Any

from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from semel.domain.plan import SAME_SECONDS, NoMessage, Who
from semel.domain.report import Ask, Next, Outcome, Status
from semel.facts import JSON
from semel.integrations.tool import ELSEWHERE, LOST, STATUS, Tool
from semel.runtime.faces import AgentFace

MESSAGE, SENTENCE = "semel/message", "semel/sentence"
"""Names in a request's ``_meta``, by which a host that knows the person's message says so."""

ANSWER: dict[str, JSON] = {
    "type": "object",
    "properties": {
        "status": {"enum": [str(one) for one in Status]},
        "says": {"type": "string"},
        "next": {"enum": [str(one) for one in Next]},
        "plan": {"type": ["string", "null"]},
    },
    "required": ["status", "says", "next", "plan"],
}
"""JSON Schema of what both tools answer."""

ONE_PLAN: dict[str, JSON] = {
    "type": "object",
    "properties": {"plan": {"type": "string"}},
    "required": ["plan"],
    "additionalProperties": False,
}

log = logging.getLogger("semel")

Context = ServerRequestContext[Any, Any]


class Served:
    """An engine's agent as an MCP server, for one person in one conversation.

    Args:
        agent: ``engine.agent``, and nothing else of an engine.
        who: the person and conversation of every call; the locale is the language of it all.
        seconds: for how long after its end a plan answers equal calls, where the host names no
            message.
    """

    def __init__(self, agent: AgentFace, who: Who, seconds: float = SAME_SECONDS) -> None:
        self._agent = agent
        self._who = who
        self._without = NoMessage(seconds)
        self._tool = Tool(agent, who.locale)
        self._locale = who.locale if who.locale in STATUS else "en"
        self._calls = set[asyncio.Task[Outcome]]()
        self.server: Server[Any] = Server(
            "semel", version=version("semel"), on_list_tools=self._list, on_call_tool=self._call
        )

    async def settle(self) -> None:
        """Wait until no call is being answered any more, those that were cancelled included."""
        while self._calls:
            await asyncio.wait(self._calls)

    async def _list(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del ctx, params
        name, description = STATUS[self._locale]
        act = types.Tool(
            name=self._tool.name,
            description=self._tool.description,
            input_schema=self._tool.schema,
            output_schema=ANSWER,
            # A repeat is the same request; and a plan may end or change what is there.
            annotations=types.ToolAnnotations(
                read_only_hint=False, destructive_hint=True, idempotent_hint=True
            ),
        )
        status = types.Tool(
            name=name,
            description=description,
            input_schema=ONE_PLAN,
            output_schema=ANSWER,
            annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        )
        return types.ListToolsResult(tools=[act, status])

    async def _call(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        given = params.arguments or {}
        if params.name == self._tool.name:
            message, sentence = _said(ctx.meta or {})
            verb = self._agent.act(
                self._who, given, message=message or self._without, sentence=sentence
            )
            return await self._answered(verb)
        if params.name == STATUS[self._locale][0]:
            plan = given.get("plan")
            if given.keys() != {"plan"} or not isinstance(plan, str):
                raise MCPError(types.INVALID_PARAMS, "It takes one text, plan.")
            return await self._answered(self._agent.status(self._who, plan))
        raise MCPError(types.INVALID_PARAMS, "There is no such tool.")

    async def _answered(self, verb: Coroutine[Any, Any, Outcome]) -> types.CallToolResult:
        """What a model reads of an outcome; the verb goes on when the request is cancelled."""
        task = asyncio.get_running_loop().create_task(verb)
        self._calls.add(task)
        task.add_done_callback(self._done)
        try:
            outcome = await asyncio.shield(task)
        except Exception:  # noqa: BLE001 - whatever it is, a model reads a sentence; _done logs it
            return types.CallToolResult(content=[_text(LOST[self._locale])], is_error=True)
        told = outcome.for_model(self._locale).plain()
        if isinstance(outcome, Ask):
            # Nothing here shows them the card, so the model has to say where it is.
            told["says"] = f"{told['says']} {ELSEWHERE[self._locale]}"
        text = json.dumps(told, ensure_ascii=False)
        return types.CallToolResult(content=[_text(text)], structured_content=told)

    def _done(self, task: "asyncio.Task[Outcome]") -> None:
        self._calls.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("A call could not be answered.", exc_info=error)


def _said(meta: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The message's id and the person's words, where the host knows them."""
    message, sentence = meta.get(MESSAGE), meta.get(SENTENCE)
    for name, value in ((MESSAGE, message), (SENTENCE, sentence)):
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise MCPError(types.INVALID_PARAMS, f"_meta: {name} is a text that is not blank.")
    return message, sentence


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
