"""Questions about what is missing: the same ones for the person and for the model."""

from semel.domain.action import Missing
from semel.domain.report import Invalid
from semel.words.neutral import neutral
from semel.words.voice import DETAIL_MAX, Voice


def questions(outcome: Invalid, voice: Voice) -> list[str]:
    """Every question of a proposal, each once, in the order of its steps."""
    return [_with_choices(text, choices, voice) for text, choices in asked(outcome, voice)]


def asked(outcome: Invalid, voice: Voice) -> list[tuple[str, tuple[str, ...]]]:
    """The same with the answers to offer apart."""
    found = (
        (
            neutral(_asked(missing, voice), DETAIL_MAX),
            tuple(neutral(str(choice)) for choice in missing.choices),
        )
        for missing in outcome.questions
    )
    return list(dict.fromkeys(found))


def _with_choices(text: str, choices: tuple[str, ...], voice: Voice) -> str:
    if not choices:
        return text
    return voice.say("question.choices", question=text, choices=" / ".join(choices))


def _asked(missing: Missing, voice: Voice) -> str:
    if missing.ask:
        asked = missing.ask.get(voice.language) or missing.ask.get("en")
        return asked or next(iter(missing.ask.values()))
    field = missing.field.replace("_", " ")
    name = "question.of" if missing.of else "question.bare"
    return voice.say(name, field=field, of=str(missing.of))
