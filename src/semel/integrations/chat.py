"""The one tool for loops of one's own, in the shapes of OpenAI's and Anthropic's chat interfaces.

Nothing is imported: requests are made of dictionaries, and so are answers. Whose call it is has an
argument of its own, so that nothing in a message can say it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from semel.facts import JSON
from semel.integrations.tool import Call, Tool, given, told

WHERE = "the argument `call`"


def openai_tool(tool: Tool) -> dict[str, JSON]:
    """What ``tools`` of a chat completion takes."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.schema,
        },
    }


async def openai_messages(
    tool: Tool, tool_calls: Iterable[Mapping[str, Any]], call: Call
) -> list[dict[str, JSON]]:
    """Make the calls of the tool among an assistant's ``tool_calls``.

    Args:
        tool: made from ``engine.agent``.
        tool_calls: as the completion has them, each a dictionary; those of other tools are left.
        call: whose message it is, from the channel.

    Returns:
        The messages to append, one for each call.

    Raises:
        NoCall: *call* does not say it.
    """
    call = given(call, WHERE)
    return [
        {
            "role": "tool",
            "tool_call_id": one["id"],
            "content": await told(tool, one["function"]["arguments"], call),
        }
        for one in tool_calls
        if one.get("type", "function") == "function" and one["function"]["name"] == tool.name
    ]


def anthropic_tool(tool: Tool) -> dict[str, JSON]:
    """What ``tools`` of a message takes."""
    return {"name": tool.name, "description": tool.description, "input_schema": tool.schema}


async def anthropic_message(
    tool: Tool, content: Iterable[Mapping[str, Any]], call: Call
) -> dict[str, JSON]:
    """Make the calls of the tool among an assistant's ``content``.

    Args:
        tool: made from ``engine.agent``.
        content: as the message has it, each block a dictionary; those of other tools are left.
        call: whose message it is, from the channel.

    Returns:
        The message to append. Results of other tools go into its ``content`` too: all of a turn are
        one message.

    Raises:
        NoCall: *call* does not say it.
    """
    call = given(call, WHERE)
    results: list[JSON] = [
        {
            "type": "tool_result",
            "tool_use_id": one["id"],
            "content": await told(tool, one["input"], call),
        }
        for one in content
        if one.get("type") == "tool_use" and one["name"] == tool.name
    ]
    return {"role": "user", "content": results}
