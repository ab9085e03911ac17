"""Where the books of a scene are kept: in a file of its home, or in a database of a server."""

import os
import shutil
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from semel import StorageError
from semel.testing import postgres
from semel_facturas.story.judge.ledger import DATABASE, at

MADE_HERE = "made by semel demo --story"
"""The comment on a database that the story has made, and may make anew."""


class Place(Protocol):
    """Keeps the books of a story's worlds."""

    def make(self, home: Path) -> None:
        """Make room for the books of a fresh world."""

    def copy(self, home: Path, copy: Path) -> None:
        """Copy a world, its books included."""

    def environment(self, home: Path) -> Mapping[str, str]:
        """Where the books of a world are, as ``semel`` is told."""

    def everywhere(self) -> Mapping[str, str]:
        """What a program needs to find the books of every world that it knows the home of."""


class Files(Place):
    """The books are ``books.db`` in the home, and the key is beside them."""

    def make(self, home: Path) -> None:
        """Make the home."""
        home.mkdir(parents=True)

    def copy(self, home: Path, copy: Path) -> None:
        """Copy the home."""
        shutil.copytree(home, copy)

    def environment(self, home: Path) -> Mapping[str, str]:
        """The file."""
        return {"SEMEL_DB": f"sqlite:///{home / 'books.db'}"}

    def everywhere(self) -> Mapping[str, str]:
        """Nothing: the home says it all."""
        return {}


class Databases(Place):
    """The books are a database of a server, whose name is in the home; the rest is in the home.

    Args:
        server: a URL that leads to the server, as somebody who may create databases.
    """

    def __init__(self, server: str) -> None:
        self._server = server
        self._keys = f"k1:{b64encode(os.urandom(32)).decode()}"

    def make(self, home: Path) -> None:
        """Make the home, and an empty database.

        Raises:
            StorageError: there is one of that name that the story has not made, or the server
                cannot be used.
        """
        home.mkdir(parents=True)
        self._create(home, None)

    def copy(self, home: Path, copy: Path) -> None:
        """Copy the home and the database."""
        shutil.copytree(home, copy)
        self._create(copy, _name(home))

    def environment(self, home: Path) -> Mapping[str, str]:
        """The database, and the signing keys."""
        return {"SEMEL_DB": at(self._server, _name(home)), "SEMEL_KEYS": self._keys, **_allowed()}

    def everywhere(self) -> Mapping[str, str]:
        """The server, and the signing keys."""
        return {"SEMEL_DB": self._server, "SEMEL_KEYS": self._keys, **_allowed()}

    def _create(self, home: Path, template: str | None) -> None:
        import psycopg  # noqa: PLC0415 - whoever keeps the books in a file may not have it

        name = _name(home)
        try:
            with psycopg.connect(self._server, autocommit=True) as server:
                found = server.execute(
                    "SELECT shobj_description(oid, 'pg_database') FROM pg_database"
                    " WHERE datname = %s",
                    (name,),
                ).fetchone()
                if found is not None and found[0] != MADE_HERE:
                    raise StorageError(f"The database {name} is there, and not made by the story.")
                server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
                copied = f" TEMPLATE {template}" if template else ""
                server.execute(f"CREATE DATABASE {name}{copied}".encode())
                server.execute(f"COMMENT ON DATABASE {name} IS '{MADE_HERE}'".encode())
        except psycopg.errors.InsufficientPrivilege as no:
            raise StorageError("The story needs a user who may create databases.") from no
        except psycopg.Error as no:
            # What the driver says of a connection may hold its address.
            said = no.diag.message_primary or "it cannot be reached, or does not let this user in"
            raise StorageError(f"The database server refused the story: {said}.") from no
        (home / DATABASE).write_text(name, encoding="utf-8")


def _name(home: Path) -> str:
    """The name of a world's database: its story's, its scene's and its own."""
    story = sha256(str(home.parents[1].resolve()).encode()).hexdigest()[:8]
    return f"semel_story_{story}_{home.parent.name}_{home.name}".replace("-", "_")


@contextmanager
def place(store: str, db: str, folder: Path) -> Iterator[Place]:
    """Where a story is kept while it is played.

    Args:
        store: ``sqlite`` or ``postgres``.
        db: the server that was named, if it is one; without it the story brings its own.
        folder: the story's own folder.

    Raises:
        StorageError: there is no server, or no driver for it.
    """
    if store == "sqlite":
        yield Files()
        return
    try:
        import psycopg  # noqa: F401, PLC0415 - it is asked for before anything is begun
    except ImportError as no:
        raise StorageError("PostgreSQL needs its driver: pip install 'semel[postgres]'.") from no
    if db.startswith(("postgresql://", "postgres://")):
        yield Databases(db)
        return
    own = folder / "server"
    try:
        with postgres(own) as server:
            yield Databases(server.url)
    finally:
        # The worlds were on it, and are of no use without it.
        shutil.rmtree(own, ignore_errors=True)


def _allowed() -> dict[str, str]:
    """What whoever plays the story allows its worlds, too: a server that may forget."""
    name = "SEMEL_UNSAFE_DURABILITY"
    return {name: os.environ[name]} if name in os.environ else {}
