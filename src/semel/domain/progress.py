"""What happens next to a plan: the whole engine as one function of what is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from semel.domain.plan import PlanState, StepRow, StepState
from semel.errors import Bug


@dataclass(frozen=True, slots=True)
class Start:
    """Begin this step; the one before it is done."""

    step: StepRow
    last: bool


@dataclass(frozen=True, slots=True)
class Resolve:
    """This step was started and never recorded: it is resolved by its effect, never run again."""

    step: StepRow
    last: bool


@dataclass(frozen=True, slots=True)
class Rest:
    """There is nothing to do: the plan asks, or has ended."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Every step is done and the plan's row does not say so yet."""


Move: TypeAlias = Start | Resolve | Rest | Finish


def next_move(state: PlanState, steps: Sequence[StepRow]) -> Move:
    """Decide what happens next to a plan.

    Pure: everything that was done is in *steps*, everything to do is in the returned move. A
    crashed plan is resumed by asking again.

    Raises:
        Bug: a running plan has a step that should have ended it.
    """
    if state is not PlanState.RUNNING:
        return Rest()
    for step in steps:
        last = step.position == len(steps)
        match step.state:
            case StepState.DONE:
                continue
            case StepState.WAITING:
                return Start(step, last)
            case StepState.STARTED:
                return Resolve(step, last)
            case StepState.NOT_DONE | StepState.IN_DOUBT:
                # Such a step and its plan's end are one commit; a running plan cannot have one.
                raise Bug(f"Step {step.position} is {step.state} in a running plan.")
    return Finish()
