"""What happens next to a plan: the whole engine as one function of what is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from semel.domain.plan import PlanReason, PlanState, StepReason, StepRow, StepState


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
class Stop:
    """What is known about the steps ends the plan, and its row does not say so yet."""

    reason: PlanReason


Move: TypeAlias = Start | Resolve | Rest | Stop


def next_move(state: PlanState, steps: Sequence[StepRow], *, cancelled: bool = False) -> Move:
    """Decide what happens next to a plan.

    Pure: everything that was done is in *steps*, everything to do is in the returned move. A
    crashed plan is resumed by asking again. A proof is written whatever the epoch, so a plan that
    was just taken over may hold a step that is not done or in doubt: it ends there. After a cancel
    no further step begins; the one in flight is still resolved.
    """
    if state is not PlanState.RUNNING:
        return Rest()
    for step in steps:
        last = step.position == len(steps)
        match step.state:
            case StepState.DONE:
                continue
            case StepState.WAITING if not cancelled:
                return Start(step, last)
            case StepState.STARTED:
                return Resolve(step, last)
            case _:
                return Stop(_end(step, cancelled=cancelled))
    return Stop(PlanReason.FINISHED)


def _end(step: StepRow, *, cancelled: bool) -> PlanReason:
    """Why a plan ends at a step that is neither done nor to be begun."""
    if step.state is StepState.IN_DOUBT:
        return PlanReason.IN_DOUBT
    if cancelled or step.reason is StepReason.CANCELLED:
        return PlanReason.CANCELLED
    return PlanReason.STALE if step.reason is StepReason.STALE else PlanReason.FAILED
