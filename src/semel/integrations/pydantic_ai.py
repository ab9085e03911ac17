"""The one tool, and guarded ones, for Pydantic AI.

``agent.run(…, deps=Call(…))`` says whose run it is. The framework's own approvals are no yes: they
come with a history that whoever sends it can write, so an "approved" call asks all the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from semel.guard import Guard
from semel.integrations.guarded import telling, turn
from semel.integrations.tool import Call, Tool, given, told

try:
    import pydantic_ai
    from pydantic_ai.toolsets import FunctionToolset, ToolsetTool, WrapperToolset
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
        return await told(tool, arguments, _call(ctx, call))

    made = pydantic_ai.Tool.from_schema(
        invoke, tool.name, tool.description, dict(tool.schema), takes_ctx=True
    )
    # Arguments that are no object would otherwise end the run, and the model could not mend them.
    made.function_schema.validator = SchemaValidator(core_schema.dict_schema())
    return made


@dataclass
class GuardedToolset(WrapperToolset[Any]):
    """Tools whose calls are made in the turn that a run's ``deps`` say; see :func:`guarded`."""

    guard: Guard
    call: Callable[[Any], Call] | None = None

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: pydantic_ai.RunContext[Any],
        tool: ToolsetTool[Any],
    ) -> Any:
        """Make the call in its turn."""
        with turn(self.guard, _call(ctx, self.call)):
            return await super().call_tool(name, tool_args, ctx, tool)


def guarded(
    guard: Guard, *functions: Callable[..., Any], call: Callable[[Any], Call] | None = None
) -> GuardedToolset:
    """Guarded functions as one of an agent's ``toolsets``, in the turn that the run's deps say.

    Args:
        guard: the one that the functions are guarded by.
        functions: what ``guard.once`` has made, or ``guard.status_tool()``.
        call: as in :func:`as_tool`.

    Raises:
        NoCall: in a run whose ``deps`` say nothing of a turn; the run ends with it.
    """
    return GuardedToolset(FunctionToolset([telling(one) for one in functions]), guard, call)


def _call(ctx: pydantic_ai.RunContext[Any], call: Callable[[Any], Call] | None) -> Call:
    return given(call(ctx.deps) if call else ctx.deps, "the run's deps")
