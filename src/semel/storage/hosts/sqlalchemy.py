"""SQLAlchemy 2 as a host: ``ctx.tx`` is a Session of the application's own sessionmaker."""

import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError, StatementError
from sqlalchemy.orm import Session, SessionTransaction, sessionmaker

from semel.errors import CatalogError, StorageError
from semel.ports import Clock
from semel.storage.block import Spoilt
from semel.storage.hosts.lending import DENIED, Denied, Dialect, Ground, Lender, Loan, over

log = logging.getLogger("semel")

DENIED_METHODS = ("begin", "close", "commit", "invalidate", "prepare", "reset", "rollback")
"""What a step may not do with its Session; ``begin_nested`` is its own."""

DRIVERS = {("sqlite", "pysqlite"): "sqlite", ("postgresql", "psycopg"): "postgres"}


BEGIN = re.compile(r"\s*BEGIN\b", re.IGNORECASE)

_here = threading.local()
"""The loan of this thread, while there is one."""


def _refused(context: Any) -> None:
    """Every error of an engine that lends: a loan is told of its own."""
    loan = getattr(_here, "loan", None)
    if loan is not None and loan.is_on(context.connection):
        loan.ground.refused(context.original_exception)


class SqlAlchemyLoan(Loan):
    """One Session in one transaction."""

    def __init__(
        self,
        lender: "SqlAlchemyLender",
        session: Session,
        connection: Connection,
        clock: Clock,
        lent: bool,
        writes: bool,
    ) -> None:
        self.app = self._session = session
        self._connection = connection
        self._lender = lender
        self._how = (clock, lent, writes)
        self._taken = False
        """The ground is there: the transaction is semel's too."""
        self._beginning = True
        self._ending = False
        """The engine itself commits or rolls back."""
        self._committed = False

    def begin(self) -> None:
        """Begin on the Session's connection, before what the application does at a begin.

        Where that begins by hand, as SQLAlchemy's recipe for SQLite does, it finds it done.
        """
        # On the connection alone: an engine's listeners are read by the application's threads.
        event.listen(self._connection, "begin", self._begin)
        event.listen(self._connection, "commit", self._commit)
        event.listen(self._connection, "before_cursor_execute", self._before, retval=True)
        event.listen(self._session, "after_begin", self._only_ours)
        self._session.connection()
        self._beginning = False
        self._deny()

    def is_on(self, connection: Connection | None) -> bool:
        """Whether this is the connection of the loan, and its transaction has begun."""
        return self._taken and connection is self._connection

    def _begin(self, connection: Connection) -> None:
        if self._taken:
            raise Denied(DENIED)
        clock, lent, writes = self._how
        raw = connection.connection.driver_connection
        self.ground: Ground = self._lender.dialect.ground(raw, clock, lent=lent, writes=writes)
        self._taken = True

    def _commit(self, _: Connection) -> None:
        """The real COMMIT is made here; the driver's own then finds nothing to do."""
        if not self._ending:
            raise Denied(DENIED)
        self.ground.commit()
        self._committed = True

    def _before(
        self, _: Connection, __: object, statement: str, parameters: Any, *___: object
    ) -> tuple[str, Any]:
        if self._committed:
            return statement, parameters
        if self._beginning and BEGIN.match(statement):
            statement = "SELECT 1"
        self.ground.before(statement)
        return statement, parameters

    def _only_ours(self, _: Session, __: object, connection: Connection) -> None:
        if connection is not self._connection:
            raise StorageError(
                "A step used another database of its session, which commits on its own."
                " Nothing was written."
            )

    def _deny(self) -> None:
        """Take out of the Session what would end the transaction."""

        def denied(*_: object, **__: object) -> NoReturn:
            raise Denied(DENIED)

        def begin(nested: bool = False) -> SessionTransaction:
            # begin_nested() comes this way, and a savepoint is the step's own.
            return Session.begin(self._session, nested=True) if nested else denied()

        for name in DENIED_METHODS:
            setattr(self._session, name, begin if name == "begin" else denied)

    def settle(self) -> None:
        """Flush what is pending, so that semel's next statement comes after it."""
        self.ground.check()
        nested = self._session.get_nested_transaction()
        if nested is not None and not nested.is_active:
            # A flush that was refused has rolled its block back, and its error was not let out.
            raise Spoilt
        transaction = self._session.get_transaction()
        if transaction is None or not transaction.is_active:
            raise over()
        with self._lender.translated():
            self._session.flush()

    def nest(self) -> SessionTransaction:
        """Open a savepoint; what is made in it is forgotten with it."""
        with self._lender.translated():
            nested = self._session.begin_nested()
            # Else the savepoint would wait for the Session's next statement, and miss semel's.
            self._session.connection()
            return nested

    def keep(self, nested: SessionTransaction) -> None:
        """Close a savepoint and keep what it holds."""
        if not nested.is_active:
            raise over()
        with self._lender.translated():
            nested.commit()

    def take_back(self, nested: SessionTransaction) -> None:
        """Roll a savepoint back; new objects leave the Session, changed ones are read anew."""
        with self._lender.translated():
            nested.rollback()
        self.ground.taken_back()

    def commit(self) -> None:
        """Commit as the Session does, with what its listeners do before and after."""
        self._ending = True
        try:
            with self._lender.translated():
                Session.commit(self._session)
        except Exception:
            if not self._committed:
                raise
            log.warning("Something of the application failed after a COMMIT.", exc_info=True)
        if not self._committed:
            # A step has left the Session without its transaction, so that it committed nothing.
            raise over()

    def give_back(self) -> None:
        """Close the Session; what was not committed is rolled back."""
        self._ending = True
        for name in DENIED_METHODS:
            with suppress(AttributeError):
                delattr(self._session, name)
        try:
            broken = self._taken and self.ground.broken
            if self._taken:
                self.ground.let_go()
            self._session.close()
            if broken:
                self._connection.invalidate()
        except SQLAlchemyError:
            # The answer is known already, and what is left of the connection is the pool's.
            log.warning("A lent session could not be closed.", exc_info=True)


