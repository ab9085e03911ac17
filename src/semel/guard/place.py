"""From a guard's URL to what keeps its calls."""

from pathlib import Path

from semel import placed
from semel.errors import CatalogError, StorageError
from semel.guard.calls import Calls
from semel.guard.relational import RelationalCalls
from semel.machine import SystemClock
from semel.placed import Part
from semel.ports import Clock

SQL = Path(__file__).parent / "sql"


def is_redis(url: str) -> bool:
    """Whether a URL is one of Redis."""
    return url.startswith(("redis://", "rediss://", "unix://"))


def kept_in(url: str, org: str, folder: Path | None, clock: Clock | None) -> Calls:
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
    store = placed.store(url, app=folder, part=Part("guard", SQL), clock=clock)
    store.migrate()
    # Whoever writes to a file is alone in it.
    return RelationalCalls(store, org, alone=placed.dialect_of(url) == "sqlite")


def _redis(url: str, org: str, clock: Clock | None) -> Calls:
    try:
        from semel.guard.redis_store import RedisCalls  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as no:
        if (no.name or "").partition(".")[0] != "redis":
            raise
        raise StorageError(
            "Redis needs its client: pip install 'semel[redis]'. Nothing was opened."
        ) from no
    return RedisCalls(url, org, clock or SystemClock(), unsafe=placed.unsafe())
