"""More actions on pedidos' notes: one that plans for later, and one that does what a test says."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from pedidos import BOTH, Carta, Nota, One, Remind

from semel import SAFE, Action, Ctx, Input, Line, Local, Made, NotDone, Preview, Risk
from semel.facts import Text, instant_text


class Note(Input):
    text: Line
    dias: int = 5


class Word(Input):
    paso: Line = "uno"


def written(ctx: Ctx, text: str) -> Any:
    """A new note with these words."""
    id = ctx.new_id()
    ctx.tx.run("notas.add", org=ctx.org, id=id, text=text, now=instant_text(ctx.now))
    return Nota().find(ctx, id)


def dropped(data: Any, ctx: Ctx) -> Made:
    """A note that was written is thrown away."""
    version = Nota().find(ctx, data["id"]).version
    if not ctx.tx.run("notas.drop", org=ctx.org, id=data["id"], version=version):
        raise NotDone({"es": "Ha cambiado.", "en": "It has changed."})
    return Made(Nota().find_archived(ctx, data["id"]))


class Apuntar(Action, name="nota.apuntar", effect=Local(), makes=Nota, allow="notas"):
    """Write a note, and a letter about it in some days; both can be taken back until then."""

    will = did = BOTH
    Input = Note

    def risk(self, i: Note, ctx: Ctx) -> Risk:
        return SAFE

    def preview(self, i: Note, ctx: Ctx) -> Preview:
        return Preview(text=Text(i.text))

    def run(self, i: Note, ctx: Ctx) -> Made:
        row = written(ctx, i.text)
        at = ctx.now + timedelta(days=i.dias)
        ctx.later(Carta, {"nota": row.id}, not_before=at, unless="firmada")
        return Made(row, undo={"id": row.id})

    def undo(self, data: Any, ctx: Ctx) -> Made:
        return dropped(data, ctx)


class Recordar(Action, name="nota.recordar", effect=Local(), makes=Nota, allow="notas"):
    """Have a letter about a note sent in some days; what is planned already is no reason to stop."""

    will = did = BOTH
    Input = Remind

    def risk(self, i: Remind, ctx: Ctx) -> Risk:
        return SAFE

    def preview(self, i: Remind, ctx: Ctx) -> Preview:
        return Preview(text=Text(i.nota.row.text))

    def run(self, i: Remind, ctx: Ctx) -> Made:
        at = ctx.now.replace(hour=8, minute=0, second=0, microsecond=0) + timedelta(days=i.dias)
        planned = ctx.later(Carta, {"nota": i.nota.id}, not_before=at)
        return Made(i.nota.row, nuevo=Text(str(planned)))


class Tirar(Action, name="nota.tirar", effect=Local(), makes=Nota, allow="notas"):
    """Throw a note away; it is kept where an undo finds it."""

    will = did = BOTH
    Input = One

    def risk(self, i: One, ctx: Ctx) -> Risk:
        return SAFE

    def preview(self, i: One, ctx: Ctx) -> Preview:
        return Preview(text=Text(i.nota.row.text))

    def run(self, i: One, ctx: Ctx) -> Made:
        made = dropped({"id": i.nota.id}, ctx)
        made.undo = {"id": i.nota.id}
        return made

    def undo(self, data: Any, ctx: Ctx) -> Made:
        row = Nota().find_archived(ctx, data["id"])
        if not ctx.tx.run("notas.restore", org=ctx.org, id=row.id, version=row.version):
            raise NotDone({"es": "Ha cambiado.", "en": "It has changed."})
        return Made(Nota().find(ctx, row.id))


class Fechar(Action, name="nota.fechar", effect=Local(), makes=Nota, allow="notas"):
    """Sign a note; the hour is shown and may have passed."""

    will = did = BOTH
    Input = One

    def preview(self, i: One, ctx: Ctx) -> Preview:
        hour = Text(instant_text(ctx.now), volatile=True)
        return Preview(text=Text(i.nota.row.text), hora=hour)

    def run(self, i: One, ctx: Ctx) -> Made:
        ctx.tx.run("notas.sign", org=ctx.org, id=i.nota.id)
        return Made(Nota().find(ctx, i.nota.id))


class Guion(Action, name="nota.guion", effect=Local(), makes=Nota, allow="notas"):
    """Do what the test wrote down; by itself it is safe and writes a note."""

    will = did = BOTH
    Input = Word

    def __init__(self) -> None:
        self.risk_is: Callable[[Word, Ctx], Any] = lambda i, ctx: SAFE
        self.preview_is: Callable[[Word, Ctx], Any] = lambda i, ctx: Preview(text=Text(i.paso))
        self.run_is: Callable[[Word, Ctx], Any] = self.write
        self.undo_is: Callable[[Any, Ctx], Any] = dropped
        self.undone: list[str] = []

    def write(self, i: Word, ctx: Ctx) -> Made:
        row = written(ctx, i.paso)
        return Made(row, undo={"id": row.id, "paso": i.paso})

    def risk(self, i: Word, ctx: Ctx) -> Any:
        return self.risk_is(i, ctx)

    def preview(self, i: Word, ctx: Ctx) -> Preview:
        return self.preview_is(i, ctx)

    def run(self, i: Word, ctx: Ctx) -> Made:
        return self.run_is(i, ctx)

    def undo(self, data: Any, ctx: Ctx) -> Made:
        made = self.undo_is(data, ctx)
        self.undone.append(data["paso"])
        return made