class SqlAlchemyLender(Lender):
    """Lends Sessions of one sessionmaker.

    Raises:
        CatalogError: it is no such thing, or for a database or driver that semel has no text for.
    """

    def __init__(self, factory: "sessionmaker[Any]") -> None:
        if not isinstance(factory, sessionmaker):
            raise CatalogError(
                "semel.sqlalchemy() takes the application's sessionmaker, as in"
                " SessionLocal = sessionmaker(engine)."
            )
        self._factory = factory
        self._engine = self._bound()
        self.dialect = _dialect(self._engine)
        if not event.contains(self._engine, "handle_error", _refused):
            # Once, and for good: a list of listeners must not change while another thread reads it.
            event.listen(self._engine, "handle_error", _refused)

    def _bound(self) -> Engine:
        with self._factory() as session:
            try:
                bind = session.get_bind()
            except SQLAlchemyError as no:
                raise CatalogError(
                    "semel.sqlalchemy() needs a sessionmaker with one engine for everything:"
                    " sessionmaker(engine)."
                ) from no
            if not isinstance(bind, Engine) or session.twophase:
                raise CatalogError(
                    "semel.sqlalchemy() needs a sessionmaker that is bound to an Engine and has no"
                    " two-phase commit: sessionmaker(engine)."
                )
            return bind

    @contextmanager
    def lend(self, clock: Clock, *, lent: bool, writes: bool) -> Iterator[Loan]:
        """A fresh Session in a transaction; nothing is left in it that a rehearsal made."""
        with self.translated():
            connection = self._engine.connect()
        try:
            # A row that a step was given stays readable, and the Session cannot be used afterwards.
            session = self._factory(
                bind=connection, expire_on_commit=False, close_resets_only=False
            )
            loan = SqlAlchemyLoan(self, session, connection, clock, lent, writes)
            _here.loan = loan
            try:
                with self.translated():
                    loan.begin()
                yield loan
            finally:
                _here.loan = None
                loan.give_back()
        finally:
            connection.close()

    @contextmanager
    def raw(self) -> Iterator[Any]:
        """The driver's connection, in no transaction."""
        with self.translated():
            held = self._engine.raw_connection()
        try:
            yield held.driver_connection
        finally:
            held.close()

    def close(self) -> None:
        """Nothing is kept: the engine and its pool are the application's."""

    def driver_error(self, error: BaseException) -> BaseException | None:
        """The driver's own error in one of SQLAlchemy's."""
        if isinstance(error, StatementError | DBAPIError):
            return error.orig
        return error


def _dialect(engine: Engine) -> Dialect:
    name, driver = engine.dialect.name, engine.dialect.driver
    found = DRIVERS.get((name, driver))
    if found == "sqlite":
        from semel.storage.hosts.sqlite import SqliteDialect  # noqa: PLC0415 - one of two

        return SqliteDialect()
    if found == "postgres":
        try:
            from semel.storage.hosts.postgres import PostgresDialect  # noqa: PLC0415 - an extra
        except ImportError as no:
            raise CatalogError(
                "PostgreSQL needs its driver: pip install 'semel[postgres]'."
            ) from no
        return PostgresDialect()
    raise CatalogError(
        "semel.sqlalchemy() works on SQLite with the driver of Python (sqlite:///…) and on"
        f" PostgreSQL with psycopg 3 (postgresql+psycopg://…), and this engine is {name}+{driver}."
    )
