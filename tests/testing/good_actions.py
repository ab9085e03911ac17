"""Actions that keep what they promise; the bad ones beside them each break one promise of one."""

import asyncio
import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from semel import (
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
    Number,
    Opaque,
    Preview,
    Ref,
    Risk,
    Row,
    Similar,
)
from semel.facts import JSON, Money, Text
from semel.testing import HttpOutside, World

SQL = Path(__file__).parent / "sql"


class Thing(Kind[Row], name="thing"):
    def find(self, ctx: Ctx, id: str) -> Row | None:
        return ctx.tx.one("things.get", org=ctx.org, id=id)

    def key(self, row: Row) -> str:
        return str(row["id"])

    def version(self, row: Row) -> str:
        return str(row["version"])

    def label(self, row: Row) -> str:
        return str(row["name"])


def found(ctx: Ctx, id: str) -> Row:
    row = ctx.tx.one("things.get", org=ctx.org, id=id)
    assert row is not None
    return row


class New(Input):
    name: Line
    price: Number


class Priced(Input):
    thing: Ref[Thing]
    price: Number


class One(Input):
    thing: Ref[Thing]


class Add(Action, name="thing.add", effect=Local(), makes=Thing, allow="things"):
    """Add a thing."""

    will = {"es": "Añadir {name} por {price}", "en": "Add {name} for {price}"}
    did = {"es": "{name} añadido", "en": "{name} added"}
    Input = New

    def risk(self, i: New, ctx: Ctx) -> Risk:
        return SAFE

    def preview(self, i: New, ctx: Ctx) -> Preview:
        return Preview(name=Text(i.name), price=Money(i.price))

    def run(self, i: New, ctx: Ctx) -> Made:
        id = ctx.new_id()
        ctx.tx.run("things.add", org=ctx.org, id=id, name=i.name, price=str(i.price))
        return Made(found(ctx, id), undo=id)

    def undo(self, data: JSON, ctx: Ctx) -> Made:
        ctx.tx.run("things.remove", org=ctx.org, id=str(data))
        return Made()

    def similar(self, i: New, ctx: Ctx) -> Similar:
        rows = ctx.tx.all("things.named", org=ctx.org, name=i.name)
        return Similar(i.name, [Match(row, name=Text(str(row["name"]))) for row in rows])


class Price(Action, name="thing.price", effect=Local(), makes=Thing, allow="things"):
    """Give a thing another price."""

    will = {"es": "{name}: de {was} a {price}", "en": "{name}: from {was} to {price}"}
    did = {"es": "{name} cuesta {price}", "en": "{name} costs {price}"}
    Input = Priced

    def risk(self, i: Priced, ctx: Ctx) -> Risk:
        return SAFE

    def preview(self, i: Priced, ctx: Ctx) -> Preview:
        was = Decimal(str(i.thing.row["price"]))
        name = Text(str(i.thing.row["name"]))
        return Preview(name=name, was=Money(was), price=Money(i.price))

    def run(self, i: Priced, ctx: Ctx) -> Made:
        ctx.tx.run("things.price", org=ctx.org, id=i.thing.id, price=str(i.price))
        was = {"id": i.thing.id, "price": str(i.thing.row["price"])}
        return Made(found(ctx, i.thing.id), undo=was)

    def undo(self, data: Any, ctx: Ctx) -> Made:
        ctx.tx.run("things.price", org=ctx.org, **data)
        return Made(found(ctx, data["id"]))


class Drop(Action, name="thing.drop", effect=Local(), makes=Thing, allow="things"):
    """Throw a thing away."""

    will = {"es": "Tirar {name}", "en": "Throw {name} away"}
    did = {"es": "{name} tirado", "en": "{name} thrown away"}
    Input = One

    def risk(self, i: One, ctx: Ctx) -> Risk:
        return SAFE

    def preview(self, i: One, ctx: Ctx) -> Preview:
        return Preview(name=Text(str(i.thing.row["name"])))

    def run(self, i: One, ctx: Ctx) -> Made:
        row = dict(i.thing.row)
        ctx.tx.run("things.remove", org=ctx.org, id=i.thing.id)
        return Made(row, undo={name: row[name] for name in ("id", "name", "price")})

    def undo(self, data: Any, ctx: Ctx) -> Made:
        ctx.tx.run("things.add", org=ctx.org, **data)
        return Made(found(ctx, data["id"]))


class Refusal(Exception):
    """The other side said no; its argument is the status."""


async def ask(far: HttpOutside, method: str, path: str, body: bytes = b"") -> bytes:
    """One HTTP request over a connection of its own, and what was answered to it."""
    parts = urlsplit(far.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        head = f"{method} /{path} HTTP/1.1\r\nHost: far\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        first = await reader.readline()
        if not first:
            raise ConnectionError("no answer")
        status = int(first.split()[1])
        if status >= 400:
            raise Refusal(status)
        return (await reader.read()).partition(b"\r\n\r\n")[2]
    finally:
        writer.close()


class _Sends(Action):
    will = {"es": "Mandar {text}", "en": "Send {text}"}
    did = {"es": "{text} mandado", "en": "{text} sent"}

    class Input(Input):
        text: Line

    def __init__(self, far: HttpOutside) -> None:
        self.far = far

    def preview(self, i: Any, ctx: Ctx) -> Preview:
        return Preview(text=Text(i.text))

    async def prepare(self, i: Any, ctx: Ctx) -> bytes:
        return json.dumps({"key": ctx.key, "text": i.text}).encode()

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        try:
            answer = await ask(self.far, "POST", "", prepared)
        except Refusal as no:
            raise NotDone({"es": f"Rechazado: {no}", "en": f"Refused: {no}"}) from no
        return Made(id=json.loads(answer)["id"])


class Letter(_Sends, name="letter.send", effect=Opaque(deadline=5, delivery_bound=5), allow="x"):
    """Send a letter."""


class Pay(_Sends, name="pay.out", effect=Keyed(ttl=86400, deadline=5), allow="x"):
    """Pay, at a provider that remembers keys for a day."""


class Book(_Sends, name="seat.book", effect=Checked(void=True, deadline=5), allow="x"):
    """Book a seat, where one can look and close afterwards."""

    async def check(self, keys: Sequence[str], ctx: Ctx) -> Made | None:
        for key in keys:
            try:
                return Made(id=json.loads(await ask(self.far, "GET", key))["id"])
            except Refusal:
                continue
        return None

    async def void(self, keys: Sequence[str], ctx: Ctx) -> None:
        for key in keys:
            await ask(self.far, "DELETE", key)


def adding() -> World:
    return World(given={"name": "Lamp", "price": "12.50"}, sql=SQL)


def pricing() -> World:
    return World(given=lambda engine: {"thing": lamp(engine), "price": "9.90"}, sql=SQL)


def dropping() -> World:
    return World(given=lambda engine: {"thing": lamp(engine)}, sql=SQL)


def lamp(engine: Engine) -> str:
    id = engine.new_id()
    given = {"org": "org", "id": id, "name": "Lamp", "price": "12.50"}
    engine.sync.write(lambda tx: tx.run("things.add", **given))
    return id
