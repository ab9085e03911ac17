"""What a model reads of an outcome: how the world is, then what it may do.

A model that reads "failed" tries again, and does well to; so the first sentence never is one. The
second says what to do next, and ``next`` says it once more from a closed set.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from semel.domain.plan import PlanReason
from semel.domain.report import (
    Ask,
    ForModel,
    Invalid,
    Next,
    Outcome,
    Problem,
    Refusal,
    Refused,
    Report,
    Running,
    Status,
)
from semel.facts import JSON
from semel.words.ask import questions
from semel.words.neutral import quotable, visible
from semel.words.voice import Sorted, Voice, now_at, sort_out

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
            says = _said(voice, "model.ask", again=outcome.replayed)
            return Answer(Status.NEEDS_PERSON, says, Next.WAIT_PERSON, outcome.view.plan)
        case Running():
            return Answer(Status.RUNNING, _running(outcome, voice), Next.POLL, outcome.view.plan)
        case Report():
            return _report(outcome, voice)
        case Invalid():
            return _invalid(outcome, voice)
        case Refused():
            return _refused(outcome, voice)


def _said(voice: Voice, name: str, *, again: bool) -> str:
    says = voice.say(name)
    return f"{says} {voice.say('model.again')}" if again else says


def _running(outcome: Running, voice: Voice) -> str:
    step = now_at(outcome.view)
    return voice.say(
        "model.running",
        step=str(step.position),
        total=str(len(outcome.view.steps)),
        will=voice.will(step),
    )


def _report(outcome: Report, voice: Voice) -> Answer:
    view, ended = outcome.view, sort_out(outcome.view)
    if ended.reason is PlanReason.FINISHED:
        did = "; ".join(voice.did(step) for step in ended.done)
        status = Status.ALREADY_DONE if outcome.replayed else Status.DONE
        name = "model.replayed" if outcome.replayed else "model.finished"
        return Answer(status, voice.say(name, did=did), Next.NOTHING, view.plan)
    status, next_ = ENDS[ended.reason]
    if ended.done and ended.reason in PARTLY:
        status, next_ = Status.PARTIAL, Next.ASK_PERSON
    says = [_first(ended, voice), *_groups(ended, voice)]
    if ended.reason is not PlanReason.SUPERSEDED:
        says.append(voice.say(f"model.next.{status}"))
    if outcome.replayed:
        says.append(voice.say("model.again"))
    return Answer(status, " ".join(says), next_, view.plan)


def _first(ended: Sorted, voice: Voice) -> str:
    """The sentence that says how the world is."""
    return voice.say(
        f"model.{ended.name}",
        done=str(len(ended.done)),
        total=str(ended.total),
        will="; ".join(quotable(voice.will(step)) for step in ended.doubt),
    )


def _groups(ended: Sorted, voice: Voice) -> list[str]:
    """What was done, what could not be done and why, what was not done because of that."""
    if not ended.done and ended.reason in {PlanReason.REFUSED, PlanReason.SUPERSEDED}:
        # What is stored is not what was shown, or the newer plan has its place.
        return []
    return [
        voice.say("group", group=voice.say(name), steps="; ".join(text for _, text in steps))
        for name, steps in voice.groups(ended)
        if name != "group.in_doubt"  # the first sentence names it
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
    # To somebody else a plan does not exist, so not even its number comes back.
    plan = None if outcome.why is Refusal.NOT_FOUND else outcome.plan
    if outcome.why is Refusal.EXPIRED:
        return Answer(
            Status.EXPIRED, f"{says} {voice.say('model.next.expired')}", Next.ASK_PERSON, plan
        )
    return Answer(Status.REFUSED, says, Next.NOTHING, plan)
