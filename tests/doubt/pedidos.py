"""A small application with an action of every effect class, on SQLite, on PostgreSQL or in memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from afuera import Afuera

import stores
from semel import (
    CONFIRM,
    SAFE,
    Action,
    Checked,
    Ctx,
    Engine,
    Input,
    Keyed,
    Kind,
    Line,
    Local,
    Made,
    Match,
    NotDone,
    Opaque,
    Preview,
    Ref,
    Risk,
    Similar,
    Who,
)
from semel.facts import Text, instant_text

SQL = Path(__file__).parent / "sql"
ANA = Who("o-1", "ana", "c-1", "es")
LUIS = Who("o-1", "luis", "c-1", "es")
BOTH = {"es": "«{text}»", "en": "“{text}”"}
SIDE = {"deadline": 30.0, "delivery_bound": 60.0}


@dataclass(frozen=True)
class Row:
    id: str
    text: str
    signed: int
    version: int
    gone: int


def read(found: Any) -> Row | None:
    return found and Row(
        str(found["id"]), str(found["text"]), int(found["signed"]), int(found["version"]),
        int(found["gone"]),
    )  # fmt: skip


class Nota(Kind[Row], name="nota"):
    def find(self, ctx: Ctx, id: str) -> Row | None:
        row = self.find_archived(ctx, id)
        return None if row is None or row.gone else row

    def find_archived(self, ctx: Ctx, id: str) -> Row | None:
        return read(ctx.tx.one("notas.get", org=ctx.org, id=id))

    def key(self, row: Row) -> str:
        return row.id

    def version(self, row: Row) -> str:
        return str(row.version)

    def label(self, row: Row) -> str:
        return row.text


class Words(Input):
    text: Line


class One(Input):
    nota: Ref[Nota]


class Edit(Input):
    nota: Ref[Nota]
    text: Line


class Remind(Input):
    nota: Ref[Nota]
    dias: int


def _changed(ctx: Ctx, statement: str, id: str, **params: Any) -> Made:
    if not ctx.tx.run(statement, org=ctx.org, id=id, **params):
        raise NotDone({"es": "Ha cambiado.", "en": "It has changed."})
    return Made(Nota().find_archived(ctx, id))


class Crear(Action, name="nota.crear", effect=Local(), makes=Nota, allow="notas"):
    """Write a note."""

    will = did = BOTH
    Input = Words

    def risk(self, i: Words, ctx: Ctx) -> Risk:
        return SAFE

    def preview(self, i: Words, ctx: Ctx) -> Preview:
        return Preview(text=Text(i.text))

    def similar(self, i: Words, ctx: Ctx) -> Similar:
        since = instant_text(ctx.now - timedelta(minutes=10))
        rows = ctx.tx.all("notas.like", org=ctx.org, text=i.text, since=since)
        return Similar(i.text, [Match(read(row), text=Text(str(row["text"]))) for row in rows])

    def run(self, i: Words, ctx: Ctx) -> Made:
        id = ctx.new_id()
        ctx.tx.run("notas.add", org=ctx.org, id=id, text=i.text, now=instant_text(ctx.now))
        return Made(Nota().find(ctx, id), undo={"id": id})

    def undo(self, data: Any, ctx: Ctx) -> Made:
        version = Nota().find(ctx, data["id"]).version
        return _changed(ctx, "notas.drop", data["id"], version=version)


class Editar(Action, name="nota.editar", effect=Local(), makes=Nota, allow="notas"):
    """Change a note's words."""

    will = did = BOTH
    Input = Edit

    def risk(self, i: Edit, ctx: Ctx) -> Risk:
        return SAFE

    def preview(self, i: Edit, ctx: Ctx) -> Preview:
        return Preview(antes=Text(i.nota.row.text), text=Text(i.text))

    def run(self, i: Edit, ctx: Ctx) -> Made:
        before = i.nota.row
        made = _changed(ctx, "notas.edit", i.nota.id, text=i.text, version=before.version)
        made.undo = {"id": i.nota.id, "text": before.text}
        return made

    def undo(self, data: Any, ctx: Ctx) -> Made:
        version = Nota().find(ctx, data["id"]).version
        return _changed(ctx, "notas.edit", data["id"], text=data["text"], version=version)


class Firmar(Action, name="nota.firmar", effect=Local(), makes=Nota, allow="firmas"):
    """Sign a note; a signature is not taken back."""

    will = did = BOTH
    Input = One

    def preview(self, i: One, ctx: Ctx) -> Preview:
        return Preview(text=Text(i.nota.row.text))

    def run(self, i: One, ctx: Ctx) -> Made:
        return _changed(ctx, "notas.sign", i.nota.id)


