"""The one tool for the OpenAI Agents SDK.

``Runner.run(agent, …, context=Call(…))`` says whose run it is. The SDK's own approvals are no yes:
they live in a state that whoever holds it can write, so an "approved" call asks all the same.
"""

from collections.abc import Callable
from typing import Any

from semel.integrations.tool import Call, Tool, given, told

try:
    from agents import FunctionTool
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
        found = call(ctx.context) if call else ctx.context
        return await told(tool, arguments, given(found, "the run's context"))

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=dict(tool.schema),
        on_invoke_tool=invoke,
        # What may be left out of an input has a default, which the strict form does not know.
        strict_json_schema=False,
    )
