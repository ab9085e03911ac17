"""Tables in memory: rows by key and by index, and an undo log to take changes back.

Nothing here knows what a plan is: :mod:`semel.storage.memory.schema` declares semel's tables, and
an application declares its own in the same way.
"""

import threading
from collections.abc import Callable, Mapping
from typing import TypeAlias

from semel.errors import Bug, Conflict
from semel.ports import Row, Value
from semel.storage.memory.shape import Key, Schema

Statement: TypeAlias = Callable[["Tables", Mapping[str, Value]], list[Row]]


class Table:
    """The rows of one table, by primary key."""

    def __init__(self, schema: Schema, owner: "Tables") -> None:
        self.schema = schema
        self._owner = owner
        self._rows: dict[Key, Row] = {}
        self._indexes: dict[str, dict[Key, dict[Key, None]]] = {n: {} for n in schema.indexes}
        self._lent = 0

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, *key: Value) -> Row | None:
        """The row with this primary key."""
        return self._rows.get(key)

    def find(self, index: str, *values: Value) -> list[Row]:
        """The rows that stand under *values* in an index, in no order to rely on.

        Nothing equals NULL, so whoever looks for it finds nothing.
        """
        if None in values:
            return []
        return [self._rows[key] for key in self._indexes[index].get(values, ())]

    def all(self) -> list[Row]:
        """Every row, in no order to rely on."""
        return list(self._rows.values())

    def insert(self, row: Row) -> Row:
        """Add a row; a column that is not given is NULL.

        Raises:
            Conflict: a constraint refuses it.
        """
        new = self.insert_new(row)
        if new is None:
            raise self._refusal("its key is taken")
        return new

    def insert_new(self, row: Row) -> Row | None:
        """Add a row, or return None when its key is taken.

        Raises:
            Conflict: another constraint refuses it.
        """
        whole = {column: row.get(column) for column in self.schema.columns}
        self._check_alone(whole)
        key = self.schema.key_of(whole)
        if key in self._rows:
            return None
        return self._write(key, whole, None)

    def update(self, row: Row, **changes: Value) -> Row:
        """Change a row that was found in this transaction, and return what it is now.

        Raises:
            Conflict: a constraint refuses it.
        """
        key = self.schema.key_of(row)
        whole = {**row, **changes}
        if whole.keys() != self.schema.columns.keys() or self.schema.key_of(whole) != key:
            raise Bug(f"{self.schema.name} cannot be changed in {', '.join(changes)}.")
        self._check_alone(whole)
        return self._write(key, whole, row)

    def put(self, key: Key, row: Row | None) -> None:
        """Store *row*, or nothing, under *key*, unchecked and unlogged: what undoing needs."""
        if self._lent:
            # A reader still looks at these rows; from here on they are its own.
            self._rows = dict(self._rows)
            self._indexes = _copied(self._indexes)
            self._lent = 0
        old = self._rows.get(key)
        for name, index in self.schema.indexes.items():
            before, after = index.entry(old), index.entry(row)
            if before == after:
                continue
            entries = self._indexes[name]
            if before is not None:
                del entries[before][key]
                if not entries[before]:
                    del entries[before]
            if after is not None:
                entries.setdefault(after, {})[key] = None
        if row is None:
            self._rows.pop(key, None)
        else:
            self._rows[key] = row

    def lend(self, owner: "Tables") -> "Table":
        """A view of the rows as they are now; the next change here leaves it what it saw."""
        view = Table(self.schema, owner)
        view._rows, view._indexes = self._rows, self._indexes
        self._lent += 1
        return view

    def take_back(self, view: "Table") -> None:
        """Note that nobody looks at *view* any more."""
        if view._rows is self._rows:  # noqa: SLF001 - it is one of these
            self._lent -= 1

    def copy(self, owner: "Tables") -> "Table":
        """A view with rows of its own."""
        view = Table(self.schema, owner)
        view._rows, view._indexes = dict(self._rows), _copied(self._indexes)
        return view

    def check_references(self, row: Row, *, deferred: bool) -> None:
        """Refuse a row that points at nothing."""
        for reference in self.schema.references:
            key = tuple([row[column] for column in reference.columns])
            if reference.deferred is not deferred or None in key:
                continue
            schema = reference.schema or self.schema
            # A row may point at itself, and is not yet there when it is looked at at once.
            itself = schema is self.schema and key == schema.key_of(row)
            if not itself and self._owner[schema].get(*key) is None:
                raise self._refusal(f"there is no such row in {schema.name}")

    def _write(self, key: Key, row: Row, old: Row | None) -> Row:
        self._check_among(key, row)
        self._owner.note(self, key, old)
        self.put(key, row)
        return row

    def _check_alone(self, row: Row) -> None:
        for column, types in self.schema.types.items():
            if not isinstance(row[column], types):
                raise self._refusal(f"{column} cannot be {type(row[column]).__name__}")
        for name, holds in self.schema.checks.items():
            if not holds(row):
                raise self._refusal(name)

    def _check_among(self, key: Key, row: Row) -> None:
        for name, index in self.schema.indexes.items():
            entry = index.entry(row) if index.unique else None
            if entry is not None and self._indexes[name].get(entry, {key: None}).keys() != {key}:
                raise self._refusal(name)
        self.check_references(row, deferred=False)

    def _refusal(self, why: str) -> Conflict:
        return Conflict(f"The database refused the row: {self.schema.name}, {why}.")


