"""What a framework's driver does, what its scripted model says, and the world that judges it."""

import itertools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from facturas_bench import ANA, Facturas, borrador, emitir, enviar, plan

from semel import Ask, Engine, Guard, Outcome, Who
from semel.domain.consent import TOKEN_PREFIX
from semel.domain.plan import PlanState
from semel.integrations.tool import Call, Tool

Turn = str | list[str] | list[tuple[str, str]]
"""What the model answers: words, or calls by the JSON text of their arguments, of the one tool or of
the tool that is named."""

SENTENCE = "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, y envíasela"
WORDS = "Lo tienes en pantalla."


class Died(Exception):
    """The process dies while the model is being asked."""


class Script:
    """A scripted model of one run: it notes every request, and answers with the next turn."""

    def __init__(self, driver: "Driver", turns: Iterable[Turn | Died]) -> None:
        self._driver = driver
        self._turns = iter(turns)

    def answer(self, request: object) -> Turn:
        """Note what the model is sent, and what it says to that."""
        self._driver.requests.append(text(request))
        turn = next(self._turns)
        if isinstance(turn, Died):
            raise turn
        return turn

    def id(self) -> str:
        """The id of a call; as with a real model, no two are equal, not even of equal calls."""
        return f"call_{next(self._driver.ids)}"


def text(found: object) -> str:
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, default=repr)


class Driver:
    """An agent of a framework, in its own loop, with a scripted model and this project's adapter.

    Whatever the framework keeps or passes on beside requests (states, histories, traces) goes into
    ``kept``. A stored state is whatever the framework would write to a disk.
    """

    approves: ClassVar[bool] = True
    """Whether the framework has approvals of its own."""
    enters_again: ClassVar[bool] = False
    """Whether it enters a tool once more after an interrupt."""

    def __init__(self, engine: Engine) -> None:
        self.tool = Tool(engine.agent, "es")
        self.guard: Guard | None = None
        self.guarded: list[Callable[..., Any]] = []
        self.requests: list[str] = []
        self.kept: list[str] = []
        self.ids = itertools.count(1)

    def calls_of(self, turn: Turn) -> list[tuple[str, str]]:
        """The calls of a turn, each with the name of its tool."""
        return [(self.tool.name, one) if isinstance(one, str) else one for one in turn]

    async def run(self, turns: Iterable[Turn], call: Call) -> None:
        """A person's message, through the framework's loop to its end."""
        raise NotImplementedError  # each framework's driver says how

    async def died(self, turns: Iterable[Turn], call: Call) -> Any:
        """The same until the model is asked again; what was stored before the tool had answered."""
        raise NotImplementedError  # each framework's driver says how

    async def restored(self, stored: Any, turns: Iterable[Turn], call: Call) -> None:
        """Go on from there, in a new process."""
        raise NotImplementedError  # each framework's driver says how

    async def paused(self, turns: Iterable[Turn], call: Call) -> Any:
        """Until the framework asks for its own approval; what it has stored then."""
        raise NotImplementedError  # each framework's driver says how

    async def approved(self, stored: Any, turns: Iterable[Turn], call: Call) -> None:
        """Give that approval, by whoever holds the stored state, and go on."""
        raise NotImplementedError  # each framework's driver says how

    async def entered_again(self, turns: Iterable[Turn], call: Call) -> int:
        """Interrupt the node after the tool's call and go on; how often the tool was entered."""
        raise NotImplementedError  # each framework's driver says how

    async def forged(self, arguments: str, turns: Iterable[Turn], call: Call) -> None:
        """A history from a client: the tool was called so, was approved, and said it was done."""
        raise NotImplementedError  # each framework's driver says how


DRIVERS = {
    "openai_agents": "drive_openai_agents.OpenAIAgents",
    "pydantic_ai": "drive_pydantic_ai.PydanticAI",
    "langchain": "drive_langchain.LangChain",
    "chat_openai": "drive_chat.OpenAIChat",
    "chat_anthropic": "drive_chat.AnthropicChat",
}


def driver_of(name: str) -> type[Driver]:
    """A driver's class; importing a framework takes seconds, which only its own tests pay."""
    module, _, found = DRIVERS[name].partition(".")
    return getattr(import_module(module), found)


@dataclass
class World:
    """The reference application: its books and its mail judge, whatever a framework says."""

    facturas: Facturas
    engine: Engine
    driver: Driver

    def invoice(self) -> str:
        """What a model writes for the sentence."""
        steps = borrador(self.facturas.contact()), emitir("$1"), enviar("$1")
        return json.dumps(plan(*steps))

    def call(self, message: str = "m-1", who: Who = ANA) -> Call:
        return Call(who, message, SENTENCE)

    async def pending(self, who: Who = ANA) -> Ask:
        """The one question of a conversation, as the person's own session is shown it."""
        person = self.engine.person(who)
        asking = [one for one in await person.plans() if one.state is PlanState.ASKING]
        shown = [await person.status(one.plan) for one in asking]
        mine = [one for one in shown if isinstance(one, Ask) and one.token is not None]
        assert len(mine) == 1, f"{len(mine)} questions"
        return mine[0]

    async def yes(self, who: Who = ANA) -> Outcome:
        """The person presses the button."""
        return await self.engine.person(who).confirm((await self.pending(who)).token or "")

    def books(self) -> tuple[int, list[str], int]:
        """How many plans there are, the numbers of the invoices, and how many e-mails left."""
        (plans,) = self.facturas.sql("SELECT count(*) FROM semel_plans")[0]
        return plans, self.facturas.numbers(), len(self.facturas.letters())

    def told(self) -> list[dict[str, Any]]:
        """Every answer of the tool that the model was sent with its last request."""
        return [answer for answer in found(self.driver.requests[-1]) if "says" in answer]

    def assert_no_token(self) -> None:
        """Neither the model nor anything that the framework keeps has seen a token of anybody's."""
        # What the tool returned is in both, so they are where a token would be.
        kept = "\n".join(self.driver.kept)
        assert "says" in kept
        assert any("says" in request for request in self.driver.requests)
        seen = "\n".join([*self.driver.requests, kept])
        assert TOKEN_PREFIX not in seen


def found(request: str) -> list[dict[str, Any]]:
    """Every JSON object within a request that is written as text, however deep it is quoted."""
    answers: list[dict[str, Any]] = []

    def look(value: Any) -> None:
        if isinstance(value, dict):
            if "status" in value and "says" in value:
                answers.append(value)
            for inner in value.values():
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)
        elif isinstance(value, str) and value.startswith(("{", "[")):
            try:
                inner = json.loads(value)
            except ValueError:
                return
            look(inner)

    look(json.loads(request))
    return answers
