"""Worlds that are set up once: a card that waits for its yes, a plan that stopped half-way."""

import asyncio
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from crossed import Counted
from decide_bench import KEYS, NOW, Step, act, crear, editar, firmar, fuera
from memory_pedidos import NEGADOS, forked, store_of
from pedidos import ANA, actions
from sim_loop import SimLoop, run
from sim_machine import SimClock, Site
from sim_outside import Outside

from semel.catalog import Catalog
from semel.storage.memory import MemoryStore

ORG = "o-1"
OUTSIDE = Outside()
ACTIONS = actions(OUTSIDE)  # type: ignore[arg-type]  # it has what they call
CATALOG = Catalog(ACTIONS)
CLASSES = ("local", "keyed", "checked", "checked_void", "opaque")
SENT = {
    "keyed": "cobro.hacer",
    "checked": "reserva.hacer",
    "checked_void": "vuelo.reservar",
    "opaque": "carta.enviar",
}
SHAPES = ("first", "middle", "last", "alone", "twice")
KINDS = ("asked", "partly", "fresh")


@dataclass(frozen=True)
class Prepared:
    """A world to begin in.

    Args:
        store: what is in the database.
        chance: how much chance was used up.
        note: the id of a note that was there before everything.
        steps: what the plan of this world is, or is to be.
        plan: its number, when it is there.
        tokens: what may be pressed.
    """

    store: MemoryStore
    chance: int
    note: str
    steps: tuple[Step, ...]
    plan: str | None = None
    tokens: dict[str, str] = field(default_factory=dict)


def steps_of(effect: str, shape: str, note: str, text: str = "uno") -> tuple[Step, ...]:
    """A plan with a step of the class in this place."""
    if effect == "local":
        return {
            "first": (firmar(note), crear(text)),
            "middle": (crear(text), editar(note, text), firmar(note)),
            "last": (crear(text), firmar()),
            "alone": (firmar(note),),
            "twice": (firmar(note), crear(text), firmar("$2")),
        }[shape]
    sent = SENT[effect]
    return {
        "first": (fuera(sent, note), crear(text)),
        "middle": (crear(text), fuera(sent), firmar()),
        "last": (crear(text), fuera(sent)),
        "alone": (fuera(sent, note),),
        "twice": (fuera(sent, note), crear(text), fuera(sent, "$2")),
    }[shape]


@cache
def prepared(effect: str, shape: str, kind: str) -> Prepared:
    """The world of this kind, set up when it is asked for first."""
    if kind == "partly" and steps_of(effect, shape, "")[0][0] != "nota.crear":
        # Nothing was done before the step that fails, so there is nothing half-way.
        return prepared(effect, "last", kind)
    loop = SimLoop()
    clock = SimClock(loop, NOW)
    site = Site(loop, store_of(clock), clock, Counted(), CATALOG, KEYS, None)
    OUTSIDE.begin(None)
    return run(loop, _set_up(site, effect, shape, kind))  # type: ignore[no-any-return]  # it is one


def prepare() -> None:
    """Set up every world, before anything is changed or counted."""
    for effect in CLASSES:
        for shape in SHAPES:
            for kind in KINDS:
                prepared(effect, shape, kind)


async def _set_up(site: Site, effect: str, shape: str, kind: str) -> Prepared:
    process = site.born()
    engine = process.engine
    note = engine.new_id()
    site.store.transact(
        lambda tx: tx.app.run("notas.add", org=ORG, id=note, text="Antes", now="2026-10-18T08:00:00Z")
    )  # fmt: skip
    steps = steps_of(effect, shape, note)

    def world(plan: str | None = None, **tokens: str) -> Prepared:
        return Prepared(site.store, site.entropy.count, note, steps, plan, tokens)

    if kind == "fresh":
        return world()
    ask = await came(process.call(act(engine, *steps)))
    if kind == "asked":
        return world(ask.view.plan, yes=ask.token)
    denied = (ORG, "ana", "firmas")
    negados = site.store._tables[NEGADOS]

    def first_is_done(plans: Any, opened: Any) -> None:
        """From here on what comes next is not allowed."""
        if opened:
            negados.put(denied, dict(zip(NEGADOS.columns, denied, strict=True)))

    OUTSIDE.refusing = True
    site.changed = first_is_done if effect == "local" else site.changed
    await came(process.call(engine.person(ANA).confirm(ask.token)))
    OUTSIDE.refusing = False
    if effect == "local":
        negados.put(denied, None)
    report = await came(process.call(engine.person(ANA).status(ask.view.plan)))
    return world(ask.view.plan, retry=report.retry_token, undo=report.undo_token)


def fork(world: Prepared, clock: SimClock) -> tuple[MemoryStore, Counted]:
    """A store and chance of its own for one schedule."""
    return forked(world.store, clock), Counted(world.chance)


def acted(engine: Any, steps: tuple[Step, ...], message: str) -> Any:
    """A proposal of these steps for a person's message."""
    return act(engine, *steps, message=message)


async def came(answer: "asyncio.Future[Any]") -> Any:
    """What an answer holds; an error is raised."""
    outcome = await answer
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
