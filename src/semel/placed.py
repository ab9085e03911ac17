"""From a URL to a store: its tables, the statements that run on them, and the settings around."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from semel.errors import CatalogError, StorageError
from semel.machine import SystemClock
from semel.ports import Clock, Store
from semel.storage import migrate, sql
from semel.storage.migrate import Migration
from semel.storage.sqlite.store import STATEMENTS, SqliteStore

STORAGE = Path(__file__).parent / "storage"

UNSAFE = "SEMEL_UNSAFE_DURABILITY"


class Part(NamedTuple):
    """What brings tables and statements of its own to the engine's: a part of the library."""

    name: str
    folder: Path
    """``<folder>/<dialect>/*.sql``, and ``<folder>/<dialect>/migrations``."""


class _Kept(NamedTuple):
    """What a store is to keep and run."""

    app: Mapping[str, str]
    own: Mapping[str, str]
    """The statements of a part."""
    migrations: list[Migration]


def is_postgres(url: str) -> bool:
    """Whether a URL is one of PostgreSQL."""
    return url.startswith(("postgresql://", "postgres://"))


def sqlite_path(url: str) -> Path:
    """The file of a ``sqlite:///`` URL.

    Raises:
        CatalogError: it is another kind of URL.
    """
    scheme, found, rest = url.partition(":///")
    if scheme != "sqlite" or not found or not rest:
        # The rest of the URL may hold a password, so it is not repeated.
        raise CatalogError(
            "A database is given as sqlite:///path/to/books.db or postgresql://user@host/database."
        )
    return Path(rest)


def unsafe() -> bool:
    """Whether a place may be used that can lose what it has answered."""
    return os.environ.get(UNSAFE) == "1"


def dialect_of(url: str) -> str:
    """Which of the dialects a URL's statements are written in."""
    return "postgres" if is_postgres(url) else "sqlite"


def tables(dialect: str) -> list[Migration]:
    """The engine's own tables, in order."""
    return migrate.load("semel", STORAGE / dialect / "migrations")


def store(
    url: str,
    *,
    app: Path | None = None,
    part: Part | None = None,
    clock: Clock | None = None,
    create: bool = True,
) -> Store:
    """Open the store that a URL names.

    Args:
        url: ``sqlite:///path`` or ``postgresql://…``.
        app: the application's named statements and migrations, in a folder for each dialect.
        part: a part of the library that has tables of its own.
        clock: a test's own; without it PostgreSQL's clock counts there.
        create: whether a missing file is made.

    Raises:
        CatalogError: it is another kind of URL.
        StorageError: it cannot be used.
    """
    dialect = dialect_of(url)
    migrations = tables(dialect)
    own: Mapping[str, str] = {}
    statements: Mapping[str, str] = {}
    if part is not None:
        own = sql.load(part.folder / dialect)
        migrations += migrate.load(part.name, part.folder / dialect / "migrations")
    if app is not None:
        statements = sql.load(app / dialect)
        migrations += migrate.load("app", app / dialect / "migrations")
    kept = _Kept(statements, own, migrations)
    if dialect == "postgres":
        return _postgres(url, kept, clock)
    return _sqlite(sqlite_path(url), kept, clock or SystemClock(), create=create)


def _postgres(url: str, kept: _Kept, clock: Clock | None) -> Store:
    try:
        from semel.storage.postgres import PostgresStore, bound  # noqa: PLC0415 - an extra
        from semel.storage.postgres import statements as ours  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as no:
        if (no.name or "").partition(".")[0] != "psycopg":
            raise
        raise StorageError(
            "PostgreSQL needs its driver: pip install 'semel[postgres]'. Nothing was opened."
        ) from no
    return PostgresStore(
        url,
        clock=clock or SystemClock(),
        app=bound(kept.app),
        migrations=kept.migrations,
        statements={**ours.STATEMENTS, **bound(kept.own)},
        lent=clock is not None,
        unsafe=unsafe(),
    )


def _sqlite(path: Path, kept: _Kept, clock: Clock, *, create: bool) -> Store:
    if create:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return SqliteStore(
        path,
        clock=clock,
        app=kept.app,
        migrations=kept.migrations,
        statements={**STATEMENTS, **kept.own},
        create=create,
        unsafe=unsafe(),
    )