class Tables:
    """All tables of a store, and what has changed in them since the last commit."""

    def __init__(self, *, writable: bool = True) -> None:
        self._writable = writable
        self._tables: dict[Schema, Table] = {}
        self._log: list[tuple[Table, Key, Row | None]] = []
        self._changes = 0
        # Held for one statement: a reader that begins meanwhile sees none of it, or nothing torn.
        self._mutex = threading.Lock()

    def __getitem__(self, schema: Schema) -> Table:
        """The table of *schema*; it is there, empty, when nothing was ever put in it."""
        table = self._tables.get(schema)
        if table is None:
            table = self._tables[schema] = Table(schema, self)
        return table

    def run(self, statement: Statement, params: Mapping[str, Value]) -> tuple[list[Row], int]:
        """Run one statement, which happens as a whole or not at all.

        Returns:
            Its rows, as copies, and how many rows it changed or found.
        """
        with self._mutex:
            mark, before = len(self._log), self._changes
            try:
                rows: list[Row] = [dict(row) for row in statement(self, params)]
            except BaseException:
                self._undo(mark)
                raise
            return rows, max(self._changes - before, len(rows))

    def note(self, table: Table, key: Key, old: Row | None) -> None:
        """Remember what a row was, so that its change can be taken back."""
        if not self._writable:
            raise Bug("A statement that writes was run in a read.")
        self._log.append((table, key, old))
        self._changes += 1

    def mark(self) -> int:
        """A point of this transaction that :meth:`undo` can go back to."""
        return len(self._log)

    def undo(self, mark: int) -> None:
        """Take back every change since *mark*."""
        with self._mutex:
            self._undo(mark)

    def commit(self) -> None:
        """Keep what changed.

        Raises:
            Conflict: a deferred reference points at nothing; nothing is kept or taken back yet.
        """
        with self._mutex:
            for table, key, _ in self._log:
                row = table.get(*key)
                if row is not None:
                    table.check_references(row, deferred=True)
            self._log.clear()

    def snapshot(self) -> "Tables":
        """What is committed, as it is now and stays; give it to :meth:`release` afterwards."""
        view = Tables(writable=False)
        with self._mutex:
            for schema, table in self._tables.items():
                view._tables[schema] = table.copy(view) if self._log else table.lend(view)
            for table, key, old in reversed(self._log):
                view[table.schema].put(key, old)
        return view

    def release(self, view: "Tables") -> None:
        """Say that nobody reads a snapshot any more, so that rows need not be kept for it."""
        with self._mutex:
            for schema, table in view._tables.items():  # noqa: SLF001 - it is one of these
                self[schema].take_back(table)

    def _undo(self, mark: int) -> None:
        while len(self._log) > mark:
            table, key, old = self._log.pop()
            table.put(key, old)


def _copied(
    indexes: dict[str, dict[Key, dict[Key, None]]],
) -> dict[str, dict[Key, dict[Key, None]]]:
    return {name: {e: dict(keys) for e, keys in index.items()} for name, index in indexes.items()}
