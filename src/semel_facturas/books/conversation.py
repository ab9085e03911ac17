"""Conversations: what was said, in order, and who is answering what.

A message goes through ``waiting`` (nobody has looked at it), ``heard`` (it is being read as an
answer to a question), ``planning`` (it was no answer, and the assistant is at work) and
``answered``; or it is ``lost``, and the person is told so. Whoever answers holds a claim until an
instant, and renews it; every write of an answer asks for the claim, so that a process that was
thought dead and comes back writes nothing.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from semel import Bug, Row, Tx, Who
from semel.facts import instant_text, read_instant

from . import rows

CLAIM_SECONDS: Final = 15
"""How long a message waits for a process that died while answering it. It is renewed each second,
so only a process that stood still for as long loses what it was saying."""

TRIES_MAX: Final = 2
"""How often the assistant begins with one message. Once may be a machine that went down; a message
that takes two processes with it is told to its person instead."""

OPEN = frozenset({"waiting", "heard", "planning"})


@dataclass(frozen=True, slots=True)
class Message:
    """What a person said, and how far its answering has come."""

    id: str
    conversation: str
    position: int
    at: datetime
    text: str
    state: str
    tries: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a conversation: a person's, the assistant's, or the place of a card.

    The card is a plan's or, with the role ``invalid``, of what is missing for one.
    """

    message: str
    at: datetime
    role: str
    text: str
    plan: str | None
    answers: str | None
    state: str | None


@dataclass(frozen=True, slots=True)
class Said:
    """What came of answering: a text, and the plans that it led to or what is missing for one."""

    text: str
    plans: tuple[str, ...] = ()
    invalid: str = ""
    turn: str | None = None
    state: str = "answered"


@dataclass(frozen=True, slots=True)
class Working:
    """Who is being answered in a conversation, until when, and what was said so far."""

    message: str
    until: datetime
    draft: str


def message(tx: Tx, who: Who, id: str) -> Message | None:
    """A message of this person's; None for everybody else, and when there is none."""
    row = tx.one("conversation.get", org=who.org, person=who.person, message=id)
    return _message(row) if row else None


def hear(tx: Tx, who: Who, id: str, text: str, now: datetime) -> Message:
    """Write what a person said; the same message again is the one that is there already."""
    _held(tx, who)
    found = message(tx, who, id)
    if found is None:
        _say(tx, who, id, "person", text, now=now, state="waiting")
        found = message(tx, who, id)
    if found is None:
        raise Bug("A message that was just written is not there.")
    return found


def take(tx: Tx, who: Who, owner: str, now: datetime) -> Message | None:
    """Take what is to be answered next; people are answered in the order in which they spoke.

    Returns:
        What was taken; its state says how far it had come before. None while somebody else answers.
    """
    claim = _held(tx, who)
    row = tx.one("conversation.first_open", **_place(who))
    if row is None:
        return None
    if claim is not None and claim > now:
        return None
    first = _message(row)
    until = instant_text(now + timedelta(seconds=CLAIM_SECONDS))
    tx.run("conversation.claim", **_place(who), message=first.id, owner=owner, until=until)
    if first.state == "waiting":
        _move(tx, who, first.id, "heard", 0)
    if first.state == "planning":
        _move(tx, who, first.id, "planning", first.tries + 1)
    return first


def planning(tx: Tx, who: Who, id: str, owner: str, now: datetime) -> bool:
    """Note that a message was no answer to a question; from here on it may be begun again."""
    if not renew(tx, who, id, owner, "", now):
        return False
    _move(tx, who, id, "planning", 1)
    return True


def renew(tx: Tx, who: Who, id: str, owner: str, draft: str, now: datetime) -> bool:
    """Go on answering; False when the claim is somebody else's by now."""
    until = instant_text(now + timedelta(seconds=CLAIM_SECONDS))
    given = {"message": id, "owner": owner, "until": until, "draft": draft}
    return tx.run("conversation.renew", **_place(who), **given) == 1


