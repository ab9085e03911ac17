"""María's invoice by an agent of Pydantic AI: python examples/with_pydantic_ai.py.

The framework's own function model stands in for a real one, so no key is needed; the loop is the
framework's.
"""

import asyncio
import json
import tempfile
from pathlib import Path

from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.messages import ModelMessage, ModelRequest
from pydantic_ai.models.function import AgentInfo, FunctionModel

import semel_facturas
from semel import Ask, Who
from semel.integrations.pydantic_ai import as_tool
from semel.integrations.tool import Call, Tool

SENTENCE = "Invoice María Carmona for the logo design, €500 plus VAT, and email it to her"


def plan(contact: str) -> str:
    """What a model would write."""
    line = {"concepto": "Logo design", "precio": "500"}
    steps = [
        ("factura.crear_borrador", {"contacto": contact, "lineas": [line]}),
        ("factura.emitir", {"factura": "$1"}),
        ("factura.enviar", {"factura": "$1"}),
    ]
    return json.dumps({"steps": [{"action": name, "input": given} for name, given in steps]})


async def main(home: Path) -> None:
    """Ask, say yes, and let the loop run once more."""
    async with semel_facturas.open(f"sqlite:///{home}/books.db", home=home) as engine:
        maria = (await semel_facturas.seed(engine)).contacts[0]
        ana = Who("carmona-demo", "ana", "main", "en")
        call = Call(ana, "m-1", SENTENCE)

        def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
            if len(messages) == 1:
                return ModelResponse(parts=[ToolCallPart("act", plan(maria.id))])
            return ModelResponse(parts=[TextPart("You have it on the screen.")])

        tool = as_tool(Tool(engine.agent, "en"))
        agent = Agent(FunctionModel(model), deps_type=Call, tools=[tool])
        done = await agent.run(SENTENCE, deps=call)
        print("The agent says:", done.output)

        # Ana's own session: the framework has no part in it, and no token has been there.
        person = engine.person(ana)
        (waiting,) = await person.plans()
        ask = await person.status(waiting.plan)
        print(ask.card("en").text())
        if isinstance(ask, Ask) and ask.token:
            print((await person.confirm(ask.token)).card("en").text())

        # The loop is begun again for the same message, and the model's call has another id.
        again = await agent.run(SENTENCE, deps=call)
        for message in again.new_messages():
            for part in message.parts if isinstance(message, ModelRequest) else []:
                if part.part_kind == "tool-return":
                    print("The model is told:", json.loads(str(part.content))["says"])
        print("E-mails that left:", len(list((home / "mail").glob("*.eml"))))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder)))
