"""The card of a plan that asks: its steps, what is new or alike about them, why it asks.

It is drawn from typed facts and never by a model, so what a person says yes to is what will run.
"""

from collections.abc import Sequence

from semel.domain.action import Risk
from semel.domain.consent import Difference
from semel.domain.report import Ask, Because, PlanView, StepView
from semel.words.alike import beside, called
from semel.words.card import UNDER, PlanCard, short
from semel.words.fate import count_of, goes_outside
from semel.words.figures import clock
from semel.words.voice import Voice

AGAIN = (Because.FURTHER_PLAN, Because.STILL_RUNNING)
"""Reasons to ask that say by themselves what to look at."""


def question_card(outcome: Ask, voice: Voice) -> PlanCard:
    """The question, with everything that its yes covers."""
    view = outcome.view
    another = Because.LOOK_ALIKE in view.because
    labels = ("button.another" if another else "button.confirm", "button.cancel")
    return PlanCard(
        title=title(view, voice),
        lines=tuple(line for step in view.steps for line in _lines(step, outcome.changed, voice)),
        why=" ".join(why(outcome, voice).values()) or None,
        buttons=("confirm", "cancel"),
        footer=_footer(view, voice),
        reply=_reply(view, voice, another=another),
        labels=tuple(voice.say(label) for label in labels),
    )


def title(view: PlanView, voice: Voice) -> str:
    """The riskiest step as a question, and how many more there are."""
    riskiest = max(view.steps, key=lambda step: (step.risk, goes_outside(step), -step.position))
    will, more = voice.will(riskiest), len(view.steps) - 1
    if not more:
        return voice.say("ask.title", will=will)
    name = "ask.title.one_more" if more == 1 else "ask.title.more"
    return voice.say(name, will=will, count=str(more))


def _lines(step: StepView, changed: Sequence[Difference], voice: Voice) -> list[str]:
    """A step, what comes of it later, and what it looks like the repeat of."""
    news = dict.fromkeys(
        (*(one for one in changed if one.position == step.position), *step.changed)
    )
    parts = [f"{step.position}. {voice.will(step)}", *voice.changed(tuple(news), step)]
    if goes_outside(step):
        parts.append(voice.say("step.outside"))
    return [" · ".join(parts), *under(step, voice)]


def under(step: StepView, voice: Voice) -> list[str]:
    """What a yes to a step covers beside it: what it plans for later, and what it looks like."""
    lines = [voice.later("step.later", later) for later in step.later] + beside(step, voice)
    return [f"{UNDER}{line}" for line in lines]


def why(outcome: Ask, voice: Voice) -> dict[str, str]:
    """Why it asks, a sentence by its name: what changed, what it may repeat, what needs a yes."""
    view = outcome.view
    says: dict[str, str] = {}
    if outcome.again:
        says["changed"] = voice.say("ask.why.changed")
    if Because.LOOK_ALIKE in view.because:
        says["look_alike"] = _alike(view, voice)
    says |= {str(one): voice.say(f"ask.why.{one}") for one in AGAIN if one in view.because}
    risky = [str(step.position) for step in view.steps if step.risk > Risk.SAFE]
    if risky and not says:
        name = "ask.why.step" if len(risky) == 1 else "ask.why.steps"
        says["risk"] = voice.say(name, steps=voice.listed(risky))
    outside = [str(step.position) for step in view.steps if goes_outside(step)]
    if outside:
        name = "ask.why.outside" if len(outside) == 1 else "ask.why.outside.more"
        says["outside"] = voice.say(name, steps=voice.listed(outside))
    if outside and view.unsafe:
        says["unsafe"] = voice.say("ask.why.unsafe")
    if view.risk is Risk.TYPED:
        says["typed"] = voice.say("ask.typed", count=count_of(view.steps))
    return says


def _alike(view: PlanView, voice: Voice) -> str:
    records = called(view.steps, voice)
    if not records:
        return voice.say("ask.why.look_alike.bare")
    return voice.say("ask.why.look_alike", records=voice.listed(records))


def _reply(view: PlanView, voice: Voice, *, another: bool) -> str | None:
    if view.risk is Risk.TYPED:
        return None
    return voice.say("ask.reply.another" if another else "ask.reply")


def _footer(view: PlanView, voice: Voice) -> str:
    parts = [voice.say("plan", plan=short(view.plan)), voice.say("ask.change")]
    if view.expires_at is not None:
        parts.insert(0, voice.say("ask.expires", time=clock(view.expires_at, voice.zone)))
    return " · ".join(parts)
