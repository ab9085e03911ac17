"""A PostgreSQL connection as semel needs it, and its errors in semel's words."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg.rows import dict_row

from semel.errors import Busy, Conflict, SemelError, StorageError, TimeLimit, Unreachable
from semel.storage.block import Spoilt
from semel.storage.postgres.talk import Outdated, Session

Connection = Session

CONNECT_SECONDS = 10
"""How long to wait for a server that does not answer at all."""

LOST_MS = 30_000
"""How long what was sent may stay unacknowledged: longer than any statement may take."""

DURABLE = (
    "SELECT name, setting FROM pg_settings WHERE setting = 'off'"
    " AND name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name"
)


class Again(StorageError):
    """Two transactions were in each other's way; nothing was written, and it may be run again."""


def connect(url: str) -> Connection:
    """Open a connection with explicit transactions; prepared statements where nothing pools it.

    Raises:
        Unreachable: there is no server, no such database, or no right to use it.
    """
    try:
        connection: Connection = Session.connect(
            url,
            autocommit=True,
            row_factory=dict_row,
            prepare_threshold=None,
            connect_timeout=CONNECT_SECONDS,
            application_name="semel",
            client_encoding="UTF8",
            keepalives_idle=10,
            keepalives_interval=5,
            keepalives_count=3,
            # A line on which nothing is acknowledged is dead, whatever the kernel would wait.
            tcp_user_timeout=LOST_MS,
        )
    except psycopg.Error as no:
        raise translate(no) from no
    connection.add_notice_handler(connection.noticed)
    if is_direct(connection):
        connection.keeps = True
    return connection


def check_durable(connection: Connection) -> None:
    """Refuse a server that may lose what it has answered.

    Raises:
        StorageError: it is set so; the mark of a send must survive what the send survives.
    """
    with translated():
        off = [row["name"] for row in connection.execute(DURABLE)]
    if off:
        raise StorageError(
            f"The database server may lose what it has answered: {', '.join(off)} is off. "
            "Nothing was opened. SEMEL_UNSAFE_DURABILITY=1 opens it all the same, for a test."
        )


def is_direct(connection: Connection) -> bool:
    """Whether this is the server's own process, and not a pooler that lends one for a while.

    A pooler makes up the process number that it greets with. Behind one nothing may be kept in a
    session: no prepared statement, no LISTEN.
    """
    with translated():
        row = connection.execute("SELECT pg_backend_pid() AS pid").fetchone()
    return row is not None and row["pid"] == connection.info.backend_pid


AWAY = "cannot be reached; nothing was written. Check that it runs and that the URL is right"
WORDS: tuple[tuple[tuple[type[psycopg.Error], ...], str], ...] = (
    (
        (errors.InvalidPassword, errors.InvalidAuthorizationSpecification),
        "does not let this user in. Check the user and password of the URL",
    ),
    ((errors.InvalidCatalogName,), "has no database of this name. Make it with `createdb`"),
    (
        (errors.InsufficientPrivilege,),
        "gives this user no right to the tables; nothing was changed. See docs/operating.md",
    ),
    ((errors.ReadOnlySqlTransaction,), "is read-only: a standby, or set so. Nothing was changed"),
    ((errors.DiskFull,), "cannot grow, the disk is full; nothing was written. Free space"),
    ((errors.TooManyConnections,), "has no connection left. Raise max_connections, or pool"),
    (
        (errors.UndefinedTable, errors.UndefinedColumn),
        "lacks tables of this program. Run `semel migrate`",
    ),
)
TOO_LONG = (
    errors.QueryCanceled,
    errors.IdleInTransactionSessionTimeout,
    errors.TransactionTimeout,
)

KINDS: tuple[tuple[tuple[type[psycopg.Error], ...], Callable[[], SemelError]], ...] = (
    ((errors.SerializationFailure, errors.DeadlockDetected, Outdated), Again),
    ((errors.InFailedSqlTransaction,), Spoilt),
    ((errors.LockNotAvailable,), Busy),
    (TOO_LONG, TimeLimit),
    ((errors.DatatypeMismatch,), lambda: Conflict("The database refused a value of this type.")),
)

GONE = {"08", "53", "57"}
"""Classes of errors of a server that is away, or at its limits (PostgreSQL, appendix A)."""

TOO_MUCH = {"54"}
"""The class of a value that is too long, to be a key for instance."""


def translate(no: psycopg.Error | UnicodeEncodeError) -> SemelError:
    """The driver's error in semel's words: the one place where that happens.

    What the server says of a failed connection may hold its address, so it is kept out.
    """
    if isinstance(no, UnicodeEncodeError):
        return Conflict("The database refused text that holds half a character.")
    for classes, error in KINDS:
        if isinstance(no, classes):
            return error()
    if isinstance(no, psycopg.IntegrityError):
        # The detail of the server's message may hold a person's data.
        return Conflict(f"The database refused the row: {no.diag.message_primary or no}.")
    if isinstance(no, psycopg.DataError):
        # The driver's own word of a value that it cannot send: text with a NUL.
        return Conflict(f"The database refused a value: {no.diag.message_primary or no}.")
    for kinds, words in WORDS:
        if isinstance(no, kinds):
            return Unreachable(f"The database server {words}.")
    if no.sqlstate is None or no.sqlstate[:2] in GONE:
        return Unreachable(f"The database server {_more(no) or AWAY}.")
    if no.sqlstate[:2] in TOO_MUCH:
        return Conflict(f"The database refused a value: {no.diag.message_primary or no}.")
    return StorageError(f"The database failed: {no.diag.message_primary or no}.")


def _more(no: psycopg.Error) -> str | None:
    """What libpq says only in words when no session came about."""
    text = str(no)
    strangers = "password authentication failed", "no password supplied", 'FATAL:  role "'
    if any(words in text for words in strangers):
        return WORDS[0][1]
    if "does not exist" in text and "database" in text:
        return WORDS[1][1]
    return None


@contextmanager
def translated() -> Iterator[None]:
    """Turn the driver's errors into semel's."""
    try:
        yield
    except (psycopg.Error, UnicodeEncodeError) as no:
        raise translate(no) from no


def is_broken(connection: Connection) -> bool:
    """Whether a connection is of no use any more."""
    return connection.closed or connection.broken
