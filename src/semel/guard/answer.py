"""What a model is told of a guarded call: a status, a sentence about the world, what next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semel.domain.report import Next, Status
from semel.errors import NotDone, SemelError
from semel.facts import JSON
from semel.guard.call import Call, CallState
from semel.guard.kit import Ended, Tool
from semel.guard.value import Unkept, Values
from semel.words import guarded as words

STATUS = {
    CallState.STARTED: (Status.RUNNING, Next.POLL),
    CallState.IN_DOUBT: (Status.IN_DOUBT, Next.ASK_PERSON),
    CallState.NOT_DONE: (Status.NOT_DONE, Next.NOTHING),
    CallState.DONE: (Status.DONE, Next.NOTHING),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """How a guarded call stands.

    Args:
        status: what is known, of a closed set.
        says: a sentence about the world, then what to do.
        value: what the function returned, when it is done and could be kept.
        next: what a model may do now.
        at: when it ended, as instant text; None when it has not.
        job: the call's id, by which it can be asked for again; None when nothing began.
    """

    status: Status
    says: str
    value: Any
    next: Next
    at: str | None
    job: str | None

    def plain(self) -> dict[str, JSON]:
        """The answer as JSON, for a model; the value is the code's."""
        return {"status": str(self.status), "says": self.says, "next": str(self.next)}


class CallRunning(SemelError):
    """A guarded call is being made, here or elsewhere.

    Args:
        job: what it can be asked by.
        says: a sentence that says so.
    """

    def __init__(self, job: str, says: str) -> None:
        super().__init__(says)
        self.job = job


class NoSession(NotDone):
    """Nothing was done: nobody says which conversation it is of. See guard.turn, and session=."""


def answer(tool: Tool | None, ended: Ended, locale: str, zone: str) -> Answer:
    """Put what a call came to into words.

    Args:
        tool: what was called; None when this program does not know it (any more).
        ended: what it came to.
        locale: the language.
        zone: the time zone whose clock is read.
    """
    call = ended.call
    status, next_ = STATUS[call.state]
    value: Any = None
    lost = ""
    if call.state is CallState.DONE:
        status = Status.ALREADY_DONE if ended.replayed else status
        try:
            value = ended.value if ended.fresh else _read(tool, call)
        except Unkept:
            lost = f" {words.say(locale, 'lost')}"
    says = _says(tool, ended, locale, zone) + lost
    return Answer(status, says, value, next_, call.ended_at, call.id)


def _read(tool: Tool | None, call: Call) -> Any:
    text = call.result or "{}"
    return Values.plain(text) if tool is None else tool.values.read(text)


def _says(tool: Tool | None, ended: Ended, locale: str, zone: str) -> str:
    call = ended.call
    own: Mapping[str, Mapping[str, str]] = {} if tool is None else tool.words
    result = Values.plain(call.result) if call.result is not None else None
    if call.state is CallState.DONE:
        return _done(ended, own, result, locale, zone)
    will = words.named(locale, call.tool, own.get("will") or own.get("did") or {}, call.shown)
    match call.state:
        case CallState.STARTED:
            status = words.STATUS_TOOL[words.language(locale)]
            return words.say(locale, "running", will=will, status=status, job=call.id)
        case CallState.IN_DOUBT:
            return words.say(locale, "in_doubt", will=will)
        case _:
            why = call.why or str(ended.error or "")
            name = "not_done.why" if why.strip() else "not_done"
            return words.say(locale, name, will=will, why=words.reason(why))


def _done(
    ended: Ended,
    own: Mapping[str, Mapping[str, str]],
    result: object,
    locale: str,
    zone: str,
) -> str:
    call = ended.call
    did = words.named(locale, call.tool, own.get("did") or {}, call.shown, result)
    if not ended.replayed:
        return words.say(locale, "done.said" if own.get("did") else "done", did=_stopped(did, own))
    if own.get("already"):
        said = f"{words.named(locale, call.tool, own['already'], call.shown, result)}."
        return words.say(locale, "already.said", already=said)
    return words.say(locale, "already", did=did, **words.at(call.ended_at or call.created_at, zone))


def _stopped(did: str, own: Mapping[str, Mapping[str, str]]) -> str:
    return f"{did}." if own.get("did") else did


def refusal(why: str, locale: str, status: Status = Status.REFUSED) -> Answer:
    """What is said of a call that never began."""
    return Answer(status, words.say(locale, "refused", why=why), None, Next.ASK_PERSON, None, None)


def no_job(locale: str) -> Answer:
    """What is said of a job that this conversation does not have."""
    return Answer(Status.REFUSED, words.say(locale, "no_job"), None, Next.NOTHING, None, None)
