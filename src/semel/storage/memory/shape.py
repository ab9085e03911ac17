"""The shape of a table in memory: its columns, and the rows that it refuses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, get_args

from semel.ports import Row, Value

Key: TypeAlias = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """Finds rows by *columns*; a partial one holds only the rows for which *where* is true."""

    columns: tuple[str, ...] = ()
    where: Callable[[Row], bool] | None = None
    unique: bool = False

    def entry(self, row: Row | None) -> Key | None:
        """Where *row* stands in this index, or None when it is not in it."""
        if row is None or (self.where is not None and not self.where(row)):
            return None
        return tuple([row[column] for column in self.columns])


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key: *columns* are the primary key of a row of *schema*, or of the same table.

    A deferred one is looked at when the transaction commits, any other at once. One that holds
    NULL points at nothing, and need not.
    """

    columns: tuple[str, ...]
    schema: "Schema | None" = None
    deferred: bool = False


@dataclass(frozen=True, eq=False)
class Schema:
    """What a table holds and which rows it refuses.

    Args:
        name: the table's name, for messages.
        key: the columns of the primary key.
        columns: the type of each column, in order; ``str | None`` may be NULL.
        checks: by name, what must not be false of a row.
        indexes: by name, the ways to find rows.
        references: the rows of other tables that must be there.
    """

    name: str
    key: tuple[str, ...]
    columns: Mapping[str, Any]
    checks: Mapping[str, Callable[[Row], bool]] = field(default_factory=dict)
    indexes: Mapping[str, Index] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()
    types: Mapping[str, tuple[type, ...]] = field(init=False)

    def __post_init__(self) -> None:
        # isinstance() with a tuple of types is quicker than with a union, and it runs for each row.
        types = {name: get_args(kind) or (kind,) for name, kind in self.columns.items()}
        object.__setattr__(self, "types", types)

    def key_of(self, row: Row) -> Key:
        """The primary key of *row*."""
        return tuple([row[column] for column in self.key])
