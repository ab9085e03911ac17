"""The call of the one tool in a conversation, and what came of it."""

import asyncio
from dataclasses import dataclass, field

from semel import Outcome
from semel.integrations.tool import Call, Tool


@dataclass(frozen=True, slots=True)
class Turn(Call):
    """What a run works on: whose message, the prompt, and what the tool has answered so far."""

    prompt: str = ""
    outcomes: list[Outcome] = field(default_factory=list)
    """What the person is shown; a model is told less of it."""
    pending: set["asyncio.Task[Outcome]"] = field(default_factory=set)

    @property
    def plans(self) -> tuple[str, ...]:
        """The plans that the calls led to, each once, in their order."""
        views = [getattr(outcome, "view", None) for outcome in self.outcomes]
        return tuple(dict.fromkeys(view.plan for view in views if view is not None))


class Noting(Tool):
    """The one tool, which notes for the person's side what its calls led to.

    A call that has begun is not broken off with the run that made it: whether a plan was proposed
    is then known, and the person is shown it.
    """

    async def __call__(self, arguments: object, call: Call) -> Outcome:
        """Propose what the model wrote."""
        if not isinstance(call, Turn):
            return await super().__call__(arguments, call)
        task = asyncio.ensure_future(super().__call__(arguments, call))
        call.pending.add(task)
        task.add_done_callback(lambda done: _noted(call, done))
        return await asyncio.shield(task)


def _noted(turn: Turn, task: "asyncio.Task[Outcome]") -> None:
    turn.pending.discard(task)
    if not task.cancelled() and task.exception() is None:
        turn.outcomes.append(task.result())


async def through(turn: Turn) -> None:
    """Wait for the calls that a run left behind when it was stopped."""
    if turn.pending:
        await asyncio.wait(set(turn.pending))
