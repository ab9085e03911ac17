"""What a guard in front of an MCP server says itself, and how it asks the person for a yes.

It is asked by the client, in a form of its own that the model does not fill in: by a round of the
request where the protocol has rounds, and else by a request back to the client.
"""

import json
from collections.abc import Mapping
from typing import Any

from mcp import types
from mcp.server import ServerRequestContext
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from semel.domain.report import Next, Status
from semel.guard.answer import Answer
from semel.words.neutral import visible

Result = types.CallToolResult | types.InputRequiredResult

CONFIRM = "confirm"

SHOWN_CHARACTERS = 1500
"""Of a call's arguments in the form that a person reads: more is not read before a yes."""

LISTED_CHARACTERS = 200
"""Of them in a sentence."""

REFUSED = {
    "es": "No se ha hecho nada: la política de este servidor no permite {tool}.",
    "en": "Nothing was done: this server's policy does not allow {tool}.",
}
CANNOT_ASK = {
    "es": (
        "No se ha hecho nada: {tool} necesita el sí de la persona, y este cliente no puede "
        'preguntarle. Quien lleva el servidor puede permitirlo en la política: {tool} = "once".'
    ),
    "en": (
        "Nothing was done: {tool} needs the person's yes, and this client cannot ask them. "
        'Whoever runs the server can allow it in the policy: {tool} = "once".'
    ),
}
SAID_NO = {
    "es": "No se ha hecho nada: la persona no ha dicho sí a {tool}. No lo repitas por tu cuenta.",
    "en": "Nothing was done: the person did not say yes to {tool}. Do not repeat it on your own.",
}
ASKED = {
    "es": "¿Hacer {tool}, una sola vez, con esto?\n{given}",
    "en": "Do {tool}, once, with this?\n{given}",
}
YES = {"es": "Sí, hacerlo", "en": "Yes, do it"}


async def yes(
    ctx: ServerRequestContext[Any, Any],
    params: types.CallToolRequestParams,
    meaning: str,
    given: str,
    locale: str,
) -> Result | None:
    """What is answered instead of making the call; None when the person has said yes.

    Args:
        ctx: the request.
        params: what it asks for; a later round of it carries what the person said.
        meaning: a digest of the call, to which the yes is bound.
        given: its arguments as the person reads them.
        locale: the language.
    """
    capabilities = ctx.session.client_capabilities
    form = capabilities.elicitation if capabilities is not None else None
    if form is None or (form.form is None and form.url is not None):
        return told(Status.REFUSED, Next.ASK_PERSON, CANNOT_ASK[locale], params.name)
    question = types.ElicitRequestFormParams(
        message=ASKED[locale].format(tool=visible(params.name), given=given),
        requested_schema={
            "type": "object",
            "properties": {CONFIRM: {"type": "boolean", "title": YES[locale]}},
            "required": [CONFIRM],
        },
    )
    said: object
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        said = await ctx.session.elicit_form(
            question.message, question.requested_schema, ctx.request_id
        )
    elif params.request_state == meaning:
        said = (params.input_responses or {}).get(CONFIRM)
    else:
        # The state says what was asked: a yes to one call is none to another.
        asked: types.InputRequests = {CONFIRM: types.ElicitRequest(params=question)}
        return types.InputRequiredResult(input_requests=asked, request_state=meaning)
    answered = said if isinstance(said, types.ElicitResult) else None
    if answered and answered.action == "accept" and (answered.content or {}).get(CONFIRM) is True:
        return None
    return told(Status.CANCELLED, Next.ASK_PERSON, SAID_NO[locale], params.name)


def told(status: Status, next_: Next, words: str, tool: str) -> types.CallToolResult:
    """What is said of a call that was not made."""
    return plain(Answer(status, words.format(tool=visible(tool)), None, next_, None, None))


def plain(answer: Answer) -> types.CallToolResult:
    """An answer of the guard's own: an error, since it is not what the tool's schema promises."""
    said = json.dumps(answer.plain(), ensure_ascii=False)
    return types.CallToolResult(content=[text(said)], is_error=True)


def text(said: str) -> types.TextContent:
    """A text as a part of a result."""
    return types.TextContent(type="text", text=said)


def shown(given: Mapping[str, Any]) -> str:
    """Arguments as a person reads them: a line each, with nothing hidden in them."""
    return "\n".join(_each(given, SHOWN_CHARACTERS))


def listed(given: Mapping[str, Any]) -> str:
    """Arguments in a sentence."""
    return "; ".join(_each(given, LISTED_CHARACTERS))[:LISTED_CHARACTERS]


def _each(given: Mapping[str, Any], limit: int) -> list[str]:
    share = max(40, limit // max(1, len(given)))
    return [
        visible(
            f"{name}: {one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)}",
            share,
        )
        for name, one in given.items()
    ]
