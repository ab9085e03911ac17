"""A tiny application: notes in the database, and letters in an outside that a test can switch."""

import asyncio
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from semel import (
    CONFIRM,
    SAFE,
    TYPED,
    Action,
    Ctx,
    Input,
    Keyring,
    Kind,
    Line,
    Local,
    Made,
    Missing,
    NotDone,
    Number,
    Opaque,
    Preview,
    Ref,
    Risk,
    Who,
)
from semel.facts import Count, Money, Text

SQL = Path(__file__).parent / "sql"
NOW = datetime(2026, 10, 19, 8, 0, tzinfo=UTC)
ANA = Who("o-1", "ana", "c-1", "es")
LUIS = Who("o-1", "luis", "c-1", "es")
EVA = Who("o-2", "eva", "c-1", "es")
KEYS = Keyring((("k1", b"1" * 32),))
DECIDE = "semel.decide"

NotaRow = dict[str, Any]


class Nota(Kind[NotaRow], name="nota"):
    """A note."""

    def find(self, ctx: Ctx, id: str) -> NotaRow | None:
        """The note of this organization, or None."""
        row = ctx.tx.one("notas.find", org=ctx.org, id=id)
        return dict(row) if row else None

    def key(self, row: NotaRow) -> str:
        """Its id."""
        return str(row["id"])

    def version(self, row: NotaRow) -> str:
        """It grows with every change."""
        return str(row["version"])

    def label(self, row: NotaRow) -> str:
        """Its words."""
        return str(row["texto"])


class Nueva(Input):
    texto: Line
    importe: Number = Decimal(0)
    urgente: bool = False


class UnaNota(Input):
    nota: Ref[Nota]


class Notas(Input):
    notas: list[Ref[Nota]]


class Incompleta(Input):
    texto: str | None = None
    importe: Number | None = None


class Paso(Input):
    paso: Line = "uno"


BOTH = {"es": "Hecho", "en": "Done"}


def money(text: object) -> Money:
    return Money(Decimal(str(text)).quantize(Decimal("0.01")))


def insert(ctx: Ctx, texto: str, importe: Decimal) -> NotaRow:
    id = ctx.new_id()
    ctx.tx.run("notas.insert", org=ctx.org, id=id, texto=texto, importe=str(importe))
    return dict(ctx.tx.one("notas.find", org=ctx.org, id=id) or {})


class CrearNota(Action, name="nota.crear", effect=Local(), makes=Nota, allow="notas.crear"):
    """Write a note."""

    will = did = BOTH
    Input = Nueva
    calls = 0

    def risk(self, i: Nueva, ctx: Ctx) -> Risk:
        return CONFIRM if i.urgente else SAFE

    def preview(self, i: Nueva, ctx: Ctx) -> Preview:
        return Preview(texto=Text(i.texto), importe=money(i.importe))

    def run(self, i: Nueva, ctx: Ctx) -> Made:
        self.calls += 1
        if i.importe < 0:
            raise NotDone({"es": "El importe es negativo.", "en": "The amount is negative."})
        row = insert(ctx, i.texto, i.importe)
        return Made(row, importe=money(i.importe))


class FirmarNota(Action, name="nota.firmar", effect=Local(), makes=Nota, allow="notas.firmar"):
    """Sign a note; it takes the next folio."""

    will = did = BOTH
    Input = UnaNota

    def preview(self, i: UnaNota, ctx: Ctx) -> Preview:
        row = i.nota.row
        if "sin lema" in row["texto"]:
            return Preview(missing=[Missing("lema", of=row["texto"])])
        last = ctx.tx.one("notas.last_folio", org=ctx.org)
        facts: dict[str, Any] = {
            "importe": money(row["importe"]),
            "folio": Count(int(str(last["ultimo"])) + 1 if last else 1, volatile=True),
        }
        if Decimal(row["importe"]) >= 1000:
            facts["aviso"] = Text("Importe alto")
        return Preview(**facts)

    def run(self, i: UnaNota, ctx: Ctx) -> Made:
        given = ctx.tx.one("notas.next_folio", org=ctx.org)
        folio = int(str(given["ultimo"])) if given else 0
        row = ctx.tx.one("notas.sign", org=ctx.org, id=i.nota.id, folio=folio)
        if row is None:
            raise NotDone({"es": "Ya estaba firmada.", "en": "It was signed already."})
        return Made(dict(row), folio=Count(folio))


