"""What is missing, as text that a conversation keeps: its card is drawn again when it is read."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from semel.domain.action import Missing
from semel.domain.report import Invalid, Problem
from semel.words import speaker

_LETTERS = 1_000
_PARTS = 20
"""A card shows half of these letters, and a plan has half as many steps as these parts. What a
model invents may be longer, and is then cut before anything keeps it."""


def keep(outcome: Invalid) -> str:
    """An invalid proposal's problems and questions, in every language that they have.

    Nothing in it is made harmless: the card that is drawn of it does that, as for every outcome.
    What a question would have gone on with is left out, for no card shows it.

    Args:
        outcome: what a verb answered.

    Returns:
        ASCII text, for :func:`kept`.
    """
    told = {
        "problems": [[one.code, one.where[:_LETTERS], one.detail[:_LETTERS]]
                     for one in outcome.problems[:_PARTS]],
        "questions": [
            {
                "field": one.field[:_LETTERS],
                "of": str(one.of)[:_LETTERS],
                "ask": one.ask and {at: text[:_LETTERS] for at, text in one.ask.items()},
                "choices": [str(choice)[:_LETTERS] for choice in one.choices[:_PARTS]],
            }
            for one in outcome.questions[:_PARTS]
        ],
    }  # fmt: skip
    return json.dumps(told)


def kept(text: str) -> Invalid:
    """The invalid proposal that :func:`keep` made a text of.

    Args:
        text: what it gave.

    Raises:
        ValueError: it is another text.
    """
    try:
        told = json.loads(text)
        return Invalid(
            problems=tuple(_problem(one) for one in told["problems"]),
            questions=tuple(_missing(one) for one in told["questions"]),
            speaker=speaker,
        )
    except (LookupError, TypeError, ValueError, AttributeError) as no:
        raise ValueError("This is no invalid proposal that was kept.") from no


def _problem(told: Sequence[object]) -> Problem:
    code, where, detail = map(_text, told)
    return Problem(code, where, detail)


def _missing(told: Mapping[str, Any]) -> Missing:
    ask = told["ask"]
    return Missing(
        _text(told["field"]),
        _text(told["of"]),
        ask and {_text(at): _text(words) for at, words in ask.items()},
        choices=tuple(map(_text, told["choices"])),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} is no text")
    return value
