"""The one tool that a model gets: it proposes a plan, and can do nothing else.

It holds ``engine.agent`` only, so no argument that a model writes leads to a yes. The person, the
conversation and the message come from the channel, never from the model.
"""

import json
from dataclasses import dataclass

from semel.domain.plan import Who
from semel.domain.report import Outcome
from semel.errors import NoCall
from semel.facts import JSON
from semel.runtime.faces import AgentFace
from semel.words.neutral import neutral

NAME = {"es": "actuar", "en": "act"}

DESCRIPTION = {
    "es": (
        "Propone un plan de pasos para hacer lo que ha pedido la persona. Pon en un solo plan "
        "todo lo que pide su mensaje, en orden. Un paso puede usar lo que hará un paso anterior: "
        "«$1» es lo que haga el paso 1. No inventes datos: si falta algo, se te dirá qué "
        "preguntar. Si hace falta su confirmación, se le pide aparte; tú no puedes darla."
    ),
    "en": (
        "Propose a plan of steps that does what the person asked for. Put everything that their "
        "message asks for into one plan, in order. A step can use what an earlier step will make: "
        '"$1" is what step 1 makes. Invent nothing: if something is missing you are told what to '
        "ask. When their confirmation is needed they are asked separately; you cannot give it."
    ),
}

STATUS = {
    "es": (
        "consultar_estado",
        "Dice cómo está un plan, por el número que dio su respuesta. No cambia nada.",
    ),
    "en": (
        "check_status",
        "Say how a plan stands, by the number that its answer gave. It changes nothing.",
    ),
}
"""Name and description of the tool that only looks, for frameworks that poll."""

ELSEWHERE = {
    "es": (
        "Lo ve y lo contesta en su propia sesión de semel (terminal o web), no aquí: "
        "dile que le espera allí y qué número tiene el plan."
    ),
    "en": (
        "They see it and answer it in their own session of semel (terminal or web), not here: "
        "tell them that it waits for them there, and the number of the plan."
    ),
}
"""What is said of a question where nothing shows its card to the person."""

LOST = {
    "es": (
        "No se sabe si esto ha quedado apuntado, porque ahora no se puede usar la base de datos. "
        "Llama otra vez con exactamente lo mismo: nada se hace dos veces."
    ),
    "en": (
        "It is not known whether this was noted, because the database cannot be used at present. "
        "Call again with exactly the same: nothing is done twice."
    ),
}
"""What is said when a call could not be answered: the plan's key makes the next one the same."""


@dataclass(frozen=True, slots=True)
class Call:
    """Where a call of the tool comes from, as the channel knows it."""

    who: Who
    message: str
    """Id of the person's message that the model is working on."""
    sentence: str | None = None
    """The person's words."""


class Tool:
    """``actuar`` / ``act``, made from the actions that an engine has registered."""

    def __init__(self, agent: AgentFace, locale: str = "en") -> None:
        self._agent = agent
        self._locale = locale if locale in NAME else "en"

    @property
    def name(self) -> str:
        """The tool's name in the model's language."""
        return NAME[self._locale]

    @property
    def description(self) -> str:
        """What the model reads about it."""
        return DESCRIPTION[self._locale]

    @property
    def schema(self) -> dict[str, JSON]:
        """JSON Schema of its arguments."""
        return self._agent.schema()

    async def __call__(self, arguments: object, call: Call) -> Outcome:
        """Propose what the model wrote; it is told ``outcome.for_model(…)`` and nothing else."""
        return await self._agent.act(
            call.who, arguments, message=call.message, sentence=call.sentence
        )


def harmless(text: str, limit: int = 200) -> str:
    """Text from outside for a model or a person to read: one line, nothing hidden, no token.

    Args:
        text: what somebody typed into a name.
        limit: characters that are kept; a longer one ends in ``…``.
    """
    return neutral(text, limit)


def given(found: object, where: str) -> Call:
    """The call that a framework's context holds.

    What counts is the object: a mapping of the same shape may have come with a request, or out of a
    stored state that somebody else could write.

    Args:
        found: what is there.
        where: the place, as the framework's users call it, for the error.

    Raises:
        NoCall: it is no ``Call``, or lacks a part that a request is known by.
    """
    who = getattr(found, "who", None)
    if not isinstance(found, Call) or not isinstance(who, Who):
        name = type(found).__name__
        raise NoCall(f"In {where} there is no Call but a {name}. {FROM_THE_CHANNEL}")
    parts: dict[str, object] = {
        "organization": who.org,
        "person": who.person,
        "conversation": who.conversation,
        "message": found.message,
    }
    for name, part in parts.items():
        if not isinstance(part, str) or not part.strip():
            raise NoCall(f"The Call in {where} names no {name}. {FROM_THE_CHANNEL}")
    return found


FROM_THE_CHANNEL = (
    "It says whose message the model works on, and comes from the channel. Nothing was done."
)


async def told(tool: Tool, arguments: object, call: Call) -> str:
    """Make a call of the tool; all that a model may read of what came out, as JSON text."""
    outcome = await tool(arguments, call)
    # The outcome itself holds the person's token, so it goes no further than this line.
    return json.dumps(outcome.for_model(call.who.locale).plain(), ensure_ascii=False)
