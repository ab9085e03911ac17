"""Pedidos on the store in memory: its statements as functions, and an engine around them."""

from collections.abc import Mapping
from typing import Any

from decide_bench import KEYS
from pedidos import allow

from semel import Action
from semel.catalog import Catalog
from semel.machine import SystemEntropy
from semel.ports import Clock, Host, Row, Value
from semel.runtime.core import Core
from semel.runtime.engine import Engine
from semel.storage.memory import MemoryStore, Schema, Tables
from semel.words import speaker

NOTAS = Schema(
    "notas",
    key=("org", "id"),
    columns={
        "org": str, "id": str, "text": str, "signed": int, "version": int, "created_at": str,
        "gone": int,
    },
)  # fmt: skip
NEGADOS = Schema(
    "negados",
    key=("org", "person", "permission"),
    columns={"org": str, "person": str, "permission": str},
)


def add(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    born = {"signed": 0, "version": 1, "gone": 0, "created_at": p["now"]}
    t[NOTAS].insert({"org": p["org"], "id": p["id"], "text": p["text"], **born})
    return []


def get(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    row = t[NOTAS].get(p["org"], p["id"])
    return [] if row is None else [row]


def like(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    found = [
        row
        for row in t[NOTAS].all()
        if (row["org"], row["text"], row["gone"]) == (p["org"], p["text"], 0)
        and str(row["created_at"]) > str(p["since"])
    ]
    return sorted(found, key=lambda row: str(row["id"]))


def changed(t: Tables, p: Mapping[str, Value], was: int | None = None, **to: Value) -> list[Row]:
    """Change the note if it is there, gone or not as it *was*, in that version; as it is then."""
    row = t[NOTAS].get(p["org"], p["id"])
    if row is None or (was is not None and row["gone"] != was):
        return []
    if "version" in p and row["version"] != p["version"]:
        return []
    return [t[NOTAS].update(row, version=int(str(row["version"])) + 1, **to)]


def sign(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    row = t[NOTAS].get(p["org"], p["id"])
    return changed(t, p, was=0, signed=int(str(row["signed"])) + 1) if row else []


def deny(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    t[NEGADOS].insert_new({name: p[name] for name in ("org", "person", "permission")})
    return []


def denied(t: Tables, p: Mapping[str, Value]) -> list[Row]:
    row = t[NEGADOS].get(p["org"], p["person"], p["permission"])
    return [] if row is None else [{"denied": 1}]


STATEMENTS: Mapping[str, Any] = {
    "notas.add": add,
    "notas.get": get,
    "notas.like": like,
    "notas.edit": lambda t, p: changed(t, p, text=p["text"]),
    "notas.sign": sign,
    "notas.drop": lambda t, p: changed(t, p, was=0, gone=1),
    "notas.restore": lambda t, p: changed(t, p, was=1, gone=0),
    "notas.deny": deny,
    "notas.denied": denied,
}


class Machine(Host):
    """A process of a simulation; the test says which of them are dead."""

    def __init__(self, name: str, dead: set[str]) -> None:
        self._name = name
        self._dead = dead

    @property
    def identity(self) -> str:
        return self._name

    def is_dead(self, identity: str) -> bool:
        return identity in self._dead


def store_of(clock: Clock) -> MemoryStore:
    return MemoryStore(clock=clock, app=STATEMENTS)


def forked(store: MemoryStore, clock: Clock) -> MemoryStore:
    """Another store that holds what this one holds, and goes its own way."""
    other = store_of(clock)
    for schema, table in store._tables._tables.items():
        other._tables._tables[schema] = table.copy(other._tables)
    return other


def engine_of(
    store: Any, actions: list[Action], clock: Clock, *, catalog: Catalog | None = None,
    host: Host | None = None, may: Any = allow,
) -> Engine:  # fmt: skip
    """An engine on a store of this application."""
    return Engine(
        Core(
            store=store,
            catalog=catalog or Catalog(actions),
            keys=KEYS,
            clock=clock,
            entropy=SystemEntropy(),
            host=host or Machine("one", set()),
            allow=may,
            speaker=speaker,
        )
    )
