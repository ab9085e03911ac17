"""A plan's card as HTML: real forms that work without a script."""

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from semel.channels.web.gate import csrf
from semel.channels.web.visitor import Person
from semel.domain.report import Outcome
from semel.runtime.engine import Engine

TEMPLATES = Environment(
    loader=PackageLoader("semel.channels.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


async def card(engine: Engine, person: Person, plan: str, *, prefix: str = "") -> Markup:
    """A plan's card as its person sees it now, for a page of the application's own.

    Args:
        engine: whose plan it is.
        person: who looks at it.
        plan: its number.
        prefix: under which path the router is mounted.
    """
    outcome = await engine.person(person.who).status(plan)
    return draw(engine, person, outcome, prefix=prefix)


def draw(engine: Engine, person: Person, outcome: Outcome, *, prefix: str = "") -> Markup:
    """An outcome's card as HTML."""
    shown = outcome.card(person.who.locale)
    plan = getattr(getattr(outcome, "view", None), "plan", "") or ""
    token = {
        "confirm": getattr(outcome, "token", None),
        "retry": getattr(outcome, "retry_token", None),
        "undo": getattr(outcome, "undo_token", None),
    }
    page = TEMPLATES.get_template("card.html").render(
        card=shown,
        plan=plan,
        state=type(outcome).__name__.lower(),
        token=token,
        csrf=csrf(engine, person),
        base=f"{prefix}/plans/{plan}",
        lang=person.who.locale,
    )
    return Markup(page)  # noqa: S704 - the template has escaped every value
