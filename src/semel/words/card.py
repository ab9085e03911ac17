"""What a person reads of an outcome: a title, the steps, why it asks, what can be done now.

The card is drawn from typed facts by these few functions and never by a model, so what a person
says yes to is what will run.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from semel.domain.action import Risk
from semel.domain.consent import Difference
from semel.domain.plan import PlanReason
from semel.domain.report import (
    Ask,
    Because,
    Card,
    Invalid,
    Outcome,
    PlanView,
    Problem,
    Refusal,
    Refused,
    Report,
    Running,
    StepView,
)
from semel.words.ask import questions
from semel.words.figures import clock, show
from semel.words.neutral import neutral, quotable, visible
from semel.words.voice import (
    DETAIL_MAX,
    Sorted,
    Voice,
    count_of,
    goes_outside,
    now_at,
    sort_out,
)

ID_SHOWN = len("p_0192f3a1-7c2b")
"""Characters of a plan's number that are shown: its time to the millisecond tells plans apart."""

PLAIN_REASONS = frozenset({"action_says_no", "record_not_found", "changed_since", "too_many_steps"})
"""Problems that a person can do something about; the others are the model's own making."""


@dataclass(frozen=True, slots=True)
class PlanCard(Card):
    """What a channel draws; every part is one line, whatever the data says."""

    title: str
    lines: tuple[str, ...] = ()
    why: str | None = None
    buttons: tuple[str, ...] = ()
    footer: str | None = None
    reply: str | None = None
    """How to answer where there are no buttons."""
    labels: tuple[str, ...] = ()
    """What the buttons say, in their order."""

    def text(self) -> str:
        """The card as plain text."""
        foot = [part for part in (self.why, self.reply, self.footer) if part]
        parts = [[self.title], list(self.lines), foot]
        return "\n\n".join("\n".join(part) for part in parts if part)


def card(outcome: Outcome, voice: Voice) -> PlanCard:
    """What a person reads of an outcome."""
    match outcome:
        case Ask():
            return _ask(outcome, voice)
        case Running():
            return _running(outcome, voice)
        case Report():
            return _report(outcome, voice)
        case Invalid():
            return _invalid(outcome, voice)
        case Refused():
            return PlanCard(_refusal(outcome, voice))


def short(plan: str) -> str:
    """A plan's number as a card shows it: enough to find it by."""
    return visible(plan[:ID_SHOWN])


def _ask(outcome: Ask, voice: Voice) -> PlanCard:
    view = outcome.view
    typed = view.risk is Risk.TYPED
    buttons = ("confirm", "cancel")
    return PlanCard(
        title=_question(view, voice),
        lines=tuple(_line(step, outcome.changed, voice) for step in view.steps),
        why=" ".join(_why(outcome, voice)) or None,
        buttons=buttons,
        footer=_footer(view, voice),
        reply=None if typed else voice.say("ask.reply"),
        labels=tuple(voice.say(f"button.{button}") for button in buttons),
    )


def _question(view: PlanView, voice: Voice) -> str:
    """The riskiest step as a question, and how many more there are."""
    riskiest = max(view.steps, key=lambda step: (step.risk, goes_outside(step), -step.position))
    will, more = voice.will(riskiest), len(view.steps) - 1
    if not more:
        return voice.say("ask.title", will=will)
    name = "ask.title.one_more" if more == 1 else "ask.title.more"
    return voice.say(name, will=will, count=str(more))


def _line(step: StepView, changed: Sequence[Difference], voice: Voice) -> str:
    parts = [f"{step.position}. {voice.will(step)}"]
    parts += [_difference(d, voice) for d in changed if d.position == step.position]
    if goes_outside(step):
        parts.append(voice.say("step.outside"))
    return " · ".join(parts)


def _difference(difference: Difference, voice: Voice) -> str:
    name = neutral(difference.name.replace("_", " "))
    if difference.now is None:
        gone = show(difference.shown) if difference.shown else ""
        return voice.say("step.vanished", name=name, shown=gone)
    if difference.shown is None:
        return voice.say("step.appeared", name=name, now=show(difference.now))
    shown, now = show(difference.shown), show(difference.now)
    return voice.say("step.changed", name=name, shown=shown, now=now)


