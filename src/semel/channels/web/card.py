"""A plan's card as HTML: real forms that work without a script, and its custom element."""

from urllib.parse import quote_plus

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from semel.channels.cards import Links, Sheet, nowhere, sheet
from semel.channels.web.gate import csrf
from semel.channels.web.visitor import Person
from semel.domain.report import Outcome
from semel.runtime.engine import Engine
from semel.words import Words
from semel.words.voice import Voice

TEMPLATES = Environment(
    loader=PackageLoader("semel.channels.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)

ASK_AGAIN = "/?say="
"""Where a request is put into the chat's box once more, unless the application says otherwise."""


async def card(
    engine: Engine,
    person: Person,
    plan: str,
    prefix: str = "",
    *,
    links: Links = nowhere,
    ask: str = ASK_AGAIN,
) -> Markup:
    """A plan's card as its person sees it now, for a page of the application's own.

    The page has the style sheets and the module of the card, :func:`sprite` once, and one
    ``<p role="status" id="semel-status">``.

    Args:
        engine: whose plan it is.
        person: who looks at it.
        plan: its number.
        prefix: under which path the router is mounted.
        links: where the application shows a record: kind, id and how it is called.
        ask: the address that puts a request into the chat's box; the request is added to it.
    """
    outcome = await engine.person(person.who).status(plan)
    return draw(engine, person, outcome, prefix, links=links, ask=ask)


def draw(
    engine: Engine,
    person: Person,
    outcome: Outcome,
    prefix: str = "",
    *,
    links: Links = nowhere,
    ask: str = ASK_AGAIN,
) -> Markup:
    """An outcome's card within its custom element, which keeps it as the plan is.

    Args:
        engine: whose plan it is.
        person: who looks at it.
        outcome: what a verb answered.
        prefix: under which path the router is mounted.
        links: where the application shows a record.
        ask: the address that puts a request into the chat's box.
    """
    drawn = fragment(engine, person, outcome, prefix, links=links, ask=ask)
    plan = drawn.sheet.plan
    if not plan:
        # Of no plan there is nothing to follow.
        return drawn.html
    return element(plan, drawn.html, prefix)


def element(plan: str, html: Markup, prefix: str = "") -> Markup:
    """A card's section within the custom element that keeps it as the plan is."""
    tag = Markup('<semel-card plan="{}" src="{}">{}</semel-card>')
    return tag.format(plan, f"{prefix}/plans/{plan}", html)


class Fragment:
    """A card's ``<section>``, and the sheet that it was drawn from."""

    __slots__ = ("html", "sheet")

    def __init__(self, html: Markup, drawn: Sheet) -> None:
        self.html = html
        self.sheet = drawn


def fragment(
    engine: Engine,
    person: Person,
    outcome: Outcome,
    prefix: str = "",
    *,
    links: Links = nowhere,
    ask: str = ASK_AGAIN,
) -> Fragment:
    """The bare section of an outcome's card, with what it announces and whether it is final.

    Args:
        engine: whose plan it is.
        person: who looks at it.
        outcome: what a verb answered.
        prefix: under which path the router is mounted.
        links: where the application shows a record.
        ask: the address that puts a request into the chat's box.
    """
    voice = voice_of(person, outcome)
    drawn = sheet(outcome, voice, links)
    html = TEMPLATES.get_template("card.html").render(
        s=drawn,
        csrf=csrf(engine, person),
        base=f"{prefix}/plans/{drawn.plan}",
        plans=f"{prefix}/plans",
        ask=lambda text: ask + quote_plus(text),
        lang=voice.language,
    )
    return Fragment(Markup(html), drawn)  # noqa: S704 - the template has escaped every value


def sprite() -> Markup:
    """The symbols of the cards; a page has them once."""
    return Markup(TEMPLATES.get_template("sprite.html").render())  # noqa: S704 - a constant


def voice_of(person: Person, outcome: Outcome) -> Voice:
    """The language of whoever reads, and the zone of the engine's words."""
    speaker = outcome.speaker
    zone = speaker.zone if isinstance(speaker, Words) else Words().zone
    return Voice.of(person.who.locale, zone)
