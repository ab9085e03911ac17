"""The demo in a browser: where its books are, and how many processes serve it."""

import asyncio
import os
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from semel import CatalogError, StorageError
from semel.testing import postgres


def serve(
    home: Path,
    *,
    lang: str | None,
    store: str,
    db: str,
    port: int,
    instances: int,
    tied: bool,
    ready: Callable[[str], None],
    say: Callable[[str], None],
) -> int:
    """Serve the demo on loopback until it is told to end; the exit status.

    Args:
        home: folder of the books, the key and the mail.
        lang: what everybody reads who has not chosen; without it, each their own.
        store: ``sqlite`` or ``postgres``: where the books are.
        db: the database, by its URL; with ``postgres``, another's URL means a server of its own.
        port: of the loopback interface, and the ones after it for further processes; 0 for any.
        instances: how many processes.
        tied: end, too, when standard input does.
        ready: called with the address of each process, once it can be reached.
        say: called with a sentence about a process that has ended by itself.

    Raises:
        CatalogError: what serves pages is not installed.
        StorageError: the database cannot be used.
        OSError: a port cannot be had.
    """
    try:
        from semel_facturas.web.fleet import Fleet, command  # noqa: PLC0415 - an extra brings it
        from semel_facturas.web.instance import run  # noqa: PLC0415 - as above
    except ImportError as no:
        if not no.name or no.name.startswith("semel"):
            raise
        raise CatalogError(
            "The demo in a browser needs its libraries: pip install 'semel[web]'."
        ) from no
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _books(home, store, db) as url:
        if instances == 1:
            return run(url, home, port, ready, lang=lang, tied=tied)
        ports = [port + number if port else 0 for number in range(instances)]
        fleet = Fleet(command(url, home, lang), os.environ, ready, say)
        return asyncio.run(fleet.run(ports))


@contextmanager
def _books(home: Path, store: str, db: str) -> Iterator[str]:
    """Where the books are while the demo is served; on a server with the home's own key."""
    if store == "sqlite":
        yield db
        return
    if find_spec("psycopg") is None:
        raise StorageError("PostgreSQL needs its driver: pip install 'semel[postgres]'.")
    # What was signed before a restart is still good after it, so the key is kept, as the books are.
    os.environ.setdefault("SEMEL_KEYS", _keys(home / "key"))
    if db.startswith(("postgresql://", "postgres://")):
        yield db
        return
    with postgres(home / "server") as server:
        yield server.url


def _keys(path: Path) -> str:
    """The signing keys of the home, made when there are none; for its owner alone."""
    with suppress(FileExistsError):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(f"k1:{b64encode(os.urandom(32)).decode()}\n")
    return path.read_text(encoding="ascii").strip()
