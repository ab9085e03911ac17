"""The application: its engine, its permissions, its demo world, and a person's sentence."""

import os
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

from semel import CatalogError, Clock, Ctx, Engine, Outcome, Tx, Who
from semel.facts import instant_text
from semel.integrations.tool import Call, Tool
from semel_facturas import planner
from semel_facturas.actions import actions
from semel_facturas.books import contacts, demo, invoices, organizations
from semel_facturas.post import LocalPost, ServerPost

SQL = Path(__file__).parent / "books"

# What each role may do; reading needs no permission here, since no action reads.
EVERYTHING = frozenset(
    {
        "facturas.crear",
        "facturas.emitir",
        "facturas.enviar",
        "gastos.escribir",
        "semel.decide",
    }
)
ROLES = {
    "propietario": EVERYTHING,
    "admin": EVERYTHING,
    "gestor": EVERYTHING - {"semel.decide"},
    "asesor": frozenset[str](),
}


STRANGER = {
    "es": "No tienes acceso a esta organización. No se ha hecho nada.",
    "en": "You have no access to this organization. Nothing was done.",
}


def may(ctx: Ctx, permission: str, records: Sequence[object]) -> bool:
    """Whether this person may, as of now; somebody without a role may nothing."""
    del records  # roles cover an organization's whole books
    role = organizations.role(ctx.tx, ctx.org, ctx.person)
    return role is not None and permission in ROLES.get(role, frozenset())


def open(
    url: str,
    *,
    home: str | os.PathLike[str],
    clock: Clock | None = None,
    smtp: str | None = None,
    create: bool = True,
) -> Engine:
    """The application's engine.

    Args:
        url: the database, ``sqlite:///…/books.db``.
        home: folder of the key and, without a mail server, of the local sink's ``mail/*.eml``.
        clock: where time comes from; a story lends its own.
        smtp: ``smtp://host:port``; by default ``SEMEL_SMTP``, else a sink in this process.
        create: whether a missing database is made.

    Raises:
        StorageError: the database cannot be used.
        CatalogError: the mail server's address is none.
    """
    server = smtp or os.environ.get("SEMEL_SMTP")
    try:
        post = ServerPost(server) if server else LocalPost(Path(home) / "mail")
    except ValueError as no:
        raise CatalogError(str(no)) from no
    close = post.close if isinstance(post, LocalPost) else None
    return Engine(
        url,
        actions(post),
        allow=may,
        sql=SQL,
        key_file=Path(home) / "key",
        on_close=close,
        clock=clock,
        create=create,
    )


async def seed(engine: Engine) -> demo.Seeded:
    """Make the demo world where it is missing: two organizations, three people, two contacts."""
    now = instant_text(engine.now())
    return await engine.write(lambda tx: demo.seed(tx, now, engine.new_id))


async def locale(engine: Engine, org: str, person: str) -> str | None:
    """The language that a person of an organization reads; None for a stranger."""
    return await engine.read(lambda tx: organizations.locale(tx, org, person))


class Books(planner.Lookup):
    """What the offline planner may look up: this organization's contacts and invoices."""

    def __init__(self, tx: Tx, org: str, today: date) -> None:
        self._tx = tx
        self._org = org
        self._today = today

    def contacts(self, name: str) -> list[tuple[str, str]]:
        """Ids and names of the contacts whose name begins with these words."""
        return [(c.id, c.name) for c in contacts.contacts_named(self._tx, self._org, name)]

    def invoices(self, number: str) -> list[str]:
        """Ids of the issued invoices with this number."""
        return [i.id for i in invoices.invoices_numbered(self._tx, self._org, number)]

    def today(self) -> date:
        """The organization's calendar day."""
        return self._today


async def ask(engine: Engine, who: Who, text: str, *, message: str) -> Outcome | str:
    """Turn a person's sentence into a plan and propose it through the tool that a model gets.

    Returns:
        The outcome; or, when the offline planner did not understand, a sentence that says so.
    """

    def work(tx: Tx) -> planner.Planned | planner.NotUnderstood | None:
        if organizations.role(tx, who.org, who.person) is None:
            return None
        found = organizations.organization(tx, who.org)
        zone = found.zone if found else "Europe/Madrid"
        today = engine.now().astimezone(ZoneInfo(zone)).date()
        return planner.plan(text, who.locale, Books(tx, who.org, today))

    planned = await engine.read(work)
    if planned is None:
        # The planner looks names up; to a stranger not even a contact's name is confirmed.
        return STRANGER["es" if who.locale == "es" else "en"]
    if isinstance(planned, planner.NotUnderstood):
        return planner.sentence(planned, who.locale)
    tool = Tool(engine.agent, who.locale)
    return await tool({"steps": planned.steps}, Call(who, message, text))