class Avisar(Action, name="nota.avisar", effect=Local(), makes=Nota, allow="notas"):
    """Send a letter about a note in some days, unless it is signed by then."""

    will = did = BOTH
    Input = Remind

    def preview(self, i: Remind, ctx: Ctx) -> Preview:
        return Preview(text=Text(i.nota.row.text))

    def run(self, i: Remind, ctx: Ctx) -> Made:
        at = ctx.now.replace(hour=8, minute=0, second=0, microsecond=0) + timedelta(days=i.dias)
        after = at + timedelta(hours=12)
        planned = ctx.later(
            Carta, {"nota": i.nota.id}, not_before=at, not_after=after, unless="firmada"
        )
        if not planned:
            raise NotDone({"es": "Ya estaba previsto.", "en": "It was planned already."})
        return Made(i.nota.row)


class NoAvisar(Action, name="nota.no_avisar", effect=Local(), allow="notas"):
    """Send no letter about a note after all."""

    will = did = BOTH
    Input = One

    def risk(self, i: One, ctx: Ctx) -> Risk:
        return SAFE

    def preview(self, i: One, ctx: Ctx) -> Preview:
        return Preview(text=Text(i.nota.row.text))

    def run(self, i: One, ctx: Ctx) -> Made:
        if not ctx.cancel_later("nota", i.nota.id):
            raise NotDone({"es": "No había nada previsto.", "en": "Nothing was planned."})
        return Made()


class _Outside(Action):
    will = did = BOTH
    Input = One

    def __init__(self, afuera: Afuera) -> None:
        self.afuera = afuera
        self.asks: Risk = CONFIRM
        self.sent: list[tuple[str, bytes]] = []
        """What this process has handed over, in order: the key and the bytes."""

    def risk(self, i: One, ctx: Ctx) -> Risk:
        return self.asks

    def preview(self, i: One, ctx: Ctx) -> Preview:
        return Preview(text=Text(i.nota.row.text))

    async def prepare(self, i: One, ctx: Ctx) -> bytes:
        """The same bytes for the same context: what is sent again is the same or is not sent."""
        return f"{ctx.key} {i.nota.row.text} {instant_text(ctx.now)}".encode()

    async def run(self, i: One, ctx: Ctx, prepared: bytes) -> Made:
        ctx.check_age()
        self.sent.append((ctx.key, prepared))
        return Made(id=await self.afuera.send(self.name, ctx.key, i.nota.id))


class _Looked(_Outside):
    async def check(self, keys: Sequence[str], ctx: Ctx) -> Made | None:
        found = await self.afuera.look(self.name, keys)
        return None if found is None else Made(id=f"{self.name}:{found}")


class Carta(_Outside, name="carta.enviar", effect=Opaque(**SIDE), allow="cartas"):
    """Send a letter."""

    def firmada(self, i: One, ctx: Ctx) -> bool:
        return i.nota.row.signed > 0


class Cobro(_Outside, name="cobro.hacer", effect=Keyed(ttl=86400, **SIDE), allow="cartas"):
    """Collect, at a provider that remembers keys for a day."""


class Reserva(_Looked, name="reserva.hacer", effect=Checked(**SIDE), allow="cartas"):
    """Reserve, where one can look afterwards."""


class Vuelo(_Looked, name="vuelo.reservar", effect=Checked(void=True, **SIDE), allow="cartas"):
    """Reserve, where one can look and close afterwards."""

    async def void(self, keys: Sequence[str], ctx: Ctx) -> None:
        await self.afuera.close(self.name, keys)


OUTSIDE = ("carta.enviar", "cobro.hacer", "reserva.hacer", "vuelo.reservar")


def actions(afuera: Afuera) -> list[Action]:
    return [
        Crear(), Editar(), Firmar(), Avisar(), NoAvisar(),
        Carta(afuera), Cobro(afuera), Reserva(afuera), Vuelo(afuera),
    ]  # fmt: skip


def allow(ctx: Ctx, permission: str, records: Sequence[object]) -> bool:
    """Everything that is not denied; deciding for others is luis's alone."""
    if permission == "semel.decide":
        return ctx.person == "luis"
    denied = ctx.tx.one("notas.denied", org=ctx.org, person=ctx.person, permission=permission)
    return denied is None


def open_pedidos(
    home: Path, afuera: Afuera, given: list[Action] | None = None, **options: Any
) -> Engine:
    """An engine on this application in *home*; *given* are its actions, if they are to differ."""
    return Engine(
        stores.url(home / "pedidos.db", "pedidos"),
        given or actions(afuera),
        allow=allow,
        sql=SQL,
        **options,
    )
