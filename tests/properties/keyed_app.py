"""An application whose inputs hold every type of field, twice: as a meaning's and as an invoice's.

`Everything` has the fields of `respelled.FIELDS`, as a user of the library declares them; `Borrador`
those of the field reports.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

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
    Number,
    Preview,
    Ref,
    Who,
)
from semel.catalog import Catalog
from semel.facts import Text
from semel.testing import MovableClock

ANA = Who("o-1", "ana", "c-1")
NOW = datetime(2026, 10, 19, 8, 0, tzinfo=UTC)


class Thing(Kind[str], name="thing"):
    def find(self, ctx, id):
        return None if id == "nobody" else id

    def key(self, row):
        return row

    version = label = key


class Other(Thing, name="other"):
    """The same, by another name."""


class Colour(Enum):
    RED = "red"
    BLUE = "blue"
    BLAA = "blå"


class Size(Input):
    width: Number = Decimal(1)
    unit: str = "cm"
    exact: bool = False


class Part(Input):
    name: Line
    price: Number
    of: Ref[Thing] | None = None


class Everything(Input):
    price: Number
    name: Line
    note: str = ""
    quantity: Number = Decimal(1)
    limit: Number | None = None
    urgent: bool = False
    told: bool | None = True
    count: int = 0
    day: date | None = None
    at: datetime | None = None
    uid: UUID | None = None
    colour: Colour = Colour.RED
    thing: Ref[Thing] | None = None
    size: Size = Size()
    parts: list[Part] = []
    tags: list[str] = []
    days: list[date] = []
    labels: dict[str, str] = {}


class Linea(Input):
    concepto: Line
    precio: Annotated[Number, Field(decimal_places=6)]
    iva: Number = Decimal(21)
    cantidad: Number = Decimal(1)


class Borrador(Input):
    cliente: str
    lineas: list[Linea]
    avisar_cliente: bool = False
    libre: Any = None
    vence: date | None = None
    avisar_el: datetime | None = None
    referencia: UUID | None = None


class Uno(Input):
    id: str


class Simple(Action):
    """What it makes is a text, and it does nothing else."""

    will = did = {"es": "Hacer {what}", "en": "Do {what}"}
    risky = False

    def risk(self, i, ctx: Ctx):
        return CONFIRM if self.risky else SAFE

    def preview(self, i, ctx: Ctx):
        return Preview(what=Text(self.name))

    def run(self, i, ctx: Ctx):
        return Made("t-1", what=Text(self.name))


class Make(Simple, name="thing.make", effect=Local(), makes=Thing, allow="all"):
    """Make a thing."""

    Input = Everything


class Mend(Simple, name="thing.mend", effect=Local(), makes=Thing, allow="all"):
    """Mend a thing: the same input, another meaning."""

    Input = Everything


class MakeOther(Simple, name="other.make", effect=Local(), makes=Other, allow="all"):
    """Make one of another kind."""

    Input = Uno
    risky = True


class CrearBorrador(Simple, name="factura.crear_borrador", effect=Local(), allow="all"):
    """Draft an invoice."""

    Input = Borrador


class Borrar(Simple, name="factura.borrar", effect=Local(), allow="all"):
    """Throw an invoice away; it makes nothing."""

    Input = Uno


class Enviar(Simple, name="factura.enviar", effect=Local(), allow="all"):
    """Send an invoice."""

    Input = Uno


def actions() -> Sequence[Action]:
    return [Make(), Mend(), MakeOther(), CrearBorrador(), Borrar(), Enviar()]


@dataclass
class Core:
    """What parsing needs of an engine."""

    catalog: Catalog
    speaker: Any = None


def engine_in(folder: Path) -> Engine:
    """A real engine on a file of its own, with a clock that stands."""
    return Engine(
        stores.url(folder / "books.db", "bare"),
        actions(),
        allow=lambda ctx, permission, records: True,
        keys=Keyring((("k1", b"1" * 32),)),
        clock=MovableClock(NOW),
    )
