"""A proxy in front of any MCP server, behind which each tool with an effect happens once.

What a policy calls a read goes through. Everything else is a call of the guard's: marked before its
first byte leaves, recorded when the server has answered, and answered from its record when it comes
again, whatever the id of the request, the connection and the process.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from mcp import Client, types
from mcp.server import Server, ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError

from semel.domain.canonical import NotCanonical, digest
from semel.domain.effect import Keyed
from semel.domain.report import Next, Status
from semel.errors import NotDone, SemelError, StorageError
from semel.guard.answer import Answer
from semel.guard.arguments import KEY, call_key, spelled
from semel.guard.drive import waited
from semel.guard.guard import Guard, Guarded
from semel.integrations.mcp import MESSAGE
from semel.integrations.mcp_ask import REFUSED, listed, plain, shown, text, told, yes
from semel.integrations.mcp_policy import Do, Policy, Rule
from semel.integrations.tool import LOST, STATUS

log = logging.getLogger("semel.guard")

Context = ServerRequestContext[Any, Any]
Result = types.CallToolResult | types.InputRequiredResult


SURE_SECONDS = 30.0
"""A record that answers for less time than this is not taken for an answer: a person is asked."""

PAGES_MAX = 100
"""Pages of a server's list of tools."""


class SameName(SemelError):
    """The server has a tool of the name that models ask the guard by."""


class _Said(Exception):
    """The server answered with an error, which proves nothing."""


@dataclass(slots=True)
class _Heard:
    """What the server said in one call, beside what is kept."""

    error: types.CallToolResult | None = None


_heard: ContextVar[_Heard] = ContextVar("semel_mcp_heard")


@dataclass(slots=True)
class _Behind:
    """The server behind, and whether it is known to have ended: then nothing reaches it."""

    client: Client
    piped: bool
    """It ends with its pipes; one over HTTP may come back."""
    gone: bool = False

    def told(self, error: types.ErrorData) -> None:
        """Look at an error for the word that it has ended, which is the SDK's and no server's."""
        closed = (error.code, error.message) == (types.CONNECTION_CLOSED, "Connection closed")
        self.gone = self.gone or (self.piped and closed)


