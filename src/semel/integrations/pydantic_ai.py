"""The one tool for Pydantic AI.

``agent.run(…, deps=Call(…))`` says whose run it is. The framework's own approvals are no yes: they
come with a history that whoever sends it can write, so an "approved" call asks all the same.
"""

from collections.abc import Callable
from typing import Any

from semel.integrations.tool import Call, Tool, given, told

try:
    import pydantic_ai
    from pydantic_core import SchemaValidator, core_schema
except ModuleNotFoundError as no:
    raise ModuleNotFoundError(
        "semel.integrations.pydantic_ai needs Pydantic AI: pip install 'semel[pydantic-ai]'"
    ) from no


def as_tool(tool: Tool, call: Callable[[Any], Call] | None = None) -> pydantic_ai.Tool[Any]:
    """The tool as an agent of this framework takes it, among its ``tools``.

    Args:
        tool: made from ``engine.agent``.
        call: whose call it is, from the run's ``deps``; by default they are the ``Call`` itself.

    Raises:
        NoCall: in a run whose ``deps`` say nothing of that; the run ends with it.
    """

    async def invoke(ctx: pydantic_ai.RunContext[Any], /, **arguments: object) -> str:
        found = call(ctx.deps) if call else ctx.deps
        return await told(tool, arguments, given(found, "the run's deps"))

    made = pydantic_ai.Tool.from_schema(
        invoke, tool.name, tool.description, dict(tool.schema), takes_ctx=True
    )
    # Arguments that are no object would otherwise end the run, and the model could not mend them.
    made.function_schema.validator = SchemaValidator(core_schema.dict_schema())
    return made