def _why(outcome: Ask, voice: Voice) -> list[str]:
    """Why it asks: what changed, the same message again, the steps that need a yes."""
    view = outcome.view
    why: list[str] = []
    if outcome.again:
        why.append(voice.say("ask.why.changed"))
    if view.because is Because.FURTHER_PLAN:
        why.append(voice.say("ask.why.further_plan"))
    risky = [str(step.position) for step in view.steps if step.risk > Risk.SAFE]
    if risky and not why:
        name = "ask.why.step" if len(risky) == 1 else "ask.why.steps"
        why.append(voice.say(name, steps=voice.listed(risky)))
    outside = [str(step.position) for step in view.steps if goes_outside(step)]
    if outside:
        name = "ask.why.outside" if len(outside) == 1 else "ask.why.outside.more"
        why.append(voice.say(name, steps=voice.listed(outside)))
    if view.risk is Risk.TYPED:
        why.append(voice.say("ask.typed", count=count_of(view)))
    return why


def _footer(view: PlanView, voice: Voice) -> str:
    parts = [voice.say("plan", plan=short(view.plan)), voice.say("ask.change")]
    if view.expires_at is not None:
        parts.insert(0, voice.say("ask.expires", time=clock(view.expires_at, voice.zone)))
    return " · ".join(parts)


def _running(outcome: Running, voice: Voice) -> PlanCard:
    view, step = outcome.view, now_at(outcome.view)
    ended = sort_out(view)
    title = voice.say(
        "running", step=str(step.position), total=str(len(view.steps)), will=voice.will(step)
    )
    done = tuple(f"{s.position}. {voice.did(s)}" for s in ended.done)
    lines = (f"{voice.say('group.done')}:", *done) if done else ()
    return PlanCard(title, lines, footer=voice.say("plan", plan=short(view.plan)))


def _report(outcome: Report, voice: Voice) -> PlanCard:
    view, ended = outcome.view, sort_out(outcome.view)
    finished = ended.reason is PlanReason.FINISHED
    again = outcome.replayed and not finished
    return PlanCard(
        title=_ending(outcome, ended, voice),
        lines=_finished(ended, voice) if finished else _grouped(ended, voice),
        why=voice.say("report.again") if again else None,
        footer=voice.say("plan", plan=short(view.plan)),
    )


def _ending(outcome: Report, ended: Sorted, voice: Voice) -> str:
    """The sentence that states the world."""
    name = "replayed" if outcome.replayed and ended.name == "finished" else ended.name
    if name in {"replayed", "finished"} and ended.total > 1:
        name = f"{name}.more"
    return voice.say(
        f"report.{name}",
        did="; ".join(voice.did(step) for step in ended.done),
        will="; ".join(quotable(voice.will(step)) for step in ended.doubt),
        done=str(len(ended.done)),
        total=str(ended.total),
    )


def _finished(ended: Sorted, voice: Voice) -> tuple[str, ...]:
    if ended.total == 1:
        return ()
    return tuple(f"{step.position}. {voice.did(step)}" for step in ended.done)


def _grouped(ended: Sorted, voice: Voice) -> tuple[str, ...]:
    """Done, could not and why, not done because of that; nothing where nothing was begun."""
    if not (ended.done or ended.could_not or ended.doubt):
        return ()
    lines: list[str] = []
    for name, steps in voice.groups(ended):
        lines.append(f"{voice.say(name)}:")
        lines += [f"{position}. {text}" for position, text in steps]
    return tuple(lines)


def _invalid(outcome: Invalid, voice: Voice) -> PlanCard:
    asked, plain = questions(outcome, voice), _plain_reasons(outcome.problems, voice)
    if not asked:
        return PlanCard(voice.say("invalid"), plain or (voice.say("invalid.form"),))
    name = "invalid.question" if len(asked) == 1 else "invalid.questions"
    return PlanCard(
        title=voice.say(name, count=str(len(asked))),
        lines=(*asked, *plain),
        why=voice.say("invalid.answer"),
    )


def _plain_reasons(problems: Sequence[Problem], voice: Voice) -> tuple[str, ...]:
    """What a person can do something about, in the action's words or ours; never a code."""
    said = (
        voice.say(f"invalid.{problem.code}", detail=neutral(problem.detail, DETAIL_MAX).rstrip("."))
        for problem in problems
        if problem.code in PLAIN_REASONS
    )
    return tuple(dict.fromkeys(said))


def _refusal(outcome: Refused, voice: Voice) -> str:
    if outcome.why is not Refusal.WORDS:
        return voice.say(f"refusal.{outcome.why}")
    if outcome.detail.isascii() and outcome.detail.isdigit():
        return voice.say("refusal.words", count=outcome.detail)
    return voice.say("refusal.words.bare")
