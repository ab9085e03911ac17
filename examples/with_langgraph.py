"""María's invoice by an agent of LangChain on LangGraph: python examples/with_langgraph.py.

A scripted model stands in for a real one, so no key is needed; the graph, its checkpoints and its
interrupt are LangGraph's.
"""

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolCall
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

import semel_facturas
from semel import Ask, Who
from semel.integrations.langchain import as_tool
from semel.integrations.tool import Call, Tool

SENTENCE = "Invoice María Carmona for the logo design, €500 plus VAT, and email it to her"


def plan(contact: str) -> dict[str, Any]:
    """What a model would write."""
    line = {"concepto": "Logo design", "precio": "500"}
    steps = [
        ("factura.crear_borrador", {"contacto": contact, "lineas": [line]}),
        ("factura.emitir", {"factura": "$1"}),
        ("factura.enviar", {"factura": "$1"}),
    ]
    return {"steps": [{"action": name, "input": given} for name, given in steps]}


class Scripted(GenericFakeChatModel):
    """LangChain's fake model, which an agent may give tools to."""

    def bind_tools(self, *_: Any, **__: Any) -> "Scripted":
        """Its answers are written down already."""
        return self


entered: list[str] = []


@wrap_tool_call
async def pause(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
    """Stop the graph until the person has decided; then this node is entered again."""
    entered.append(request.tool_call["name"])
    answer = await handler(request)
    if json.loads(answer.content)["status"] == "needs_person":
        interrupt("The person decides.")
    return answer


async def main(home: Path) -> None:
    """Ask, say yes, and let the interrupted graph go on."""
    async with semel_facturas.open(f"sqlite:///{home}/books.db", home=home) as engine:
        maria = (await semel_facturas.seed(engine)).contacts[0]
        ana = Who("carmona-demo", "ana", "main", "en")
        call = Call(ana, "m-1", SENTENCE)

        asks = AIMessage("", tool_calls=[ToolCall(name="act", args=plan(maria.id), id="c-1")])
        graph: Any = create_agent(
            Scripted(messages=iter([asks, AIMessage("It is done.")])),
            [as_tool(Tool(engine.agent, "en"))],
            context_schema=Call,
            checkpointer=InMemorySaver(),
            middleware=[pause],
        )
        config = {"configurable": {"thread_id": "main"}}
        stopped = await graph.ainvoke({"messages": [("user", SENTENCE)]}, config, context=call)
        print("The graph waits:", stopped["__interrupt__"][0].value)

        # Ana's own session: the graph has no part in it, and no token has been there.
        person = engine.person(ana)
        (waiting,) = await person.plans()
        ask = await person.status(waiting.plan)
        print(ask.card("en").text())
        if isinstance(ask, Ask) and ask.token:
            print((await person.confirm(ask.token)).card("en").text())

        # What is resumed with says nothing; the tool is called again, and is told how it stands.
        done = await graph.ainvoke(Command(resume=True), config, context=call)
        print("The tool was entered:", len(entered), "times")
        print("The model is told:", json.loads(done["messages"][-2].content)["says"])
        print("The agent says:", done["messages"][-1].content)
        print("E-mails that left:", len(list((home / "mail").glob("*.eml"))))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder)))
