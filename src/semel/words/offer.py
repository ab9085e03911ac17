"""What may be done about a plan that has ended: try what is left, or take back what was done."""

from dataclasses import dataclass

from semel.domain.action import Risk
from semel.domain.plan import PlanKind, PlanReason
from semel.domain.report import Report
from semel.words.fate import Sorted, count_of, goes_outside
from semel.words.figures import clock
from semel.words.voice import Voice


@dataclass(frozen=True, slots=True)
class Offers:
    """The buttons of an ended plan, the question beside them, and the words for a chat."""

    buttons: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    reply: str | None = None
    stays: bool = False
    """What is done can no longer be taken back, which is said."""


def offers(outcome: Report, ended: Sorted, voice: Voice) -> Offers:
    """What a person may do now about a plan that has ended; or one line why not."""
    buttons, labels, says, reply = [], [], [], []
    stays = outcome.undo_token is None and _stays(ended)
    if outcome.retry_token is not None:
        how = _how(ended)
        buttons.append("retry")
        labels.append(voice.say(f"button.retry.{how}"))
        says.append(voice.say(f"offer.retry.{how}"))
        if any(step.risk is Risk.TYPED for step in ended.missing):
            says.append(voice.say("ask.typed", count=count_of(ended.missing)))
        else:
            reply.append(voice.say("offer.reply.retry"))
    if outcome.undo_token is not None:
        buttons.append("undo")
        labels.append(_until("button.undo", outcome, voice))
        reply.append(_until("offer.reply.undo", outcome, voice))
    elif stays:
        says.append(voice.say("offer.no_undo"))
    # A word alone is about the plans of the conversation; one that fired by itself is none of them.
    words = " ".join(reply) if ended.kind is not PlanKind.LATER else ""
    return Offers(tuple(buttons), tuple(labels), tuple(says), words or None, stays)


def for_model(outcome: Report, voice: Voice) -> list[str]:
    """What a model is told of the offers: they are the person's."""
    says = []
    if outcome.retry_token is not None:
        says.append(voice.say("model.offer.retry"))
    if outcome.undo_token is not None:
        says.append(_until("model.offer.undo", outcome, voice))
    return says


def _how(ended: Sorted) -> str:
    """How a retry is called: all of it or the rest, and whether with other figures than before."""
    missing = ended.missing
    stale = ended.reason is PlanReason.STALE and not ended.undoes
    if not stale and not any(step.changed for step in missing):
        return "rest" if ended.done else "all"
    if ended.done:
        return "rest_now"
    fired = ended.kind is PlanKind.LATER
    return "send_now" if fired and any(map(goes_outside, missing)) else "now"


def _until(name: str, outcome: Report, voice: Voice) -> str:
    if outcome.undo_until is None:
        return voice.say(f"{name}.bare")
    return voice.say(name, time=clock(outcome.undo_until, voice.zone))


def _stays(ended: Sorted) -> bool:
    """Whether a person could look for an undo where something is done that has none."""
    usual = ended.kind is PlanKind.PLAN and ended.name == PlanReason.FINISHED
    return usual and any(step.risk > Risk.SAFE or goes_outside(step) for step in ended.done)
