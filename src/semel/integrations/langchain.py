"""The one tool, and guarded ones, for LangChain and LangGraph.

``graph.ainvoke(…, context=Call(…))`` says whose run it is, or ``configurable={"semel": Call(…)}``.
A node that was interrupted is entered again from its first line, and so is this tool: the second
call has the same message and the same plan, and is told what the first one led to.
"""

from collections.abc import Callable
from typing import Any, NoReturn, cast

from semel.guard import Guard
from semel.integrations.guarded import telling, turn
from semel.integrations.tool import Call, Tool, given, told

try:
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool, StructuredTool
    from langgraph.runtime import get_runtime
    from pydantic import PrivateAttr
except ModuleNotFoundError as no:
    raise ModuleNotFoundError(
        "semel.integrations.langchain needs LangChain and LangGraph: pip install 'semel[langchain]'"
    ) from no

PLACE = "semel"
"""Where a ``Call`` is in a configuration's ``configurable``, if the run has no context."""

WHERE = f"the run's context or its configurable[{PLACE!r}]"


class ActTool(BaseTool):
    """``actuar`` / ``act`` as LangChain's tool; it is made by :func:`as_tool`."""

    _tool: Tool = PrivateAttr()
    _call: Callable[[RunnableConfig], Call] | None = PrivateAttr(default=None)

    # A model may write any name, so none of them is a parameter's here; what it writes for
    # ``_config`` LangChain replaces.
    async def _arun(self, /, *, _config: RunnableConfig, **arguments: object) -> str:
        return await told(self._tool, arguments, _call(_config, self._call))

    def _run(self, *_: object, **__: object) -> NoReturn:
        no = f"{self.name} waits for the world: use ainvoke or astream."
        raise NotImplementedError(no)  # LangChain asks for it, and a plan cannot be done blocking


def as_tool(tool: Tool, call: Callable[[RunnableConfig], Call] | None = None) -> ActTool:
    """The tool as ``create_agent`` or a ``ToolNode`` takes it.

    Args:
        tool: made from ``engine.agent``.
        call: whose call it is, from the run's configuration; by default the run's context is the
            ``Call`` itself, or ``configurable["semel"]`` is.

    Raises:
        NoCall: in a run that says nothing of that; the run ends with it.
    """
    made = ActTool(name=tool.name, description=tool.description, args_schema=dict(tool.schema))
    made._tool, made._call = tool, call  # noqa: SLF001 - pydantic takes no private attribute by name
    return made


class GuardedTool(StructuredTool):
    """A guarded function as LangChain's tool; it is made by :func:`guarded`."""

    _guard: Guard = PrivateAttr()
    _call: Callable[[RunnableConfig], Call] | None = PrivateAttr(default=None)

    async def _arun(self, *args: Any, config: RunnableConfig, **kwargs: Any) -> Any:
        with turn(self._guard, _call(config, self._call)):
            return await super()._arun(*args, config=config, **kwargs)


def guarded(
    guard: Guard,
    function: Callable[..., Any],
    call: Callable[[RunnableConfig], Call] | None = None,
) -> GuardedTool:
    """A guarded function as LangChain's tool, in the turn that the run's context says.

    Args:
        guard: the one that the function is guarded by.
        function: what ``guard.once`` has made, or ``guard.status_tool()``.
        call: as in :func:`as_tool`.

    Raises:
        NoCall: in a run that says nothing of a turn; the run ends with it.
    """
    made = cast("GuardedTool", GuardedTool.from_function(coroutine=telling(function)))
    made._guard, made._call = guard, call  # noqa: SLF001 - as above
    return made


def _call(config: RunnableConfig, call: Callable[[RunnableConfig], Call] | None) -> Call:
    return given(call(config) if call else _found(config), WHERE)


def _found(config: RunnableConfig) -> object:
    try:
        context: Any = get_runtime().context
    except (RuntimeError, AttributeError):
        # A tool that is called outside any graph has no runtime.
        context = None
    return context if context is not None else config.get("configurable", {}).get(PLACE)
