"""A small application whose plans mix Local and Opaque steps; its outside world is a file."""

import os
from dataclasses import dataclass
from pathlib import Path

import stores
from semel import (
    CONFIRM,
    SAFE,
    Action,
    Ctx,
    Engine,
    Input,
    Kind,
    Line,
    Local,
    Made,
    Opaque,
    Preview,
    Ref,
)
from semel.facts import Text

SQL = Path(__file__).parent / "sql"


@dataclass(frozen=True)
class Row:
    id: str
    text: str
    signed: int
    version: int


class Nota(Kind[Row], name="nota"):
    def find(self, ctx: Ctx, id: str) -> Row | None:
        row = ctx.tx.one("notas.get", org=ctx.org, id=id)
        return row and Row(
            str(row["id"]), str(row["text"]), int(str(row["signed"])), int(str(row["version"]))
        )

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


class Crear(Action, name="nota.crear", effect=Local(), makes=Nota, allow="all"):
    """Write a note."""

    will = {"es": "Escribir {text}", "en": "Write {text}"}
    did = {"es": "{text} escrita", "en": "{text} written"}
    Input = Words

    def risk(self, i, ctx):
        return SAFE

    def preview(self, i, ctx):
        return Preview(text=Text(i.text))

    def run(self, i, ctx):
        id = ctx.new_id()
        ctx.tx.run("notas.add", org=ctx.org, id=id, text=i.text)
        return Made(Nota().find(ctx, id))


class Firmar(Action, name="nota.firmar", effect=Local(), makes=Nota, allow="all"):
    """Sign a note."""

    will = {"es": "Firmar {text}", "en": "Sign {text}"}
    did = {"es": "{text} firmada", "en": "{text} signed"}
    Input = One

    def risk(self, i, ctx):
        return CONFIRM

    def preview(self, i, ctx):
        return Preview(text=Text(i.nota.row.text))

    def run(self, i, ctx):
        ctx.tx.run("notas.sign", org=ctx.org, id=i.nota.id)
        return Made(Nota().find(ctx, i.nota.id))


class Carta(Action, name="carta.enviar", effect=Opaque(deadline=20), allow="all"):
    """Send a letter about a note."""

    will = {"es": "Enviar {text}", "en": "Send {text}"}
    did = {"es": "{text} enviada", "en": "{text} sent"}
    Input = One

    def __init__(self, world: Path, *, safe: bool = False):
        self.world = world
        self.safe = safe

    def risk(self, i, ctx):
        return SAFE if self.safe else CONFIRM

    def preview(self, i, ctx):
        return Preview(text=Text(i.nota.row.text))

    async def run(self, i, ctx):
        append(self.world, ctx.key)
        return Made(id=ctx.key)


def append(path: Path, line: str) -> None:
    """The outside world: one line, on disk when this returns."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, f"{line}\n".encode())
        os.fsync(handle)
    finally:
        os.close(handle)


def open_notas(home: Path, *, safe: bool = False, **options) -> Engine:
    """An engine on this application in *home*."""
    actions = [Crear(), Firmar(), Carta(home / "outside", safe=safe)]
    return Engine(
        stores.url(home / "notas.db", "crash_notas"),
        actions,
        allow=lambda ctx, name, rows: True,
        sql=SQL,
        **options,
    )