class BorrarMuchas(Action, name="nota.borrar_muchas", effect=Local(), allow="notas.borrar"):
    """Throw notes away."""

    will = did = BOTH
    Input = Notas

    def risk(self, i: Notas, ctx: Ctx) -> Risk:
        return TYPED if len(i.notas) >= 3 else CONFIRM

    def preview(self, i: Notas, ctx: Ctx) -> Preview:
        return Preview(cuantas=Count(len(i.notas)))

    def run(self, i: Notas, ctx: Ctx) -> Made:
        for nota in i.notas:
            ctx.tx.run("notas.delete", org=ctx.org, id=nota.id)
        return Made(cuantas=Count(len(i.notas)))


class CompletarNota(Action, name="nota.completar", effect=Local(), makes=Nota, allow="notas.crear"):
    """Write a note, and ask for what it lacks."""

    will = did = BOTH
    Input = Incompleta

    def preview(self, i: Incompleta, ctx: Ctx) -> Preview:
        missing = []
        if i.texto is None:
            missing.append(Missing("texto", stand_in="Nota sin lema"))
        if i.importe is None:
            missing.append(Missing("importe", of=i.texto or "", stand_in=Decimal(1)))
        return Preview(missing=missing, importe=money(i.importe or 0))

    def run(self, i: Incompleta, ctx: Ctx) -> Made:
        # Without the stand-ins this fails, and nobody asks what a later step needs to know of it.
        return Made(insert(ctx, str(i.texto), i.importe + 0))


class Guion(Action, name="nota.guion", effect=Local(), makes=Nota, allow="notas.crear"):
    """Do what the test wrote down. It says nothing of its risk, so it has to ask."""

    will = did = BOTH
    Input = Paso

    def __init__(self) -> None:
        self.calls = 0
        self.preview_is: Callable[[Paso, Ctx], Any] = lambda i, ctx: Preview(paso=Text(i.paso))
        self.run_is: Callable[[int, Paso, Ctx], Any] = lambda call, i, ctx: Made()

    def preview(self, i: Paso, ctx: Ctx) -> Preview:
        return self.preview_is(i, ctx)

    def run(self, i: Paso, ctx: Ctx) -> Made:
        """The first call is the rehearsal, the second the one before the yes, the third is real."""
        self.calls += 1
        return self.run_is(self.calls, i, ctx)


class Mundo:
    """The outside: every letter is one line on disk, and a test says how the next sending goes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.goes = "ok"
        self.then = "ok"
        self.sends = 0
        self.hanging = asyncio.Event()
        self.released = asyncio.Event()

    @property
    def letters(self) -> list[str]:
        return self.path.read_text("utf-8").splitlines() if self.path.exists() else []

    def write(self, line: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
            file.flush()
            os.fsync(file.fileno())

    async def send(self, line: str, row: object) -> Any:
        """Send once; *goes* says how, and *then* how a sending goes on that has hung."""
        self.sends += 1
        goes = self.goes
        if goes == "hang":
            self.hanging.set()
            while not self.released.is_set():
                try:
                    await self.released.wait()
                except asyncio.CancelledError:
                    # A request on its way does not come back because its caller stopped waiting.
                    continue
            goes = self.then
        if goes == "refuse":
            raise NotDone({"es": "Buzón lleno (550).", "en": "Mailbox full (550)."})
        if goes == "break before":
            raise ConnectionError("refused")
        self.write(line)
        if goes == "break":
            raise ConnectionError("reset")
        if goes == "exit":
            raise SystemExit(3)
        return Made(row, id=f"letter-{self.sends}") if goes == "ok" else goes


class EnviarCarta(Action, name="carta.enviar", effect=Opaque(), makes=Nota, allow="cartas.enviar"):
    """Send a note by letter."""

    will = did = BOTH
    Input = UnaNota

    def __init__(self, mundo: Mundo) -> None:
        self.mundo = mundo
        self.asks: Risk = CONFIRM
        self.prepares: Callable[[], Any] = str
        self.effect = Opaque(deadline=20, delivery_bound=60)

    def risk(self, i: UnaNota, ctx: Ctx) -> Risk:
        return self.asks

    def preview(self, i: UnaNota, ctx: Ctx) -> Preview:
        row = i.nota.row
        return Preview(makes=row, texto=Text(row["texto"]), importe=money(row["importe"]))

    async def prepare(self, i: UnaNota, ctx: Ctx) -> str:
        self.prepares()
        return f"{ctx.key} {i.nota.row['texto']} {i.nota.row['importe']}"

    async def run(self, i: UnaNota, ctx: Ctx, prepared: str) -> Made:
        return await self.mundo.send(prepared, i.nota.row)


def allow(ctx: Ctx, permission: str, records: Sequence[object]) -> bool:
    """Everything that is not denied; deciding for others is luis's alone."""
    if permission == DECIDE and ctx.person != "luis":
        return False
    row = ctx.tx.one("permisos.denied", org=ctx.org, person=ctx.person, permission=permission)
    return row is None
