"""The sheet of a plan that runs, is being stopped, or waits for its day."""

from semel.channels.cards.asking import foot
from semel.channels.cards.parts import Button, Note, Sheet, State, Step
from semel.channels.cards.steps import (
    has_no_way_back,
    mark_of,
    marked,
    phrase,
    progress,
    tags,
    undoes,
)
from semel.domain.action import Risk
from semel.domain.report import PlanView, Running
from semel.words.fate import now_at, waiting
from semel.words.running import cancelling, resent
from semel.words.voice import Voice


def running(outcome: Running, voice: Voice) -> Sheet:
    """Where a plan is, and what of it can still be stopped."""
    view = outcome.view
    if view.due is not None:
        return _later(view, view.due, voice)
    state = _state(view)
    at = now_at(view)
    total = str(len(view.steps))
    sentence = voice.say("running", step=str(at.position), total=total, will=voice.will(at))
    stopping = state is State.CANCELLING
    title = cancelling(view, voice) if stopping else phrase(view, voice)
    again = resent(view, voice)
    return Sheet(
        state=state,
        icon="run",
        kicker=voice.say(f"sheet.{state}"),
        aside=voice.say("sheet.at", step=str(_turn(view)), total=total),
        title=title,
        says="" if stopping else sentence,
        announce=title if stopping else _announced(state, title, sentence, voice),
        final=False,
        plan=view.plan,
        progress=progress(view, title if stopping else sentence),
        steps=tuple(marked(step, mark_of(step, view), voice) for step in view.steps),
        notes=() if again is None else (Note("mail", again, warns=True),),
        buttons=_stop(view, voice, waits=stopping),
        foot=foot(view, voice),
    )


def _state(view: PlanView) -> State:
    if view.cancelled:
        return State.CANCELLING
    if undoes(view):
        return State.UNDOING
    asked = view.risk > Risk.SAFE or view.because
    return State.RUNNING if asked else State.RUNNING_SAFE


def _turn(view: PlanView) -> int:
    """Which step it is, counted as they run: an undo begins with the last."""
    return view.steps.index(now_at(view)) + 1


def _announced(state: State, title: str, sentence: str, voice: Voice) -> str:
    if state is State.RUNNING_SAFE:
        return voice.say("sheet.say.running_safe", will=title)
    return sentence


def _stop(view: PlanView, voice: Voice, *, waits: bool) -> tuple[Button, ...]:
    """What is not begun can be stopped; the step in flight always ends."""
    if not waits and not waiting(view):
        return ()
    return (Button("cancel", voice.say("button.cancel.rest"), waits=waits),)


def _later(view: PlanView, due: str, voice: Voice) -> Sheet:
    said = voice.say("running.due", will=voice.will(view.steps[0]), **voice.at(due))
    steps = tuple(
        Step(
            step.position, "ready", voice.will(step),
            once=has_no_way_back(step), tags=tags(step, voice),
        )
        for step in view.steps
    )  # fmt: skip
    return Sheet(
        state=State.LATER,
        icon="bell",
        kicker=voice.say("sheet.later"),
        title=voice.say("sheet.due", **voice.at(due)),
        result=True,
        announce=said,
        final=False,
        plan=view.plan,
        steps=steps,
        buttons=(Button("cancel", voice.say("button.cancel")),),
        foot=foot(view, voice),
    )
