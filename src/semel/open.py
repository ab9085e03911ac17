"""The composition root: from a URL and some actions to an engine."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from semel import keyfile
from semel.catalog import Catalog
from semel.domain.action import Action, Allow
from semel.domain.keyring import Keyring
from semel.errors import CatalogError
from semel.machine import SystemClock, SystemEntropy, ThisProcess
from semel.ports import Clock, Entropy, Host, Store
from semel.runtime.core import Core
from semel.runtime.engine import Engine as Runtime
from semel.storage import migrate, sql
from semel.storage.sqlite import SqliteStore
from semel.words import speaker

if TYPE_CHECKING:
    from semel.sync import Sync

MIGRATIONS = Path(__file__).parent / "storage" / "sqlite" / "migrations"


class Engine(Runtime):
    """Runs an application's plans.

    Args:
        url: ``sqlite:///path`` (relative) or ``sqlite:////path`` (absolute).
        actions: what plans may do, checked here against what each declares.
        allow: ``allow(ctx, permission, records)``: may this person? Asked at the preview, at the
            yes and at each step.
        sql: folder of the application's named statements: ``<sql>/sqlite/*.sql``, and its numbered
            migrations in ``<sql>/sqlite/migrations``.
        keys: the signing keys; by default ``SEMEL_KEYS``, else those of the key file.
        key_file: made with a new key when it is missing; by default ``key`` beside the database.
        on_close: called when the engine has closed, for what an application keeps open beside it.
        create: whether a missing database is made; without it, it is refused in one sentence.
        clock: where time comes from; a test may lend its own.
        entropy: where chance comes from.
        host: who this process is.

    Raises:
        CatalogError: a declaration contradicts itself.
        StorageError: the database cannot be used.
    """

    def __init__(
        self,
        url: str,
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
        clock = clock or SystemClock()
        entropy = entropy or SystemEntropy()
        path = sqlite_path(url)
        store = _sqlite(path, sql, clock, create=create)
        super().__init__(
            Core(
                store=store,
                catalog=catalog,
                keys=keys or default_keys(key_file or path.parent / "key", entropy),
                clock=clock,
                entropy=entropy,
                host=host or ThisProcess(),
                allow=allow,
                speaker=speaker,
            ),
            on_close=on_close,
        )

    @property
    def sync(self) -> "Sync":
        """The blocking face, for scripts and WSGI: the same verbs without ``await``."""
        from semel.sync import Sync  # noqa: PLC0415 - a cycle: it is a face of this class

        if self._sync is None:
            self._sync = Sync(self)
        return self._sync

    _sync: "Sync | None" = None


def sqlite_path(url: str) -> Path:
    """The file of a ``sqlite:///`` URL.

    Raises:
        CatalogError: it is another kind of URL.
    """
    scheme, found, rest = url.partition(":///")
    if scheme != "sqlite" or not found or not rest:
        # The rest of the URL may hold a password, so it is not repeated.
        raise CatalogError("A database is given as sqlite:///path/to/books.db.")
    return Path(rest)


def default_keys(path: Path, entropy: Entropy) -> Keyring:
    """The keys of ``SEMEL_KEYS``, else those of the key file."""
    text = os.environ.get("SEMEL_KEYS")
    return keyfile.parse(text) if text else keyfile.from_file(path, entropy)


def _sqlite(path: Path, folder: Path | None, clock: Clock, *, create: bool) -> Store:
    app: Mapping[str, str] = {}
    migrations = migrate.load("semel", MIGRATIONS)
    if folder is not None:
        app = sql.load(folder / "sqlite")
        migrations += migrate.load("app", folder / "sqlite" / "migrations")
    if create:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return SqliteStore(path, clock=clock, app=app, migrations=migrations, create=create)
