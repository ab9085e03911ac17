"""The shop as a SQLAlchemy application: its own engine, its own models, its own tables."""

import re
from collections.abc import Callable
from typing import Any

from host_points import app_point
from sqlalchemy import ForeignKey, create_engine, event, func, select, text
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, sessionmaker

import semel
from semel.runtime import points


class Base(DeclarativeBase):
    pass


class Articulo(Base):
    __tablename__ = "tienda_articulo"
    sku: Mapped[str] = mapped_column(primary_key=True)
    quedan: Mapped[int]
    version: Mapped[int] = mapped_column(default=1)


class Pedido(Base):
    __tablename__ = "tienda_pedido"
    id: Mapped[str] = mapped_column(primary_key=True)
    org: Mapped[str]
    sku: Mapped[str] = mapped_column(ForeignKey("tienda_articulo.sku"))
    unidades: Mapped[int]
    version: Mapped[int] = mapped_column(default=1)


def careful(connection: Any, _: object) -> None:
    for name in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {name}")


def pointed(conn: Any, cursor: Any, statement: str, *_: object, when: str) -> None:
    points.reach(f"{app_point(statement)}:{when}")


def root(session: Session) -> Any:
    transaction = session.get_transaction()
    while transaction.parent is not None:
        transaction = transaction.parent
    return transaction


class SqlAlchemySide:
    """What the shop does through its Session."""

    name = "sqlalchemy"

    def __init__(self, url: str, *, careful: Callable[..., None] | None = careful, **more: Any):
        self.engine = create_engine(
            re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", url), **more
        )
        if careful and self.engine.dialect.name == "sqlite":
            event.listen(self.engine, "connect", careful)
        for when in ("before", "after"):
            event.listen(
                self.engine,
                f"{when}_cursor_execute",
                lambda *args, when=when: pointed(*args, when=when),
            )
        self.session_local = sessionmaker(self.engine)

    def lender(self) -> Any:
        return semel.sqlalchemy(self.session_local)

    def tables(self) -> None:
        Base.metadata.create_all(self.engine)

    def run_sql(self, statements: list[str]) -> None:
        """As Alembic's op.execute() runs the text of a migration."""
        with self.engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))

    def close(self) -> None:
        self.engine.dispose()

    # What actions do in their lent transaction.

    def stock(self, tx: Session, sku: str, quedan: int) -> None:
        tx.add(Articulo(sku=sku, quedan=quedan))

    def order(self, tx: Session, id: str, org: str, sku: str, unidades: int) -> Pedido:
        articulo = tx.get(Articulo, sku)
        articulo.quedan -= unidades
        pedido = Pedido(id=id, org=org, sku=sku, unidades=unidades, version=1)
        tx.add(pedido)
        return pedido

    def orders(self, tx: Session) -> int:
        return tx.scalar(select(func.count()).select_from(Pedido))

    def find(self, tx: Session, org: str, id: str) -> Pedido | None:
        pedido = tx.get(Pedido, id)
        return pedido if pedido and pedido.org == org else None

    def left(self, tx: Session, sku: str) -> int:
        return tx.get(Articulo, sku).quedan

    def cancel(self, tx: Session, pedido: Pedido) -> None:
        tx.get(Articulo, pedido.sku).quedan += pedido.unidades
        pedido.unidades = 0
        pedido.version += 1

    def part(self, tx: Session) -> Any:
        return tx.begin_nested()

    def raw(self, tx: Session, sql: str) -> None:
        tx.execute(text(sql))

    ways_out = {
        "commit": lambda tx: tx.commit(),
        "rollback": lambda tx: tx.rollback(),
        "close": lambda tx: tx.close(),
        "reset": lambda tx: tx.reset(),
        "begin": lambda tx: tx.begin(),
        "with": lambda tx: tx.__exit__(None, None, None),
        "its transaction's commit": lambda tx: tx.get_transaction().commit(),
        "the root's commit": lambda tx: root(tx).commit(),
        "the root's close": lambda tx: root(tx).close(),
        "the root's rollback": lambda tx: root(tx).rollback(),
        "its connection's commit": lambda tx: tx.connection().commit(),
        "its connection's rollback": lambda tx: tx.connection().rollback(),
        "COMMIT": lambda tx: tx.connection().exec_driver_sql("/* so */ -- far\n COMMIT"),
        "ROLLBACK": lambda tx: tx.connection().exec_driver_sql("rollback"),
        "the driver's commit": lambda tx: tx.connection().connection.driver_connection.commit(),
    }
