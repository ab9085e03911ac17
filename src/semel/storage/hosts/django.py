"""Django as a host: ``ctx.tx`` is the connection of an alias, used through the ORM as usual."""

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from django.db import Error as DjangoError
from django.db import connections
from django.db.transaction import Atomic
from django.utils.connection import ConnectionDoesNotExist

from semel.errors import CatalogError, StorageError
from semel.ports import Clock
from semel.storage.block import Spoilt
from semel.storage.hosts.lending import Dialect, Lender, Loan, over

log = logging.getLogger("semel")


class DjangoLoan(Loan):
    """One connection of Django's in one transaction."""

    def __init__(self, lender: "DjangoLender", wrapper: Any) -> None:
        self.app = self._wrapper = wrapper
        self._lender = lender
        self._block = _block(lender.alias)
        self._open = False

    def begin(self, clock: Clock, *, lent: bool, writes: bool) -> None:
        """Begin as an outermost ``atomic`` does, so that Django refuses what would end it."""
        if self._wrapper.in_atomic_block or not self._wrapper.get_autocommit():
            raise StorageError(
                f"The database {self._lender.alias!r} is used with AUTOCOMMIT, as Django has it by"
                " default; the engine begins and ends its transactions. Nothing was written."
            )
        self._block.__enter__()
        self._open = True
        self.ground = self._lender.dialect.ground(
            self._wrapper.connection, clock, lent=lent, writes=writes
        )
        self._wrapper.execute_wrappers.append(self._asked)

    def _asked(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        """Every statement of the host comes through here."""
        self.ground.before(sql)
        try:
            return execute(sql, params, many, context)
        except DjangoError as no:
            self.ground.refused(no.__cause__)
            raise

    def settle(self) -> None:
        """Refuse to go on after what Django would not; it has nothing left to write."""
        if self._wrapper.closed_in_transaction or self._wrapper.connection is None:
            raise over()
        self.ground.check()
        if self._wrapper.needs_rollback:
            raise Spoilt

    def nest(self) -> Any:
        """Open a savepoint; what was to be called on commit is forgotten with it."""
        block = _block(self._lender.alias)
        with self._lender.translated():
            block.__enter__()
        return block

    def keep(self, nested: Any) -> None:
        """Close a savepoint and keep what it holds."""
        self._innermost(nested)
        with self._lender.translated():
            nested.__exit__(None, None, None)

    def take_back(self, nested: Any) -> None:
        """Roll a savepoint back and close it."""
        self._innermost(nested)
        with self._lender.translated():
            nested.__exit__(Spoilt, Spoilt(), None)
        self.ground.taken_back()
        if self._wrapper.needs_rollback:
            # The savepoint was not there, or the connection is lost: nothing of this counts.
            raise over()

    def _innermost(self, nested: Any) -> None:
        blocks = self._wrapper.atomic_blocks
        if not blocks or blocks[-1] is not nested:
            raise over()

    def commit(self) -> None:
        """COMMIT, and then what was to be called on commit."""
        self.settle()
        self.ground.commit()
        try:
            self._end(None)
        except Exception:
            log.warning("Something of the application failed after a COMMIT.", exc_info=True)

    def _end(self, error: BaseException | None) -> None:
        """Leave Django's block; what it does to the connection finds nothing left to do."""
        if self._open:
            self._open = False
            if self._asked in self._wrapper.execute_wrappers:
                self._wrapper.execute_wrappers.remove(self._asked)
                self.ground.let_go()
            self._block.__exit__(None if error is None else type(error), error, None)

    def give_back(self) -> None:
        """Roll back what was not committed; keep or close the connection as its settings say."""
        try:
            # Blocks that a step has entered by hand and not left.
            del self._wrapper.savepoint_ids[:], self._wrapper.atomic_blocks[1:]
            broken = self._open and hasattr(self, "ground") and self.ground.broken
            self._end(over())
            if broken:
                self._wrapper.close()
            self._wrapper.close_if_unusable_or_obsolete()
        except DjangoError:
            log.warning("A lent connection could not be given back.", exc_info=True)


def _block(alias: str) -> Any:
    return Atomic(alias, savepoint=True, durable=False)


class DjangoLender(Lender):
    """Lends the connection of one alias, that of the thread.

    Raises:
        CatalogError: there is no such alias, or it is on a database that semel has no text for.
    """

    def __init__(self, alias: str) -> None:
        self.alias = alias
        try:
            wrapper = connections[alias]
        except ConnectionDoesNotExist as no:
            raise CatalogError(
                f"DATABASES has no alias {alias!r}; semel.django() takes one."
            ) from no
        self.dialect = _dialect(wrapper.vendor)
        self._changing = threading.Lock()
        self._used: dict[int, Any] = {}

    @contextmanager
    def lend(self, clock: Clock, *, lent: bool, writes: bool) -> Iterator[Loan]:
        """This thread's connection in a transaction."""
        loan = DjangoLoan(self, self._wrapper())
        try:
            with self.translated():
                loan.begin(clock, lent=lent, writes=writes)
            yield loan
        finally:
            loan.give_back()

    @contextmanager
    def raw(self) -> Iterator[Any]:
        """The driver's connection, in no transaction."""
        wrapper = self._wrapper()
        with self.translated():
            wrapper.ensure_connection()
        try:
            yield wrapper.connection
        finally:
            wrapper.close_if_unusable_or_obsolete()

    def _wrapper(self) -> Any:
        wrapper = connections[self.alias]
        wrapper.close_if_unusable_or_obsolete()
        with self._changing:
            self._used[id(wrapper)] = wrapper
        return wrapper

    def close(self) -> None:
        """Close what worker threads have kept, as CONN_MAX_AGE lets them."""
        # In a thread of its own: Django refuses a connection's methods beside a running loop.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(self._close).result()

    def _close(self) -> None:
        with self._changing:
            used, self._used = list(self._used.values()), {}
        for wrapper in used:
            # The threads are gone, and Django lets nobody else touch what was theirs.
            wrapper.inc_thread_sharing()
            try:
                wrapper.close()
            finally:
                wrapper.dec_thread_sharing()

    def driver_error(self, error: BaseException) -> BaseException | None:
        """The driver's own error in one of Django's."""
        return error.__cause__ if isinstance(error, DjangoError) else error


def _dialect(vendor: str) -> Dialect:
    if vendor == "sqlite":
        from semel.storage.hosts.sqlite import SqliteDialect  # noqa: PLC0415 - one of two

        return SqliteDialect()
    if vendor == "postgresql":
        try:
            from django.db.backends.postgresql.psycopg_any import (  # noqa: PLC0415 - an extra
                is_psycopg3,
            )
        except ImportError:
            is_psycopg3 = False
        if is_psycopg3:
            from semel.storage.hosts.postgres import PostgresDialect  # noqa: PLC0415 - an extra

            return PostgresDialect()
        raise CatalogError(
            "semel.django() works on PostgreSQL with psycopg 3: pip install 'semel[postgres]'."
        )
    raise CatalogError(
        "semel.django() works on SQLite and on PostgreSQL with psycopg 3, and this database is"
        f" {vendor}."
    )
