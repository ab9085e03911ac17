"""The contract's application on a host: its three statements, run by the host's own means.

A host has no named statements, so what ``tx.app`` is in the contract is a shim on what is lent.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hosts_bench import side
from sqlalchemy import text as sa_text
from things_app import APP, migrations

import stores
from semel.errors import Bug, Conflict
from semel.ports import Clock, Row, Tx, Value
from semel.storage import sql
from semel.storage.hosts import HostStore, Lender
from semel.storage.postgres.tx import _is_plain

STATEMENTS = {name: sql.load(APP / name) for name in ("sqlite", "postgres")}


class Things(Tx):
    """Named statements on a Session or on Django's connection."""

    def __init__(self, lender: Lender, loan: Any, name: str) -> None:
        self.lender, self.loan, self.name, self.open = lender, loan, name, True
        self.host = loan.app

    def one(self, statement: str, /, **params: Value) -> Row | None:
        rows = self.all(statement, **params)
        return rows[0] if rows else None

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        return self._ran(statement, params)[1]

    def run(self, statement: str, /, **params: Value) -> int:
        count, rows = self._ran(statement, params)
        return max(count, len(rows))

    def _ran(self, statement: str, params: dict[str, Value]) -> tuple[int, list[Row]]:
        text = STATEMENTS[self.lender.dialect.name].get(statement)
        if not self.open or text is None or not all(map(_is_plain, params.values())):
            raise Bug
        try:
            with self.lender.translated():
                return self.host_ran(text, params)
        except Conflict as no:
            if "IntegrityError" not in type(no.__cause__).__name__:
                raise
            block = getattr(self.loan.ground.tx, "block", None)
            if block is not None:  # on PostgreSQL the server refuses what follows
                block.spoil()
            raise

    def host_ran(self, text: str, params: dict[str, Value]) -> tuple[int, list[Row]]:
        if self.name == "sqlalchemy":
            result = self.host.execute(sa_text(text), params)
            rows = [dict(row) for row in result.mappings()] if result.returns_rows else []
            return result.rowcount, rows
        with self.host.cursor() as cursor:
            cursor.execute(re.sub(r":(\w+)", r"%(\1)s", text), params)
            if cursor.description is None:
                return cursor.rowcount, []
            names = [column[0] for column in cursor.description]
            return -1, [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


class ThingsLender(Lender):
    """The host's lender, with the shim as what it lends."""

    def __init__(self, lender: Lender, name: str) -> None:
        self.lender, self.name = lender, name
        self.dialect = lender.dialect

    @contextmanager
    def lend(self, clock: Clock, *, lent: bool, writes: bool) -> Iterator[Any]:
        with self.lender.lend(clock, lent=lent, writes=writes) as loan:
            shim = Things(self.lender, loan, self.name)
            loan.app = shim
            try:
                yield loan
            finally:
                shim.open = False

    def raw(self) -> Any:
        return self.lender.raw()

    def close(self) -> None:
        self.lender.close()

    def driver_error(self, error: BaseException) -> BaseException | None:
        return self.lender.driver_error(error)


def open_things(name: str, path: Path, clock: Clock) -> tuple[HostStore, Any]:
    """A store on a host with the contract's application, and the host to be closed after it."""
    host = side(name, stores.url(path, "things"))
    lender = ThingsLender(host.lender(), name)
    tables = migrations(lender.dialect.name)
    return HostStore(lender, clock=clock, migrations=tables, lent=True), host
