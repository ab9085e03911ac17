"""The organization and its calendar day, as a handler needs them."""

from datetime import date
from zoneinfo import ZoneInfo

from semel import Ctx, NotDone
from semel.facts import instant_text
from semel_facturas.books.organizations import Organization, organization


def issuer(ctx: Ctx) -> Organization:
    """The organization that acts.

    Raises:
        NotDone: it is not in the books.
    """
    found = organization(ctx.tx, ctx.org)
    if found is None:
        raise NotDone(
            {
                "es": "Esta organización no está en los libros.",
                "en": "This organization is not in the books.",
            }
        )
    return found


def today(ctx: Ctx) -> date:
    """The day it is where the organization is, never one that a model typed."""
    return ctx.now.astimezone(ZoneInfo(issuer(ctx).zone)).date()


def now_text(ctx: Ctx) -> str:
    """The database's clock as the books write it."""
    return instant_text(ctx.now)
