"""How a plan stands, in one word for a list: what its card says at length."""

from enum import StrEnum

from semel.domain.plan import PlanKind, PlanReason, PlanRow, PlanState


class Standing(StrEnum):
    """The states of a card that a list tells apart."""

    AWAITING = "awaiting"
    RUNNING = "running"
    CANCELLING = "cancelling"
    LATER = "later"
    """It waits for its day."""
    IN_DOUBT = "in_doubt"
    PARTIAL = "partial"
    """It stopped, and what is left may be done."""
    DONE = "done"
    UNDONE = "undone"
    CANCELLED_MID = "cancelled_mid"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"


OPEN = (
    Standing.AWAITING,
    Standing.RUNNING,
    Standing.CANCELLING,
    Standing.LATER,
    Standing.IN_DOUBT,
    Standing.PARTIAL,
)
"""Those of which somebody may still want something, the most pressing first."""


def standing(plan: PlanRow, now: str, *, began: bool) -> Standing:
    """How a plan stands.

    Args:
        plan: its row.
        now: the instant, as text.
        began: whether any step of it is done.
    """
    match plan.state:
        case PlanState.ASKING:
            late = plan.expires_at is not None and plan.expires_at <= now
            return Standing.EXPIRED if late else Standing.AWAITING
        case PlanState.RUNNING if plan.waits:
            return Standing.LATER
        case PlanState.RUNNING:
            return Standing.CANCELLING if plan.cancelled_at else Standing.RUNNING
        case PlanState.ENDED:
            return _ended(plan, began=began)


def _ended(plan: PlanRow, *, began: bool) -> Standing:
    if plan.undone_by is not None:
        return Standing.UNDONE
    match plan.reason:
        case PlanReason.FINISHED | None:
            return Standing.UNDONE if plan.kind is PlanKind.UNDO else Standing.DONE
        case PlanReason.FAILED | PlanReason.STALE:
            return Standing.PARTIAL
        case PlanReason.IN_DOUBT:
            return Standing.IN_DOUBT
        case PlanReason.CANCELLED:
            return Standing.CANCELLED_MID if began else Standing.CANCELLED
        case PlanReason.EXPIRED:
            return Standing.EXPIRED
        case PlanReason.SUPERSEDED:
            return Standing.SUPERSEDED
        case PlanReason.REFUSED:
            return Standing.REJECTED
