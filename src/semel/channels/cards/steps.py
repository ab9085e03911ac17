"""A plan's steps in their lines: marks, tags, and which of them have no way back."""

from collections.abc import Sequence

from semel.channels.cards.parts import Progress, Step, Tag
from semel.domain.action import Risk
from semel.domain.consent import Difference
from semel.domain.plan import PlanKind, StepState
from semel.domain.report import PlanView, StepView
from semel.facts import Email
from semel.words.fate import COULD_NOT, goes_outside, now_at
from semel.words.voice import Voice

NAMED_MAX = 2
"""Steps that a question or a button names: with more, neither can be read at a glance."""


def has_no_way_back(step: StepView) -> bool:
    """Whether a step, once done, can no longer be taken back.

    What only plans something for later does nothing yet, and that can still be cancelled.
    """
    if goes_outside(step):
        return True
    return step.risk > Risk.SAFE and not (step.undoable or step.undoes or step.later)


def weighty(steps: Sequence[StepView]) -> list[StepView]:
    """The steps that a plan is asked for: every one that asks, so that a name hides none of them.

    What only plans something for later is left out where there is anything else.
    """
    asks = [step for step in steps if step.risk > Risk.SAFE or goes_outside(step)]
    now = [step for step in asks if goes_outside(step) or not step.later]
    return now or asks


def phrase(view: PlanView, voice: Voice) -> str:
    """What a plan is about, in the words of its weightiest steps."""
    said = named("question", view.steps, voice)
    if said and len(weighty(view.steps)) == len({*_declared("question", view.steps, voice)}):
        return said
    riskiest = max(view.steps, key=lambda one: (one.risk, goes_outside(one), -one.position))
    will = voice.declared(riskiest, "question") or voice.will(riskiest)
    more = len(view.steps) - 1
    if not more:
        return will
    name = "sheet.phrase.one_more" if more == 1 else "sheet.phrase.more"
    return voice.say(name, will=will, count=str(more))


def named(which: str, steps: Sequence[StepView], voice: Voice) -> str:
    """What the weightiest steps declare, in a row; nothing where one is silent or they are many."""
    said = _declared(which, steps, voice)
    if not 0 < len(said) <= NAMED_MAX or not all(said):
        return ""
    first, *others = said
    return voice.listed([first, *(_inside(said[text], which, text, voice) for text in others)])


def _declared(which: str, steps: Sequence[StepView], voice: Voice) -> dict[str, StepView]:
    """What the weightiest steps declare, each text once: two that say the same are told as one."""
    return {voice.declared(step, which): step for step in weighty(steps)}


def _inside(step: StepView, which: str, text: str, voice: Voice) -> str:
    """A sentence within another one begins small, unless it begins with somebody's words."""
    begins = voice.template(step.wording[which])
    return text if begins.startswith("{") else text[:1].lower() + text[1:]


def tags(step: StepView, voice: Voice) -> tuple[Tag, ...]:
    """What goes outside, and what has no way back, in words."""
    found = []
    if goes_outside(step):
        mail = any(isinstance(fact, Email) for fact in step.facts.values())
        which = "mail" if mail else "out"
        found.append(Tag(which, voice.say(f"sheet.tag.{which}")))
    if has_no_way_back(step):
        found.append(Tag("once", voice.say("sheet.tag.once")))
    return tuple(found)


def proposed(step: StepView, changed: Sequence[Difference], voice: Voice) -> Step:
    """A step that waits for a yes, with everything that the yes covers."""
    news = dict.fromkeys(
        (*(one for one in changed if one.position == step.position), *step.changed)
    )
    return Step(
        step.position,
        "ready",
        voice.will(step),
        once=has_no_way_back(step),
        tags=tags(step, voice),
        changed=tuple(voice.changes(tuple(news), step)),
        notes=planned("step.later", step, voice),
    )


def planned(name: str, step: StepView, voice: Voice) -> tuple[str, ...]:
    """What a step plans for later, or has planned."""
    return tuple(voice.later(name, later) for later in step.later)


def mark_of(step: StepView, view: PlanView) -> str:
    """What has become of a step so far."""
    match step.state:
        case StepState.DONE:
            return "done"
        case StepState.IN_DOUBT:
            return "doubt"
        case StepState.STARTED:
            return "now"
        case StepState.NOT_DONE:
            return "failed" if step.reason in COULD_NOT else "not"
        case StepState.WAITING if view.cancelled:
            return "not"
        case StepState.WAITING:
            return "now" if step is now_at(view) and view.due is None else "todo"


def marked(step: StepView, mark: str, voice: Voice, *, notes: tuple[str, ...] = ()) -> Step:
    """A step of a plan that runs or has ended."""
    done = mark == "done"
    text = voice.fact(step) if done else voice.will(step)
    if done:
        notes = (*planned("step.planned", step, voice), *notes)
    return Step(step.position, mark, text, heard(mark, voice), notes=notes)


def heard(mark: str, voice: Voice) -> str:
    """A mark in words."""
    return voice.say(f"sheet.mark.{mark}")


def progress(view: PlanView, text: str) -> Progress | None:
    """How far a plan is; nothing to show of a plan of one step that has ended."""
    marks = tuple(mark_of(step, view) for step in view.steps)
    return Progress(marks.count("done"), len(marks), text, marks)


def undoes(view: PlanView) -> bool:
    """Whether a plan takes another one back."""
    return view.kind is PlanKind.UNDO
