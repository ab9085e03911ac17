"""The one tool, and guarded ones, for the OpenAI Agents SDK.

``Runner.run(agent, …, context=Call(…))`` says whose run it is. The SDK's own approvals are no yes:
they live in a state that whoever holds it can write, so an "approved" call asks all the same.
"""

from collections.abc import Callable
from typing import Any

from semel.guard import Guard
from semel.integrations.guarded import telling, turn
from semel.integrations.tool import Call, Tool, given, told

try:
    from agents import FunctionTool, function_tool
    from agents.tool_context import ToolContext
except ModuleNotFoundError as no:
    raise ModuleNotFoundError(
        "semel.integrations.openai_agents needs the OpenAI Agents SDK: "
        "pip install 'semel[openai-agents]'"
    ) from no


def as_tool(tool: Tool, call: Callable[[Any], Call] | None = None) -> FunctionTool:
    """The tool as an agent of this SDK takes it, among its ``tools``.

    Args:
        tool: made from ``engine.agent``.
        call: whose call it is, from the context that the run was given; by default that context is
            the ``Call`` itself.

    Raises:
        NoCall: in a run whose context says nothing of that; the run ends with it.
    """

    async def invoke(ctx: ToolContext[Any], arguments: str) -> str:
        return await told(tool, arguments, _call(ctx, call))

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=dict(tool.schema),
        on_invoke_tool=invoke,
        # What may be left out of an input has a default, which the strict form does not know.
        strict_json_schema=False,
    )


def guarded(
    guard: Guard, function: Callable[..., Any], call: Callable[[Any], Call] | None = None
) -> FunctionTool:
    """A guarded function as an agent's tool, in the turn that the run's context says.

    Args:
        guard: the one that the function is guarded by.
        function: what ``guard.once`` has made, or ``guard.status_tool()``.
        call: as in :func:`as_tool`.

    Raises:
        NoCall: in a run whose context says nothing of a turn; the run ends with it.
    """
    made = function_tool(telling(function))
    run = made.on_invoke_tool

    async def invoke(ctx: ToolContext[Any], arguments: str) -> Any:
        with turn(guard, _call(ctx, call)):
            return await run(ctx, arguments)

    made.on_invoke_tool = invoke
    return made


def _call(ctx: ToolContext[Any], call: Callable[[Any], Call] | None) -> Call:
    return given(call(ctx.context) if call else ctx.context, "the run's context")
