"""What is told of a step that may have happened, and how a person answers for it.

Whether something may still arrive decides what can be answered: "it did not happen" counts only
once nothing can, and before that only typed words send it again.
"""

from dataclasses import dataclass

from semel.domain.plan import Resolution
from semel.domain.report import DoubtView, StepView
from semel.words.neutral import inside
from semel.words.voice import Voice

REFERENCE_MAX = 64
"""Characters of a reference that are shown: it is searched for as a whole, and has 32."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The answers that a person has about a doubt, and what their buttons say."""

    answers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    anyway: str | None = None
    """How to have it sent once more before anything is settled."""


def told(step: StepView, voice: Voice) -> list[str]:
    """When it was sent, what the other side may know it by, and whether it may still arrive."""
    doubt = step.doubt
    if doubt is None:
        return []
    name = "doubt.sent" if doubt.sends < 2 else "doubt.sent.more"
    reference = inside(doubt.reference, REFERENCE_MAX)
    sent = voice.say(name, count=str(doubt.sends), reference=reference, **voice.at(doubt.since))
    says = [sent] if doubt.sends or doubt.lost is None else []
    if doubt.lost is not None:
        says.append(voice.say("doubt.lost", reference=reference, **voice.at(doubt.lost)))
    says.append(_until(doubt, voice))
    if step.resolution is Resolution.SEND_ANYWAY:
        says.append(voice.say("doubt.resent", who=voice.person(step)))
    return says


def choices(doubt: DoubtView, voice: Voice) -> Choices:
    """What a person may answer about a doubt at present."""
    if doubt.settled:
        answers: tuple[str, ...] = ("happened", "did_not", "look_again")
        anyway = None
    else:
        answers = ("happened", "look_again")
        anyway = voice.say("doubt.anyway")
    return Choices(answers, tuple(voice.say(f"button.{one}") for one in answers), anyway)


def _until(doubt: DoubtView, voice: Voice) -> str:
    """Until when something may still arrive; at least, for its sender may be slower than that."""
    if doubt.settled:
        return voice.say("doubt.settled")
    if doubt.settles_at is None:
        return voice.say("doubt.open")
    settles = voice.at(doubt.settles_at)
    same_day = settles["day"] == voice.at(doubt.since)["day"]
    return voice.say("doubt.until" if same_day else "doubt.until.day", **settles)
