"""The organization, its calendar day and its people's words, as a handler needs them."""

from collections.abc import Sequence
from datetime import date
from typing import Literal

from semel import Ctx, NotDone
from semel.facts import instant_text
from semel_facturas.books.instants import day_of
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
    return day_of(ctx.now, issuer(ctx).zone)


def now_text(ctx: Ctx) -> str:
    """The database's clock as the books write it."""
    return instant_text(ctx.now)


def language(ctx: Ctx) -> Literal["es", "en"]:
    """The language of the person who acts."""
    return "es" if ctx.locale == "es" else "en"


LISTED = 10
"""Names of a list that are shown; the count beside it says how many there are."""


def listed(names: Sequence[str]) -> str:
    """The first names of a list, in every language: ``Ana, Luis, … +4``."""
    more = f", … +{len(names) - LISTED}" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
