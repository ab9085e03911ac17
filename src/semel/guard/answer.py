"""What a model is told of a guarded call: a status, a sentence about the world, what next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semel.domain.report import Next, Status
from semel.errors import NotDone, SemelError
from semel.facts import JSON
from semel.guard.call import Call, CallState
from semel.guard.done import Made
from semel.guard.kit import Ended, Tool
from semel.guard.seen import Glance, seen_of
from semel.guard.value import Unkept, Values
from semel.words import guarded as words

# A member that is asked of its enumeration is searched for, at seven times the cost of a name.
DONE, ALREADY, NOTHING = Status.DONE, Status.ALREADY_DONE, Next.NOTHING

STATUS = {
    CallState.STARTED: (Status.RUNNING, Next.POLL),
    CallState.IN_DOUBT: (Status.IN_DOUBT, Next.ASK_PERSON),
    CallState.NOT_DONE: (Status.NOT_DONE, Next.NOTHING),
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


def answer(tool: Tool | None, ended: Ended | Made | Glance, locale: str, zone: str) -> Answer:
    """Put what a call came to into words.

    Args:
        tool: what was called; None when this program does not know it (any more).
        ended: what it came to, or what there is of it for a repeat.
        locale: the language.
        zone: the time zone whose clock is read.
    """
    if isinstance(ended, Made):
        done = ended.done
        says = _done(tool, done["tool"], done["shown"], done["result"], locale)
        return Answer(DONE, says, ended.value, NOTHING, done["ended_at"], done["id"])
    if isinstance(ended, Glance):
        return _already(tool, ended, locale, zone)
    call = ended.call
    if call.state is CallState.DONE:
        if ended.replayed:
            return _already(tool, seen_of(Glance, call), locale, zone)
        value, lost = (ended.value, "") if ended.fresh else _kept(tool, call, locale)
        says = _done(tool, call.tool, call.shown, call.result, locale)
        return Answer(DONE, says + lost, value, NOTHING, call.ended_at, call.id)
    status, next_ = STATUS[call.state]
    return Answer(status, _says(tool, ended, locale), None, next_, call.ended_at, call.id)


def _done(tool: Tool | None, name: str, shown: str, result: str | None, locale: str) -> str:
    """The sentence about a call that was done now."""
    own = _own(tool).get("did")
    if not own:
        return words.say(locale, "done", did=words.named(locale, name, {}, shown))
    return words.say(locale, "done.said", did=f"{_said(locale, name, own, shown, result)}.")


def _already(tool: Tool | None, call: Glance, locale: str, zone: str) -> Answer:
    """What is said of a call that was done before."""
    value, lost = _kept(tool, call, locale)
    own = _own(tool)
    already, did = own.get("already"), own.get("did")
    if already:
        said = f"{_said(locale, call.tool, already, call.shown, call.result)}."
        says = words.say(locale, "already.said", already=said)
    else:
        what = _said(locale, call.tool, did or {}, call.shown, call.result if did else None)
        at = words.at(call.ended_at or call.created_at, zone)
        says = words.say(locale, "already", did=what, **at)
    return Answer(ALREADY, says + lost, value, NOTHING, call.ended_at, call.id)


def _said(locale: str, name: str, own: Mapping[str, str], shown: str, result: str | None) -> str:
    """What a call does, in its tool's own words if there are some, with what it returned."""
    plain = None if result is None else Values.plain(result)
    return words.named(locale, name, own, shown, plain)


def _own(tool: Tool | None) -> Mapping[str, Mapping[str, str]]:
    """A tool's own sentences."""
    return {} if tool is None else tool.words


def _kept(tool: Tool | None, call: Call | Glance, locale: str) -> tuple[Any, str]:
    """The value that was kept, and what is said where it could not be."""
    text = call.result or "{}"
    try:
        return (Values.plain(text) if tool is None else tool.values.read(text)), ""
    except Unkept:
        return None, f" {words.say(locale, 'lost')}"


def _says(tool: Tool | None, ended: Ended, locale: str) -> str:
    """The sentence about a call of which it is not known that it is done."""
    call, own = ended.call, _own(tool)
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


def refusal(why: str, locale: str, status: Status = Status.REFUSED) -> Answer:
    """What is said of a call that never began."""
    return Answer(status, words.say(locale, "refused", why=why), None, Next.ASK_PERSON, None, None)


def no_job(locale: str) -> Answer:
    """What is said of a job that this conversation does not have."""
    return Answer(Status.REFUSED, words.say(locale, "no_job"), None, Next.NOTHING, None, None)
