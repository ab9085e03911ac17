"""What a person decides about a plan: by a form, or by the same form that a script sends."""

from collections.abc import Mapping

from semel.channels.web.refusal import Stopped
from semel.domain.doubt import Answer, DidNot, Happened, LookAgain, SendAnyway
from semel.domain.report import Outcome
from semel.runtime.faces import PersonFace

KINDS = ("confirm", "cancel", "retry", "undo", "resolve")
"""What may be decided, as the last part of the address has it."""


async def decide(
    face: PersonFace, plan: str, kind: str, given: Mapping[str, str], *, patient: bool = True
) -> Outcome:
    """Do what a form asks for.

    Args:
        face: the person's.
        plan: the plan that the address names; a token of another one opens nothing.
        kind: one of ``KINDS``.
        given: the form's fields.
        patient: whether to wait for the plan's end.

    Raises:
        Stopped: a field is missing or makes no sense.
    """
    token, words = given.get("token", ""), given.get("words") or None
    match kind:
        case "confirm":
            return await face.confirm(token, words, plan=plan, patient=patient)
        case "retry":
            return await face.retry(token, words, plan=plan, patient=patient)
        case "undo":
            return await face.undo(token, plan=plan, patient=patient)
        case "cancel":
            return await face.cancel(plan)
        case _:
            return await _resolve(face, plan, given, patient=patient)


async def _resolve(
    face: PersonFace, plan: str, given: Mapping[str, str], *, patient: bool
) -> Outcome:
    position = _number(given.get("position", ""))
    return await face.resolve(plan, position, _answer(given), patient=patient)


def _answer(given: Mapping[str, str]) -> Answer:
    match given.get("answer"):
        case "happened":
            return Happened((given.get("id") or "").strip() or None)
        case "did_not":
            # What the card was drawn from: one that was drawn too early is worth nothing later.
            return DidNot(_number(given.get("epoch", "")), settled=given.get("settled") == "1")
        case "look_again":
            return LookAgain()
        case "send_anyway":
            return SendAnyway(given.get("words", ""))
        case _:
            raise Stopped("fields")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Stopped("fields")
    return int(text)
