"""The card of a plan that has ended: done, could not, not done because of that; and what now."""

from collections.abc import Iterator

from semel.domain.plan import StepState
from semel.domain.report import Report, StepView
from semel.words.card import UNDER, PlanCard, short
from semel.words.doubt import choices, told
from semel.words.fate import TAKEN_BACK, Sorted, name_of, sort_out
from semel.words.neutral import quotable
from semel.words.offer import offers
from semel.words.question import under
from semel.words.voice import Voice


def report_card(outcome: Report, voice: Voice) -> PlanCard:
    """How a plan ended, sentence by sentence, and the buttons that make sense now."""
    view, ended = outcome.view, sort_out(outcome.view)
    offer = offers(outcome, ended, voice)
    doubts = [choices(step.doubt, voice) for step in ended.doubt if step.doubt is not None]
    answers = tuple(answer for doubt in doubts for answer in doubt.answers)
    why = [doubt.anyway for doubt in doubts if doubt.anyway]
    if view.undone_by is not None:
        why.append(voice.say("report.taken_back.by", plan=short(view.undone_by)))
    if outcome.replayed and not ended.finished:
        why.append(voice.say("report.again", **voice.when(view.ended_at)))
    return PlanCard(
        title=title(outcome, ended, voice),
        lines=tuple(_lines(outcome, ended, voice)),
        why=" ".join((*why, *offer.says)) or None,
        buttons=(*offer.buttons, *("resolve" for _ in answers)),
        footer=voice.say("plan", plan=short(view.plan)),
        reply=offer.reply,
        labels=(*offer.labels, *(label for doubt in doubts for label in doubt.labels)),
        answers=answers,
    )


def title(outcome: Report, ended: Sorted, voice: Voice) -> str:
    """The sentence that states the world."""
    name = f"report.{name_of(outcome, ended)}"
    if len(ended.done) > 1 and voice.knows(f"{name}.more"):
        name = f"{name}.more"
    doubt = "; ".join(quotable(voice.will(step)) for step in ended.doubt)
    return voice.say(
        name,
        did="; ".join(voice.fact(step) for step in ended.done),
        will=doubt or "; ".join(voice.will(step) for step in ended.left),
        done=str(len(ended.done)),
        total=str(ended.total),
        **voice.when(outcome.view.ended_at),
    )


def _lines(outcome: Report, ended: Sorted, voice: Voice) -> Iterator[str]:
    if ended.finished:
        yield from _finished(ended, voice)
    else:
        yield from _grouped(ended, voice, retry=outcome.retry_token is not None)


def _finished(ended: Sorted, voice: Voice) -> Iterator[str]:
    for step in ended.done:
        if ended.total > 1:
            yield f"{step.position}. {voice.did(step)}"
        yield from _planned(step, ended, voice)


def _grouped(ended: Sorted, voice: Voice, *, retry: bool) -> Iterator[str]:
    """Done, could not and why, not done because of that; nothing where nothing was begun.

    A retry is a yes to what is missing, so that is shown whole where one is offered.
    """
    if not (ended.done or ended.could_not or ended.doubt or retry):
        return
    for name, steps in voice.groups(ended):
        yield f"{voice.say(name)}:"
        for step, text in steps:
            yield f"{step.position}. {text}"
            yield from _planned(step, ended, voice)
            yield from (f"{UNDER}{line}" for line in told(step, voice))
            if retry and step in ended.missing:
                yield from under(step, voice)


def _planned(step: StepView, ended: Sorted, voice: Voice) -> Iterator[str]:
    """What a step that is done has planned; what became of it is that plan's own to say."""
    if step.state is StepState.DONE and ended.name != TAKEN_BACK:
        under = UNDER if ended.total > 1 else ""
        yield from (f"{under}{voice.later('step.planned', later)}" for later in step.later)
