"""A shop with orders and stock of its own, on SQLAlchemy or Django, and semel beside its tables."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from side_django import DjangoSide
from side_sqlalchemy import SqlAlchemySide

import stores
from semel import (
    CONFIRM,
    SAFE,
    Action,
    Ctx,
    Engine,
    Input,
    Keyring,
    Kind,
    Line,
    Local,
    Made,
    Match,
    Number,
    Opaque,
    Outcome,
    Preview,
    Ref,
    Risk,
    Similar,
    Who,
)
from semel.facts import Count, Text
from semel.testing import MovableClock

ANA = Who("o-1", "ana", "c-1", "es")
LUIS = Who("o-1", "luis", "c-1", "es")
KEYS = Keyring((("k1", b"1" * 32),))
NOW = datetime(2026, 10, 19, 8, 0, tzinfo=UTC)
SKU = "taza"
STOCK = 100


def side(name: str, url: str, **more: Any) -> Any:
    return {"sqlalchemy": SqlAlchemySide, "django": DjangoSide}[name](url, **more)


class Pedido(Kind[Any], name="pedido"):
    """An order."""

    side: Any

    def find(self, ctx: Ctx[Any], id: str) -> Any:
        return self.side.find(ctx.tx, ctx.org, id)

    def key(self, row: Any) -> str:
        return str(row.id)

    def version(self, row: Any) -> str:
        return str(row.version)

    def label(self, row: Any) -> str:
        return f"{row.unidades} × {SKU}"


class Nuevo(Input):
    unidades: Number
    urgente: bool = False


class Uno(Input):
    pedido: Ref[Pedido]


class Guion(Input):
    paso: Line
    seguro: bool = True


BOTH = {"es": "Hecho", "en": "Done"}


class Pedir(Action, name="pedido.hacer", effect=Local(), makes=Pedido, allow="pedidos"):
    """Order something that is in stock."""

    will = did = BOTH
    Input = Nuevo

    def __init__(self, side: Any) -> None:
        self.side = side

    def risk(self, i: Nuevo, ctx: Ctx[Any]) -> Risk:
        return CONFIRM if i.urgente else SAFE

    def preview(self, i: Nuevo, ctx: Ctx[Any]) -> Preview:
        return Preview(quedan=Count(self.side.left(ctx.tx, SKU), volatile=True))

    def run(self, i: Nuevo, ctx: Ctx[Any]) -> Made:
        row = self.side.order(ctx.tx, ctx.new_id(), ctx.org, SKU, int(i.unidades))
        return Made(row, unidades=Count(int(i.unidades)), undo={"id": row.id})

    def undo(self, data: Any, ctx: Ctx[Any]) -> Made:
        row = self.side.find(ctx.tx, ctx.org, data["id"])
        self.side.cancel(ctx.tx, row)
        return Made(row)


class Anular(Action, name="pedido.anular", effect=Local(), makes=Pedido, allow="pedidos"):
    """Cancel an order: its units go back to the stock."""

    will = did = BOTH
    Input = Uno

    def __init__(self, side: Any) -> None:
        self.side = side

    def preview(self, i: Uno, ctx: Ctx[Any]) -> Preview:
        return Preview(unidades=Count(i.pedido.row.unidades))

    def run(self, i: Uno, ctx: Ctx[Any]) -> Made:
        self.side.cancel(ctx.tx, i.pedido.row)
        return Made(i.pedido.row)


class Repetir(Action, name="pedido.repetir", effect=Local(), makes=Pedido, allow="pedidos"):
    """Order as much again; it is shown beside what looks alike."""

    will = did = BOTH
    Input = Nuevo

    def __init__(self, side: Any) -> None:
        self.side = side
        self.alike: Callable[[Ctx[Any]], list[Any]] = lambda ctx: []

    def preview(self, i: Nuevo, ctx: Ctx[Any]) -> Preview:
        return Preview()

    def similar(self, i: Nuevo, ctx: Ctx[Any]) -> Similar:
        return Similar(f"{i.unidades}", [Match(row) for row in self.alike(ctx)])

    def run(self, i: Nuevo, ctx: Ctx[Any]) -> Made:
        return Made(self.side.order(ctx.tx, ctx.new_id(), ctx.org, SKU, int(i.unidades)))


class Hacer(Action, name="guion.hacer", effect=Local(), makes=Pedido, allow="pedidos"):
    """Do what the test says."""

    will = did = BOTH
    Input = Guion

    def __init__(self) -> None:
        self.does: Callable[[Ctx[Any]], Any] = lambda ctx: Made()
        self.calls = 0

    def risk(self, i: Guion, ctx: Ctx[Any]) -> Risk:
        return SAFE if i.seguro else CONFIRM

    def preview(self, i: Guion, ctx: Ctx[Any]) -> Preview:
        return Preview(paso=Text(i.paso))

    def run(self, i: Guion, ctx: Ctx[Any]) -> Made:
        self.calls += 1
        made = self.does(ctx)
        return made if isinstance(made, Made) else Made()


class Avisar(Action, name="pedido.avisar", effect=Opaque(), allow="pedidos"):
    """Tell the customer about an order."""

    will = did = BOTH
    Input = Uno

    def __init__(self) -> None:
        self.sent: list[str] = []

    def preview(self, i: Uno, ctx: Ctx[Any]) -> Preview:
        return Preview(unidades=Count(i.pedido.row.unidades))

    async def prepare(self, i: Uno, ctx: Ctx[Any]) -> str:
        # The row was read in a transaction that has ended; what was loaded of it can be read.
        return f"{i.pedido.row.unidades}"

    async def run(self, i: Uno, ctx: Ctx[Any], text: str) -> Made:
        self.sent.append(f"{text} {i.pedido.row.unidades}")
        return Made(id="letter-1")


@dataclass
class Bench:
    """One database with the shop's tables, and engines on it."""

    path: Path
    side: Any
    clock: MovableClock = field(default_factory=lambda: MovableClock(NOW))

    def __post_init__(self) -> None:
        Pedido.side = self.side
        self.guion, self.avisar, self.repetir = Hacer(), Avisar(), Repetir(self.side)

    def engine(self, *, clock: bool = True) -> Engine:
        actions = [Pedir(self.side), Anular(self.side), self.repetir, self.guion, self.avisar]
        return Engine(
            self.side.lender(),
            actions,
            allow=lambda ctx, permission, records: True,
            keys=KEYS,
            clock=self.clock if clock else None,
        )

    def sql(self, text: str, *params: Any) -> list[tuple[Any, ...]]:
        return stores.rows(self.path, text, *params)

    def orders(self) -> int:
        return self.sql("SELECT count(*) FROM tienda_pedido")[0][0]

    def left(self) -> int:
        return self.sql("SELECT quedan FROM tienda_articulo WHERE sku = ?", SKU)[0][0]

    def steps(self) -> list[tuple[str, str | None]]:
        return self.sql("SELECT state, reason FROM semel_steps ORDER BY plan, position")

    def does(self, work: Callable[[Ctx[Any]], Any]) -> None:
        self.guion.does = work


