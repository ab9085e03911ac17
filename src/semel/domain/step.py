"""The step machine, by effect: which change is allowed, and on what proof.

The value that stands for a started outside step has no way back to "not started": only a proof
that it happened, a proof that it did not, and doubt lead away from it. So no code path can give
the work back after the first byte has left; the method is not there.
"""

from dataclasses import dataclass

from semel.domain.effect import Checked, Effect, Keyed, Local, Opaque
from semel.domain.plan import PlanReason, StepReason, StepState


@dataclass(frozen=True, slots=True)
class Change:
    """What is written: the step's new state and, when the plan stops here, why."""

    state: StepState
    reason: StepReason | None = None
    ends: PlanReason | None = None


@dataclass(frozen=True, slots=True)
class InTransaction:
    """A Local step inside the transaction that will also record it."""

    last: bool

    def made(self) -> Change:
        """The handler returned: its effect and this record are one commit."""
        return Change(StepState.DONE, ends=PlanReason.FINISHED if self.last else None)

    def not_made(self, reason: StepReason) -> Change:
        """The handler's writes were rolled back: that is the proof."""
        return _not_made(reason)


@dataclass(frozen=True, slots=True)
class NotStarted:
    """An outside step before its mark is on disk: nothing has left, whatever went wrong."""

    def not_made(self, reason: StepReason) -> Change:
        """Preparing failed, or the world is not what was shown."""
        return _not_made(reason)


@dataclass(frozen=True, slots=True)
class Started:
    """An outside step whose mark is on disk: from here on only proof counts.

    Args:
        last: whether it is the plan's last step.
        others_open: sends of this step, other than the one that speaks, whose end is unknown.
        cancelled: whether a person has stopped the plan meanwhile.
    """

    last: bool
    others_open: int = 0
    cancelled: bool = False

    def made(self) -> Change:
        """Proof that it happened: it counts whatever the epoch, even late."""
        if self.last:
            return Change(StepState.DONE, ends=PlanReason.FINISHED)
        return Change(StepState.DONE, ends=PlanReason.CANCELLED if self.cancelled else None)

    def refused(self) -> Change:
        """A definite refusal. It proves nothing about another send that is still open."""
        if self.others_open:
            return self.in_doubt()
        return self._not_made(StepReason.REFUSED)

    def closed(self) -> Change:
        """Nothing that was sent can arrive any more, and nothing is sent again."""
        reason = StepReason.CANCELLED if self.cancelled else StepReason.FAILED
        return self._not_made(reason)

    def in_doubt(self) -> Change:
        """Neither proof: a person is told, and the plan ends in the same commit."""
        return Change(StepState.IN_DOUBT, ends=PlanReason.IN_DOUBT)

    def _not_made(self, reason: StepReason) -> Change:
        ends = PlanReason.CANCELLED if self.cancelled else PlanReason.FAILED
        return Change(StepState.NOT_DONE, reason, ends)


def _not_made(reason: StepReason) -> Change:
    ends = {
        StepReason.STALE: PlanReason.STALE,
        StepReason.CANCELLED: PlanReason.CANCELLED,
    }.get(reason, PlanReason.FAILED)
    return Change(StepState.NOT_DONE, reason, ends)


NAMES: dict[type[Effect], str] = {
    Local: "local",
    Keyed: "keyed",
    Checked: "checked",
    Opaque: "opaque",
}
"""The stored names; ``Checked(void=True)`` is a class of its own, with a promise of its own."""


def name_of(effect: Effect) -> str:
    """The effect's name as it is stored and shown."""
    if isinstance(effect, Checked) and effect.void:
        return "checked_void"
    return NAMES[type(effect)]


def is_local(effect: str) -> bool:
    """Whether a stored effect name is a Local one."""
    return effect == NAMES[Local]


def bounds(effect: Effect) -> tuple[float, float | None]:
    """Seconds that a send may take, and seconds after them until it has arrived or never will."""
    if isinstance(effect, Keyed | Checked | Opaque):
        return effect.deadline, effect.delivery_bound
    raise TypeError(f"{effect!r} sends nothing.")