class Proxy:
    """An MCP server that stands in front of another one.

    Args:
        upstream: a connected client of the other one.
        guard: what keeps the calls.
        policy: what is done about which tool.
        session: the conversation that calls without a named message are repeats in.
        locale: the language of what the guard itself says.
        piped: the other one is over pipes, and ends with them.
    """

    def __init__(
        self, upstream: Client, guard: Guard, policy: Policy, session: str = "main",
        locale: str = "en", *, piped: bool = True,
    ) -> None:  # fmt: skip
        self._upstream, self._guard, self._policy = upstream, guard, policy
        self._behind = _Behind(upstream, piped)
        self._session = session
        self._locale = locale if locale in STATUS else "en"
        self._tools: dict[str, tuple[types.Tool, Rule]] = {}
        self._guarded: dict[str, Guarded[Any]] = {}
        self._calls = set[asyncio.Task[Any]]()
        self.server: Server[Any] = Server(
            "semel", version=version("semel"), on_list_tools=self._list, on_call_tool=self._call
        )
        # What a client hands back of an earlier round is its own word, until it is unsealed.
        boundary = RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="semel")
        self.server.middleware.append(boundary)

    async def settle(self) -> None:
        """Wait until no call is being made any more, those that were cancelled included."""
        while self._calls:
            await asyncio.wait(self._calls)

    async def look(self) -> Mapping[str, tuple[types.Tool, Rule]]:
        """The server's tools as it lists them now, each with its rule.

        Raises:
            SameName: one is called as the guard's own.
            MCPError: the server does not list them.
        """
        found: dict[str, tuple[types.Tool, Rule]] = {}
        cursor: str | None = None
        for _ in range(PAGES_MAX):
            page = await self._upstream.list_tools(cursor=cursor)
            for tool in page.tools:
                raw = tool.model_dump(by_alias=True, mode="json", exclude_none=True)
                found[tool.name] = (tool, self._policy.rule(raw))
            cursor = page.next_cursor
            if not cursor:
                break
        if STATUS[self._locale][0] in found:
            raise SameName(f"The server has a tool {STATUS[self._locale][0]} of its own.")
        self._tools = found
        return found

    async def _list(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del ctx, params
        offered = [
            _without(tool, rule.key)
            for tool, rule in (await self.look()).values()
            if rule.do is not Do.REFUSE
        ]
        name, description = STATUS[self._locale]
        status = types.Tool(
            name=name,
            description=description,
            input_schema={
                "type": "object",
                "properties": {"job": {"type": "string"}},
                "required": ["job"],
            },
            annotations=types.ToolAnnotations(read_only_hint=True),
        )
        return types.ListToolsResult(tools=[*offered, status])

    async def _call(self, ctx: Context, params: types.CallToolRequestParams) -> Result:
        name, given = params.name, params.arguments or {}
        message = (ctx.meta or {}).get(MESSAGE)
        if message is not None and (not isinstance(message, str) or not message.strip()):
            raise MCPError(types.INVALID_PARAMS, f"_meta: {MESSAGE} is a text that is not blank.")
        if name == STATUS[self._locale][0]:
            with self._guard.turn(self._session, message, locale=self._locale):
                job = self._guard.check_status(str(given.get("job", "")))
                return await self._kept(self._asked_again(job), None)
        if name not in self._tools:
            await self.look()
        if name not in self._tools:
            raise MCPError(types.INVALID_PARAMS, "There is no such tool.")
        tool, rule = self._tools[name]
        if rule.do is Do.READ:
            return await self._upstream.call_tool(name, given)
        if rule.do is Do.REFUSE:
            return told(Status.REFUSED, Next.NOTHING, REFUSED[self._locale], name)
        given = {field: value for field, value in given.items() if field != rule.key}
        try:
            meaning = digest("semel.mcp.v1", name, spelled(given))
        except NotCanonical as no:
            raise MCPError(types.INVALID_PARAMS, str(no)) from no
        guarded = self._of(tool, rule)
        with self._guard.turn(self._session, message, str(ctx.request_id), self._locale):
            try:
                asks = rule.do is Do.ASK and not await self._known(guarded, given, message)
            except StorageError:
                return types.CallToolResult(content=[text(LOST[self._locale])], is_error=True)
            if asks:
                instead = await yes(ctx, params, meaning, shown(given), self._locale)
                if instead is not None:
                    return instead
            return await self._kept(self._once(guarded, given), tool)

    def _of(self, tool: types.Tool, rule: Rule) -> Guarded[Any]:
        """The guarded call of a tool; made once, so that parallel calls meet in it."""
        if tool.name not in self._guarded:
            call = _calling(self._behind, tool.name, rule)
            once: Callable[..., Guarded[Any]] = self._guard.once(
                effect=rule.effect, name=tool.name, window=rule.window, identity=["arguments"]
            )
            self._guarded[tool.name] = once(call)
        return self._guarded[tool.name]

    async def _known(self, guarded: Guarded[Any], given: Any, message: str | None) -> bool:
        """Whether the call was made, or is being made: then it needs no further yes."""
        kit, tool = self._guard.kit(), guarded.tool  # type: ignore[attr-defined]  # of a wrapped function
        bound = tool.arguments.bind((), {"arguments": given, "args": ""})
        key = call_key(self._session, message, tool.name, bound.meaning)
        found = await waited(kit.calls.find(key))
        return found is not None and not found.over(kit.after(SURE_SECONDS))

    async def _once(
        self, guarded: Guarded[Any], given: Mapping[str, Any]
    ) -> "tuple[Answer, _Heard]":
        heard = _Heard()
        _heard.set(heard)
        return await guarded.answer(arguments=given, args=listed(given)), heard

    @staticmethod
    async def _asked_again(job: Any) -> "tuple[Answer, _Heard]":
        return await job, _Heard()

    async def _kept(
        self, verb: "Coroutine[Any, Any, tuple[Answer, _Heard]]", tool: types.Tool | None
    ) -> types.CallToolResult:
        """What a model reads of a call; the call goes on when the request is cancelled."""
        task = asyncio.get_running_loop().create_task(verb)
        self._calls.add(task)
        task.add_done_callback(self._done)
        try:
            answer, heard = await asyncio.shield(task)
        except StorageError:
            return types.CallToolResult(content=[text(LOST[self._locale])], is_error=True)
        return _result(answer, heard, tool)

    def _done(self, task: "asyncio.Task[Any]") -> None:
        self._calls.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("A call could not be answered.", exc_info=error)


def _calling(behind: _Behind, name: str, rule: Rule) -> Callable[..., Any]:
    """The function that the guard calls: the server's tool, and what its answer proves."""

    async def call(arguments: dict[str, Any], args: str = "", **more: Any) -> dict[str, Any]:
        del args
        if behind.gone:
            raise NotDone("The MCP server behind has ended. Start the guard again.")
        sent = {**arguments, **({rule.key: more[KEY]} if rule.key is not None else {})}
        try:
            result = await behind.client.call_tool(name, sent)
        except MCPError as no:
            # The protocol's own word for a call that no tool has seen.
            if no.error.code in {types.INVALID_PARAMS, types.METHOD_NOT_FOUND}:
                raise NotDone(no.error.message) from no
            behind.told(no.error)
            raise
        if result.is_error:
            _heard.get().error = result
            said = " ".join(
                one.text for one in result.content if isinstance(one, types.TextContent)
            )
            if rule.proves:
                raise NotDone(said)
            raise _Said(said)
        return result.model_dump(
            by_alias=True, mode="json", exclude_none=True, exclude={"result_type", "is_error"}
        )

    if not isinstance(rule.effect, Keyed):
        return call

    async def keyed(
        arguments: dict[str, Any], args: str = "", *, idempotency_key: str
    ) -> dict[str, Any]:
        return await call(arguments, args, idempotency_key=idempotency_key)

    return keyed


def _result(answer: Answer, heard: _Heard, tool: types.Tool | None) -> types.CallToolResult:
    if answer.value is None or tool is None:
        own = plain(answer)
        # What the server itself said is what a model would have read without the guard.
        extra = heard.error.content if heard.error is not None else []
        return types.CallToolResult(content=[*own.content, *extra], is_error=True)
    result = types.CallToolResult.model_validate(answer.value)
    if answer.status is Status.ALREADY_DONE:
        result.content.insert(0, text(answer.says))
    return result


def _without(tool: types.Tool, key: str | None) -> types.Tool:
    """A tool without the argument that the guard gives."""
    if key is None:
        return tool
    schema = dict(tool.input_schema)
    schema["properties"] = {n: v for n, v in schema.get("properties", {}).items() if n != key}
    schema["required"] = [name for name in schema.get("required", []) if name != key]
    return tool.model_copy(update={"input_schema": schema})
