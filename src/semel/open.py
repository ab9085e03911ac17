"""The composition root: from a URL and some actions to an engine."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from semel import keyfile, placed
from semel.catalog import Catalog
from semel.domain.action import Action, Allow
from semel.domain.keyring import Keyring
from semel.errors import CatalogError, StorageError
from semel.lend import hosted
from semel.machine import SystemClock, SystemEntropy, ThisProcess
from semel.placed import is_postgres, sqlite_path, tables
from semel.ports import Clock, Entropy, Host, Store
from semel.runtime.core import Core
from semel.runtime.engine import Engine as Runtime
from semel.storage import migrate
from semel.storage.hosts import HostStore, Lender
from semel.words import speaker

if TYPE_CHECKING:
    from semel.sync import Sync


class Engine(Runtime):
    """Runs an application's plans.

    Args:
        url: ``sqlite:///path`` (relative), ``sqlite:////path`` (absolute), or
            ``postgresql://user@host/database`` as libpq reads it. Or what an existing application
            lends: ``semel.sqlalchemy(SessionLocal)``, ``semel.django("default")``; its tables are
            then made in the application's own migrations, and ``ctx.tx`` is what it lends.
        actions: what plans may do, checked here against what each declares.
        allow: ``allow(ctx, permission, records)``: may this person? Asked at the preview, at the
            yes and at each step.
        sql: folder of the application's named statements: ``<sql>/sqlite/*.sql``, and its numbered
            migrations in ``<sql>/sqlite/migrations``; for PostgreSQL the same in ``postgres``.
        keys: the signing keys; by default ``SEMEL_KEYS``, else, on SQLite, those of the key file.
        key_file: made with a new key when it is missing; by default ``key`` beside the database.
            PostgreSQL is for many machines, which must agree on the keys, so no file is made there.
        on_close: called when the engine has closed, for what an application keeps open beside it.
        create: whether a missing file is made; without it, it is refused in one sentence.
        clock: where time comes from; a test may lend its own. Without it PostgreSQL's own clock
            counts wherever instants are stored or compared.
        entropy: where chance comes from.
        host: who this process is.

    Raises:
        CatalogError: a declaration contradicts itself.
        StorageError: the database cannot be used; PostgreSQL is given no signing keys, for one.
    """

    def __init__(
        self,
        url: str | Lender,
        actions: Iterable[Action],
        *,
        allow: Allow,
        sql: Path | None = None,
        keys: Keyring | None = None,
        key_file: Path | None = None,
        on_close: Callable[[], None] | None = None,
        create: bool = True,
        clock: Clock | None = None,
        entropy: Entropy | None = None,
        host: Host | None = None,
    ) -> None:
        catalog = Catalog(actions)
        entropy = entropy or SystemEntropy()
        store: Store
        if isinstance(url, Lender):
            if sql is not None or key_file is not None:
                raise CatalogError(
                    "An application that lends its transaction has its own statements and keys:"
                    " leave sql= and key_file= out, and give keys= or SEMEL_KEYS."
                )
            keys = keys or environment_keys("With a lent transaction")
            store = hosted(url, clock)
        elif is_postgres(url):
            keys = keys or environment_keys()
            store = placed.store(url, app=sql, clock=clock)
        else:
            store = placed.store(url, app=sql, clock=clock, create=create)
            keys = keys or default_keys(key_file or sqlite_path(url).parent / "key", entropy)
        super().__init__(
            Core(
                store=store,
                catalog=catalog,
                keys=keys,
                clock=clock or SystemClock(),
                entropy=entropy,
                host=host or ThisProcess(),
                allow=allow,
                speaker=speaker,
            ),
            on_close=on_close,
        )

    async def start(self, *, sweeps: bool = True) -> None:
        """Open the engine: look at the tables and, unless told not to, sweep beside.

        Where an application lends its transaction, its own migrations make the tables; elsewhere
        they are brought up to this program here.

        Raises:
            StorageError: a host's database lacks tables, and which command prints them.
        """
        if isinstance(self._core.store, HostStore):
            self._core.store.ready()
        await super().start(sweeps=sweeps)

    @property
    def sync(self) -> "Sync":
        """The blocking face, for scripts and WSGI: the same verbs without ``await``."""
        from semel.sync import Sync  # noqa: PLC0415 - a cycle: it is a face of this class

        if self._sync is None:
            self._sync = Sync(self)
        return self._sync

    _sync: "Sync | None" = None


def default_keys(path: Path, entropy: Entropy) -> Keyring:
    """The keys of ``SEMEL_KEYS``, else those of the key file."""
    text = os.environ.get("SEMEL_KEYS")
    return keyfile.parse(text) if text else keyfile.from_file(path, entropy)


def environment_keys(where: str = "On PostgreSQL") -> Keyring:
    """The keys of ``SEMEL_KEYS``, which *where* are given in no other way.

    Raises:
        StorageError: it is not set.
        CatalogError: it holds no keys.
    """
    text = os.environ.get("SEMEL_KEYS")
    if not text:
        raise StorageError(
            f"{where} the signing keys come from SEMEL_KEYS, the same on every machine: "
            'SEMEL_KEYS="k1:$(openssl rand -base64 32)". Nothing was opened.'
        )
    return keyfile.parse(text)


def printed(dialect: str) -> list[str]:
    """The statements that make semel's tables and note that they were made, in order.

    They are for an application's own migrations. A later version of semel adds to the end.

    Args:
        dialect: ``sqlite`` or ``postgres``.
    """
    return migrate.statements(dialect, tables(dialect))
