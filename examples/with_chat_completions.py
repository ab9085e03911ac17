"""María's invoice in a loop of one's own: python examples/with_chat_completions.py.

The loop is the one that everybody writes around a chat completion. A function stands in for the
completion, so no key is needed; its answers have the shape that OpenAI's have.
"""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import semel_facturas
from semel import Ask, Who
from semel.integrations.chat import openai_messages, openai_tool
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


def completion(messages: list[dict[str, Any]], tools: list[Any], contact: str) -> dict[str, Any]:
    """The assistant's next message; a real one would be asked for over the network."""
    if messages[-1]["role"] == "tool":
        return {"role": "assistant", "content": "You have it on the screen."}
    name = tools[0]["function"]["name"]
    function = {"name": name, "arguments": plan(contact)}
    made = {"id": f"c-{len(messages)}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


async def loop(tool: Tool, call: Call, contact: str) -> list[dict[str, Any]]:
    """Ask the model and make its calls until it has only words."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": call.sentence}]
    while True:
        said = completion(messages, [openai_tool(tool)], contact)
        messages.append(said)
        if "tool_calls" not in said:
            return messages
        messages += await openai_messages(tool, said["tool_calls"], call)


async def main(home: Path) -> None:
    """Ask, say yes, and let the loop run once more."""
    async with semel_facturas.open(f"sqlite:///{home}/books.db", home=home) as engine:
        maria = (await semel_facturas.seed(engine)).contacts[0]
        ana = Who("carmona-demo", "ana", "main", "en")
        tool, call = Tool(engine.agent, "en"), Call(ana, "m-1", SENTENCE)
        done = await loop(tool, call, maria.id)
        print("The agent says:", done[-1]["content"])

        # Ana's own session: the loop has no part in it, and no token has been there.
        person = engine.person(ana)
        (waiting,) = await person.plans()
        ask = await person.status(waiting.plan)
        print(ask.card("en").text())
        if isinstance(ask, Ask) and ask.token:
            print((await person.confirm(ask.token)).card("en").text())

        # The loop is begun again for the same message.
        again = await loop(tool, call, maria.id)
        print("The model is told:", json.loads(again[2]["content"])["says"])
        print("E-mails that left:", len(list((home / "mail").glob("*.eml"))))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder)))