def answer(
    tx: Tx, who: Who, id: str, owner: str, said: Said, *, now: datetime, ids: tuple[str, ...]
) -> bool:
    """Write what was answered, and let the next message be answered.

    Args:
        tx: the transaction.
        who: whose conversation it is.
        id: the message that is answered.
        owner: who has the claim.
        said: the answer.
        now: the instant of it.
        ids: fresh ids, one for each line.

    Returns:
        Whether it was written: a claim that somebody else has by now writes nothing.
    """
    if tx.run("conversation.free", **_place(who), message=id, owner=owner) != 1:
        return False
    fresh = iter(ids)
    if said.text:
        _say(tx, who, next(fresh), "assistant", said.text, now=now, answers=id)
    for plan in said.plans:
        if tx.one("conversation.has_plan", **_place(who), plan=plan) is None:
            _say(tx, who, next(fresh), "plan", "", now=now, answers=id, plan=plan)
    if said.invalid:
        _say(tx, who, next(fresh), "invalid", said.invalid, now=now, answers=id)
    if said.turn is not None:
        where = {"org": who.org, "person": who.person, "message": id}
        tx.run("conversation.keep_turn", **where, turn=said.turn)
    _move(tx, who, id, said.state, 1)
    return True


def working(tx: Tx, who: Who, conversation: str) -> Working | None:
    """What is being answered in a conversation; None when nothing is."""
    row = tx.one("conversation.working", **_place(Who(who.org, who.person, conversation)))
    if row is None or rows.maybe(row, "answering") is None:
        return None
    return Working(rows.text(row, "answering"), rows.instant(row, "until"), rows.text(row, "draft"))


def answers(tx: Tx, who: Who, id: str) -> list[Line]:
    """What was said to a message."""
    where = {"org": who.org, "person": who.person, "message": id}
    return [_line(row) for row in tx.all("conversation.answer", **where)]


def lines(tx: Tx, who: Who, limit: int) -> list[Line]:
    """The end of a conversation, oldest first."""
    found = tx.all("conversation.lines", **_place(who), limit=limit)
    return [_line(row) for row in reversed(found)]


def turns(tx: Tx, who: Who, limit: int) -> list[str]:
    """What a model may remember, oldest first."""
    found = tx.all("conversation.turns", **_place(who), limit=limit)
    return [rows.text(row, "turn") for row in reversed(found)]


def _held(tx: Tx, who: Who) -> datetime | None:
    """Keep the conversation until the transaction ends; until when somebody answers in it."""
    tx.run("conversation.open", **_place(who))
    row = tx.one("conversation.hold", **_place(who))
    until = rows.maybe(row, "until") if row else None
    return read_instant(until) if until else None


def _say(
    tx: Tx,
    who: Who,
    id: str,
    role: str,
    text: str,
    *,
    now: datetime,
    answers: str | None = None,
    plan: str | None = None,
    state: str | None = None,
) -> None:
    row = tx.one("conversation.next", **_place(who))
    if row is None:
        raise Bug("A conversation that is held is not there.")
    tx.run(
        "conversation.say",
        **_place(who),
        message=id,
        position=rows.whole(row, "last"),
        now=instant_text(now),
        role=role,
        text=text,
        plan=plan,
        answers=answers,
        state=state,
    )


def _move(tx: Tx, who: Who, id: str, state: str, tries: int) -> None:
    where = {"org": who.org, "person": who.person, "message": id}
    tx.run("conversation.move", **where, state=state, tries=tries)


def _place(who: Who) -> dict[str, str]:
    return {"org": who.org, "person": who.person, "conversation": who.conversation}


def _message(row: Row) -> Message:
    return Message(
        id=rows.text(row, "message"),
        conversation=rows.text(row, "conversation"),
        position=rows.whole(row, "position"),
        at=rows.instant(row, "at"),
        text=rows.text(row, "text"),
        state=rows.text(row, "state"),
        tries=rows.whole(row, "tries"),
    )


def _line(row: Row) -> Line:
    return Line(
        message=rows.text(row, "message"),
        at=rows.instant(row, "at"),
        role=rows.text(row, "role"),
        text=rows.text(row, "text"),
        plan=rows.maybe(row, "plan"),
        answers=rows.maybe(row, "answers"),
        state=rows.maybe(row, "state"),
    )
