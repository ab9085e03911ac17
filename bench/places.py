"""Where rows run: a file, or a PostgreSQL server of their own, on the disk of this folder."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.rows import Unusable
from bench.worlds import is_postgres, sqlite_path
from semel.errors import SemelError
from semel.testing import postgres


def checked(wants: str, url: str) -> str:
    """*url*, when a row that wants this kind of database can use it.

    Raises:
        Unusable: it is another kind of URL.
    """
    if wants == "sqlite":
        sqlite_path(url)
    elif not is_postgres(url):
        raise Unusable("This row wants a database as postgresql://user@host:port/name.")
    return url


@contextmanager
def folder() -> Iterator[Path]:
    """A folder on the disk that this one is on, for what is gone afterwards."""
    home = Path.cwd() / ".bench"
    home.mkdir(exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=home) as made:
            yield Path(made)
    finally:
        with suppress(OSError):  # another run is still in it
            home.rmdir()


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """A PostgreSQL server that syncs every commit, with its data in *folder*; its URL.

    Raises:
        Unusable: there is none on this machine.
    """
    try:
        with postgres(
            folder / "pg", shared_buffers="256MB", max_wal_size="4GB", max_connections=200
        ) as found:
            yield found.url
    except SemelError as no:
        raise Unusable(f"{no} Give a database with --db.") from no
