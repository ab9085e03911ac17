"""One tool of each class on the bench's world, and what is true of it at any moment."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guard_bench import Bench

import stores
from semel import CallRunning, Checked, Guard, InDoubt, Keyed, Local, NotDone, Opaque
from semel.guard import redis_store  # noqa: F401 - a forked child would import it anew each time
from semel.runtime import points

SQL = Path(__file__).parents[1] / "contract" / "app"
DEADLINE, BOUND = 2.0, 3.0

CLASSES = ("opaque", "keyed", "checked", "void", "local")


def tool(bench: Bench, guard: Guard, kind: str, **more: Any) -> Callable[[str], str]:
    """A guarded tool of a class; called with what is sent."""
    world = bench.world

    def does(what: str, key: str = "") -> str:
        done = world.sends(what, key)
        points.reach("world:sent")
        return done

    if kind == "opaque":

        @guard.once(effect=Opaque(deadline=DEADLINE, delivery_bound=BOUND), name=kind, **more)
        def opaque(what: str) -> str:
            return does(what)

        return opaque
    if kind == "local":

        @guard.once(effect=Local(), name=kind, **more)
        def local(what: str, *, tx: Any) -> str:
            tx.run("things.put", id=os.urandom(8).hex(), value=what)
            points.reach("world:sent")
            return f"id-{what}"

        return local
    effect = {
        "keyed": Keyed(ttl=3600, deadline=DEADLINE, delivery_bound=BOUND),
        "checked": Checked(deadline=DEADLINE, delivery_bound=BOUND),
        "void": Checked(void=True, deadline=DEADLINE, delivery_bound=BOUND),
    }[kind]
    asks: dict[str, Any] = {} if kind == "keyed" else {"check": world.check}
    asks |= {"void": world.void} if kind == "void" else {}

    @guard.once(effect=effect, name=kind, **asks, **more)
    def known(what: str, *, idempotency_key: str) -> str:
        return does(what, idempotency_key)

    return known


def effects(bench: Bench, kind: str, what: str = "ana") -> int:
    """How often it has happened."""
    if kind == "local":
        rows = stores.rows(bench.folder / "guard.db", "SELECT value FROM things")
        return [value for (value,) in rows].count(what)
    return [line.partition(" ")[0] for line in bench.world.lines()].count(what)


@dataclass(frozen=True)
class Told:
    """What a caller was told: ``done``, ``not_done``, ``in_doubt`` or ``running``."""

    word: str
    value: str | None = None


def told(guard: Guard, call: Callable[[str], str], what: str = "ana") -> Told:
    with guard.turn("s", "m"):
        try:
            return Told("done", call(what))
        except NotDone:
            return Told("not_done")
        except InDoubt:
            return Told("in_doubt")
        except CallRunning:
            return Told("running")


def no_power_cut(guard: Guard) -> None:
    """Let the disk take its time, where only processes are killed."""
    if stores.kind() == "sqlite":
        guard.kit().calls._store._connection.execute("PRAGMA synchronous = OFF")
