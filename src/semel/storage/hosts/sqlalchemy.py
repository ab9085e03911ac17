"""SQLAlchemy 2 as a host: ``ctx.tx`` is a Session of the application's own sessionmaker."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, cast

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError, StatementError
from sqlalchemy.orm import Session, SessionTransaction, sessionmaker

from semel.errors import CatalogError, StorageError
from semel.ports import Clock
from semel.storage.block import Spoilt
from semel.storage.hosts.lending import DENIED, OTHER, Denied, Dialect, Ground, Lender, Loan, over

log = logging.getLogger("semel")

DENIED_METHODS = ("begin", "close", "commit", "invalidate", "prepare", "reset", "rollback")
"""What a step may not do with its Session; ``begin_nested`` is its own."""

DRIVERS = {("sqlite", "pysqlite"): "sqlite", ("postgresql", "psycopg"): "postgres"}


class SqlAlchemyLoan(Loan):
    """One Session in one transaction."""

    def __init__(
        self, lender: "SqlAlchemyLender", session: Session, clock: Clock, lent: bool, writes: bool
    ) -> None:
        self.app = self._session = session
        self._lender = lender
        self._how = (clock, lent, writes)
        self.connection: Connection | None = None
        self.ending = False
        """The engine itself commits or rolls back."""
        self.committed = False

    def began(self, connection: Connection) -> None:
        """The Session takes its connection; from here on the transaction is semel's too."""
        if self.connection is not None:
            raise Denied(OTHER)
        clock, lent, writes = self._how
        raw = connection.connection.driver_connection
        self.ground: Ground = self._lender.dialect.ground(raw, clock, lent=lent, writes=writes)
        self.connection = connection

    def deny(self) -> None:
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
        transaction = self._session.get_transaction()
        if transaction is None or not transaction.is_active:
            # A flush that was refused has rolled its block back, and the error was not let out.
            self._lost(self._session.get_nested_transaction())
        with self._lender.translated():
            self._session.flush()

    def _lost(self, nested: SessionTransaction | None) -> NoReturn:
        """Say why the Session's block does not go on."""
        raise Spoilt if nested is not None else over()

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
        self.ending = True
        try:
            with self._lender.translated():
                Session.commit(self._session)
        except Exception:
            if not self.committed:
                raise
            log.warning("Something of the application failed after a COMMIT.", exc_info=True)

    def give_back(self) -> None:
        """Close the Session; what was not committed is rolled back."""
        self.ending = True
        for name in DENIED_METHODS:
            with suppress(AttributeError):
                delattr(self._session, name)
        try:
            if self.connection is None:
                self._session.close()
                return
            broken = self.ground.broken
            self.ground.let_go()
            if broken:
                self._session.invalidate()
            else:
                self._session.close()
            # A step may have left the Session in a state in which it closes nothing.
            self.connection.close()
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
        self._here = threading.local()
        self._engine = self._bound()
        self.dialect = _dialect(self._engine)
        # What the application does at a begin: on PostgreSQL it is done in our transaction, and on
        # SQLite it is a late BEGIN, which is taken back for ours.
        first = self.dialect.name == "postgres"
        for name, listener in self._listeners().items():
            event.listen(self._engine, name, listener, insert=first)

    def _listeners(self) -> dict[str, Any]:
        return {
            "begin": self._begin,
            "commit": self._commit,
            "before_cursor_execute": self._before,
            "handle_error": self._refused,
        }

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
        # A row that a step was given stays readable, and the Session cannot be used afterwards.
        session = self._factory(expire_on_commit=False, close_resets_only=False)
        loan = SqlAlchemyLoan(self, session, clock, lent, writes)
        event.listen(session, "after_begin", self._only_ours)
        self._here.loan = loan
        try:
            with self.translated():
                session.connection()
            loan.deny()
            yield loan
        finally:
            loan.give_back()
            self._here.loan = None

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
        """Listen no more; the engine and its pool are the application's."""
        for name, listener in self._listeners().items():
            if event.contains(self._engine, name, listener):
                event.remove(self._engine, name, listener)

    def driver_error(self, error: BaseException) -> BaseException | None:
        """The driver's own error in one of SQLAlchemy's."""
        if isinstance(error, StatementError | DBAPIError):
            return error.orig
        return error

    def _loan(self) -> SqlAlchemyLoan | None:
        return cast("SqlAlchemyLoan | None", getattr(self._here, "loan", None))

    def _begin(self, connection: Connection) -> None:
        loan = self._loan()
        if loan is not None:
            loan.began(connection)

    def _commit(self, connection: Connection) -> None:
        """The real COMMIT is made here; the driver's own then finds nothing to do."""
        loan = self._loan()
        if loan is None or connection is not loan.connection:
            return
        if not loan.ending:
            raise Denied(DENIED)
        loan.ground.commit()
        loan.committed = True

    def _before(self, connection: Connection, _: object, statement: str, *__: object) -> None:
        loan = self._loan()
        if loan is None or loan.connection is None or loan.committed:
            # The application's own, or what it does at a begin that comes before ours.
            return
        if connection is not loan.connection:
            raise Denied(OTHER)
        loan.ground.before(statement)

    def _refused(self, context: Any) -> None:
        loan = self._loan()
        if loan is not None and loan.connection is not None:
            loan.ground.refused(context.original_exception)

    def _only_ours(self, _: Session, __: object, connection: Connection) -> None:
        if (
            connection.engine is not self._engine
            and connection.engine.pool is not self._engine.pool
        ):
            raise StorageError(
                "A step used another database of its session, which commits on its own."
                " Nothing was written."
            )


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