@contextmanager
def bench(name: str, path: Path, *, anew: bool = True) -> Iterator[Bench]:
    """A shop with a hundred cups, or as it stands."""
    made = side(name, stores.url(path, f"tienda_{name}"))
    one = Bench(path, made)
    try:
        if anew:
            made.tables()
            engine = one.engine()
            engine.migrate()
            engine.close()
            one.sql(
                "INSERT INTO tienda_articulo (sku, quedan, version) VALUES (?, ?, 1)", SKU, STOCK
            )
            made.close()
        yield one
    finally:
        made.close()


@asynccontextmanager
async def opened(one: Bench) -> AsyncIterator[Engine]:
    async with one.engine() as engine:
        yield engine


def plan(*steps: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"steps": [{"action": action, "input": given} for action, given in steps]}


def pedir(unidades: int = 2, **more: Any) -> tuple[str, dict[str, Any]]:
    return "pedido.hacer", {"unidades": str(unidades), **more}


def guion(paso: str = "uno", **more: Any) -> tuple[str, dict[str, Any]]:
    return "guion.hacer", {"paso": paso, **more}


async def act(
    engine: Engine, *steps: tuple[str, dict[str, Any]], message: str = "m-1", who: Who = ANA
) -> Outcome:
    return await engine.agent.act(who, plan(*steps), message=message)


def told(outcome: Outcome) -> tuple[str, str | None]:
    """An outcome in two words: what it is, and why."""
    view = getattr(outcome, "view", None)
    reason = getattr(outcome, "why", None) or (view.reason if view else None)
    return type(outcome).__name__, str(reason) if reason else None


def run(work: Any) -> Any:
    return asyncio.run(work)
