"""Adapters that look like one, each with one mistake that has been made somewhere."""

import json
from collections.abc import Sequence
from typing import Any

from drive_chat import OpenAIChat

from semel import Ask, Engine, Who
from semel.integrations.tool import Call, told


class Bad(OpenAIChat):
    """A chat loop of which each subclass makes the calls in its own way."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.engine = engine

    async def results(self, message: dict[str, Any], call: Call) -> Sequence[dict[str, Any]]:
        return [
            {
                "role": "tool",
                "tool_call_id": one["id"],
                "content": await self.made(one["id"], one["function"]["arguments"], call),
            }
            for one in message["tool_calls"]
        ]

    async def made(self, id: str, arguments: str, call: Call) -> str:
        return await told(self.tool, arguments, call)


class KeysByCallId(Bad):
    """Takes the id of the tool call for that of the message."""

    async def made(self, id: str, arguments: str, call: Call) -> str:
        return await told(self.tool, arguments, Call(call.who, id, call.sentence))


class TellsTheToken(Bad):
    """Passes the outcome on whole, so that a page can draw its buttons."""

    async def made(self, id: str, arguments: str, call: Call) -> str:
        outcome = await self.tool(arguments, call)
        token = outcome.token if isinstance(outcome, Ask) else None
        return json.dumps(outcome.for_model("es").plain() | {"token": token})


class AsksTheModelWho(Bad):
    """Lets the model say for whom it works."""

    async def made(self, id: str, arguments: str, call: Call) -> str:
        given = json.loads(arguments)
        org, person = given.get("org", call.who.org), given.get("person", call.who.person)
        who = Who(org, person, given.get("conversation", call.who.conversation), call.who.locale)
        plan = {"steps": given.get("steps")}
        return await told(self.tool, plan, Call(who, given.get("message", call.message)))


class BelievesTheHistory(Bad):
    """Says yes by itself where the history has an approval."""

    async def loop(self, script: Any, history: Any, call: Call) -> None:
        await super().loop(script, history, call)
        if "confirmado=true" in json.dumps(history):
            for one in await self.engine.person(call.who).plans():
                ask = await self.engine.person(call.who).status(one.plan)
                if isinstance(ask, Ask):
                    await self.engine.person(call.who).confirm(ask.token or "")


class KeepsTheFirstCall(Bad):
    """Remembers whose conversation it was made for."""

    first: Call | None = None

    async def made(self, id: str, arguments: str, call: Call) -> str:
        self.first = self.first or call
        return await told(self.tool, arguments, self.first)


class PressesTheTokenItReads(Bad):
    """Has a way to confirm, for a model that was given a token."""

    async def made(self, id: str, arguments: str, call: Call) -> str:
        token = json.loads(arguments).get("token")
        if token:
            await self.engine.person(call.who).confirm(f"smlc_{token}")
        return await told(self.tool, arguments, call)


class MakesAnotherMessage(Bad):
    """Counts the runs of its loop as messages."""

    runs = 0

    async def loop(self, script: Any, history: Any, call: Call) -> None:
        self.runs += 1
        await super().loop(script, history, Call(call.who, f"{call.message}-{self.runs}"))
