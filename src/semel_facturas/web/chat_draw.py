"""The conversation as HTML: who said what, each plan's card at its place, and the box below."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from markupsafe import Markup

from semel import Ask, Engine, Outcome, Tx
from semel.channels.cards import kept
from semel.channels.web import Person, csrf, draw
from semel_facturas.books import contacts, conversation, organizations
from semel_facturas.books.conversation import CLAIM_SECONDS, OPEN, Line
from semel_facturas.planner import LONGEST
from semel_facturas.web.chat_words import words
from semel_facturas.web.page import TEMPLATES
from semel_facturas.web.place import place

LINES_MAX = 80
"""Lines of a conversation on its page, some twenty requests with their answers: each card is drawn
from the books, and what is older is found in the history."""

ELSEWHERE_MAX = 10
"""Newest plans among which one is looked for that waits here and was asked for elsewhere."""


CARDS = frozenset({"plan", "invalid"})
"""Lines in whose place a card stands."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line as the page shows it."""

    kind: str
    id: str
    text: str = ""
    at: datetime | None = None
    time: str = ""
    html: Markup | None = None
    state: str = ""
    undone_by: str = ""


async def drawn(engine: Engine, person: Person, say: str | None = None) -> Markup:
    """The conversation as a part of a page; *say* is put into its box, and not sent.

    With it, if only a blank one, whoever has no script finds the box ready to be written in.
    """
    who = person.who

    def look(tx: Tx) -> tuple[list[Line], ZoneInfo, str]:
        # Ids grow with time: the oldest contact is the one that is known best.
        known = min(contacts.all_contacts(tx, who.org), key=lambda one: one.id, default=None)
        lines = conversation.lines(tx, who, LINES_MAX)
        return lines, _zone(tx, who.org), known.name if known else ""

    lines, zone, contact = await engine.read(look)
    rows = await _rows(engine, person, lines, zone)
    asking = [row for row in rows if row.state == "asking"]
    page = TEMPLATES.get_template("chat.html").render(
        rows=rows,
        waiting=asking,
        older=len(lines) == LINES_MAX,
        name=who.person.capitalize(),
        csrf=csrf(engine, person),
        request=engine.new_id(),
        longest=LONGEST,
        box=(say or "")[:LONGEST],
        focus=say is not None,
        lang=who.locale,
        examples=[
            words(who.locale, f"example.{n}", contact=contact)
            for n in ((1, 2, 3) if contact else (2, 3))
        ],
        say=_say(who.locale),
    )
    return Markup(page)  # noqa: S704 - the template has escaped every value


async def clock(engine: Engine, person: Person) -> str:
    """The time that it is for a person, ``09:30``."""
    zone = await engine.read(lambda tx: _zone(tx, person.who.org))
    return f"{engine.now().astimezone(zone):%H:%M}"


def refused(person: Person, said: str) -> str:
    """The page of a form that was not taken."""
    return TEMPLATES.get_template("chat-refused.html").render(
        said=said, lang=person.who.locale, say=_say(person.who.locale)
    )


def _zone(tx: Tx, org: str) -> ZoneInfo:
    found = organizations.organization(tx, org)
    return ZoneInfo(found.zone if found else "Europe/Madrid")


def _say(locale: str) -> Callable[..., str]:
    def say(name: str, **given: str) -> str:
        return words(locale, name, **given)

    return say


async def _rows(engine: Engine, person: Person, lines: list[Line], zone: ZoneInfo) -> list[Row]:
    rows: list[Row] = []
    day: date | None = None
    status = engine.person(person.who).status
    placed = {line.plan for line in lines}
    today = engine.now().astimezone(zone).date()
    newest = max((n for n, line in enumerate(lines) if line.role in CARDS), default=-1)
    for n, line in enumerate(lines):
        at = line.at.astimezone(zone)
        if at.date() != day:
            day = at.date()
            said = f"{day:%d/%m/%Y}"
            said = words(person.who.locale, "today", day=said) if day == today else said
            rows.append(Row("day", "", said))
        if line.role == "invalid":
            html = draw(engine, person, kept(line.text))
            asked = "" if n == newest else "past"
            rows.append(Row("invalid", line.answers or line.message, html=html, state=asked))
        elif line.plan is None:
            state = line.state or ""
            if state in OPEN:
                age = (engine.now() - line.at).total_seconds()
                state = "open" if age < CLAIM_SECONDS else "stalled"
            rows.append(Row(line.role, line.message, line.text, at, f"{at:%H:%M}", state=state))
        else:
            rows.append(_plan(engine, person, line.plan, await status(line.plan)))
            undo = rows[-1].undone_by
            if undo and undo not in placed:
                # A button took it back; what was asked for in words has its own place.
                rows.append(_plan(engine, person, undo, await status(undo)))
    return rows + await _elsewhere(engine, person, {row.id for row in rows})


def _plan(engine: Engine, person: Person, plan: str, outcome: Outcome, kind: str = "plan") -> Row:
    state = "asking" if isinstance(outcome, Ask) else ""
    undone_by = getattr(getattr(outcome, "view", None), "undone_by", None) or ""
    html = draw(engine, person, outcome, links=place)
    return Row(kind, plan, html=html, state=state, undone_by=undone_by)


async def _elsewhere(engine: Engine, person: Person, shown: set[str]) -> list[Row]:
    """Plans that this person may say yes to here, though they were asked for in a terminal, say."""
    face = engine.person(person.who)
    rows: list[Row] = []
    for view in reversed(await face.plans(ELSEWHERE_MAX)):
        outcome = None if view.plan in shown else await face.status(view.plan)
        if isinstance(outcome, Ask) and outcome.token is not None:
            rows.append(_plan(engine, person, view.plan, outcome, "elsewhere"))
    return rows
