"""A page of the application: its templates, and the frame around each of them."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from semel import Engine
from semel.channels.web import csrf, sprite
from semel.channels.web.seen import visible
from semel_facturas.application import ROLES
from semel_facturas.books import money
from semel_facturas.web import statics
from semel_facturas.web.session import LOCALES, Reader
from semel_facturas.web.words import counted, language, month, words

NAVIGATION = (
    ("home", "/"),
    ("invoices", "/facturas"),
    ("contacts", "/contactos"),
    ("expenses", "/gastos"),
    ("payments", "/cobros"),
    ("reminders", "/recordatorios"),
    ("mailbox", "/buzon"),
    ("history", "/historial"),
)
OPERATION = ("operation", "/operator")
DECIDE = "semel.decide"

TEMPLATES = Environment(
    loader=PackageLoader("semel_facturas.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _day(day: date) -> str:
    return f"{day:%d/%m/%Y}"


def _local(at: datetime, zone: str) -> datetime:
    return at.astimezone(ZoneInfo(zone))


def _spaced(text: str) -> str:
    """An amount whose parts are not torn apart at the end of a line, with a true minus sign."""
    return text.replace(" €", "\N{NO-BREAK SPACE}€").replace("-", "\N{MINUS SIGN}")


TEMPLATES.filters |= {
    "day": _day,
    "outside": visible,
    "euros": lambda amount: _spaced(money.euros(amount)),
    "percent": money.percent,
    "plain": money.decimal_comma,
    "counted": counted,
    "local": _local,
    "time": lambda at: f"{at:%H:%M}",
}


def decides(reader: Reader) -> bool:
    """Whether somebody may look at and decide about other people's plans."""
    return DECIDE in ROLES.get(reader.seat.role, frozenset())


def writes(reader: Reader) -> bool:
    """Whether somebody may do more than look."""
    return bool(ROLES.get(reader.seat.role))


def draw(template: str, locale: str, **context: object) -> Markup:
    """A template, or a part of a page, in a language; every value in it is escaped."""
    lang = language(locale)
    text = TEMPLATES.get_template(template).render(
        w=words(lang), lang=lang, month=lambda day: month(day, lang), **context
    )
    return Markup(text)  # noqa: S704 - the template has escaped every value


def page(
    engine: Engine,
    reader: Reader,
    template: str,
    *,
    here: str,
    title: str,
    status: int = 200,
    **context: object,
) -> HTMLResponse:
    """A page inside the frame: header, navigation, who is signed in.

    Args:
        engine: whose forms are bound to the session.
        reader: who is signed in.
        template: extends ``layout.html`` and fills its block ``main``.
        here: the entry of the navigation that is open, as in ``invoices``; or none.
        title: what the browser's tab says before the name of the product.
        status: of the answer.
        context: what the template is given besides.
    """
    locale = reader.person.who.locale
    entries = [*NAVIGATION, *([OPERATION] if decides(reader) else [])]
    text = draw(
        template,
        locale,
        title=title,
        here=here,
        navigation=entries,
        reader=reader,
        csrf=csrf(engine, reader.person),
        **frame(locale),
        **context,
    )
    return HTMLResponse(text, status)


def frame(locale: str) -> dict[str, object]:
    """What the frame of a page needs, whoever reads it."""
    return {
        "sprite": sprite(),
        "sheets": statics.SHEETS,
        "scripts": statics.SCRIPTS,
        "other": next(one for one in LOCALES if one != language(locale)),
    }
