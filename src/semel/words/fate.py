"""What became of a plan's steps, and what the sentences of that end are called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semel.domain.action import Risk
from semel.domain.plan import PlanKind, PlanReason, StepReason, StepState
from semel.domain.report import PlanView, Report, StepView
from semel.domain.step import is_local
from semel.facts import Count

COULD_NOT = frozenset(StepReason) - {StepReason.CANCELLED, StepReason.NOT_REACHED}
"""Reasons of a step's own; the others follow from what happened before it."""

HALFWAY = frozenset({PlanReason.FAILED, PlanReason.STALE, PlanReason.CANCELLED, PlanReason.REFUSED})
"""Ends that a plan may meet when some of its steps are done."""

UNDO_ENDS: Mapping[tuple[PlanReason, bool], str] = {
    (PlanReason.FINISHED, True): "undone",
    (PlanReason.FAILED, True): "undone.partly",
    (PlanReason.FAILED, False): "not_undone",
    (PlanReason.STALE, True): "undone.partly",
    (PlanReason.STALE, False): "not_undone",
    (PlanReason.CANCELLED, True): "undone.cancelled",
    (PlanReason.CANCELLED, False): "not_undone.cancelled",
}
"""What the ends of an undo are called, by whether a step of it is done."""

LATER_ENDS: Mapping[str | None, str] = {
    "later.unless": "not_needed",
    "later.too_late": "too_late",
}
"""What the ends of a later plan are called whose time came and which was not to be done."""

TAKEN_BACK = "taken_back"
"""A plan whose undo a person has ordered: what that came to is the other plan's to say."""


@dataclass(frozen=True, slots=True)
class Sorted:
    """The steps of a plan that has ended, by what became of them, and why it ended."""

    name: str
    """What the sentences of this end are called."""
    reason: PlanReason
    kind: PlanKind
    total: int
    done: tuple[StepView, ...] = ()
    could_not: tuple[StepView, ...] = ()
    doubt: tuple[StepView, ...] = ()
    left: tuple[StepView, ...] = ()

    @property
    def missing(self) -> tuple[StepView, ...]:
        """What a retry would do."""
        return (*self.could_not, *self.left)

    @property
    def undoes(self) -> bool:
        """Whether its steps take something back."""
        return self.kind is PlanKind.UNDO

    @property
    def finished(self) -> bool:
        """Whether every step is done."""
        return self.reason is PlanReason.FINISHED


def sort_out(view: PlanView) -> Sorted:
    """Sort the steps of an ended plan; what was begun and not recorded counts as in doubt."""
    by_fate: dict[str, list[StepView]] = {"done": [], "could_not": [], "doubt": [], "left": []}
    for step in view.steps:
        by_fate[_fate(step)].append(step)
    done, doubt = by_fate["done"], by_fate["doubt"]
    could_not, left = by_fate["could_not"], by_fate["left"]
    if len(could_not) == len(view.steps) > 1:
        # A plan that went stale at its yes: no single step was tried, so none "could not".
        could_not, left = [], could_not
    reason = PlanReason.IN_DOUBT if doubt else view.reason or PlanReason.FAILED
    if done and reason in {PlanReason.EXPIRED, PlanReason.SUPERSEDED}:
        reason = PlanReason.FAILED
    return Sorted(
        _name(view, reason, some=bool(done)),
        reason,
        view.kind,
        len(view.steps),
        tuple(done),
        tuple(could_not),
        tuple(doubt),
        tuple(left),
    )


def _fate(step: StepView) -> str:
    match step.state:
        case StepState.DONE:
            return "done"
        case StepState.IN_DOUBT | StepState.STARTED:
            return "doubt"
        case StepState.NOT_DONE if step.reason in COULD_NOT:
            return "could_not"
        case StepState.NOT_DONE | StepState.WAITING:
            return "left"


def _name(view: PlanView, reason: PlanReason, *, some: bool) -> str:
    """What the sentences of an end are called; *some* says whether a step is done."""
    if reason is PlanReason.IN_DOUBT:
        return reason
    if view.undone_by is not None:
        return TAKEN_BACK
    usual = f"{reason}.partly" if some and reason in HALFWAY else str(reason)
    match view.kind:
        case PlanKind.UNDO:
            return UNDO_ENDS.get((reason, some), usual)
        case PlanKind.LATER if reason is PlanReason.STALE and not some:
            return "stale.later"
        case PlanKind.LATER if not some:
            details = (LATER_ENDS.get(step.detail) for step in view.steps)
            return next((name for name in details if name), usual)
    return usual


def name_of(outcome: Report, ended: Sorted) -> str:
    """What the sentence of an end is called, where it is told once more too."""
    if outcome.replayed and ended.finished and ended.name != TAKEN_BACK:
        return "undone.again" if ended.undoes else "replayed"
    return ended.name


def count_of(steps: Sequence[StepView]) -> str:
    """The number that a typed answer names: the first count that a typed step shows."""
    for step in steps:
        if step.risk is Risk.TYPED:
            for fact in step.facts.values():
                if isinstance(fact, Count):
                    return str(fact.number)
    return "0"


def started(view: PlanView) -> list[StepView]:
    """The step that is on its way, if one is."""
    return [step for step in view.steps if step.state is StepState.STARTED]


def waiting(view: PlanView) -> list[StepView]:
    """The steps that have not begun."""
    return [step for step in view.steps if step.state is StepState.WAITING]


def now_at(view: PlanView) -> StepView:
    """The step that a running plan is at: the first that is not done, or the last."""
    return next((step for step in view.steps if step.state is not StepState.DONE), view.steps[-1])


def goes_outside(step: StepView) -> bool:
    """Whether a step's effect is beyond the engine's database, hence beyond taking back."""
    return not is_local(step.effect)
