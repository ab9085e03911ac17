"""From an outcome to its sheet: one of five, each by the kind of the outcome."""

from dataclasses import replace

from semel.channels.cards.asking import asking
from semel.channels.cards.ended import ended
from semel.channels.cards.figures import Links
from semel.channels.cards.parts import Asked, Foot, Sheet, State
from semel.channels.cards.running import running
from semel.domain.report import Ask, Invalid, Outcome, Refusal, Refused, Report, Running
from semel.words.ask import asked
from semel.words.card import short
from semel.words.draw import plain_reasons, refusal
from semel.words.voice import Voice

WORDS = (
    "plan", "exists", "new", "differs", "twins", "see", "again", "answer", "newer", "progress",
    "was", "made", "trace",
)  # fmt: skip
"""What is the same on every card."""


def nowhere(kind: str, id: str, label: str) -> None:
    """The links of an application that shows no record."""


def sheet(outcome: Outcome, voice: Voice, links: Links = nowhere) -> Sheet:
    """Everything that a card with room draws of an outcome.

    Args:
        outcome: what a verb answered.
        voice: the language and the zone of whoever reads it.
        links: where the application shows a record, if it does.
    """
    drawn = _drawn(outcome, voice, links)
    return replace(drawn, words={name: voice.say(f"sheet.word.{name}") for name in WORDS})


def _drawn(outcome: Outcome, voice: Voice, links: Links) -> Sheet:
    match outcome:
        case Ask():
            return asking(outcome, voice, links)
        case Running():
            return running(outcome, voice)
        case Report():
            return ended(outcome, voice, links)
        case Invalid():
            return _invalid(outcome, voice)
        case Refused():
            return _refused(outcome, voice)


def _invalid(outcome: Invalid, voice: Voice) -> Sheet:
    """One question with all that is missing; or, when nothing is, why there is no plan."""
    questions = tuple(Asked(text, choices) for text, choices in asked(outcome, voice))
    plain = plain_reasons(outcome.problems, voice)
    if not questions:
        title = voice.say("invalid")
        says = " ".join(plain) or voice.say("invalid.form")
        return Sheet(
            state=State.INVALID, variant="problem", icon="talk", kicker=voice.say("sheet.invalid"),
            title=title, result=True, says=says, announce=f"{title} {says}", final=True,
        )  # fmt: skip
    name = "invalid.question" if len(questions) == 1 else "invalid.questions"
    title = voice.say(name, count=str(len(questions)))
    if len(questions) == 1:
        title = questions[0].text
    return Sheet(
        state=State.INVALID,
        icon="talk",
        kicker=voice.say("sheet.invalid.asks"),
        aside=voice.say("sheet.no_plan"),
        title=title,
        says=" ".join((*plain, voice.say("invalid.answer"))),
        announce=" ".join(one.text for one in questions),
        final=True,
        questions=questions,
    )


def _refused(outcome: Refused, voice: Voice) -> Sheet:
    expired = outcome.why is Refusal.EXPIRED
    title = refusal(outcome, voice)
    state = State.EXPIRED if expired else State.REJECTED
    return Sheet(
        state=state,
        icon="clock" if expired else "stop",
        kicker=voice.say(f"sheet.{state}"),
        title=title,
        line=True,
        result=True,
        announce=title,
        final=True,
        plan=outcome.plan or "",
        foot=Foot(short=short(outcome.plan or "")),
    )
