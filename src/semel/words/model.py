"""What a model reads of an outcome: how the world is, then what it may do.

A model that reads "failed" tries again, and does well to; so the first sentence never is one. The
second says what to do next, and ``next`` says it once more from a closed set.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from semel.domain.plan import PlanKind, PlanReason
from semel.domain.report import (
    Ask,
    ForModel,
    Invalid,
    Next,
    Outcome,
    PlanView,
    Problem,
    Refusal,
    Refused,
    Report,
    Running,
    Status,
)
from semel.facts import JSON
from semel.words.alike import called
from semel.words.ask import questions
from semel.words.doubt import told
from semel.words.fate import (
    LATER_ENDS,
    TAKEN_BACK,
    Sorted,
    name_of,
    now_at,
    sort_out,
    started,
    waiting,
)
from semel.words.neutral import neutral, quotable, visible
from semel.words.offer import for_model
from semel.words.voice import DETAIL_MAX, Voice

PROBLEMS_MAX = 20
"""Problems that are listed: whoever mends twenty has changed the plan enough to ask again."""

ENDS: Mapping[PlanReason, tuple[Status, Next]] = {
    PlanReason.FINISHED: (Status.DONE, Next.NOTHING),
    PlanReason.FAILED: (Status.NOT_DONE, Next.ASK_PERSON),
    PlanReason.STALE: (Status.NOT_DONE, Next.ASK_PERSON),
    PlanReason.CANCELLED: (Status.CANCELLED, Next.NOTHING),
    PlanReason.IN_DOUBT: (Status.IN_DOUBT, Next.WAIT_PERSON),
    PlanReason.EXPIRED: (Status.EXPIRED, Next.ASK_PERSON),
    PlanReason.SUPERSEDED: (Status.CANCELLED, Next.NOTHING),
    PlanReason.REFUSED: (Status.REFUSED, Next.NOTHING),
}

PARTLY = frozenset({PlanReason.FAILED, PlanReason.STALE, PlanReason.REFUSED})
"""Ends that are "partial" when some steps are done; a cancelled plan stays "cancelled"."""


@dataclass(frozen=True, slots=True)
class Answer(ForModel):
    """What a model reads: a status, sentences, and what it may do next."""

    status: Status
    says: str
    next: Next
    plan: str | None = None

    def plain(self) -> dict[str, JSON]:
        """The answer as JSON, the result of the one tool."""
        return {
            "status": str(self.status),
            "says": self.says,
            "next": str(self.next),
            "plan": self.plan,
        }


def answer(outcome: Outcome, voice: Voice) -> Answer:
    """What a model reads of an outcome; never a token, a trace or a bare "failed"."""
    match outcome:
        case Ask():
            return Answer(
                Status.NEEDS_PERSON, _asking(outcome, voice), Next.WAIT_PERSON, outcome.view.plan
            )
        case Running():
            return _running(outcome, voice)
        case Report():
            return _report(outcome, voice)
        case Invalid():
            return _invalid(outcome, voice)
        case Refused():
            return _refused(outcome, voice)


def _asking(outcome: Ask, voice: Voice) -> str:
    says = [voice.say("model.ask")]
    if outcome.again:
        says.append(voice.say("model.ask.again"))
    changes = [
        voice.say("model.change", step=str(step.position), change=change)
        for step in outcome.view.steps
        for one in outcome.changed
        if one.position == step.position
        for change in voice.changed([one], step)
    ]
    if changes:
        says.append(voice.say("model.ask.changes", changes="; ".join(changes)))
    records = called(outcome.view.steps, voice)
    if records:
        says.append(voice.say("model.ask.look_alike", records=voice.listed(records)))
    if outcome.replayed:
        says.append(voice.say("model.again"))
    return " ".join(says)


def _running(outcome: Running, voice: Voice) -> Answer:
    view = outcome.view
    if view.due is not None:
        will = voice.will(view.steps[0])
        says = voice.say("model.due", will=will, **voice.at(view.due))
        # Polling until that day is of no use to anybody.
        return Answer(Status.RUNNING, says, Next.NOTHING, view.plan)
    if view.cancelled:
        return Answer(Status.RUNNING, _cancelling(view, voice), Next.POLL, view.plan)
    step = now_at(view)
    says = voice.say(
        "model.running",
        step=str(step.position),
        total=str(len(view.steps)),
        will=voice.will(step),
    )
    return Answer(Status.RUNNING, says, Next.POLL, view.plan)


def _cancelling(view: PlanView, voice: Voice) -> str:
    """What still happens after a cancel, what is done, and what will not be."""
    begun = started(view)
    says = [voice.say("model.cancelling.bare")]
    if begun:
        says = [voice.say("model.cancelling", will="; ".join(map(voice.will, begun)))]
    done = "; ".join(map(voice.fact, sort_out(view).done))
    left = "; ".join(map(voice.will, waiting(view)))
    undoes = view.kind is PlanKind.UNDO
    if done:
        name = "group.undo.done" if undoes else "group.done"
        says.append(voice.say("group", group=voice.say(name), steps=done))
    if left:
        says.append(voice.say("group", group=voice.say("group.will_not"), steps=left))
    return " ".join((*says, voice.say("model.next.cancelling")))


def _report(outcome: Report, voice: Voice) -> Answer:
    view, ended = outcome.view, sort_out(outcome.view)
    status, next_ = ENDS[ended.reason]
    if ended.finished and outcome.replayed:
        status = Status.ALREADY_DONE
    if ended.done and ended.reason in PARTLY:
        status, next_ = Status.PARTIAL, Next.ASK_PERSON
    says = [_first(outcome, ended, voice)]
    says += [line for step in ended.doubt for line in told(step, voice)]
    says += _groups(ended, voice)
    if ended.name == TAKEN_BACK and ended.finished:
        says.append(voice.say("model.next.taken_back"))
    elif not ended.finished and ended.reason is not PlanReason.SUPERSEDED:
        says.append(voice.say(f"model.next.{status}"))
    says += for_model(outcome, voice)
    if outcome.replayed and not ended.finished:
        says.append(voice.say("model.again"))
    return Answer(status, " ".join(says), next_, view.plan)


def _first(outcome: Report, ended: Sorted, voice: Voice) -> str:
    """The sentence that says how the world is."""
    by = outcome.view.undone_by
    doubt = "; ".join(quotable(voice.will(step)) for step in ended.doubt)
    return voice.say(
        f"model.{name_of(outcome, ended)}",
        done=str(len(ended.done)),
        total=str(ended.total),
        did="; ".join(voice.fact(step) for step in ended.done),
        will=doubt or "; ".join(voice.will(step) for step in ended.left),
        by=visible(by) if by is not None else "",
        **voice.when(outcome.view.ended_at),
    )


def _groups(ended: Sorted, voice: Voice) -> list[str]:
    """What was done, what could not be done and why, what was not done because of that."""
    if not ended.done and ended.reason in {PlanReason.REFUSED, PlanReason.SUPERSEDED}:
        # What is stored is not what was shown, or the newer plan has its place.
        return []
    if (ended.finished and ended.name != TAKEN_BACK) or ended.name in LATER_ENDS.values():
        # The first sentence names it all.
        return []
    return [
        voice.say("group", group=voice.say(name), steps="; ".join(text for _, text in steps))
        for name, steps in voice.groups(ended)
        if not name.endswith(".in_doubt")  # the first sentence names it
    ]


def _invalid(outcome: Invalid, voice: Voice) -> Answer:
    problems = _problems(outcome.problems, voice)
    if not outcome.questions:
        says = voice.say("model.problems", problems=problems)
        return Answer(Status.INVALID, says, Next.NOTHING)
    says = voice.say("model.questions", questions=" ".join(questions(outcome, voice)))
    if problems:
        says = f"{says} {voice.say('model.problems.too', problems=problems)}"
    return Answer(Status.INVALID, says, Next.ASK_PERSON)


def _problems(problems: Iterable[Problem], voice: Voice) -> str:
    texts = list(dict.fromkeys(_problem(problem, voice) for problem in problems))
    shown = texts[:PROBLEMS_MAX]
    if len(texts) > PROBLEMS_MAX:
        shown.append(voice.say("model.problems.more", count=str(len(texts) - PROBLEMS_MAX)))
    return "; ".join(shown)


def _problem(problem: Problem, voice: Voice) -> str:
    name = f"problem.{problem.code}"
    detail = visible(problem.detail).rstrip(".")
    text = voice.say(name if voice.knows(name) else "problem.other", detail=detail)
    # Some problems come without a detail, and then there is nothing between the brackets.
    text = text.replace(" ()", "")
    return (
        voice.say("problem.at", where=visible(problem.where), problem=text)
        if problem.where
        else text
    )


def _refused(outcome: Refused, voice: Voice) -> Answer:
    says = voice.say(f"model.refusal.{outcome.why}")
    if outcome.why is Refusal.CHANGED and outcome.detail:
        detail = neutral(outcome.detail, DETAIL_MAX).rstrip(".")
        says = voice.say("model.refusal.changed.said", detail=detail)
    # To somebody else a plan does not exist, so not even its number comes back.
    plan = None if outcome.why is Refusal.NOT_FOUND else outcome.plan
    if outcome.why is Refusal.EXPIRED:
        return Answer(
            Status.EXPIRED, f"{says} {voice.say('model.next.expired')}", Next.ASK_PERSON, plan
        )
    return Answer(Status.REFUSED, says, Next.NOTHING, plan)
