"""The tables that are about the database itself, and belong to no organization."""

from semel.storage.memory.checks import at_least, between, given
from semel.storage.memory.shape import Schema

DATABASE = Schema(
    "semel_database",
    key=("id",),
    columns={
        "id": int,
        "generation": int,
        "place": str | None,
        "timeline": int | None,
        "timeline_since": str | None,
        "fenced_at": str | None,
        "fencing": int,
    },
    checks={
        "id": between("id", 1, 1),
        "generation": at_least("generation", 1),
        "fencing": between("fencing", 0, 1),
        "fencing_has_a_time": lambda r: r["fencing"] == 0 or r["fenced_at"] is not None,
    },
)

GONE = Schema(
    "semel_gone",
    key=("host", "at"),
    columns={"host": str, "at": str, "said_by": str},
    checks={"host": given("host"), "said_by": given("said_by")},
)
