"""The one tool for LangChain and LangGraph.

``graph.ainvoke(…, context=Call(…))`` says whose run it is, or ``configurable={"semel": Call(…)}``.
A node that was interrupted is entered again from its first line, and so is this tool: the second
call has the same message and the same plan, and is told what the first one led to.
"""

from collections.abc import Callable
from typing import Any, NoReturn

from semel.integrations.tool import Call, Tool, given, told

try:
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool
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
        found = self._call(_config) if self._call else _found(_config)
        return await told(self._tool, arguments, given(found, WHERE))

    def _run(self, *_: object, **__: object) -> NoReturn:
        raise NotImplementedError(f"{self.name} waits for the world: use ainvoke or astream.")


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


def _found(config: RunnableConfig) -> object:
    try:
        context: Any = get_runtime().context
    except (RuntimeError, AttributeError):
        # A tool that is called outside any graph has no runtime.
        context = None
    return context if context is not None else config.get("configurable", {}).get(PLACE)
