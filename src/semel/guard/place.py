"""From a guard's URL to what keeps its calls."""

import os
from collections.abc import Mapping
from pathlib import Path

from semel.errors import CatalogError, StorageError
from semel.guard.calls import Calls
from semel.guard.relational import RelationalCalls
from semel.machine import SystemClock
from semel.open import is_postgres, sqlite_path
from semel.ports import Clock, Store
from semel.storage import migrate, sql
from semel.storage.migrate import Migration
from semel.storage.sqlite.store import STATEMENTS as SQLITE_STATEMENTS
from semel.storage.sqlite.store import SqliteStore

SQL = Path(__file__).parent / "sql"
STORAGE = Path(__file__).parents[1] / "storage"

UNSAFE = "SEMEL_UNSAFE_DURABILITY"


def is_redis(url: str) -> bool:
    """Whether a URL is one of Redis."""
    return url.startswith(("redis://", "rediss://", "unix://"))


def placed(url: str, org: str, folder: Path | None, clock: Clock | None) -> Calls:
    """Open what keeps the calls, its tables brought up to this program.

    Args:
        url: ``sqlite:///path``, ``postgresql://…`` or ``redis://…``.
        org: the organization.
        folder: the application's named statements for Local tools, as the engine's ``sql=``.
        clock: a test's own.

    Raises:
        StorageError: it cannot be used.
    """
    if is_redis(url):
        if folder is not None:
            raise CatalogError("Redis has no transaction that an application could use: no sql=.")
        return _redis(url, org, clock)
    dialect = "postgres" if is_postgres(url) else "sqlite"
    app: Mapping[str, str] = {}
    migrations = migrate.load("semel", STORAGE / dialect / "migrations")
    migrations += migrate.load("guard", SQL / dialect / "migrations")
    if folder is not None:
        app = sql.load(folder / dialect)
        migrations += migrate.load("app", folder / dialect / "migrations")
    own = sql.load(SQL / dialect)
    store = (_postgres if dialect == "postgres" else _sqlite)(url, app, own, migrations, clock)
    store.migrate()
    return RelationalCalls(store, org)


def _sqlite(
    url: str,
    app: Mapping[str, str],
    own: Mapping[str, str],
    migrations: list[Migration],
    clock: Clock | None,
) -> Store:
    path = sqlite_path(url)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return SqliteStore(
        path,
        clock=clock or SystemClock(),
        app=app,
        migrations=migrations,
        statements={**SQLITE_STATEMENTS, **own},
        unsafe=os.environ.get(UNSAFE) == "1",
    )


def _postgres(
    url: str,
    app: Mapping[str, str],
    own: Mapping[str, str],
    migrations: list[Migration],
    clock: Clock | None,
) -> Store:
    try:
        from semel.storage.postgres import PostgresStore, bound  # noqa: PLC0415 - an extra
        from semel.storage.postgres.statements import STATEMENTS  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as no:
        if (no.name or "").partition(".")[0] != "psycopg":
            raise
        raise StorageError(
            "PostgreSQL needs its driver: pip install 'semel[postgres]'. Nothing was opened."
        ) from no
    return PostgresStore(
        url,
        clock=clock or SystemClock(),
        app=bound(app),
        migrations=migrations,
        statements={**STATEMENTS, **bound(own)},
        lent=clock is not None,
        unsafe=os.environ.get(UNSAFE) == "1",
    )


def _redis(url: str, org: str, clock: Clock | None) -> Calls:
    try:
        from semel.guard.redis_store import RedisCalls  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as no:
        if (no.name or "").partition(".")[0] != "redis":
            raise
        raise StorageError(
            "Redis needs its client: pip install 'semel[redis]'. Nothing was opened."
        ) from no
    return RedisCalls(url, org, clock or SystemClock(), unsafe=os.environ.get(UNSAFE) == "1")
