"""The business as its pages show it: the books, what plans know of them, and what was mailed."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from semel import Engine
from semel.facts import Date, Email, Fact, Money, Text, read_instant
from semel_facturas.books import board as books
from semel_facturas.books.board import InvoiceLine
from semel_facturas.web.mailbox import Mail, Mailbox
from semel_facturas.web.page import decides
from semel_facturas.web.session import Reader

GLANCE = 12
"""Lines of each list beside the conversation; the list's own page has more."""
LIST = 500
"""Lines of a list on its own page: who looks for one among more of them asks for it by name."""
PLANS = 100
"""How many plans back the pages look for what was mailed: an older invoice is just an issued one.
Reminders and doubts are never too old, since they are among what is not at its end."""
MAILS = 200
"""Messages that the mailbox's page shows; the files are all there."""
NEWEST = 5
"""Plans that are shown beside the conversation; the history has all of them."""

SEND = "factura.enviar"
ISSUE = "factura.emitir"


@dataclass(frozen=True, slots=True)
class Reminder:
    """A reminder that waits for its day."""

    plan: str
    number: str
    recipient: str
    at: datetime
    due: date | None
    amount: Decimal | None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A message of which nobody knows whether it went out."""

    plan: str
    position: int
    number: str
    recipient: str
    since: datetime | None
    reference: str
    """What the message is known by: its Message-ID begins with it."""


@dataclass(frozen=True, slots=True)
class Newest:
    """A plan in one line: the sentence that asked for it, or what its card says."""

    plan: str
    sentence: str | None
    title: str
    state: str


@dataclass(frozen=True, slots=True)
class Known:
    """What plans know of the business."""

    reminders: tuple[Reminder, ...]
    doubts: tuple[Doubt, ...]
    sent: frozenset[str]
    """Numbers of the invoices that were mailed."""
    newest: tuple[tuple[str, str], ...]
    """Plans and the names of their states, the newest first."""

    @property
    def doubted(self) -> frozenset[str]:
        """Numbers of the invoices of which a message is in doubt."""
        return frozenset(doubt.number for doubt in self.doubts)


@dataclass(frozen=True, slots=True)
class Business:
    """Everything that the right side shows."""

    books: books.Board
    known: Known
    newest: tuple[Newest, ...]
    mails: tuple[Mail, ...]
    zone: str
    whole: bool
    """Whether the reader sees everybody's plans, and so every reminder and doubt."""

    def found(self, doubt: Doubt) -> Mail | None:
        """The message of a doubt, when the mailbox has it: it was taken, and no answer came."""
        mine = [m for m in self.mails if doubt.reference and m.key == doubt.reference]
        return mine[0] if mine else None

    def state(self, invoice: InvoiceLine) -> str:
        """What is to be said first of an invoice."""
        left, today = invoice.outstanding, self.books.today
        return state_of(self.known, invoice.number, left, invoice.due, today)


async def business(engine: Engine, reader: Reader, mailbox: Mailbox, limit: int) -> Business:
    """Read the business for somebody; lists are cut at *limit*."""
    org, zone = reader.person.who.org, reader.seat.zone
    today = engine.now().astimezone(ZoneInfo(zone)).date()
    board = await engine.read(lambda tx: books.board(tx, org, today, limit))
    known = await knowledge(engine, reader)
    return Business(
        books=board,
        known=known,
        newest=tuple([await _newest(engine, reader, *one) for one in known.newest[:NEWEST]]),
        mails=tuple(await asyncio.to_thread(mailbox.sent_by, reader.seat.email)),
        zone=zone,
        whole=decides(reader),
    )


async def knowledge(engine: Engine, reader: Reader) -> Known:
    """What the plans that somebody may see know of reminders, doubts, and messages that went."""
    person = engine.person(reader.person.who)
    views = await person.plans(PLANS)
    reminders: list[Reminder] = []
    doubts: list[Doubt] = []
    for view in await person.unended():
        if view.kind == "later" and view.state == "running" and view.due and not view.cancelled:
            facts = view.steps[0].facts
            due, amount = facts.get("vence"), facts.get("pendiente")
            reminders.append(
                Reminder(
                    plan=view.plan,
                    number=_text(facts, "numero"),
                    recipient=_text(facts, "para"),
                    at=read_instant(view.due),
                    due=due.day if isinstance(due, Date) else None,
                    amount=amount.amount if isinstance(amount, Money) else None,
                )
            )
        for step in view.steps:
            if step.state == "in_doubt":
                since = step.doubt.since if step.doubt else None
                doubts.append(
                    Doubt(
                        plan=view.plan,
                        position=step.position,
                        number=_number(view.steps, step),
                        recipient=_text(step.facts, "para"),
                        since=read_instant(since) if since else None,
                        reference=step.doubt.reference if step.doubt else "",
                    )
                )
    sent = {
        _number(view.steps, step)
        for view in views
        for step in view.steps
        if step.state == "done" and step.action == SEND
    }
    return Known(
        reminders=tuple(sorted(reminders, key=lambda one: one.at)),
        doubts=tuple(doubts),
        sent=frozenset(sent - {""}),
        newest=tuple((view.plan, _state(view)) for view in views if view.kind != "later"),
    )


def state_of(known: Known, number: str | None, left: Decimal, due: date, today: date) -> str:
    """The one thing to be said of an invoice: what is not known goes before what is late."""
    if number is None:
        return "draft"
    if number in known.doubted:
        return "doubt"
    if left <= 0:
        return "paid"
    if due < today:
        return "late"
    return "sent" if number in known.sent else "issued"


async def _newest(engine: Engine, reader: Reader, plan: str, state: str) -> Newest:
    who = reader.person.who
    person = engine.person(who)
    detail = await person.show(plan)
    said = detail.plan["sentence"] if detail and detail.view.kind == "plan" else None
    title = "" if said else (await person.status(plan)).card(who.locale).title
    return Newest(plan, str(said) if said else None, title, state)


def _state(view: Any) -> str:
    if view.state != "ended":
        return "later" if view.due else str(view.state)
    return str(view.reason or "finished")


def _number(steps: Iterable[Any], step: Any) -> str:
    """The number of the invoice that a message is about, or nothing when it is not certain.

    A plan that issues an invoice shows a number before it takes one, so what it took is asked for.
    """
    issued = [
        one
        for one in steps
        if one.action == ISSUE and one.position < step.position and not one.undoes
    ]
    if not issued:
        return _text(step.facts, "numero")
    same = [one for one in issued if one.facts.get("total") == step.facts.get("total")]
    return _text(same[0].made, "numero") if len(same) == 1 else ""


def _text(facts: Mapping[str, Fact], name: str) -> str:
    fact = facts.get(name)
    if isinstance(fact, Email):
        return fact.address
    return fact.text if isinstance(fact, Text) else ""
