"""The application: its engine, its permissions, its demo world, and a person's sentence."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from semel import CatalogError, Clock, Ctx, Engine, Outcome, Who
from semel.facts import instant_text
from semel.integrations.tool import Call, Tool
from semel_facturas.actions import actions
from semel_facturas.books import demo, organizations
from semel_facturas.planned import planned
from semel_facturas.post import LocalPost, ServerPost

SQL = Path(__file__).parent / "books"

# What each role may do; reading needs no permission here, since no action reads.
EVERYTHING = frozenset(
    {
        "cobros.escribir",
        "contactos.borrar",
        "contactos.escribir",
        "facturas.crear",
        "facturas.emitir",
        "facturas.enviar",
        "gastos.borrar",
        "gastos.escribir",
        "recordatorios.escribir",
        "semel.decide",
    }
)
ROLES = {
    "propietario": EVERYTHING,
    "admin": EVERYTHING,
    "gestor": EVERYTHING - {"contactos.borrar", "semel.decide"},
    "asesor": frozenset[str](),
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
        url: the database, ``sqlite:///…/books.db`` or ``postgresql://user@host/database``.
        home: folder of the key, on SQLite, and, without a mail server, of the local sink's
            ``mail/*.eml``. On PostgreSQL the keys come from ``SEMEL_KEYS``.
        clock: where time comes from; a story lends its own.
        smtp: ``smtp://host:port``; by default ``SEMEL_SMTP``, else a sink in this process.
        create: whether a missing database is made.

    Raises:
        StorageError: the database cannot be used, or is a server's and there is no ``SEMEL_KEYS``.
        CatalogError: the mail server's address is none, or ``SEMEL_MAIL_DEADLINE`` no number of
            seconds.
    """
    server = smtp or os.environ.get("SEMEL_SMTP")
    try:
        post = ServerPost(server) if server else LocalPost(Path(home) / "mail")
    except ValueError as no:
        raise CatalogError(str(no)) from no
    close = post.close if isinstance(post, LocalPost) else None
    return Engine(
        url,
        actions(post, _deadline(os.environ.get("SEMEL_MAIL_DEADLINE"))),
        allow=may,
        sql=SQL,
        key_file=Path(home) / "key",
        on_close=close,
        clock=clock,
        create=create,
    )


DEADLINE_MAX = 3600
"""Seconds of one conversation with a mail server: nobody waits an hour for a yes to be done."""


def _deadline(text: str | None) -> float | None:
    """The seconds that ``SEMEL_MAIL_DEADLINE`` gives, None when it is not set."""
    if not text:
        return None
    number = text if text.replace(".", "", 1).isdecimal() and text.isascii() else "0"
    if not 0 < float(number) <= DEADLINE_MAX:
        raise CatalogError("SEMEL_MAIL_DEADLINE is a number of seconds, as in 30.")
    return float(number)


async def seed(engine: Engine) -> demo.Seeded:
    """Make the demo world where it is missing: two organizations, three people, two contacts."""
    now = instant_text(engine.now())
    return await engine.write(lambda tx: demo.seed(tx, now, engine.new_id))


async def furnish(engine: Engine) -> None:
    """Give the demo world something to look at: contacts, expenses of the last weeks, a draft.

    Once for each organization, whatever has become of it; no invoice is issued, so that the first
    one is the person's own.
    """
    now = engine.now()
    for org in demo.FURNITURE:
        work = partial(demo.furnish, org=org, now=now, new_id=engine.new_id)
        await engine.once(f"semel_facturas.furnish {org}", work, org=org)


async def locale(engine: Engine, org: str, person: str) -> str | None:
    """The language that a person of an organization reads; None for a stranger."""
    return await engine.read(lambda tx: organizations.locale(tx, org, person))


async def ask(engine: Engine, who: Who, text: str, *, message: str) -> Outcome | str:
    """Turn a person's sentence into a plan and propose it through the tool that a model gets.

    It is the offline planner without a loop around it: a terminal shows outcomes and tokens, and a
    command does not wait a second for a framework. The browser's assistant is in ``assistant``.

    Returns:
        The outcome; or, when the offline planner did not understand, a sentence that says so.
    """
    read = await planned(engine, who, text)
    if isinstance(read, str):
        return read
    return await Tool(engine.agent, who.locale)({"steps": read.steps}, Call(who, message, text))
