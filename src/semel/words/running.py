"""The card of a plan that runs, is being stopped, or waits for its day."""

from collections.abc import Sequence

from semel.domain.plan import PlanKind, Resolution
from semel.domain.report import PlanView, Running, StepView
from semel.words.card import PlanCard, short
from semel.words.fate import now_at, sort_out, started, waiting
from semel.words.neutral import quotable
from semel.words.voice import Voice


def running_card(outcome: Running, voice: Voice) -> PlanCard:
    """Where a plan is, and whether what is left of it can be stopped."""
    view = outcome.view
    if view.due is not None:
        title = voice.say("running.due", will=voice.will(view.steps[0]), **voice.at(view.due))
        return _with_stop(view, voice, title, "button.cancel", chat=False)
    done = _group("group.undo.done" if _undoes(view) else "group.done", sort_out(view).done, voice)
    if view.cancelled:
        return PlanCard(
            cancelling(view, voice),
            (*done, *_ending(view, voice)),
            why=resent(view, voice),
            footer=voice.say("plan", plan=short(view.plan)),
        )
    step = now_at(view)
    title = voice.say(
        "running", step=str(step.position), total=str(len(view.steps)), will=voice.will(step)
    )
    if waiting(view):
        chat = view.kind is not PlanKind.LATER
        return _with_stop(view, voice, title, "button.cancel.rest", chat=chat, lines=done)
    footer = voice.say("plan", plan=short(view.plan))
    return PlanCard(title, done, why=resent(view, voice), footer=footer)


def _with_stop(
    view: PlanView,
    voice: Voice,
    title: str,
    label: str,
    *,
    chat: bool,
    lines: tuple[str, ...] = (),
) -> PlanCard:
    return PlanCard(
        title,
        lines,
        why=resent(view, voice),
        buttons=("cancel",),
        footer=voice.say("plan", plan=short(view.plan)),
        reply=voice.say("running.reply") if chat else None,
        labels=(voice.say(label),),
    )


def cancelling(view: PlanView, voice: Voice) -> str:
    """What still happens after a cancel and what does not: exact, since both change one row."""
    begun, left = started(view), [str(step.position) for step in waiting(view)]
    if begun and len(view.steps) == 1:
        return voice.say("running.cancelling.only", will=quotable(voice.will(begun[0])))
    parts = []
    if begun:
        parts.append(voice.say("running.cancelling.ends", step=str(begun[0].position)))
    if left:
        name = "running.cancelling.left" if len(left) == 1 else "running.cancelling.left.more"
        parts.append(voice.say(name, steps=voice.listed(left)))
    what = "; ".join(parts) or voice.say("running.cancelling.bare")
    return voice.say("running.cancelling", what=what)


def _ending(view: PlanView, voice: Voice) -> tuple[str, ...]:
    return (
        *_group("group.ending", started(view), voice),
        *_group("group.will_not", waiting(view), voice),
    )


def _group(name: str, steps: Sequence[StepView], voice: Voice) -> tuple[str, ...]:
    if not steps:
        return ()
    done = name in {"group.done", "group.undo.done"}
    said = voice.fact if done else voice.will
    return (f"{voice.say(name)}:", *(f"{step.position}. {said(step)}" for step in steps))


def _undoes(view: PlanView) -> bool:
    return view.kind is PlanKind.UNDO


def resent(view: PlanView, voice: Voice) -> str | None:
    """A step that a person has ordered once more is on its way for the second time."""
    again = [step for step in started(view) if step.resolution is Resolution.SEND_ANYWAY]
    return voice.say("running.resent", who=voice.person(again[0])) if again else None
