"""Existing applications lend their transaction: SQLAlchemy's Session, Django's connection.

Their libraries are imported only when they are asked for.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semel.errors import CatalogError
from semel.machine import SystemClock
from semel.ports import Clock
from semel.storage import migrate
from semel.storage.hosts import HostStore, Lender

if TYPE_CHECKING:
    from sqlalchemy.orm import sessionmaker

STORAGE = Path(__file__).parent / "storage"


def sqlalchemy(factory: "sessionmaker[Any]") -> Lender:
    """Lend the Sessions of a SQLAlchemy 2 application; ``ctx.tx`` is then one of them.

    Args:
        factory: the application's ``sessionmaker``, bound to one engine: on SQLite with Python's
            own driver, or on PostgreSQL with psycopg 3 (``postgresql+psycopg://…``).

    Raises:
        CatalogError: SQLAlchemy is not installed, or the factory is for something else.
    """
    try:
        from semel.storage.hosts.sqlalchemy import SqlAlchemyLender  # noqa: PLC0415 - an extra
    except ImportError as no:
        raise CatalogError("SQLAlchemy is needed: pip install 'semel[sqlalchemy]'.") from no
    return SqlAlchemyLender(factory)


def django(alias: str = "default") -> Lender:
    """Lend the connections of a Django application; ``ctx.tx`` is then that of the alias.

    Args:
        alias: a name in ``DATABASES``, on SQLite or on PostgreSQL with psycopg 3.

    Raises:
        CatalogError: Django is not installed or not set up, or has no such database.
    """
    try:
        from semel.storage.hosts.django import DjangoLender  # noqa: PLC0415 - an extra
    except ImportError as no:
        raise CatalogError("Django is needed: pip install 'semel[django]'.") from no
    return DjangoLender(alias)


def hosted(lender: Lender, clock: Clock | None) -> HostStore:
    """The store that keeps plans in transactions of a host.

    Args:
        lender: the host.
        clock: a test's; without it the process's, and on PostgreSQL the database's own.
    """
    migrations = migrate.load("semel", STORAGE / lender.dialect.name / "migrations")
    return HostStore(
        lender,
        clock=clock or SystemClock(),
        migrations=migrations,
        lent=clock is not None,
        unsafe=os.environ.get("SEMEL_UNSAFE_DURABILITY") == "1",
    )
