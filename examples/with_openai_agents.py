"""María's invoice by an agent of the OpenAI Agents SDK: python examples/with_openai_agents.py.

The SDK's own scripted model stands in for a real one, so no key is needed; the loop is the SDK's.
"""

import asyncio
import json
import tempfile
from pathlib import Path

import agents
from agents.testing import ScriptedModel, assistant_message, function_call

import semel_facturas
from semel import Ask, Who
from semel.integrations.openai_agents import as_tool
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
    agents.set_tracing_disabled(True)
    async with semel_facturas.open(f"sqlite:///{home}/books.db", home=home) as engine:
        maria = (await semel_facturas.seed(engine)).contacts[0]
        ana = Who("carmona-demo", "ana", "main", "en")
        call = Call(ana, "m-1", SENTENCE)

        answer = [assistant_message("You have it on the screen.")]
        model = ScriptedModel([[function_call("act", plan(maria.id), call_id="c-1")], answer])
        agent = agents.Agent("Invoices", model=model, tools=[as_tool(Tool(engine.agent, "en"))])
        done = await agents.Runner.run(agent, SENTENCE, context=call)
        print("The agent says:", done.final_output)

        # Ana's own session: the SDK has no part in it, and no token has been there.
        person = engine.person(ana)
        (waiting,) = await person.plans()
        ask = await person.status(waiting.plan)
        print(ask.card("en").text())
        if isinstance(ask, Ask) and ask.token:
            print((await person.confirm(ask.token)).card("en").text())

        # The loop is begun again for the same message, and the model's call has another id.
        model.extend([[function_call("act", plan(maria.id), call_id="c-2")], answer])
        again = await agents.Runner.run(agent, SENTENCE, context=call)
        print("The model is told:", json.loads(str(again.new_items[1].output))["says"])
        print("E-mails that left:", len(list((home / "mail").glob("*.eml"))))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder)))
