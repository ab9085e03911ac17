"""The application of the contract suite, for each store: things with an id and a value."""

from collections.abc import Mapping
from pathlib import Path

from semel.ports import Clock, Row, Value
from semel.storage import migrate, sql
from semel.storage.memory import MemoryStore, Schema, Tables
from semel.storage.postgres import PostgresStore
from semel.storage.postgres.binding import bound
from semel.storage.sqlite import SqliteStore

APP = Path(__file__).parent / "app"
FOLDER = APP / "sqlite"
STORAGE = Path(sql.__file__).parent


def migrations(dialect: str) -> list[migrate.Migration]:
    return [
        *migrate.load("semel", STORAGE / dialect / "migrations"),
        *migrate.load("app", APP / dialect / "migrations"),
    ]


MIGRATIONS = migrations("sqlite")

THINGS = Schema("things", key=("id",), columns={"id": str, "value": str | None})


def put(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    t[THINGS].insert({"id": p["id"], "value": p["value"]})
    return []


def get(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    row = t[THINGS].get(p["id"])
    return [] if row is None else [row]


def count(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    return [{"n": len(t[THINGS])}]


IN_MEMORY = {"things.put": put, "things.get": get, "things.count": count}
IN_SQLITE = sql.load(FOLDER)


def in_memory(clock: Clock) -> MemoryStore:
    return MemoryStore(clock=clock, app=IN_MEMORY)


def in_sqlite(path: Path, clock: Clock, *, create: bool = True) -> SqliteStore:
    return SqliteStore(path, clock=clock, app=IN_SQLITE, migrations=MIGRATIONS, create=create)


IN_POSTGRES = bound(sql.load(APP / "postgres"))


def in_postgres(url: str, clock: Clock) -> PostgresStore:
    return PostgresStore(
        url, clock=clock, app=IN_POSTGRES, migrations=migrations("postgres"), lent=True, unsafe=True
    )
