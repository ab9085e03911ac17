"""A page around one card, for whoever follows a link to a plan or sends a form without a script."""

from collections.abc import Callable

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from semel.channels.web.card import TEMPLATES, element, sprite
from semel.channels.web.place import Place
from semel.channels.web.snapshot import Shot
from semel.channels.web.visitor import Person
from semel.words.web import language, sentence


class Pages:
    """Where a plan's card is read, and the page that the router itself has for it."""

    def __init__(
        self,
        place: Place,
        sign_in: str | None,
        back: Callable[[str], str] | None,
    ) -> None:
        self.place = place
        self._sign_in = sign_in
        self._back = back

    def where(self, plan: str) -> str:
        """The page that a decision about a plan leads back to."""
        return self._back(plan) if self._back else f"{self.place.prefix}/plans/{plan}"

    def after(self, plan: str, came: str) -> str:
        """The page after a decision about *plan*; what took it back is a plan with its own page."""
        return self.where(plan) if came == plan else f"{self.place.prefix}/plans/{came}"

    def page(
        self, person: Person, made: Shot, *, notice: str | None = None, status: int = 200
    ) -> Response:
        """The page with a plan's card."""
        locale, plan = person.who.locale, made.snapshot.plan
        html = Markup(made.snapshot.html)  # noqa: S704 - a template has escaped every value
        page = TEMPLATES.get_template("plan.html").render(
            lang=language(locale),
            title=sentence("page.title", locale),
            base=f"{self.place.prefix}/card",
            sprite=sprite(),
            notice=notice,
            card=element(plan, html, self.place.prefix),
            sign_in=self._sign_in,
            back=self._back(plan) if self._back else None,
            **{"return": sentence("page.back", locale)},
        )
        return HTMLResponse(page, status)
