"""The past on a page of the application's own: a list that can be searched, and a plan's trace."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from markupsafe import Markup

from semel.channels.cards import Links, nowhere
from semel.channels.web.card import TEMPLATES
from semel.channels.web.visitor import Person
from semel.domain.standing import Standing
from semel.facts import JSON
from semel.runtime.engine import Engine
from semel.runtime.past import NEWEST, Line
from semel.runtime.trace import Trace
from semel.words import speaker
from semel.words.past import Teller

MARKS: Mapping[Standing, tuple[str, str]] = {
    Standing.AWAITING: ("sign", "wait"),
    Standing.RUNNING: ("run", "run"),
    Standing.CANCELLING: ("stop", "run"),
    Standing.LATER: ("bell", "plain"),
    Standing.IN_DOUBT: ("doubt", "doubt"),
    Standing.PARTIAL: ("fail", "fail"),
    Standing.DONE: ("done", "paid"),
    Standing.UNDONE: ("back", "plain"),
    Standing.CANCELLED_MID: ("stop", "plain"),
    Standing.CANCELLED: ("stop", "plain"),
    Standing.EXPIRED: ("clock", "plain"),
    Standing.SUPERSEDED: ("swap", "plain"),
    Standing.REJECTED: ("stop", "plain"),
}
"""How each standing is drawn, beside its words: its symbol, and its tone."""

SHORT = 15
"""Characters of a plan's number that a list shows; the whole one is in its address."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A plan of a list, in words."""

    plan: str
    short: str
    said: str
    quoted: bool
    person: str
    when: str
    instant: str
    standing: str
    icon: str
    tone: str


def teller(person: Person) -> Teller:
    """Who puts it into words for a person."""
    return Teller.of(person.who.locale, speaker.zone)


def shown(says: Teller, line: Line) -> Shown:
    """A plan of a list, in words that nothing from outside can change."""
    icon, tone = MARKS[line.standing]
    said = says.words(line.sentence) if line.sentence else says.say(f"kind.{line.kind}")
    return Shown(
        plan=line.plan,
        short=short(line.plan),
        said=said,
        quoted=bool(line.sentence),
        person=says.name(line.person),
        when=says.day(line.created_at),
        instant=line.created_at,
        standing=says.say(line.standing),
        icon=icon,
        tone=tone,
    )


def short(plan: str) -> str:
    """A plan's number, as far as people read it."""
    return f"{plan[:SHORT]}…" if len(plan) > SHORT else plan


async def past(
    engine: Engine,
    person: Person,
    *,
    words: str = "",
    of: str = "",
    before: str = "",
    base: str,
) -> Markup:
    """The plans that a person may see, newest first, with a field to search among them.

    Args:
        engine: whose plans they are.
        person: who looks.
        words: what is looked for.
        of: whose plans, for who sees other people's.
        before: where the page before ended.
        base: the address of this list; a plan's own is below it.
    """
    says = teller(person)
    page = await engine.person(person.who).past(words, person=of, before=before or NEWEST)
    wanted = {"q": words, "person": of}
    kept = {name: value for name, value in wanted.items() if value}
    older = f"{base}?{urlencode({**kept, 'before': page.before})}" if page.before else None
    text = TEMPLATES.get_template("past.html").render(
        say=says.say,
        lines=[shown(says, line) for line in page.lines],
        everybody=page.everybody,
        looked=page.looked,
        searched=bool(words or of),
        words=words,
        of=of,
        base=base,
        older=older,
        first=not before,
    )
    return Markup(text)  # noqa: S704 - the template has escaped every value


@dataclass(frozen=True, slots=True)
class Traced:
    """A plan's trace: to be read, and as JSON."""

    plan: str
    title: str
    html: Markup
    json: dict[str, JSON]


async def traced(
    engine: Engine,
    person: Person,
    *,
    plan: str = "",
    record: tuple[str, str] | None = None,
    base: str,
    links: Links = nowhere,
) -> Traced | None:
    """From a plan, or from a record that it made, to the sentence; None where it does not exist.

    Args:
        engine: whose plan it is.
        person: who looks.
        plan: the plan's number.
        record: instead, a record's kind and its id or how it is called.
        base: the address of the list of plans; a plan's own is below it.
        links: where the application shows a record.
    """
    face = engine.person(person.who)
    found = await (face.trace(*record) if record else face.trace_of(plan))
    if found is None:
        return None
    says = teller(person)
    name = says.name(record[1]) if record else ""
    title = says.say("trace.record", record=name) if record else says.say("trace")
    own = f"{base}/{quote(record[0], '')}/{quote(record[1], '')}" if record else f"{base}/{plan}"
    text = TEMPLATES.get_template("trace.html").render(
        say=says.say,
        title=title,
        json=f"{own}.json",
        base=base,
        **_told(says, found, links),
    )
    html = Markup(text)  # noqa: S704 - the template has escaped every value
    return Traced(found.view.plan, title, html, found.plain(_preview(says, found)))


def _preview(says: Teller, found: Trace) -> list[str]:
    return [f"{step.position}. {says.will(step)}" for step in found.view.steps]


def _told(says: Teller, found: Trace, links: Links) -> dict[str, object]:
    kinds = [str(event["kind"]) for event in found.events]
    yes = found.confirmation
    return {
        "plan": found.view.plan,
        "short": short(found.view.plan),
        "created": found.created_at,
        "when": says.on(found.created_at),
        "sentence": says.words(found.sentence or ""),
        "by": says.say(
            "trace.by",
            person=says.name(found.person),
            conversation=says.name(found.conversation),
        ),
        "steps": [says.will(step) for step in found.view.steps],
        "version": says.say("trace.version", version=found.version, digest=found.digest[:16]),
        "yes": None if yes is None else _yes(says, yes),
        "yes_at": None if yes is None else str(yes["used_at"]),
        "rejected": kinds.count("rejected"),
        "attempts": [_attempt(says, row) for row in found.attempts],
        "made": _made(says, found, links),
        "further": [(plan, short(plan)) for plan in found.further],
        "events": [
            (str(row["kind"]), row["position"], says.moment(str(row["at"]))) for row in found.events
        ],
        "clock": says.moment,
    }


def _made(says: Teller, found: Trace, links: Links) -> list[tuple[str, str | None]]:
    """Each record once, as it is called by the last step that touched it."""
    last = {(str(row["kind"]), str(row["id"])): row for row in found.made}
    return [
        (says.name(f"{row['kind']!s} {row['label']!s}"), _link(links, row)) for row in last.values()
    ]


def _link(links: Links, row: Mapping[str, object]) -> str | None:
    return links(str(row["kind"]), str(row["id"]), str(row["label"]))


def _yes(says: Teller, yes: Mapping[str, object]) -> str:
    return says.say(
        "trace.yes.by",
        person=says.name(str(yes["person"])),
        seconds=says.between(str(yes["created_at"]), str(yes["used_at"])),
    )


def _attempt(says: Teller, row: Mapping[str, object]) -> dict[str, object]:
    returned = row["returned_at"]
    return {
        "position": row["position"],
        "round": row["round"],
        "from": says.moment(str(row["opened_at"])),
        "to": "" if returned is None else says.moment(str(returned)),
        "outcome": says.say(f"outcome.{row['outcome'] or 'open'}"),
    }
