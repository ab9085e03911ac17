"""What a person reads of an outcome: a title, the steps, why it asks, what can be done now."""

from collections.abc import Sequence

from semel.domain.report import Ask, Invalid, Outcome, Problem, Refusal, Refused, Report, Running
from semel.words.ask import questions
from semel.words.card import PlanCard
from semel.words.neutral import neutral
from semel.words.question import question_card
from semel.words.report import report_card
from semel.words.running import running_card
from semel.words.voice import DETAIL_MAX, Voice

PLAIN_REASONS = frozenset({"action_says_no", "record_not_found", "changed_since", "too_many_steps"})
"""Problems that a person can do something about; the others are the model's own making."""


def card(outcome: Outcome, voice: Voice) -> PlanCard:
    """What a person reads of an outcome."""
    match outcome:
        case Ask():
            return question_card(outcome, voice)
        case Running():
            return running_card(outcome, voice)
        case Report():
            return report_card(outcome, voice)
        case Invalid():
            return _invalid(outcome, voice)
        case Refused():
            return PlanCard(refusal(outcome, voice))


def _invalid(outcome: Invalid, voice: Voice) -> PlanCard:
    asked, plain = questions(outcome, voice), plain_reasons(outcome.problems, voice)
    if not asked:
        return PlanCard(voice.say("invalid"), plain or (voice.say("invalid.form"),))
    name = "invalid.question" if len(asked) == 1 else "invalid.questions"
    return PlanCard(
        title=voice.say(name, count=str(len(asked))),
        lines=(*asked, *plain),
        why=voice.say("invalid.answer"),
    )


def plain_reasons(problems: Sequence[Problem], voice: Voice) -> tuple[str, ...]:
    """What a person can do something about, in the action's words or ours; never a code."""
    said = (
        voice.say(f"invalid.{problem.code}", detail=neutral(problem.detail, DETAIL_MAX).rstrip("."))
        for problem in problems
        if problem.code in PLAIN_REASONS
    )
    return tuple(dict.fromkeys(said))


def refusal(outcome: Refused, voice: Voice) -> str:
    """Why nothing was done."""
    match outcome.why:
        case Refusal.WORDS if outcome.detail.isascii() and outcome.detail.isdigit():
            return voice.say("refusal.words", count=outcome.detail)
        case Refusal.WORDS:
            return voice.say("refusal.words.bare")
        case Refusal.CHANGED if outcome.detail:
            detail = neutral(outcome.detail, DETAIL_MAX).rstrip(".")
            return voice.say("refusal.changed.said", detail=detail)
    return voice.say(f"refusal.{outcome.why}")
